//! The flags that decide how agents look, in the window and in files.

use clap::Args;
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
    /// Which colours: inferno, magma, plasma, viridis, cividis
    #[arg(long, value_name = "NAME", default_value = Palette::default().name(), value_parser = names::palette, allow_hyphen_values = true)]
    palette: Palette,
    /// What is drawn over the agents: none, loose (cells), tight (cells), contacts, velocities, density
    #[arg(long, value_name = "NAME", default_value = "none", value_parser = names::overlay, allow_hyphen_values = true)]
    overlay: Overlay,
}

impl LookArgs {
    /// The look of a run of that set-up.
    pub(crate) fn look(&self, setup: &Setup) -> Look {
        let Self { color_by: colouring, palette, overlay } = *self;
        Look { colouring, palette, overlay, ..Look::of(setup) }
    }
}
