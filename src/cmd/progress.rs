//! The progress bar of a run: on stderr, and only if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const BAR: &str = "{prefix:>9} {wide_bar:.cyan/dim} {human_pos} of {human_len} steps, {eta} left";
const FRAMES: &str =
    "{prefix:>9} {wide_bar:.cyan/dim} {human_pos} of {human_len} frames, {eta} left";
const WAIT: &str = "{prefix:>9} {spinner} {msg}";

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
        let bar = ProgressBar::with_draw_target(len, ProgressDrawTarget::stderr());
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
