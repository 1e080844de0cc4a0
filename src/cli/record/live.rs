//! A film of what the window shows, as APNG: frames come as they are shown, and a thread of its own encodes and
//! stores them.

use std::{
    io::{self, ErrorKind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, TryRecvError, sync_channel},
    },
    thread::{self, JoinHandle},
};

use crate::{
    Error, Result,
    raster::Frame,
    window::{FPS, Film, Taken, Written},
};

use super::{
    super::{format, output::Output},
    encode::Encode,
    png::{Apng, FRAMES_MAX},
    reel::{Reel, Store, Stored},
};

/// Frames on the way: one that is copied, one that is encoded, the one before it, and one between them.
const FRAMES: usize = 4;

/// A film under way.
pub(crate) struct Live {
    path: PathBuf,
    /// Frames to come, each with how many times the one before it is shown again; none once it has ended.
    shown: Option<SyncSender<(u64, Frame)>>,
    empty: Receiver<Frame>,
    worker: JoinHandle<Result<(Stored, Option<Error>)>>,
    written: Arc<AtomicBool>,
}

impl Live {
    /// Begins a film.
    ///
    /// # Errors
    /// If its file can't be made, or the system refuses a thread.
    pub(crate) fn begin(output: Output, size: [u32; 2], tell: Written) -> Result<Self> {
        let path = output.path().to_path_buf();
        Self::into(Box::new(Reel::new(output)), path, size, tell)
    }

    fn into(
        store: Box<dyn Store + Send>,
        path: PathBuf,
        size: [u32; 2],
        tell: Written,
    ) -> Result<Self> {
        let (shown, coming) = sync_channel(FRAMES);
        let (encoded, empty) = sync_channel(FRAMES);
        for _ in 0..FRAMES {
            // There is room for all of them, and the other end is here.
            let _ = encoded.send(Frame::new(size[0], size[1]));
        }
        let written = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&written);
        let work = move || {
            // After a panic, too, nothing more is written.
            scopeguard::defer! {
                done.store(true, Ordering::Release);
                tell();
            }
            keep(store, size, coming, &encoded)
        };
        let worker = thread::Builder::new()
            .name("jostle-film".into())
            .spawn(work)
            .map_err(|error| Error::invalid(format!("no thread to encode on ({error})")))?;
        Ok(Self { path, shown: Some(shown), empty, worker, written })
    }
}

impl Film for Live {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn put(&mut self, again: u64, pixels: &[u8]) -> Taken {
        let Some(shown) = &self.shown else { return Taken::No };
        match self.empty.try_recv() {
            Ok(mut frame) => {
                frame.bytes_mut().copy_from_slice(pixels);
                if shown.send((again, frame)).is_ok() { Taken::Yes } else { Taken::No }
            }
            Err(TryRecvError::Empty) => Taken::Busy,
            Err(TryRecvError::Disconnected) => Taken::No,
        }
    }

    fn end(&mut self) {
        self.shown = None;
    }

    fn is_written(&self) -> bool {
        self.written.load(Ordering::Acquire)
    }

    fn finish(mut self: Box<Self>) -> Result<String> {
        self.end();
        let Self { path, worker, .. } = *self;
        let kept = worker.join().unwrap_or_else(|_| {
            let source = io::Error::other("the thread that encodes it has failed");
            Err(Error::File { path, source, remedy: "film again" })
        });
        let (Stored { path, frames, bytes, .. }, failure) = kept?;
        let s = if frames == 1 { "" } else { "s" };
        let sentence = format!(
            "saved {}: {} frame{s}, {:.2} s at {FPS} a second, {}",
            path.display(),
            format::grouped(frames),
            frames as f64 / f64::from(FPS),
            format::bytes(bytes)
        );
        failure.map_or(Ok(sentence.clone()), |error| {
            Err(Error::invalid(format!("{error}; {sentence}")))
        })
    }
}

/// Encodes and stores what comes, and ends the film; the error is why there isn't more of it.
fn keep(
    mut store: Box<dyn Store>,
    size: [u32; 2],
    coming: Receiver<(u64, Frame)>,
    encoded: &SyncSender<Frame>,
) -> Result<(Stored, Option<Error>)> {
    // How many there will be nobody knows: the file's beginning is written anew at the end.
    let delay = [1, FPS as u16];
    let mut encoder = Apng::new(size, delay, FRAMES_MAX).map_err(|error| store.failed(error))?;
    let mut bytes = Vec::new();
    let mut append = |frame: &Frame| -> io::Result<()> {
        bytes.clear();
        encoder.encode(frame, &mut bytes)?;
        store.append(&bytes)
    };
    let mut before: Option<Frame> = None;
    let mut failure = None;
    for (again, frame) in coming {
        let mut still = (0..again).zip(before.as_ref().into_iter().cycle());
        let stored = still.try_for_each(|(_, before)| append(before));
        failure = stored.and_then(|()| append(&frame)).err();
        if failure.is_some() {
            break;
        }
        // Nobody may want it any more, which the end of the loop finds out.
        before.replace(frame).map(|frame| encoded.send(frame));
    }
    let failure = failure.map(|error| store.failed(error));
    let stored = store.finish(encoder.ending(), &|frames| encoder.opening(frames))?;
    if stored.frames == 0 {
        return Err(failure.unwrap_or_else(|| Error::File {
            path: stored.path,
            source: io::Error::new(ErrorKind::UnexpectedEof, "no frame was shown"),
            remedy: "keep the window on show while you film",
        }));
    }
    Ok((stored, failure))
}

#[cfg(test)]
mod tests {
    use std::{
        cell::Cell,
        sync::mpsc::{Sender, channel},
    };

    use super::*;
    use crate::cli::record::reel::Opening;

    /// A disk that is slow to take the end of a film: it waits to be let.
    struct Slow {
        frames: u64,
        asked: Sender<()>,
        may: Receiver<()>,
    }

    impl Store for Slow {
        fn append(&mut self, _: &[u8]) -> io::Result<()> {
            self.frames += 1;
            Ok(())
        }
        fn finish(self: Box<Self>, _: &[u8], _: Opening<'_>) -> Result<Stored> {
            self.asked.send(()).expect("a listener");
            self.may.recv().expect("leave to end");
            Ok(Stored { path: "a.apng".into(), frames: self.frames, bytes: 7, plays: true })
        }
        fn failed(&self, source: io::Error) -> Error {
            Error::invalid(source.to_string())
        }
    }

    /// A disk whose driver gives up.
    struct Broken;

    impl Store for Broken {
        fn append(&mut self, _: &[u8]) -> io::Result<()> {
            // Unlike `panic!`, this prints nothing.
            std::panic::resume_unwind(Box::new("no more"))
        }
        fn finish(self: Box<Self>, _: &[u8], _: Opening<'_>) -> Result<Stored> {
            Ok(Stored { path: "a.apng".into(), ..Stored::default() })
        }
        fn failed(&self, source: io::Error) -> Error {
            Error::invalid(source.to_string())
        }
    }

    fn broken() -> (Box<Live>, Receiver<()>) {
        let (tell, told) = channel();
        let written = Box::new(move || tell.send(()).expect("a listener"));
        let film = Live::into(Box::new(Broken), "a.apng".into(), [2, 1], written);
        (Box::new(film.expect("a thread")), told)
    }

    #[test]
    fn an_encoder_that_fails_is_told_of_by_the_name_of_its_file() {
        let (mut film, told) = broken();
        assert_eq!(film.put(0, &[0; 8]), Taken::Yes);
        told.recv().expect("it is told");
        assert!(film.is_written());
        let sentence = film.finish().expect_err("no film").to_string();
        let expected = "a.apng can't be written: the thread that encodes it has failed; film again";
        assert_eq!(sentence, expected);
    }

    #[test]
    fn a_film_of_nothing_is_told_of_by_the_name_of_its_file() {
        let (film, _told) = broken();
        let sentence = film.finish().expect_err("no film").to_string();
        let expected =
            "a.apng can't be written: no frame was shown; keep the window on show while you film";
        assert_eq!(sentence, expected);
    }

    #[test]
    fn a_film_ends_without_anybody_waiting_for_it() {
        let ((asked, ends), (let_it, may), (tell, told)) = (channel(), channel(), channel());
        let store = Box::new(Slow { frames: 0, asked, may });
        let written = Box::new(move || tell.send(()).expect("a listener"));
        let mut film = Live::into(store, "a.apng".into(), [2, 1], written).expect("a thread");
        let pixels = Cell::new(0);
        let put = |film: &mut Live| film.put(0, &[pixels.replace(pixels.get() + 1); 8]);
        (0..3).for_each(|_| assert_eq!(put(&mut film), Taken::Yes));

        film.end();
        ends.recv().expect("it comes to its end");
        assert!(!film.is_written(), "whoever asks goes on");
        assert_eq!(put(&mut film), Taken::No);
        assert!(told.try_recv().is_err());

        let_it.send(()).expect("it waits");
        told.recv().expect("it is told when it is written");
        assert!(film.is_written());
        let sentence = Box::new(film).finish().expect("a film");
        assert_eq!(sentence, "saved a.apng: 3 frames, 0.10 s at 30 a second, 7 B");
    }
}
