//! The progress of a placement, shared with another thread, which can also cancel it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::error::{Error, Result};

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

    /// # Errors
    /// [`Error::Canceled`] after [`Self::cancel`].
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.is_canceled() { Err(Error::Canceled) } else { Ok(()) }
    }

    /// Number of agents that have a position. It falls if an attempt fails and another begins.
    pub fn placed(&self) -> u32 {
        self.placed.load(Ordering::Relaxed)
    }
}

/// The part of a placement that places the agents of a cluster.
#[derive(Debug)]
pub(super) struct PlacementShare<'a> {
    of: &'a PlacementProgress,
    /// Agents of the cluster that have a position.
    placed: AtomicU32,
}

impl<'a> PlacementShare<'a> {
    /// A part that has not begun.
    pub(super) const fn new(of: &'a PlacementProgress) -> Self {
        Self { of, placed: AtomicU32::new(0) }
    }

    /// Counts that many more agents.
    pub(super) fn add(&self, placed: u32) {
        self.placed.fetch_add(placed, Ordering::Relaxed);
        self.of.placed.fetch_add(placed, Ordering::Relaxed);
    }

    /// Begins anew: none of the agents has a position.
    pub(super) fn restart(&self) {
        let placed = self.placed.swap(0, Ordering::Relaxed);
        self.of.placed.fetch_sub(placed, Ordering::Relaxed);
    }

    pub(super) fn is_canceled(&self) -> bool {
        self.of.is_canceled()
    }

    /// # Errors
    /// [`Error::Canceled`] if the placement is canceled.
    pub(super) fn go_on(&self) -> Result<()> {
        self.of.go_on()
    }
}
