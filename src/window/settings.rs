//! Settings that a window starts with, and has when it closes: its caller keeps them.
//!
//! The tool is none of them: a click meant for the view would erase agents.

use std::ops::RangeInclusive;

use crate::{
    raster::{Overlay, Palette},
    window::{film_options::FilmOptions, observable::Observable},
};

/// The settings; `None` where the user never chose.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Width and height of the window, logical pixels; each one of [`Self::SIDES`].
    pub(crate) size: Option<[u32; 2]>,
    /// Palette.
    pub(crate) palette: Option<Palette>,
    /// Overlay.
    pub(crate) overlay: Option<Overlay>,
    /// Whether the panel is shown.
    pub(crate) panel: bool,
    /// Whether dense places glow.
    pub(crate) glow: bool,
    /// Size of text and panel, relative to that which the screen asks for; one of
    /// [`Self::INTERFACE_SCALES`].
    pub(crate) interface_scale: f32,
    /// What films are like.
    pub(crate) film: FilmOptions,
    /// Whether frames are skipped, rather than time slowed, when the machine can't keep up.
    pub(crate) skip_frames: bool,
    /// What the panel plots.
    pub(crate) plots: Vec<Observable>,
}

impl Settings {
    /// Valid sides of a window, logical pixels.
    pub(crate) const SIDES: RangeInclusive<u32> = 160..=16_384;

    /// Valid scales of the interface.
    pub(crate) const INTERFACE_SCALES: RangeInclusive<f32> = 0.5..=4.0;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            size: None,
            palette: None,
            overlay: None,
            panel: false,
            glow: false,
            interface_scale: 1.0,
            film: FilmOptions::default(),
            skip_frames: false,
            plots: Vec::new(),
        }
    }
}
