//! The flags that decide how agents look, in the window and in files.

use clap::Args;
#[cfg(feature = "window")]
use jostle::app::Settings;
use jostle::{
    Error, Result, Setup,
    raster::{Colouring, Look, Overlay, Palette},
};

use super::names;

/// How agents look.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Look")]
pub(crate) struct LookArgs {
    /// What colours mean: speed, size, start (where an agent started from, so that mixing shows), cell (of
    /// the grid), contacts (how many others it overlaps), faction (which side it is on; `melee` has sides)
    /// [default: faction where there are sides, else speed]
    #[arg(long, alias = "color", value_name = "WHAT", value_parser = names::colouring, allow_hyphen_values = true)]
    color_by: Option<Colouring>,
    /// Which colours: inferno, magma, plasma, viridis, cividis [default: plasma; in the window, those of the
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
    /// If colours are to tell sides where there are none.
    pub(crate) fn look(&self, setup: &Setup) -> Result<Look> {
        let Self { color_by, palette, overlay } = *self;
        if color_by == Some(Colouring::Faction) && !setup.scene.has_factions() {
            return Err(Error::invalid(format!(
                "--color-by faction tells nothing in {}, whose agents are on no side; --scene melee has two",
                setup.scene
            )));
        }
        let look = Look::of(setup);
        let (palette, overlay) = (palette.unwrap_or_default(), overlay.unwrap_or_default());
        let colouring = color_by.unwrap_or(look.colouring);
        Ok(Look { colouring, palette, overlay, ..look })
    }

    /// The same, with what was remembered where no flag says otherwise.
    ///
    /// # Errors
    /// As [`Self::look`].
    #[cfg(feature = "window")]
    pub(crate) fn look_again(&self, setup: &Setup, settings: &Settings) -> Result<Look> {
        let palette = self.palette.or_else(|| settings.palette());
        let overlay = self.overlay.or_else(|| settings.overlay());
        Self { palette, overlay, ..self.clone() }.look(setup)
    }
}
