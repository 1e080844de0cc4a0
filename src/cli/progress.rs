//! The progress bar of a run: on stderr, and only if that is a terminal.

use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

const BAR: &str = "{prefix:>9} {wide_bar:.cyan/dim} {human_pos} of {human_len} steps, {eta} left";
const FRAMES: &str =
    "{prefix:>9} {wide_bar:.cyan/dim} {human_pos} of {human_len} frames, {eta} left";
const WAIT: &str = "{prefix:>9} {spinner} {msg}";

/// What is on the screen, for who has a line to say meanwhile.
static SHOWN: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Does something that writes to the screen, with no bar in its way.
pub(super) fn aside<T>(write: impl FnOnce() -> T) -> T {
    SHOWN.suspend(write)
}

/// Takes what there is from the screen: the process is about to end without unwinding.
pub(super) fn clear() {
    // A screen that can't be written to has nothing on it.
    let _ = SHOWN.clear();
}

/// What is going on, and how far it is. Gone from the screen when it is dropped.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Something whose end can't be foreseen.
    pub(super) fn wait(prefix: &'static str, message: String) -> Self {
        let bar = Self::styled(None, prefix, WAIT);
        bar.0.set_message(message);
        bar.0.tick();
        bar
    }

    /// That many steps.
    pub(super) fn steps(prefix: &'static str, steps: u64) -> Self {
        Self::styled(Some(steps), prefix, BAR)
    }

    /// That many frames.
    pub(super) fn frames(prefix: &'static str, frames: u64) -> Self {
        Self::styled(Some(frames), prefix, FRAMES)
    }

    /// One step, or one frame, more is done.
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
