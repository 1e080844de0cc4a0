//! Settings that a window starts with, and has when it closes: its caller keeps them.
//!
//! The tool is none of them: a click meant for the view would erase agents.

use std::ops::RangeInclusive;

use crate::raster::{Overlay, Palette};

/// The settings; `None` where the user never chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Whether frames are skipped, rather than time slowed, when the machine can't keep up.
    pub(crate) skip_frames: bool,
}

impl Settings {
    /// Valid sides of a window, logical pixels.
    pub(crate) const SIDES: RangeInclusive<u32> = 160..=16_384;
}
