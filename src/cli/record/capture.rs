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
    cli::{format, frames::write_png, output::Output},
    raster::Frame,
    window::{self, FPS, Film, FrameOutcome, Notify},
};

use super::{
    png::{Apng, FRAMES_MAX},
    queue::FrameQueue,
    store::{FrameStore, Recording, VideoFile},
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
        let output = Output::unique("apng")?;
        let path = output.path().to_path_buf();
        let store = Box::new(VideoFile::new(output));
        Ok(Box::new(CapturedFilm::start(store, path, size, notify)?))
    }
}

/// A film of the window that is being recorded.
struct CapturedFilm {
    path: PathBuf,
    queue: FrameQueue,
    stored: Arc<AtomicBool>,
}

impl CapturedFilm {
    fn start(
        store: Box<dyn FrameStore + Send>,
        path: PathBuf,
        size: [u32; 2],
        notify: Notify,
    ) -> Result<Self> {
        // The number of frames is unknown until the end, when the start of the file is written
        // again.
        let encoder = move || Ok(Box::new(Apng::new(size, [1, FPS as u16], FRAMES_MAX)?) as Box<_>);
        let stored = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stored);
        let notify = move || {
            ended.store(true, Ordering::Release);
            notify();
        };
        match FrameQueue::start(size, store, encoder, notify) {
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
        let Self { path, queue, .. } = *self;
        let recording = queue.finish().unwrap_or_else(|_| {
            let source = io::Error::other("the encoder failed");
            Err(Error::File { path, source, remedy: "record again" })
        });
        let Recording { path, frames, bytes, failure, .. } = recording?;
        if frames == 0 {
            return Err(failure.unwrap_or_else(|| Error::File {
                path,
                source: io::Error::new(ErrorKind::UnexpectedEof, "no frame was shown"),
                remedy: "keep the window visible while recording",
            }));
        }
        let s = if frames == 1 { "" } else { "s" };
        let message = format!(
            "saved {}: {} frame{s}, {:.2} s at {FPS} frames/s, {}",
            path.display(),
            format::grouped(frames),
            frames as f64 / f64::from(FPS),
            format::bytes(bytes)
        );
        match failure {
            None => Ok(message),
            Some(error) => Err(Error::refused(format!("{error}; {message}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;
    use crate::cli::record::store::Opening;

    /// A store that ends a film only when the test lets it.
    struct SlowStore {
        frames: u64,
        ending: Sender<()>,
        proceed: Receiver<()>,
    }

    impl FrameStore for SlowStore {
        fn append(&mut self, _: &[u8]) -> io::Result<()> {
            self.frames += 1;
            Ok(())
        }
        fn finish(self: Box<Self>, _: &[u8], _: Opening<'_>) -> Result<Recording> {
            self.ending.send(()).expect("a listener");
            self.proceed.recv().expect("a signal to proceed");
            let recording = Recording { path: "a.apng".into(), bytes: 7, ..Recording::default() };
            Ok(Recording { frames: self.frames, ..recording })
        }
        fn error(&self, source: io::Error) -> Error {
            Error::File { path: "a.apng".into(), source, remedy: "" }
        }
    }

    /// A store that panics.
    struct BrokenStore;

    impl FrameStore for BrokenStore {
        fn append(&mut self, _: &[u8]) -> io::Result<()> {
            // Unlike `panic!`, this prints nothing.
            std::panic::resume_unwind(Box::new("no more"))
        }
        fn finish(self: Box<Self>, _: &[u8], _: Opening<'_>) -> Result<Recording> {
            Ok(Recording { path: "a.apng".into(), ..Recording::default() })
        }
        fn error(&self, source: io::Error) -> Error {
            Error::File { path: "a.apng".into(), source, remedy: "" }
        }
    }

    fn film(store: impl FrameStore + Send + 'static) -> (Box<CapturedFilm>, Receiver<()>) {
        let (tell, told) = channel();
        let written = Box::new(move || tell.send(()).expect("a listener"));
        let film = CapturedFilm::start(Box::new(store), "a.apng".into(), [2, 1], written);
        (Box::new(film.expect("a thread")), told)
    }

    #[test]
    fn a_panic_of_the_encoder_is_an_error_with_the_name_of_the_file() {
        let (mut film, told) = film(BrokenStore);
        assert_eq!(film.push(0, &[0; 8]), FrameOutcome::Queued);
        told.recv().expect("a notification");
        assert!(film.is_written());
        let message = film.finish().expect_err("no film").to_string();
        assert_eq!(message, "a.apng can't be written: the encoder failed; record again");
    }

    #[test]
    fn a_film_without_frames_is_an_error_with_the_name_of_the_file() {
        let (film, _told) = film(BrokenStore);
        let message = film.finish().expect_err("no film").to_string();
        let expected = "a.apng can't be written: no frame was shown; keep the window visible while \
                        recording";
        assert_eq!(message, expected);
    }

    #[test]
    fn a_film_ends_without_blocking_the_window() {
        let ((ending, ends), (let_it, proceed)) = (channel(), channel());
        let (mut film, told) = film(SlowStore { frames: 0, ending, proceed });
        (0..3).for_each(|n| assert_eq!(film.push(0, &[n; 8]), FrameOutcome::Queued));

        film.end();
        ends.recv().expect("the store ends the film");
        assert!(!film.is_written(), "the window goes on");
        assert_eq!(film.push(0, &[3; 8]), FrameOutcome::Ended);
        assert!(told.try_recv().is_err());

        let_it.send(()).expect("the store waits");
        told.recv().expect("a notification");
        assert!(film.is_written());
        let message = film.finish().expect("a film");
        assert_eq!(message, "saved a.apng: 3 frames, 0.10 s at 30 frames/s, 7 B");
    }
}
