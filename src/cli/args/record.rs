//! The flags of `record`: where the film goes, how long it is, what it shows.

use std::path::PathBuf;

use clap::Args;

use super::{
    look::LookArgs,
    rate::{self, Rate},
    values::{self, ViewArg},
    world::WorldArgs,
};

/// `jostle record`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RecordArgs {
    /// What to write: film.gif, film.apng, film.y4m, numbered pictures as in frame-%05d.png, or - for
    /// y4m on stdout, which ffmpeg turns into video
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    #[command(flatten)]
    pub(crate) length: LengthArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// How long the film is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Length")]
pub(crate) struct LengthArgs {
    /// Steps that are filmed, --hz of them a second: 300, 10k
    #[arg(long, value_name = "N", default_value = "600", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Steps before the first frame
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
    /// Frames a second of simulated time: 30, 29.97, 30000/1001; at most 50 in a GIF
    #[arg(long, value_name = "F", default_value = "30", value_parser = rate::fps, allow_hyphen_values = true)]
    pub(crate) fps: Rate,
}

/// What a frame shows.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Width and height of a frame, in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = values::size, allow_hyphen_values = true)]
    pub(crate) size: [u32; 2],
    /// Point in the middle of a frame, and its width, in world units [default: the whole world]
    #[arg(long, value_name = "X,Y,WIDTH", value_parser = values::view, allow_hyphen_values = true)]
    pub(crate) view: Option<ViewArg>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}
