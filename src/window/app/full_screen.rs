//! Full screen: requested, and requested again until the desktop has done it.
//!
//! The user's last word holds. A window manager that is busy may drop a request, so the state that
//! the desktop reports is compared with the one that is wanted, at growing intervals.

use std::time::{Duration, Instant};

use super::{App, sides};
use crate::{
    error::Result,
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
    full: bool,
    checks: u32,
    /// Time of the next check.
    pub(super) due: Instant,
}

impl FullScreenRequest {
    fn new(full: bool, now: Instant) -> Self {
        Self { full, checks: 0, due: now + FIRST_CHECK }
    }

    /// The request after a check at `now` that found nothing done; `None` after too many of them.
    fn again(self, now: Instant) -> Option<Self> {
        let checks = self.checks + 1;
        let wait = (FIRST_CHECK * 2_u32.pow(checks)).min(LONGEST_WAIT);
        (checks < CHECKS_MAX).then_some(Self { full: self.full, checks, due: now + wait })
    }
}

impl App<'_> {
    /// Requests full screen, or a window again: the opposite of the state that is wanted so far.
    pub(super) fn toggle_full_screen(&mut self) {
        let Some(shown) = &self.shown else { return };
        let wanted = self.full_screen.map(|request| request.full);
        let full = !wanted.unwrap_or_else(|| display::is_full_screen(&shown.window));
        display::request_full_screen(&shown.window, full);
        self.full_screen = Some(FullScreenRequest::new(full, Instant::now()));
        self.tell(Some(Event::FullScreen(full)));
    }

    /// Checks a request that is due: the state that the desktop reports, and the window's size.
    ///
    /// # Errors
    /// As [`Self::resize`].
    pub(super) fn check_full_screen(&mut self, now: Instant) -> Result<()> {
        let Some(request) = self.full_screen.filter(|request| request.due <= now) else {
            return Ok(());
        };
        let Some(shown) = &self.shown else { return Ok(()) };
        self.busy = true;
        if display::is_full_screen(&shown.window) == request.full {
            self.full_screen = None;
            let size = sides(shown.window.inner_size());
            return self.resize(size);
        }
        self.full_screen = request.again(now);
        if self.full_screen.is_some() {
            display::request_full_screen(&shown.window, request.full);
        } else {
            let change = if request.full { "make the window full screen" } else { "end it" };
            self.tell(Some(Event::Notice(format!("full screen: the desktop does not {change}"))));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_come_at_growing_intervals_and_end() {
        let start = Instant::now();
        let mut request = FullScreenRequest::new(true, start);
        let mut waits = vec![request.due - start];
        while let Some(next) = request.again(request.due) {
            waits.push(next.due - request.due);
            request = next;
        }
        assert!(waits.is_sorted());
        assert_eq!(waits.len(), CHECKS_MAX as usize);
        assert_eq!(waits.last(), Some(&LONGEST_WAIT));
    }
}
