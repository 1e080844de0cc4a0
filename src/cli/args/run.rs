//! The flags of `run`: how long, what is measured, what is left behind.

use std::path::PathBuf;

use clap::Args;

use crate::{Error, Result, raster::DrawOrder};

use super::{
    look::LookArgs,
    names,
    values::{self, ViewArg},
    world::WorldArgs,
};

/// `jostle run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    #[command(flatten)]
    pub(crate) length: LengthArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How long it runs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Length")]
pub(crate) struct LengthArgs {
    /// Steps that are measured: 300, 10k; 0 measures nothing
    #[arg(long, value_name = "N", default_value = "600", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Steps before them that are not measured
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
}

/// What is drawn.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Draw the final state into this file
    #[arg(long, value_name = "FILE.png")]
    pub(crate) frame: Option<PathBuf>,
    /// Width and height of a picture, in pixels [default: 1280x720]
    #[arg(long, value_name = "WxH", value_parser = values::size, allow_hyphen_values = true)]
    size: Option<[u32; 2]>,
    /// Point in the middle of a picture, and its width, in world units [default: the whole world]
    #[arg(long, value_name = "X,Y,WIDTH", value_parser = values::view, allow_hyphen_values = true)]
    pub(crate) view: Option<ViewArg>,
    /// Draw each step, to measure it
    #[arg(long)]
    pub(crate) draw: bool,
    /// Order in which agents are drawn: cell, random (what cell order is measured against) [default: cell]
    #[arg(long, value_name = "ORDER", value_parser = names::draw_order, allow_hyphen_values = true)]
    draw_order: Option<DrawOrder>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

/// What is left behind.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write the final state: id, x, y, vx, vy, radius, ordered by id
    #[arg(long, value_name = "FILE.csv|.npz")]
    pub(crate) export: Option<PathBuf>,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    pub(crate) json: bool,
}

impl PictureArgs {
    /// Whether anything is drawn.
    ///
    /// # Errors
    /// If nothing is, and a flag says how.
    pub(crate) fn draws(&self) -> Result<bool> {
        let draws = self.draw || self.frame.is_some();
        let how = [
            ("--size", self.size.is_some()),
            ("--view", self.view.is_some()),
            ("--draw-order", self.draw_order.is_some()),
        ];
        match how.into_iter().find(|&(_, given)| given) {
            Some((flag, _)) if !draws => Err(Error::invalid(format!(
                "{flag} says how to draw, and nothing is drawn; add --frame FILE.png, or --draw"
            ))),
            _ => Ok(draws),
        }
    }

    /// Width and height of a picture, in pixels.
    pub(crate) fn size(&self) -> [u32; 2] {
        self.size.unwrap_or([1280, 720])
    }

    /// Order in which agents are drawn.
    pub(crate) fn order(&self) -> DrawOrder {
        self.draw_order.unwrap_or_default()
    }
}

impl RunArgs {
    /// What `watch` does where there is no display: `jostle run --steps 600 --frame FILE`.
    pub(crate) fn headless(world: WorldArgs, look: LookArgs, frame: PathBuf) -> Self {
        let picture = PictureArgs {
            frame: Some(frame),
            size: None,
            view: None,
            draw: false,
            draw_order: None,
            look,
        };
        let length = LengthArgs { steps: 600, warmup: 0 };
        Self { world, length, picture, output: OutputArgs { export: None, json: false } }
    }
}
