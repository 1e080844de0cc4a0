//! The flags that decide how agents look, in the window and in files.

use clap::Args;
#[cfg(feature = "window")]
use jostle::app::Settings;
use jostle::{
    Setup,
    raster::{Colouring, Look, Overlay, Palette},
};

use super::names;

/// How agents look.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Look")]
pub(crate) struct LookArgs {
    /// What colours mean: speed, size, start (where an agent started from, so that mixing shows), cell (of
    /// the grid), contacts (how many others it overlaps)
    #[arg(long, value_name = "WHAT", default_value = "speed", value_parser = names::colouring, allow_hyphen_values = true)]
    color_by: Colouring,
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
    pub(crate) fn look(&self, setup: &Setup) -> Look {
        let Self { color_by: colouring, palette, overlay } = *self;
        let (palette, overlay) = (palette.unwrap_or_default(), overlay.unwrap_or_default());
        Look { colouring, palette, overlay, ..Look::of(setup) }
    }

    /// The same, with what was remembered where no flag says otherwise.
    #[cfg(feature = "window")]
    pub(crate) fn look_again(&self, setup: &Setup, settings: &Settings) -> Look {
        let palette = self.palette.or_else(|| settings.palette());
        let overlay = self.overlay.or_else(|| settings.overlay());
        Self { palette, overlay, ..self.clone() }.look(setup)
    }
}
