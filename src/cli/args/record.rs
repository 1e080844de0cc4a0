//! The flags of `record`: the file, the length of the film, its pictures.

use std::path::PathBuf;

use clap::Args;

use super::{
    picture::PictureArgs,
    rate::{self, Rate},
    values,
    world::WorldArgs,
};

/// `jostle record`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RecordArgs {
    /// Output: film.gif, film.apng, film.y4m, numbered pictures as in frame-%05d.png, or - for y4m
    /// on stdout, which ffmpeg turns into video
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Recorded steps, --hz of them per second: 300, 10k
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "600", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) steps: u64,
    /// Steps before the first frame
    #[arg(long, value_name = "N", help_heading = "Length", default_value = "0", value_parser = values::steps, allow_hyphen_values = true)]
    pub(crate) warmup: u64,
    /// Frames per second of simulated time: 30, 29.97, 30000/1001; at most 50 in a GIF
    #[arg(long, value_name = "F", help_heading = "Length", default_value = "30", value_parser = rate::fps, allow_hyphen_values = true)]
    pub(crate) fps: Rate,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}
