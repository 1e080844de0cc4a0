//! Which film a file name asks for; refused before anything is made.

use std::{
    io::{self, IsTerminal},
    path::Path,
};

use crate::{Error, Result, raster::Style};

use super::{
    super::{
        export::extension,
        output::{Output, is_special},
    },
    encode::Encode,
    gif::Gif,
    plan::Plan,
    png::{self, Apng, Png},
    reel::{Reel, Store},
    stills::{Pattern, Stills},
    y4m::Y4m,
};
use crate::cli::args::values::grouped;

/// Frames a second that a GIF can have: shorter than two hundredths, and players slow it down.
const GIF_FPS_MAX: u64 = 50;

/// What video players play, and ffmpeg makes.
const VIDEO: [&str; 6] = ["mp4", "mkv", "mov", "webm", "avi", "m4v"];

/// What is written, with what that has to know.
#[derive(Clone, Debug)]
pub(super) enum Format {
    Gif,
    /// Numerator and denominator of the seconds that a frame stays.
    Apng([u16; 2]),
    Y4m,
    Pngs(Pattern),
}

impl Format {
    /// By the name; `-`, a pipe or a device without an extension gets y4m.
    ///
    /// # Errors
    /// [`Error::Invalid`] if nobody knows the extension, or the format can't hold the film.
    pub(super) fn of(file: &Path, plan: &Plan) -> Result<Self> {
        if is_stdout(file) {
            return if io::stdout().is_terminal() {
                Err(Error::invalid(
                    "FILE - writes y4m, and stdout is a terminal; pipe it: jostle record - | ffmpeg -i - \
                     film.mp4",
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
            Some("png") => Pattern::of(file).map(Self::Pngs).ok_or_else(|| {
                Error::invalid(format!(
                    "FILE {} has no place for one number; write it like frame-%05d.png, or name a file that \
                     ends in .apng",
                    file.display()
                ))
            }),
            Some(video) if VIDEO.contains(&video) => Err(Error::invalid(format!(
                "FILE {0} would be video, which ffmpeg makes; pipe it: jostle record - | ffmpeg -i - {0}",
                file.display()
            ))),
            _ => Err(Error::invalid(format!(
                "FILE {} has no extension that jostle knows; name a file that ends in .gif, .apng or .y4m, \
                 numbered ones like frame-%05d.png, or - for y4m on stdout",
                file.display()
            ))),
        }
    }

    fn gif(plan: &Plan) -> Result<Self> {
        let fps = plan.fps;
        if fps.num > GIF_FPS_MAX * fps.den {
            return Err(Error::invalid(format!(
                "--fps {} is more than a GIF can say, whose frames stay for at least 2 hundredths of a \
                 second; try --fps {GIF_FPS_MAX}, or .apng",
                fps.decimal()
            )));
        }
        Ok(Self::Gif)
    }

    fn apng(file: &Path, plan: &Plan) -> Result<Self> {
        if is_special(file) {
            return Err(Error::invalid(format!(
                "FILE {} can't be an APNG, which says at its beginning how long it has become; name a \
                 regular file, or one that ends in .gif or .y4m",
                file.display()
            )));
        }
        if plan.frames > png::FRAMES_MAX {
            return Err(Error::invalid(format!(
                "an APNG holds {} frames, not {}; try fewer --steps, or .y4m",
                grouped(png::FRAMES_MAX),
                grouped(plan.frames)
            )));
        }
        let delay = png::delay(plan.fps).ok_or_else(|| {
            Error::invalid(format!(
                "--fps {} has more digits than an APNG can say; try {:.2}, or .y4m",
                plan.fps.decimal(),
                plan.fps.decimal()
            ))
        })?;
        Ok(Self::Apng(delay))
    }

    /// A line about what a player would take for a part of the film.
    pub(super) fn note(&self, plan: &Plan) -> Option<String> {
        let Self::Pngs(pattern) = self else { return None };
        let next = pattern.path(plan.frames);
        next.exists().then(|| {
            format!(
                "{} is of another film, and players will go on with it; remove it",
                next.display()
            )
        })
    }

    /// Opens what the film goes into.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be.
    pub(super) fn open(&self, file: &Path) -> Result<Box<dyn Store + Send>> {
        Ok(match self {
            Self::Pngs(pattern) => Box::new(Stills::open(pattern.clone())?),
            _ if is_stdout(file) => Box::new(Reel::new(Output::stdout()?)),
            _ => Box::new(Reel::new(Output::open(file)?)),
        })
    }

    /// What makes bytes of frames.
    ///
    /// # Errors
    /// If the format's library can't.
    pub(super) fn encoder(
        &self,
        size: [u32; 2],
        plan: &Plan,
        look: &Style,
    ) -> io::Result<Box<dyn Encode>> {
        Ok(match self {
            Self::Gif => Box::new(Gif::new(*plan, look.clone())),
            Self::Apng(delay) => Box::new(Apng::new(size, *delay, plan.frames)?),
            Self::Y4m => Box::new(Y4m::new(size, plan.fps)?),
            Self::Pngs(_) => Box::new(Png),
        })
    }
}

/// True for the name that stands for stdout.
pub(super) fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}
