//! Full screen: requested, and requested again until the desktop has done it.
//!
//! The last request of the user holds. A busy window manager may drop a request, so the state that
//! the desktop reports is compared with the requested one, at growing intervals.

use std::time::{Duration, Instant};

use winit::window::Window;

use super::sides;
use crate::window::display;

/// Time until the desktop's answer is read for the first time; each later one takes twice as long.
const FIRST_CHECK: Duration = Duration::from_millis(250);

/// Longest time between two checks.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Checks after which a desktop counts as unable to do it: about 10 seconds.
const CHECKS_MAX: u32 = 7;

/// A change to or from full screen that the desktop has yet to make.
#[derive(Clone, Copy, Debug)]
struct FullScreenRequest {
    /// Whether full screen is requested, or its end.
    full: bool,
    /// Checks that found nothing done.
    checks: u32,
    /// Time of the next check.
    due: Instant,
}

/// The last change that the user asked for, until the desktop has made it.
#[derive(Default)]
pub(super) struct FullScreen(Option<FullScreenRequest>);

impl FullScreen {
    /// Requests full screen, or a window again: the opposite of the state that is wanted so far. True
    /// for full screen.
    pub(super) fn toggle(&mut self, window: &Window) -> bool {
        let full = !self.is_wanted(window);
        display::request_full_screen(window, full);
        let due = Instant::now() + FIRST_CHECK;
        self.0 = Some(FullScreenRequest { full, checks: 0, due });
        full
    }

    /// True if the window is in full screen, or was requested to be last.
    pub(super) fn is_wanted(&self, window: &Window) -> bool {
        let requested = self.0.map(|request| request.full);
        requested.unwrap_or_else(|| display::is_full_screen(window))
    }

    /// The time of the next check, if there is a request.
    pub(super) fn due(&self) -> Option<Instant> {
        self.0.map(|request| request.due)
    }

    /// Compares the state that the desktop reports with the request. The window's size once the two
    /// are the same; until then, `None`.
    ///
    /// # Errors
    /// A sentence, if the desktop doesn't make the change.
    pub(super) fn check(
        &mut self,
        window: &Window,
        now: Instant,
    ) -> Result<Option<[u32; 2]>, String> {
        let Some(FullScreenRequest { full, checks, .. }) = self.0.take() else { return Ok(None) };
        if display::is_full_screen(window) == full {
            return Ok(Some(sides(window.inner_size())));
        }
        let checks = checks + 1;
        if checks == CHECKS_MAX {
            let change = if full { "make the window full screen" } else { "end it" };
            return Err(format!("full screen: the desktop does not {change}"));
        }
        let due = now + (FIRST_CHECK * 2_u32.pow(checks)).min(LONGEST_WAIT);
        self.0 = Some(FullScreenRequest { full, checks, due });
        display::request_full_screen(window, full);
        Ok(None)
    }
}
