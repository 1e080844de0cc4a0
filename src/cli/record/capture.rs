//! Pictures and films of the window: files with free names in the current folder. Films go through
//! the
//! [queue](super::queue) and the encoders of `record`.

use std::{
    io::{self, ErrorKind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use plotters::style::TRANSPARENT;

use crate::{
    cli::{
        args::values::Rate,
        chart::{self, BLUE, ChartArea, Drawn, GRAY, INK, ORANGE},
        frames::write_png,
        output::Output,
    },
    program::{ProgramError, ProgramResult as Result},
    raster::{Frame, Style},
    window::{self, Film, FilmFormat, FilmOptions, FrameOutcome, Notify, PlotData, PlotFile, Room},
};

use super::{
    encode::{FrameEncoder, Y4m},
    gif::Gif,
    png::{Apng, FRAMES_MAX},
    queue::FrameQueue,
    store::VideoFile,
};

/// The functions that write pictures and films of the window to files.
pub(crate) const FILE_CAPTURE: window::Capture = window::Capture { picture, film, plot, world };

fn picture(frame: &Frame) -> Result<PathBuf> {
    Output::unique("png")?.write(|to| write_png(frame, to))
}

fn film(
    options: FilmOptions,
    size: [u32; 2],
    style: &Style,
    notify: Notify,
) -> Result<Box<dyn Film>> {
    let output = Output::unique(options.format.name())?;
    Ok(Box::new(CapturedFilm::start(output, options, size, style, notify)?))
}

fn plot(plot: &PlotData<'_>, file: PlotFile) -> Result<PathBuf> {
    let text = match file {
        PlotFile::Csv => table(plot),
        PlotFile::Svg => chart::svg((960, 540), 1, |area, _| draw(plot, area)),
    };
    Output::unique(file.name())?.write(|to| to.write_all(text.as_bytes()))
}

fn world(text: &str) -> Result<PathBuf> {
    Output::unique("world.toml")?.write(|to| to.write_all(text.as_bytes()))
}

/// One line per point.
fn table(plot: &PlotData<'_>) -> String {
    let mut text = "curve,x,y\n".to_owned();
    for (name, points) in &plot.curves {
        text.extend(points.iter().map(|[x, y]| format!("{name},{x},{y}\n")));
    }
    text
}

fn draw(plot: &PlotData<'_>, area: &ChartArea<'_>) -> Drawn {
    let [x, y] = plot.bounds.each_ref().map(|range| *range.start()..*range.end());
    let mut chart = chart::panel(area, plot.title).build_cartesian_2d(x, y)?;
    chart.configure_mesh().light_line_style(TRANSPARENT).bold_line_style(GRAY).draw()?;
    for ((name, points), color) in plot.curves.iter().zip([BLUE, INK, ORANGE]) {
        let points: Vec<(f64, f64)> = points.iter().map(|&[x, y]| (x, y)).collect();
        chart::line(&mut chart, name, &points, color, 2)?;
    }
    chart::names(&mut chart)
}

/// A film of the window that is being recorded.
struct CapturedFilm {
    path: PathBuf,
    queue: FrameQueue,
    fps: Rate,
    stored: Arc<AtomicBool>,
    /// Frames and bytes.
    written: Arc<[AtomicU64; 2]>,
}

impl CapturedFilm {
    fn start(
        output: Output,
        options: FilmOptions,
        size: [u32; 2],
        style: &Style,
        notify: Notify,
    ) -> Result<Self> {
        let path = output.path().to_path_buf();
        let fps = Rate { num: options.fps().into(), den: 1 };
        let encoder: Box<dyn FrameEncoder + Send> = match options.format {
            // The number of frames is unknown until the end, when the start of the file is written
            // again.
            FilmFormat::Apng => {
                let encoder = Apng::new(size, [1, options.fps() as u16], FRAMES_MAX);
                Box::new(encoder.map_err(|source| output.error(source))?)
            }
            FilmFormat::Gif => Box::new(Gif::new(fps, style.clone())),
            FilmFormat::Y4m => Box::new(Y4m::new(fps)),
        };
        let stored = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stored);
        let notify = move || {
            ended.store(true, Ordering::Release);
            notify();
        };
        let file = VideoFile::new(output);
        let written = file.stored();
        match FrameQueue::start(size, Box::new(file), encoder, notify) {
            Ok(queue) => Ok(Self { path, queue, fps, stored, written }),
            Err(source) => Err(ProgramError::File { path, source, remedy: "close other programs" }),
        }
    }
}

impl Film for CapturedFilm {
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn push(&mut self, repeats: u64, room: Room, draw: &mut dyn FnMut(&mut [u8])) -> FrameOutcome {
        self.queue.push_from(repeats, room, |frame| draw(frame.bytes_mut()))
    }

    fn written(&self) -> [u64; 2] {
        [0, 1].map(|n: usize| self.written[n].load(Ordering::Relaxed))
    }

    fn end(&mut self) {
        self.queue.close();
    }

    fn is_written(&self) -> bool {
        self.stored.load(Ordering::Acquire)
    }

    fn finish(self: Box<Self>) -> Result<String> {
        let Self { queue, fps, .. } = *self;
        let recording = queue.finish()?;
        let path = recording.path.display();
        let contents = recording.contents(recording.frames, fps.decimal());
        let message = format!("saved {path}: {contents}");
        match recording.failure {
            None if recording.frames > 0 => Ok(message),
            Some(error) if recording.frames > 0 => {
                Err(ProgramError::refused(format!("{error}; {message}")))
            }
            Some(error) => Err(error),
            None => Err(ProgramError::File {
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
    fn recorded(frames: &[(u64, u8)]) -> (Result<String>, Vec<u8>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("film.apng");
        let (notify, notified) = mpsc::channel();
        let notify = Box::new(move || notify.send(()).expect("a listener"));
        let output = Output::open(&path).expect("a file");
        let (options, style) = (FilmOptions::default(), Style::default());
        let film = CapturedFilm::start(output, options, [1, 1], &style, notify);
        let mut film = Box::new(film.expect("a thread"));
        for &(repeats, red) in frames {
            let mut draw = |frame: &mut [u8]| frame.copy_from_slice(&[red, 0, 0, 255]);
            assert_eq!(film.push(repeats, Room::Wait, &mut draw), FrameOutcome::Queued);
        }
        film.end();
        assert_eq!(film.push(0, Room::Skip, &mut |_| ()), FrameOutcome::Ended);
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
        let (message, reds) = recorded(&[(0, 1), (3, 2), (1, 3)]);
        assert!(message.expect("a film").contains("film.apng: 7 frames, 0.23 s at 30 frames/s, "));
        // Pixels that stay are transparent.
        assert_eq!(reds, [1, 0, 0, 0, 2, 0, 3]);
    }

    #[test]
    fn a_film_without_frames_is_an_error_and_no_file() {
        let (message, reds) = recorded(&[]);
        let message = message.expect_err("no film").to_string();
        assert!(message.contains("film.apng can't be written: no frame was shown; "), "{message}");
        assert!(reds.is_empty());
    }
}
