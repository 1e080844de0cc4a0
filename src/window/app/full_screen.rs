//! Full screen: requested, and requested again until the desktop has done it.
//!
//! The last request of the user holds. A busy window manager may drop a request, so the state that
//! the desktop reports is compared with the requested one, at growing intervals.

use std::time::{Duration, Instant};

use super::{App, sides};
use crate::{
    program::ProgramResult as Result,
    window::{display, event::Event},
};

/// Time until the desktop's answer is read for the first time; each later one takes twice as long.
const FIRST_CHECK: Duration = Duration::from_millis(250);

/// Longest time between two checks.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Checks after which a desktop counts as unable to do it: about 10 seconds.
const CHECKS_MAX: u32 = 7;

/// A change to or from full screen that the desktop has yet to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct FullScreenRequest {
    /// Whether full screen is requested, or its end.
    full: bool,
    /// Checks that found nothing done.
    checks: u32,
    /// Time of the next check.
    pub(super) due: Instant,
}

impl App<'_> {
    /// Requests full screen, or a window again: the opposite of the state that is wanted so far.
    pub(super) fn toggle_full_screen(&mut self) {
        let Some(shown) = &self.shown else { return };
        let wanted = self.full_screen.map(|request| request.full);
        let full = !wanted.unwrap_or_else(|| display::is_full_screen(&shown.window));
        display::request_full_screen(&shown.window, full);
        let due = Instant::now() + FIRST_CHECK;
        self.full_screen = Some(FullScreenRequest { full, checks: 0, due });
        self.emit(Some(Event::switched("full screen", full)));
    }

    /// Checks a request that is due: the state that the desktop reports, and the window's size.
    ///
    /// # Errors
    /// As [`Self::resize`].
    pub(super) fn check_full_screen(
        &mut self,
        request: FullScreenRequest,
        now: Instant,
    ) -> Result<()> {
        let Some(shown) = &self.shown else { return Ok(()) };
        let FullScreenRequest { full, checks, .. } = request;
        if display::is_full_screen(&shown.window) == full {
            let size = sides(shown.window.inner_size());
            return self.resize(size);
        }
        let checks = checks + 1;
        if checks < CHECKS_MAX {
            let due = now + (FIRST_CHECK * 2_u32.pow(checks)).min(LONGEST_WAIT);
            self.full_screen = Some(FullScreenRequest { full, checks, due });
            display::request_full_screen(&shown.window, full);
        } else {
            let change = if full { "make the window full screen" } else { "end it" };
            self.emit(Some(Event::Notice(format!("full screen: the desktop does not {change}"))));
        }
        Ok(())
    }
}
