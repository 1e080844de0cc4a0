//! A request for full screen, repeated until the desktop reports it done.
//!
//! The last request of the user holds. A busy window manager may drop a request, so the state that
//! the desktop reports is compared with the requested one, at growing intervals.

use std::time::{Duration, Instant};

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
    pub(super) full: bool,
    checks: u32,
    /// Time of the next check.
    pub(super) due: Instant,
}

impl FullScreenRequest {
    /// A request made at `now`.
    pub(super) fn new(full: bool, now: Instant) -> Self {
        Self { full, checks: 0, due: now + FIRST_CHECK }
    }

    /// The request after a check at `now` that found nothing done; `None` after too many of them.
    pub(super) fn again(self, now: Instant) -> Option<Self> {
        let checks = self.checks + 1;
        let wait = (FIRST_CHECK * 2_u32.pow(checks)).min(LONGEST_WAIT);
        (checks < CHECKS_MAX).then_some(Self { full: self.full, checks, due: now + wait })
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
