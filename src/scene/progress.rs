//! The progress of a placement, shared with another thread, which can also cancel it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The number of agents that a placement has placed, and a flag that cancels it; shared with the
/// thread that places.
///
/// ```
/// use jostle::{Scene, Setup, scene::{self, PlacementProgress}};
///
/// let progress = PlacementProgress::new();
/// scene::place_while(&Setup { agents: 1_000, ..Setup::new(Scene::Gas) }, &progress)?;
/// assert_eq!(progress.placed(), 1_000);
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug, Default)]
// Public as `place_while` is.
#[doc(hidden)]
pub struct PlacementProgress {
    canceled: AtomicBool,
    placed: AtomicU32,
}

impl PlacementProgress {
    /// The progress of a placement that has not begun.
    pub const fn new() -> Self {
        Self { canceled: AtomicBool::new(false), placed: AtomicU32::new(0) }
    }

    /// Ends the placement soon.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::cancel`] was called.
    pub(crate) fn is_canceled(&self) -> bool {
        self.canceled.load(Ordering::Relaxed)
    }

    /// Number of agents that have a position. It falls if an attempt fails and another begins.
    pub fn placed(&self) -> u32 {
        self.placed.load(Ordering::Relaxed)
    }

    pub(super) fn set_placed(&self, placed: u32) {
        self.placed.store(placed, Ordering::Relaxed);
    }

    /// Counts one more agent. Only one thread places.
    pub(super) fn add_placed(&self) {
        self.set_placed(self.placed().wrapping_add(1));
    }
}
