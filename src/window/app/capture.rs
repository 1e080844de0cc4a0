//! Pictures and films of the world as the window shows it, without the interface.

use std::time::Instant;

use super::App;
use crate::{
    format,
    program::{ProgramError, ProgramResult as Result},
    raster::Frame,
    window::{
        capture::Capture,
        command::PlotFile,
        display::{Call, Waker},
        event::Event,
        film_options::{FilmFormat, FilmProgress},
        film_recorder::{FilmRecorder, FrameTime, LARGE, LONG},
        frame_stats::Part,
        plots::PlotData,
        session::Session,
    },
    world::RunAsText,
};

/// The films of the window, and the functions that make files.
pub(super) struct Films {
    capture: Capture,
    recorder: FilmRecorder,
    waker: Waker,
}

impl Films {
    pub(super) fn new(capture: Capture, waker: Waker) -> Self {
        Self { capture, recorder: FilmRecorder::default(), waker }
    }

    /// Saves a picture of `size` pixels.
    pub(super) fn save_picture(&self, session: &mut Session, size: [u32; 2]) -> Event {
        let path = picture(session, size).and_then(|frame| (self.capture.picture)(&frame));
        report(path.map(|path| format!("saved {}", path.display())))
    }

    /// Saves the run as a world file.
    pub(super) fn save_world(&self, session: &Session) -> Event {
        let saved = session.as_world_file().and_then(|run| {
            let differs = differences(&run, session)?;
            let path = (self.capture.world)(&run.text)?;
            Ok(format!("saved {}{differs}", path.display()))
        });
        report(saved)
    }

    /// Saves a plot of the panel.
    pub(super) fn save_plot(&self, plot: &PlotData<'_>, file: PlotFile) -> Event {
        let path = (self.capture.plot)(plot, file);
        report(path.map(|path| format!("saved {}", path.display())))
    }

    /// Begins a film of a window of `size` pixels, or ends it. The window runs on while the film is
    /// written.
    pub(super) fn toggle(&mut self, session: &mut Session, size: [u32; 2]) -> Vec<Event> {
        if self.recorder.is_recording() {
            self.recorder.end();
            return self.take_written(session);
        }
        if size.contains(&0) {
            return Vec::new();
        }
        let waker = self.waker.clone();
        let notify = Box::new(move || waker.call(Call::Written));
        let options = session.film_options;
        let size = options.size.pixels().unwrap_or(size);
        let ready = session.screen.capture_at(size).map_err(ProgramError::from);
        let film = ready.and_then(|()| (self.capture.film)(options, size, session.style(), notify));
        vec![film.map_or_else(
            |error| report(Err(error)),
            |film| {
                let now = FrameTime { wall: Instant::now(), played: session.played() };
                let path = self.recorder.begin(film, options, size, now);
                self.show(session);
                Event::set("filming", path.display())
            },
        )]
    }

    /// Offers the film the run as a frame of `size` pixels has just shown it.
    pub(super) fn offer(&mut self, session: &mut Session, size: [u32; 2]) -> Vec<Event> {
        if !self.recorder.is_recording() {
            return Vec::new();
        }
        let now = FrameTime { wall: Instant::now(), played: session.played() };
        let goes_on =
            self.recorder.offer(now, size, &mut |frame, size| session.draw_view(frame, size));
        session.reports.frame_stats.push(Part::Film, now.wall.elapsed());
        let before = session.reports.filmed.map_or(0, |film| film.seconds);
        self.show(session);
        let mut events = Vec::new();
        let is_y4m = session.film_options.format == FilmFormat::Y4m;
        if let Some(FilmProgress { seconds, bytes_per_minute: Some(minute), .. }) =
            session.reports.filmed
            && !is_y4m
        {
            let lasts = |least: u64| before < least && seconds >= least;
            if lasts(LONG) || lasts(1) && minute >= LARGE {
                events.push(Event::Notice(format!(
                    "a minute of this film takes {}; for a long one choose a smaller size, or y4m in \
                     the panel (Tab), of which ffmpeg makes a small video",
                    format::bytes(minute)
                )));
            }
        }
        if !goes_on {
            events.extend(self.take_written(session));
        }
        events
    }

    /// Shows the length of the film in the window.
    fn show(&self, session: &mut Session) {
        session.reports.filmed = self.recorder.progress();
        session.host.timestep.filmed = self.recorder.simulated_fps();
        if !self.recorder.is_recording() {
            session.screen.end_capture();
        }
    }

    /// Reports on the films that have been written.
    pub(super) fn take_written(&mut self, session: &mut Session) -> Vec<Event> {
        let written = self.recorder.take_written();
        self.show(session);
        written.into_iter().map(report).collect()
    }

    /// Ends all films, waits until they are written, and reports on them.
    pub(super) fn finish(&mut self) -> Vec<Event> {
        self.recorder.finish().into_iter().map(report).collect()
    }
}

impl App<'_> {
    /// Begins a film, or ends it.
    pub(super) fn toggle_film(&mut self) {
        if let Some(shown) = &self.shown {
            let events = self.films.toggle(&mut self.session, shown.size);
            self.emit_all(events);
        }
    }

    /// Saves a picture of the part of the world that the window shows.
    pub(super) fn save_picture(&mut self) {
        if let Some(size) = self.picture_size() {
            let event = self.films.save_picture(&mut self.session, size);
            self.emit(event);
        }
    }

    /// Copies the same picture to the clipboard.
    pub(super) fn copy_picture(&mut self) {
        if let Some(size) = self.picture_size() {
            let copied = picture(&mut self.session, size)
                .and_then(|frame| self.copied.put_picture(&frame))
                .map(|()| format!("copied a picture of {}x{} pixels", size[0], size[1]));
            self.emit(report(copied));
        }
    }

    /// Copies the run as the text of a world file to the clipboard.
    pub(super) fn copy_world(&mut self) {
        let copied = self.session.as_world_file().and_then(|run| {
            let differs = differences(&run, &self.session)?;
            self.copied.put_text(&run.text)?;
            let title = self.session.sim().title();
            Ok(format!("copied {title} as the text of a world file{differs}"))
        });
        self.emit(report(copied));
    }

    /// The size of a picture of the window, if it has one.
    fn picture_size(&self) -> Option<[u32; 2]> {
        let size = self.shown.as_ref()?.size;
        (!size.contains(&0)).then_some(size)
    }
}

/// A picture of `size` pixels of the part of the world that the window shows.
fn picture(session: &mut Session, [width, height]: [u32; 2]) -> Result<Frame> {
    let mut frame = Frame::new(width, height)?;
    session.draw_view(frame.bytes_mut(), [width, height]);
    Ok(frame)
}

/// Says what a world file has otherwise than the run, as the end of a message.
///
/// # Errors
/// As [`Session::begins_otherwise`].
fn differences(run: &RunAsText, session: &Session) -> Result<String> {
    let begins = session.begins_otherwise()?;
    let with = (!begins.is_empty()).then(|| format!("with {}", begins.join(", ")));
    // Agents of a table, or of a snapshot, are not in it.
    let sim = session.sim();
    let begins = if sim.rule_source().is_some() {
        with.map(|with| format!("; it begins {with}"))
    } else {
        let with = with.map(|with| format!(" {with}")).unwrap_or_default();
        Some(format!(
            "; it begins as {} does{with}: Ctrl-S saves the agents themselves",
            sim.title()
        ))
    };
    let walls = format::plural(run.gone, "wall");
    let gone = (run.gone > 0).then(|| format!("; it still has {walls} that the run has lost"));
    Ok(begins.into_iter().chain(gone).collect())
}

fn report(outcome: Result<String>) -> Event {
    Event::Notice(outcome.unwrap_or_else(|error| error.to_string()))
}
