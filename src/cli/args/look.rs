//! The flags that decide how agents look, in the window and in files.

#[cfg(feature = "window")]
use crate::window::Settings;
use crate::{
    Error, Result, Setup,
    raster::{ColorBy, Overlay, Palette, Style},
};
use clap::Args;

use super::names;

/// How agents look.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Style")]
pub(crate) struct LookArgs {
    /// What colors mean: speed, size, start (where an agent started from, so that mixing shows), cell (of
    /// the grid), contacts (how many others it overlaps), faction (which side it is on; `melee` has sides)
    /// [default: faction where there are sides, else speed]
    #[arg(long, alias = "color", value_name = "WHAT", value_parser = names::color_by, allow_hyphen_values = true)]
    color_by: Option<ColorBy>,
    /// Which colors: inferno, magma, plasma, viridis, cividis [default: plasma; in the window, those of the
    /// last time]
    #[arg(long, value_name = "NAME", value_parser = names::palette, allow_hyphen_values = true)]
    palette: Option<Palette>,
    /// What is drawn over the agents: none, loose (cells), tight (cells), contacts, velocities, density
    /// [default: none; in the window, that of the last time]
    #[arg(long, value_name = "NAME", value_parser = names::overlay, allow_hyphen_values = true)]
    overlay: Option<Overlay>,
}

impl LookArgs {
    /// The look of a run of that set-up.
    ///
    /// # Errors
    /// If colors are to tell sides where there are none.
    pub(crate) fn look(&self, setup: &Setup) -> Result<Style> {
        let Self { color_by, palette, overlay } = *self;
        if color_by == Some(ColorBy::Faction) && !setup.scene.has_factions() {
            return Err(Error::invalid(format!(
                "--color-by faction tells nothing in {}, whose agents are on no side; --scene melee has two",
                setup.scene
            )));
        }
        let look = Style::from_setup(setup);
        let (palette, overlay) = (palette.unwrap_or_default(), overlay.unwrap_or_default());
        let color_by = color_by.unwrap_or(look.color_by);
        Ok(Style { color_by, palette, overlay, ..look })
    }

    /// The same, with what was remembered where no flag says otherwise.
    ///
    /// # Errors
    /// As [`Self::look`].
    #[cfg(feature = "window")]
    pub(crate) fn look_again(&self, setup: &Setup, settings: &Settings) -> Result<Style> {
        let palette = self.palette.or_else(|| settings.palette());
        let overlay = self.overlay.or_else(|| settings.overlay());
        Self { palette, overlay, ..self.clone() }.look(setup)
    }
}
