//! Video: ffmpeg gets the frames as y4m and writes the file, which is complete or absent as any other.
//!
//! ```text
//!  frames ─► y4m ─► stdin of ffmpeg ─► its stdout: the file without a name ─► its name
//! ```
//!
//! The file is opened here and is the stdout of ffmpeg, so that nothing is left where either of the
//! two fails. Players expect a chroma sample per 2 × 2 pixels, so that both sides are even.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Seek, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::{
    cli::{
        Failure, Outcome,
        output::{Output, extension},
        system::process::in_group_of_its_own,
    },
    program::{ProgramError, ProgramResult as Result},
};

use super::{
    encode::FrameEncoder,
    store::{FrameStore, Recording},
};

/// Extensions of video, the format of each, and the quality that ffmpeg is asked for: hardly any loss.
const FORMATS: [(&str, &str, [&str; 2]); 6] = [
    ("mp4", "mp4", ["-crf", "18"]),
    ("m4v", "mp4", ["-crf", "18"]),
    ("mov", "mov", ["-crf", "18"]),
    ("mkv", "matroska", ["-crf", "18"]),
    ("webm", "webm", ["-crf", "30"]),
    ("avi", "avi", ["-q:v", "3"]),
];

/// True if ffmpeg makes a file of that name.
pub(super) fn is_video(path: &Path) -> bool {
    format_of(path).is_some()
}

fn format_of(path: &Path) -> Option<(&'static str, [&'static str; 2])> {
    let extension = extension(path)?;
    let (_, format, quality) = FORMATS.into_iter().find(|(name, ..)| *name == extension)?;
    Some((format, quality))
}

/// A video that ffmpeg writes.
#[derive(Debug)]
pub(super) struct EncodedVideo {
    output: Output,
    ffmpeg: Child,
    /// `None` once all frames are written.
    input: Option<ChildStdin>,
    /// What ffmpeg says.
    said: File,
    frames: u64,
}

impl EncodedVideo {
    /// Starts ffmpeg.
    ///
    /// # Errors
    /// If the file can't be created, or there is no ffmpeg; then nothing is left.
    pub(super) fn start(path: &Path) -> Outcome<Self> {
        let mut output = Output::open(path)?;
        let (format, quality) = format_of(path).unwrap_or_default();
        let said = tempfile::tempfile().map_err(|source| output.error(source))?;
        let streams = output.file().try_clone().and_then(|file| Ok((file, said.try_clone()?)));
        let (file, errors) = streams.map_err(|source| output.error(source))?;
        let mut command = Command::new("ffmpeg");
        command.args(["-v", "error", "-y", "-f", "yuv4mpegpipe", "-i", "-"]);
        command.args(["-pix_fmt", "yuv420p"]).args(quality).args(["-f", format, "/dev/stdout"]);
        command.stdin(Stdio::piped()).stdout(file).stderr(errors);
        // Ctrl-C ends the run; ffmpeg then ends the file.
        in_group_of_its_own(&mut command);
        let started = if cfg!(unix) { command.spawn() } else { Err(ErrorKind::NotFound.into()) };
        let mut ffmpeg = started.map_err(|error| match error.kind() {
            ErrorKind::NotFound => absent(path),
            _ => {
                output.error(io::Error::other(format!("ffmpeg can't be started ({error})"))).into()
            }
        })?;
        let input = ffmpeg.stdin.take();
        Ok(Self { output, ffmpeg, input, said, frames: 0 })
    }

    /// The last line that ffmpeg has printed.
    fn last_words(&mut self) -> String {
        let mut said = String::new();
        let _ = self.said.rewind().and_then(|()| self.said.read_to_string(&mut said));
        said.lines().last().unwrap_or("it says nothing").to_owned()
    }
}

/// The error where there is no ffmpeg, with the commands that do the same.
fn absent(path: &Path) -> Failure {
    let (name, y4m) = (path.display(), path.with_extension("y4m"));
    let y4m = y4m.display();
    Failure::usage(format!(
        "{name} is video, which ffmpeg encodes, and jostle finds no ffmpeg; install it, or record \
         {y4m}, of which it makes the video anywhere: ffmpeg -i {y4m} -pix_fmt yuv420p {name}"
    ))
}

impl FrameStore for EncodedVideo {
    fn append(&mut self, frame: &[u8]) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Err(ErrorKind::BrokenPipe.into()) };
        input.write_all(frame)?;
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: &dyn FrameEncoder) -> Result<Recording> {
        drop(self.input.take());
        let ended = self.ffmpeg.wait().map_err(|source| self.output.error(source))?;
        let path = self.output.path().to_path_buf();
        if !ended.success() {
            let source = io::Error::other(format!("ffmpeg has failed: {}", self.last_words()));
            let remedy = "record a .y4m file instead";
            return Err(ProgramError::File { path, source, remedy });
        }
        if self.frames == 0 {
            return Ok(Recording { path, plays: true, ..Recording::default() });
        }
        self.output.sync()?;
        let bytes = self.output.file().metadata().map_or(0, |file| file.len());
        let (frames, path) = (self.frames, self.output.place()?);
        Ok(Recording { path, frames, bytes, plays: true, failure: None })
    }

    fn error(&self, source: io::Error) -> ProgramError {
        self.output.error(source)
    }
}
