//! The window: shows a run and lets the user change it.
//!
//! ```text
//! keys, mouse, panel ─► Command ─► session ─┬─ timestep      how many steps are due
//!                                           ├─ recorded_sim  takes them, and records each change
//!                                           ├─ timeline      the way back to earlier states
//!                                           ├─ twin          the same run with another future
//!                                           ├─ view_control  what part of the world is shown
//!                                           └─ status, HUD   text and marks over the agents
//! winit ─► app ─► session ─► present ─► pixels and a shader, or softbuffer
//!           └─ schedule: when the next frame is due, which runs the steps before it is drawn
//! ```
//!
//! The window is a front end like the commands of the command line: it reads the clock and the
//! environment, and it changes a run only by the edits of [`Sim`](crate::Sim). It
//! prints nothing; the caller gets [`Event`]s. Nothing outside this folder knows winit and pixels.
//!
//! Files, each of which imports only from the ones before it:
//!
//! 1. `tool`, `film_options`, `timestep`, `command`, `keys`: what the user can ask for, as data
//! 2. `timeline`, `recorded_sim`, `view_control`, `worker`, `clipboard`, `snapshot_store`, `schedule`,
//!    `settings`, `frame_stats`, `run_stats`, `plots`, `twin`, `warnings`: state without a window
//! 3. `event`, `hud`: events as texts, and what is drawn over the agents
//! 4. `session`: the run with all of these
//! 5. `display`, `present`, `capture`, `film_recorder`: the desktop, the screen, pictures and films
//! 6. `panel`: the control panel, which reads the session and gives commands
//! 7. `app`: the events of winit, and one place that applies commands

mod app;
mod capture;
mod clipboard;
mod command;
mod display;
mod event;
mod file_watch;
mod film_options;
mod film_recorder;
mod frame_stats;
mod hud;
pub(crate) mod keys;
mod panel;
mod plots;
mod present;
mod recorded_sim;
mod run_stats;
mod schedule;
mod session;
mod settings;
mod snapshot_store;
mod timeline;
mod timestep;
mod tool;
mod twin;
mod view_control;
mod warnings;
mod worker;

pub(crate) use app::{WatchOptions, WatchOutcome, watch};
pub(crate) use capture::{Capture, Film, FrameOutcome, Notify, Room};
pub(crate) use clipboard::RunSource;
pub(crate) use command::PlotFile;
pub(crate) use event::Event;
pub(crate) use film_options::{FilmFormat, FilmLabels, FilmOptions, FilmRate, FilmSize, FilmTime};
pub(crate) use plots::PlotData;
pub(crate) use present::PresenterChoice;
pub(crate) use recorded_sim::FollowRun;
pub(crate) use session::ReplayFault;
pub(crate) use session::{SessionOptions, with_room_for_tools, with_room_in_world};
pub(crate) use settings::Settings;
pub(crate) use snapshot_store::{OpenedRun, SaveSnapshot, SnapshotOptions};
