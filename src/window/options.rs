//! What the caller gives to the window, and what it gets back.

use crate::{
    error::Result,
    index::IndexKind,
    raster::Style,
    scene::Setup,
    simd::SimdLevel,
    window::{capture::Capture, event::Event, settings::Settings},
};

/// Options of a window.
pub(crate) struct WatchOptions<'a> {
    /// The run; a restart runs it again.
    pub(crate) setup: Setup,
    /// Style of the first frame.
    pub(crate) look: Style,
    /// Settings that the last window saved.
    pub(crate) settings: Settings,
    /// Why saved settings couldn't be used, as a sentence for the user.
    pub(crate) trouble: Option<String>,
    /// Threads that step and draw, 1 or more.
    pub(crate) threads: usize,
    /// Instructions of the hot loops.
    pub(crate) simd: SimdLevel,
    /// Index that finds the contacts at first.
    pub(crate) index: IndexKind,
    /// Rejects another run that there is no memory for, given its index and number of threads.
    pub(crate) admit: fn(&Setup, IndexKind, usize) -> Result<()>,
    /// Gets a closure that closes the window from any thread.
    pub(crate) listen: &'a dyn Fn(Box<dyn Fn() + Send>),
    /// Makes files of frames.
    pub(crate) capture: &'a mut dyn Capture,
    /// Gets every event, on the thread of the window.
    pub(crate) tell: &'a mut dyn FnMut(&Event),
}

/// How watching ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WatchOutcome {
    /// The window was closed, with settings to save for the next one.
    Closed(Settings),
    /// There is no display here; the reason as a clause. Nothing was simulated.
    NoDisplay(String),
}
