//! Pictures and films of the window: files with free names in the current folder. Films are APNG,
//! through the same [queue](super::queue) as those of `record`.

use std::{
    io::{self, ErrorKind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    Error, Result,
    cli::{frames::write_png, output::Output},
    raster::Frame,
    window::{self, FPS, Film, FrameOutcome, Notify},
};

use super::{
    png::{Apng, FRAMES_MAX},
    queue::FrameQueue,
    store::VideoFile,
};

/// Writes what the window captures to files.
#[derive(Debug)]
pub(crate) struct FileCapture;

impl window::Capture for FileCapture {
    fn picture(&mut self, [width, height]: [u32; 2], pixels: &[u8]) -> Result<PathBuf> {
        let mut frame = Frame::new(width, height)?;
        frame.bytes_mut().copy_from_slice(pixels);
        Output::unique("png")?.write(|to| write_png(&frame, to))
    }

    fn film(&mut self, size: [u32; 2], notify: Notify) -> Result<Box<dyn Film>> {
        Ok(Box::new(CapturedFilm::start(Output::unique("apng")?, size, notify)?))
    }
}

/// A film of the window that is being recorded.
struct CapturedFilm {
    path: PathBuf,
    queue: FrameQueue,
    stored: Arc<AtomicBool>,
}

impl CapturedFilm {
    fn start(output: Output, size: [u32; 2], notify: Notify) -> Result<Self> {
        let path = output.path().to_path_buf();
        // The number of frames is unknown until the end, when the start of the file is written
        // again.
        let encoder = Apng::new(size, [1, FPS as u16], FRAMES_MAX);
        let encoder = Box::new(encoder.map_err(|source| output.error(source))?);
        let stored = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stored);
        let notify = move || {
            ended.store(true, Ordering::Release);
            notify();
        };
        match FrameQueue::start(size, Box::new(VideoFile::new(output)), encoder, notify) {
            Ok(queue) => Ok(Self { path, queue, stored }),
            Err(source) => Err(Error::File { path, source, remedy: "close other programs" }),
        }
    }
}

impl Film for CapturedFilm {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn push(&mut self, repeats: u64, pixels: &[u8]) -> FrameOutcome {
        self.queue.try_push(repeats, |frame| frame.bytes_mut().copy_from_slice(pixels))
    }

    fn end(&mut self) {
        self.queue.close();
    }

    fn is_written(&self) -> bool {
        self.stored.load(Ordering::Acquire)
    }

    fn finish(self: Box<Self>) -> Result<String> {
        let recording = self.queue.finish()?;
        let path = recording.path.display();
        let contents = recording.contents(recording.frames, f64::from(FPS));
        let message = format!("saved {path}: {contents}");
        match recording.failure {
            None if recording.frames > 0 => Ok(message),
            Some(error) if recording.frames > 0 => {
                Err(Error::refused(format!("{error}; {message}")))
            }
            Some(error) => Err(error),
            None => Err(Error::File {
                path: recording.path,
                source: io::Error::new(ErrorKind::UnexpectedEof, "no frame was shown"),
                remedy: "keep the window visible while recording",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::BufReader, sync::mpsc};

    use super::*;

    /// Records these frames, each with repeats of the one before it, in a film of one pixel.
    fn film(frames: &[(u64, u8)]) -> (Result<String>, Vec<u8>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("film.apng");
        let (notify, notified) = mpsc::channel();
        let notify = Box::new(move || notify.send(()).expect("a listener"));
        let output = Output::open(&path).expect("a file");
        let mut film = Box::new(CapturedFilm::start(output, [1, 1], notify).expect("a thread"));
        for &(repeats, red) in frames {
            while film.push(repeats, &[red, 0, 0, 255]) == FrameOutcome::QueueFull {}
        }
        film.end();
        assert_eq!(film.push(0, &[0; 4]), FrameOutcome::Ended);
        notified.recv().expect("a notification");
        assert!(film.is_written());
        let message = film.finish();
        let Ok(file) = File::open(path) else { return (message, Vec::new()) };
        let mut film = png::Decoder::new(BufReader::new(file)).read_info().expect("a film");
        let count = film.info().animation_control().expect("an animation").num_frames;
        let mut pixel = [0; 4];
        let reds = (0..count).map(|_| {
            film.next_frame(&mut pixel).expect("a frame");
            pixel[0]
        });
        (message, reds.collect())
    }

    #[test]
    fn repeats_show_the_frame_before() {
        let (message, reds) = film(&[(0, 1), (3, 2), (1, 3)]);
        assert!(message.expect("a film").contains("film.apng: 7 frames, 0.23 s at 30 frames/s, "));
        // Pixels that stay are transparent.
        assert_eq!(reds, [1, 0, 0, 0, 2, 0, 3]);
    }

    #[test]
    fn a_film_without_frames_is_an_error_and_no_file() {
        let (message, reds) = film(&[]);
        let message = message.expect_err("no film").to_string();
        assert!(message.contains("film.apng can't be written: no frame was shown; "), "{message}");
        assert!(reds.is_empty());
    }
}
