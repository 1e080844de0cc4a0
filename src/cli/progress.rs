//! Progress bars on stderr, if that is a terminal.

use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

const BAR: &str = "{prefix:>9} {wide_bar:.cyan/dim} {human_pos} of {human_len} steps, {eta} left";
const FRAMES: &str =
    "{prefix:>9} {wide_bar:.cyan/dim} {human_pos} of {human_len} frames, {eta} left";
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
        let bar = Self::styled(None, prefix, WAIT);
        bar.0.set_message(message);
        bar.0.tick();
        bar
    }

    /// A task of that many steps.
    pub(super) fn steps(prefix: &'static str, steps: u64) -> Self {
        Self::styled(Some(steps), prefix, BAR)
    }

    /// A task of that many frames.
    pub(super) fn frames(prefix: &'static str, frames: u64) -> Self {
        Self::styled(Some(frames), prefix, FRAMES)
    }

    /// Counts one step or frame as done.
    pub(super) fn step(&self) {
        self.0.inc(1);
    }

    fn styled(len: Option<u64>, prefix: &'static str, template: &str) -> Self {
        let bar = SHOWN.add(len.map_or_else(ProgressBar::no_length, ProgressBar::new));
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar.set_prefix(prefix);
        Self(bar)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
