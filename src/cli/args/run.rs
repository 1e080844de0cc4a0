//! The flags of `run`: its length, what it draws, what it writes.

use std::path::PathBuf;

use clap::Args;

use crate::{
    cli::{Failure, Outcome},
    raster::DrawOrder,
};

use super::{
    names,
    picture::{PictureArgs, StyleArgs},
    values,
    world::WorldArgs,
};

/// `jostle run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    #[command(flatten)]
    pub(crate) length: RunLengthArgs,
    #[command(flatten)]
    pub(crate) draw: DrawArgs,
    #[command(flatten)]
    pub(crate) output: RunOutputArgs,
}

/// Length of the run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Length")]
pub(crate) struct RunLengthArgs {
    /// Measured steps: 300, 10k; 0 measures nothing
    #[arg(long, value_name = "N", default_value = "600", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Steps before them that are not measured
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
}

/// What is drawn.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Picture")]
pub(crate) struct DrawArgs {
    /// Draw the final state into this file
    #[arg(long, value_name = "FILE.png")]
    pub(crate) frame: Option<PathBuf>,
    /// Draw each step, to measure drawing
    #[arg(long = "draw")]
    pub(crate) each: bool,
    /// Order in which agents are drawn: cell, random (a baseline for cell order) [default: cell]
    #[arg(long = "draw-order", value_name = "ORDER", value_parser = names::draw_order, allow_hyphen_values = true)]
    order: Option<DrawOrder>,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// What is printed and written.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct RunOutputArgs {
    /// Write the final state: id, x, y, vx, vy, radius, ordered by id
    #[arg(long, value_name = "FILE.csv|.npz")]
    pub(crate) export: Option<PathBuf>,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    pub(crate) json: bool,
}

impl DrawArgs {
    /// True if anything is drawn.
    ///
    /// # Errors
    /// A usage error for a flag about drawing if nothing is drawn.
    pub(crate) fn draws(&self) -> Outcome<bool> {
        let draws = self.each || self.frame.is_some();
        let flags = [
            ("--size", self.picture.size.is_some()),
            ("--view", self.picture.view.is_some()),
            ("--draw-order", self.order.is_some()),
        ];
        match flags.into_iter().find(|&(_, given)| given) {
            Some((flag, _)) if !draws => Err(Failure::usage(format!(
                "{flag} has no effect, because nothing is drawn; add --frame FILE.png, or --draw"
            ))),
            _ => Ok(draws),
        }
    }

    /// Order in which agents are drawn.
    pub(crate) fn order(&self) -> DrawOrder {
        self.order.unwrap_or_default()
    }
}

impl RunArgs {
    /// The fallback of `watch` without a display: `jostle run --steps 600 --frame FILE`.
    pub(crate) fn headless(world: WorldArgs, style: StyleArgs, frame: PathBuf) -> Self {
        let picture = PictureArgs { size: None, view: None, style };
        Self {
            world,
            length: RunLengthArgs { steps: 600, warmup: 0 },
            draw: DrawArgs { frame: Some(frame), each: false, order: None, picture },
            output: RunOutputArgs { export: None, json: false },
        }
    }
}
