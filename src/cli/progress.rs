//! Progress bars on stderr, if that is a terminal.

use std::{borrow::Cow, sync::LazyLock};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

const BAR: &str = "{prefix:>9} {wide_bar:.cyan/dim} {human_pos} of {human_len} {msg}, {eta} left";
const WAIT: &str = "{prefix:>9} {spinner} {msg}";

/// All bars on the screen.
static SHOWN: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Calls a function that writes to the screen, with the bars hidden meanwhile.
pub(super) fn aside<T>(write: impl FnOnce() -> T) -> T {
    SHOWN.suspend(write)
}

/// Removes all bars: the process is about to exit without unwinding.
pub(super) fn clear() {
    // A closed screen has no bars.
    let _ = SHOWN.clear();
}

/// One bar, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// A task of unknown length.
    pub(super) fn wait(prefix: &'static str, message: String) -> Self {
        let bar = Self::new(ProgressBar::no_length(), prefix, message, WAIT);
        bar.0.tick();
        bar
    }

    /// A task of that many units, such as "steps"; without any, there is no bar.
    pub(super) fn of(prefix: &'static str, count: u64, units: &'static str) -> Self {
        if count == 0 {
            return Self(ProgressBar::hidden());
        }
        Self::new(ProgressBar::new(count), prefix, units, BAR)
    }

    /// Counts one unit as done.
    pub(super) fn step(&self) {
        self.0.inc(1);
    }

    fn new(
        bar: ProgressBar,
        prefix: &'static str,
        message: impl Into<Cow<'static, str>>,
        template: &str,
    ) -> Self {
        let bar = SHOWN.add(bar).with_prefix(prefix).with_message(message);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self(bar)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
