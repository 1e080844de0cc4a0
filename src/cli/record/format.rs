//! Film formats by file name, checked before anything is created.

use std::{
    io::{self, IsTerminal},
    path::Path,
};

use crate::{
    Result,
    cli::{
        Failure, Outcome,
        args::values::grouped,
        output::{Output, extension, is_special},
        say,
    },
    raster::Style,
};

use super::{
    encode::FrameEncoder,
    gif::Gif,
    image_sequence::{ImageSequence, NumberedName},
    plan::FilmPlan,
    png::{self, Apng, Png},
    store::{FrameStore, VideoFile},
    y4m::Y4m,
};

/// The highest frame rate of a GIF, per second: players slow down frames shorter than two
/// hundredths.
const GIF_FPS_MAX: u64 = 50;

/// Extensions of video that ffmpeg can encode from y4m.
const VIDEO: [&str; 6] = ["mp4", "mkv", "mov", "webm", "avi", "m4v"];

/// A format and its own settings.
#[derive(Clone, Debug)]
pub(super) enum FilmFormat {
    Gif,
    /// Numerator and denominator of the seconds per frame.
    Apng([u16; 2]),
    Y4m,
    Pngs(NumberedName),
}

impl FilmFormat {
    /// The format for a file name; `-`, or a pipe or device without an extension, is y4m.
    ///
    /// # Errors
    /// A usage error for an unknown extension, or a format that can't hold the film.
    pub(super) fn from_path(file: &Path, plan: &FilmPlan) -> Outcome<Self> {
        let name = file.display();
        if is_stdout(file) {
            return if io::stdout().is_terminal() {
                Err(Failure::usage(
                    "FILE - writes y4m, and stdout is a terminal; pipe it: \
                     jostle record - | ffmpeg -i - film.mp4",
                ))
            } else {
                Ok(Self::Y4m)
            };
        }
        match extension(file).as_deref() {
            Some("gif") => Self::gif(plan),
            Some("apng") => Self::apng(file, plan),
            Some("y4m") => Ok(Self::Y4m),
            None if is_special(file) => Ok(Self::Y4m),
            Some("png") => NumberedName::parse(file).map(Self::Pngs).ok_or_else(|| {
                Failure::usage(format!(
                    "FILE {name} needs exactly one frame number; write it like frame-%05d.png, or \
                     name a file that ends in .apng",
                ))
            }),
            Some(video) if VIDEO.contains(&video) => Err(Failure::usage(format!(
                "FILE {name} is video, which ffmpeg encodes; pipe it: \
                 jostle record - | ffmpeg -i - {name}",
            ))),
            _ => Err(Failure::usage(format!(
                "FILE {name} has no extension that jostle knows; name a file that ends in .gif, \
                 .apng or .y4m, numbered ones like frame-%05d.png, or - for y4m on stdout",
            ))),
        }
    }

    fn gif(plan: &FilmPlan) -> Outcome<Self> {
        let fps = plan.fps;
        if fps.num > GIF_FPS_MAX * fps.den {
            return Err(Failure::usage(format!(
                "--fps {} is too fast for a GIF: a frame lasts at least 2 hundredths of a second; \
                 try --fps {GIF_FPS_MAX}, or .apng",
                fps.decimal()
            )));
        }
        Ok(Self::Gif)
    }

    fn apng(file: &Path, plan: &FilmPlan) -> Outcome<Self> {
        if is_special(file) {
            return Err(Failure::usage(format!(
                "FILE {} can't be an APNG, because its start holds the number of frames; name a \
                 regular file, or one that ends in .gif or .y4m",
                file.display()
            )));
        }
        if plan.frames > png::FRAMES_MAX {
            return Err(Failure::usage(format!(
                "an APNG holds {} frames, not {}; try fewer --steps, or .y4m",
                grouped(png::FRAMES_MAX),
                grouped(plan.frames)
            )));
        }
        let fps = plan.fps.decimal();
        let delay = png::delay(plan.fps).ok_or_else(|| {
            Failure::usage(format!(
                "--fps {fps} has too many digits for an APNG; try {fps:.2}, or .y4m"
            ))
        })?;
        Ok(Self::Apng(delay))
    }

    /// Warns of a numbered file that players would take for a part of the film.
    pub(super) fn note(&self, plan: &FilmPlan) {
        if let Self::Pngs(name) = self
            && let next = name.path(plan.frames)
            && next.exists()
        {
            say(&format!(
                "{} belongs to another film, and players will continue with it; remove it",
                next.display()
            ));
        }
    }

    /// Opens the destination.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if it can't be written.
    pub(super) fn open(&self, file: &Path) -> Result<Box<dyn FrameStore + Send>> {
        Ok(match self {
            Self::Pngs(name) => Box::new(ImageSequence::open(file, name.clone())?),
            _ if is_stdout(file) => Box::new(VideoFile::new(Output::stdout()?)),
            _ => Box::new(VideoFile::new(Output::open(file)?)),
        })
    }

    /// An encoder for the film.
    ///
    /// # Errors
    /// If the library of the format refuses the film.
    pub(super) fn encoder(
        &self,
        size: [u32; 2],
        plan: &FilmPlan,
        style: Style,
    ) -> io::Result<Box<dyn FrameEncoder>> {
        Ok(match self {
            Self::Gif => Box::new(Gif::new(*plan, style)),
            Self::Apng(delay) => Box::new(Apng::new(size, *delay, plan.frames)?),
            Self::Y4m => Box::new(Y4m::new(size, plan.fps)?),
            Self::Pngs(_) => Box::new(Png),
        })
    }
}

/// True for the name that stands for stdout.
fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}
