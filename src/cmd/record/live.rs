//! A film of what the window shows, as APNG: frames come as they are shown, and a thread of its own encodes and
//! stores them.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel},
    thread::{self, JoinHandle},
};

use jostle::{
    Error, Result,
    app::{FPS, Film, Taken},
    raster::Frame,
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
    shown: SyncSender<(u64, Frame)>,
    empty: Receiver<Frame>,
    worker: JoinHandle<Result<(Stored, Option<Error>)>>,
}

impl Live {
    /// Begins a film.
    ///
    /// # Errors
    /// If its file can't be made, or the system refuses a thread.
    pub(crate) fn begin(path: &Path, size: [u32; 2]) -> Result<Self> {
        let store = Box::new(Reel::new(Output::open(path)?));
        let (shown, coming) = sync_channel(FRAMES);
        let (encoded, empty) = sync_channel(FRAMES);
        for _ in 0..FRAMES {
            // There is room for all of them, and the other end is here.
            let _ = encoded.send(Frame::new(size[0], size[1]));
        }
        let worker = thread::Builder::new()
            .name("jostle-film".into())
            .spawn(move || keep(store, size, coming, &encoded))
            .map_err(|error| Error::invalid(format!("no thread to encode on ({error})")))?;
        Ok(Self { path: path.to_path_buf(), shown, empty, worker })
    }
}

impl Film for Live {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn put(&mut self, again: u64, pixels: &[u8]) -> Taken {
        match self.empty.try_recv() {
            Ok(mut frame) => {
                frame.bytes_mut().copy_from_slice(pixels);
                if self.shown.send((again, frame)).is_ok() { Taken::Yes } else { Taken::No }
            }
            Err(TryRecvError::Empty) => Taken::Busy,
            Err(TryRecvError::Disconnected) => Taken::No,
        }
    }

    fn finish(self: Box<Self>) -> Result<String> {
        let Self { path, shown, empty: _, worker } = *self;
        drop(shown);
        let kept = worker.join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked));
        let (Stored { frames, bytes, .. }, failure) = kept?;
        let s = if frames == 1 { "" } else { "s" };
        let sentence = format!(
            "{} has {} frame{s}, {:.2} s at {FPS} a second, {}",
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
        let nothing = || io::Error::new(ErrorKind::UnexpectedEof, "no frame was shown");
        return Err(failure.unwrap_or_else(|| Error::invalid(nothing().to_string())));
    }
    Ok((stored, failure))
}
