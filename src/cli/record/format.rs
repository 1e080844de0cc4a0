//! Film formats by file name, checked before anything is created.

use std::{
    io::{self, IsTerminal},
    path::Path,
};

use crate::{
    cli::{
        Failure, Outcome,
        args::{RecordArgs, values::grouped},
        output::{Output, extension, file_error, is_special, is_stdout},
    },
    raster::Style,
};

use super::{
    encode::{FrameEncoder, Y4m},
    gif::Gif,
    plan::FilmPlan,
    png::{self, Apng, Png},
    store::{FrameStore, ImageSequence, NumberedName, VideoFile},
    video::{EncodedVideo, is_video},
};

/// The highest frame rate of a GIF, per second: players slow down frames shorter than two
/// hundredths.
const GIF_FPS_MAX: u64 = 50;

/// The flags with a size that the format of the file can have: both sides of video are even.
pub(super) fn fitted(args: &RecordArgs) -> RecordArgs {
    let mut fitted = args.clone();
    if is_video(&args.file) {
        let size = args.picture.size().map(|side| side.next_multiple_of(2));
        fitted.picture.size = Some(size);
    }
    fitted
}

/// The encoder for a film by the name of its file, and the numbered names if each frame has a file.
/// `-`, or a pipe or device without an extension, is y4m.
///
/// # Errors
/// A usage error for an unknown extension, or a format that can't hold the film.
pub(super) fn encoder(
    args: &RecordArgs,
    plan: FilmPlan,
    style: Style,
) -> Outcome<(Box<dyn FrameEncoder + Send>, Option<NumberedName>)> {
    let (file, name, fps) = (&*args.file, args.file.display(), plan.fps);
    let rate = fps.decimal();
    let fail = |message: String| Err(Failure::usage(message));
    let encoder: Box<dyn FrameEncoder + Send> = match extension(file).as_deref() {
        None if is_stdout(file) && io::stdout().is_terminal() => {
            return fail(
                "FILE - writes y4m, and stdout is a terminal; pipe it: \
                 jostle record - | ffmpeg -i - film.mp4"
                    .to_owned(),
            );
        }
        None if is_stdout(file) || is_special(file) => Box::new(Y4m::new(fps)),
        Some("y4m") => Box::new(Y4m::new(fps)),
        Some("gif") if fps.num > GIF_FPS_MAX * fps.den => {
            return fail(format!(
                "--fps {rate} is too fast for a GIF: a frame lasts at least 2 hundredths of a \
                 second; try --fps {GIF_FPS_MAX}, or .apng",
            ));
        }
        Some("gif") => Box::new(Gif::new(fps, style)),
        Some("apng") if is_special(file) => {
            return fail(format!(
                "FILE {name} can't be an APNG, because its start holds the number of frames; name \
                 a regular file, or one that ends in .gif or .y4m",
            ));
        }
        Some("apng") if plan.frames > png::FRAMES_MAX => {
            return fail(format!(
                "an APNG holds {} frames, not {}; try fewer --steps, or .y4m",
                grouped(png::FRAMES_MAX),
                grouped(plan.frames)
            ));
        }
        Some("apng") => {
            let Some(delay) = png::delay(fps) else {
                return fail(format!(
                    "--fps {rate} has too many digits for an APNG; try {rate:.2}, or .y4m"
                ));
            };
            let apng = Apng::new(args.picture.size(), delay, plan.frames);
            Box::new(apng.map_err(|source| file_error(file, source))?)
        }
        Some("png") => {
            let Some(numbered) = NumberedName::parse(file) else {
                return fail(format!(
                    "FILE {name} needs exactly one frame number; write it like frame-%05d.png, or \
                     name a file that ends in .apng",
                ));
            };
            return Ok((Box::new(Png), Some(numbered)));
        }
        Some(_) if is_video(file) && !is_special(file) => Box::new(Y4m::new(fps)),
        _ => {
            return fail(format!(
                "FILE {name} has no extension that jostle knows; name a file that ends in .gif, \
                 .apng, .mp4 or .y4m, numbered ones like frame-%05d.png, or - for y4m on stdout",
            ));
        }
    };
    Ok((encoder, None))
}

/// Opens the destination.
///
/// # Errors
/// [`ProgramError::File`](crate::program::ProgramError::File) if it can't be written; a usage error
/// for video without ffmpeg.
pub(super) fn store(
    file: &Path,
    numbered: Option<NumberedName>,
) -> Outcome<Box<dyn FrameStore + Send>> {
    Ok(match numbered {
        Some(name) => Box::new(ImageSequence::open(file, name)?),
        None if is_stdout(file) => Box::new(VideoFile::new(Output::stdout()?)),
        None if is_video(file) => Box::new(EncodedVideo::start(file)?),
        None => Box::new(VideoFile::new(Output::open(file)?)),
    })
}
