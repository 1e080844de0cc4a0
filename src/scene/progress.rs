//! A placement as another thread sees it: how far it has come, and whether it is still wanted.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// How far a placement has come, and the way to end it; shared with the thread that places.
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
pub struct PlacementProgress {
    canceled: AtomicBool,
    placed: AtomicU32,
}

impl PlacementProgress {
    /// A placement that is wanted and has not begun.
    pub const fn new() -> Self {
        Self { canceled: AtomicBool::new(false), placed: AtomicU32::new(0) }
    }

    /// Ends the placement soon.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::cancel`] was called.
    pub fn is_canceled(&self) -> bool {
        self.canceled.load(Ordering::Relaxed)
    }

    /// Number of agents that have a place. It falls if an attempt fails and another begins.
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
