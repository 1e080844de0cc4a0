//! Settings that a window starts with, and has when it closes: its caller keeps them.
//!
//! The tool is none of them: a click meant for the view would erase agents.

use std::ops::RangeInclusive;

use serde::{Deserialize, Deserializer, Serialize, de::Error};

use crate::{
    format::grouped,
    observe::Observable,
    raster::{Overlay, Palette},
    window::film_options::FilmOptions,
};

/// The settings; `None` where the user never chose. A file has them under the names of the fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of the user")]
pub(crate) struct Settings {
    /// Width and height of the window, logical pixels; each one of [`Self::SIDES`].
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "size")]
    pub(crate) size: Option<[u32; 2]>,
    /// Palette.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) palette: Option<Palette>,
    /// Overlay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) overlay: Option<Overlay>,
    /// Whether the panel is shown.
    #[serde(deserialize_with = "switch")]
    pub(crate) panel: bool,
    /// Whether the tool bar is shown.
    #[serde(deserialize_with = "switch")]
    pub(crate) tool_bar: bool,
    /// Whether dense places glow.
    #[serde(deserialize_with = "switch")]
    pub(crate) glow: bool,
    /// Whether frames are skipped, rather than time slowed, when the machine can't keep up.
    #[serde(deserialize_with = "switch")]
    pub(crate) skip_frames: bool,
    /// Whether the walls of the tools stay when the run is started again.
    #[serde(deserialize_with = "switch")]
    pub(crate) keep_walls: bool,
    /// Size of text and panel, relative to that which the screen asks for; one of
    /// [`Self::INTERFACE_SCALES`].
    #[serde(deserialize_with = "scale")]
    pub(crate) interface_scale: f32,
    /// Format and time of films.
    #[serde(flatten)]
    pub(crate) film: FilmOptions,
    /// The plots of the panel.
    #[serde(deserialize_with = "plots")]
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
            tool_bar: true,
            glow: false,
            interface_scale: 1.0,
            film: FilmOptions::default(),
            skip_frames: false,
            keep_walls: false,
            plots: Vec::new(),
        }
    }
}

fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<[u32; 2]>, D::Error> {
    let [least, most] = [Settings::SIDES.start(), Settings::SIDES.end()].map(|side| grouped(*side));
    let fits = |size: &[u32; 2]| size.iter().all(|side| Settings::SIDES.contains(side));
    expected(from, fits, &format!("width and height from {least} to {most}")).map(Some)
}

fn scale<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    let scales = Settings::INTERFACE_SCALES;
    let range = format!("{} to {}", scales.start(), scales.end());
    expected(from, |scale| scales.contains(scale), &range)
}

fn switch<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    expected(from, |_| true, "true or false")
}

fn plots<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Observable>, D::Error> {
    let names: Vec<toml::Value> = expected(from, |_| true, "names in brackets")?;
    names
        .into_iter()
        .map(Observable::deserialize)
        .collect::<Result<_, _>>()
        .map_err(D::Error::custom)
}

/// A value that fits. The error is the end of a sentence that begins with the value.
fn expected<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
    fits: impl Fn(&T) -> bool,
    expected: &str,
) -> Result<T, D::Error> {
    let value = T::deserialize(from).ok().filter(fits);
    value.ok_or_else(|| D::Error::custom(format!("is out of range: expected {expected}")))
}
