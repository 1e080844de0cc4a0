//! The window: a run to look at, and to play with.
//!
//! ```text
//! winit ─► window ─► session ─┬─ pace   how many steps are due
//!            │                ├─ Sim    takes them
//!            │                ├─ view   what part of the world is shown
//!            │                └─ status the status line over the picture
//!            └─► present ─► wgpu + shaders/present.wgsl, or softbuffer
//! ```
//!
//! A front end like the commands: it reads the clock and the environment, which nothing below it does,
//! and it only reads what the simulation shows. It prints nothing; what happens is told to the caller
//! as [`Event`]s. Only this module knows winit and wgpu.

mod app;
mod background;
mod capture;
mod command;
mod display;
mod event;
mod filming;
mod films;
mod gauge;
mod hud;
pub(crate) mod keys;
mod meter;
mod panel;
mod present;
mod schedule;
mod session;
mod settings;
mod survey;
mod terms;
mod timestep;
mod tool;
mod tool_state;
mod view_control;

pub use capture::{Capture, FPS, Film, Taken, Written};
pub use event::{Event, ViewCause};
pub use settings::Settings;
pub use tool::Tool;

use crate::{
    error::{Error, Result},
    index::IndexKind,
    limits,
    raster::Style,
    scene::Setup,
    simd::SimdLevel,
};

use display::{Display, Trouble};

/// What to watch.
pub struct WatchOptions<'a> {
    /// What runs; restarting runs it again.
    pub setup: Setup,
    /// How it looks at first.
    pub look: Style,
    /// What the window remembers of last time.
    pub settings: Settings,
    /// Why that is not what there was, if it isn't, as a sentence for its user.
    pub trouble: Option<String>,
    /// Threads that step and draw, 1 or more.
    pub threads: usize,
    /// Instructions that the hot loops run with.
    pub simd: SimdLevel,
    /// What finds the contacts at first.
    pub index: IndexKind,
    /// Asked before another run is begun: refuses what there is no memory for.
    pub admit: fn(&Setup, IndexKind, usize) -> Result<()>,
    /// Given what closes the window, from any thread, for whoever ends programs.
    pub listen: &'a dyn Fn(Box<dyn Fn() + Send>),
    /// Makes files of what the window shows.
    pub capture: &'a mut dyn Capture,
    /// Told every event as it happens, on the thread that watches.
    pub tell: &'a mut dyn FnMut(&Event),
}

impl std::fmt::Debug for WatchOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { setup, look, settings, threads, simd, index, .. } = self;
        f.debug_struct("WatchOptions")
            .field("setup", setup)
            .field("look", look)
            .field("settings", settings)
            .field("simd", simd)
            .field("index", index)
            .field("threads", threads)
            .finish_non_exhaustive()
    }
}

/// A set-up with room for what the tools add: an eighth more agents, and some thousand discs of walls.
#[must_use]
pub fn roomy(setup: &Setup) -> Setup {
    let left = limits::AGENTS_MAX.saturating_sub(setup.agents);
    let room = (setup.agents / 8).clamp(MORE[0], MORE[1]).min(left);
    Setup { spare_agents: room, spare_statics: WALLS, ..setup.clone() }
}

/// Agents that the tools may add, at least and at most; and discs of walls.
const MORE: [u32; 2] = [2_000, 200_000];
const WALLS: u32 = 4_096;

/// How watching ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchOutcome {
    /// The window was closed: what to remember of it.
    Closed(Settings),
    /// There never was one, as nobody shows windows here: the reason, as a clause. Nothing was
    /// simulated.
    NoDisplay(String),
}

/// Opens a window, runs the simulation in it, and returns when it is closed.
///
/// A process can do this once, as winit can.
///
/// # Errors
/// As [`Sim::new`](crate::Sim::new) and [`pool`](crate::parallel::pool); and [`Error::Display`]
/// if there is a display that can't be used, or that goes away.
pub fn watch(options: WatchOptions<'_>) -> Result<WatchOutcome> {
    match Display::open() {
        Ok(display) => app::open(options, display).map(WatchOutcome::Closed),
        Err(Trouble::NoDisplay(reason)) => Ok(WatchOutcome::NoDisplay(reason)),
        Err(Trouble::Unusable(sentence)) => Err(Error::Display(sentence)),
    }
}
