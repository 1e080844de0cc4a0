//! The timeline at the bottom of the frame: how far the run has come, its moments, where it is, and above
//! that its branches.
//!
//! ```text
//!                ┌──────────────────     branch 1
//!                │    ┌─────────         branch 2
//!  0.00 s ━━━━━━━┷━━━━┷━━●───────        12.00 s
//! ```

use glam::Vec2;

use super::{
    ACCENT, DARK_BACKING, HudCanvas, LINE, PADDING, PLAIN, PixelRect, QUIET, block_size, pixels,
};
use crate::{
    raster::Stroke,
    window::timeline::{ShownBranch, Timeline},
};

/// Height in points, without branches.
const HEIGHT: u32 = 20;

/// Points from a branch to the next, and of all branches at most.
const ROW: f32 = 7.0;
const ROWS: f32 = 42.0;

/// Half the thickness of a branch, and how far a pointer may be beside its ends, points.
const BRANCH: f32 = 0.75;
const BESIDE: f32 = 4.0;

/// Points between the labels and the track, and of a label.
const GAP: u32 = 10;
const LABEL: u32 = 66;

/// The shortest track, points: a narrower window has no timeline.
const TRACK_LEAST: u32 = 100;

/// Half the thickness of the track, half the height of a moment, and the radius of the knob, points.
const TRACK: f32 = 1.5;
const MOMENT: f32 = 4.0;
const KNOB: f32 = 5.0;

const EMPTY: Stroke = Stroke::new([70, 78, 100]);
const MOMENTS: Stroke = Stroke::new(QUIET);
const DONE: Stroke = Stroke::new(PLAIN);
const HERE: Stroke = Stroke::new(ACCENT);

/// Where the timeline is in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::window) struct TimelinePlace {
    area: PixelRect,
    /// Left and right end of the track.
    track: [f32; 2],
    /// First and last step.
    ends: [u64; 2],
    /// Pixels at the top for the branches, and from one of them to the next.
    rows: f32,
    row: f32,
}

/// A time, and the column where it begins, with its width in pixels.
struct TimeLabel {
    x: u32,
    width: u32,
    text: String,
    color: [u8; 3],
}

/// Rows at the bottom that a timeline with so many branches takes.
pub(in crate::window) fn height(scale: f32, branches: usize) -> u32 {
    pixels(HEIGHT, scale) + rows(scale, branches) as u32
}

/// Rows that the branches take.
fn rows(scale: f32, branches: usize) -> f32 {
    ((branches as f32 * ROW).min(ROWS) * scale).ceil()
}

impl TimelinePlace {
    /// The place in a frame beside that many columns of the panel; `None` if the frame is too small.
    pub(in crate::window) fn new(
        size: [u32; 2],
        beside: u32,
        scale: f32,
        ends: [u64; 2],
        branches: usize,
    ) -> Option<Self> {
        let (height, rows) = (height(scale, branches), rows(scale, branches));
        let beside_track = pixels(LABEL + GAP, scale);
        let width = size[0].checked_sub(beside)?;
        if size[1] < (4 * pixels(HEIGHT, scale)).max(2 * height)
            || width < 2 * beside_track + pixels(TRACK_LEAST, scale)
        {
            return None;
        }
        let area = PixelRect { x: beside, y: size[1] - height, width, height };
        let track = [beside + beside_track, size[0] - beside_track].map(|x| x as f32);
        let row = rows / branches.max(1) as f32;
        Some(Self { area, track, ends, rows, row })
    }

    /// True for a pixel of the timeline.
    pub(in crate::window) fn contains(&self, pixel: Vec2) -> bool {
        pixel.y >= self.area.y as f32 && pixel.x >= self.area.x as f32
    }

    /// The step under a pixel; the first or the last one beside the track.
    pub(in crate::window) fn step_at(&self, pixel: Vec2) -> u64 {
        let [left, right] = self.track;
        let share = f64::from(((pixel.x - left) / (right - left)).clamp(0.0, 1.0));
        let [first, end] = self.ends;
        first + (share * (end - first) as f64).round() as u64
    }

    fn column(&self, step: u64) -> f32 {
        let ([left, right], [first, end]) = (self.track, self.ends);
        let share = step.saturating_sub(first) as f64 / (end - first).max(1) as f64;
        let share = if end == first { 1.0 } else { share.min(1.0) };
        (left + (right - left) * share as f32).round()
    }

    /// The branch under a pixel, and its step there.
    pub(in crate::window) fn branch_at(
        &self,
        pixel: Vec2,
        timeline: &Timeline,
    ) -> Option<(ShownBranch, u64)> {
        let row = (pixel.y - self.area.y as f32) / self.row;
        let is_above = self.contains(pixel) && pixel.y < self.area.y as f32 + self.rows;
        let branch = timeline.branches().nth(row as usize).filter(|_| is_above)?;
        let [from, end] = branch.ends.map(|step| self.column(step));
        let is_there = (from - BESIDE..=end + BESIDE).contains(&pixel.x);
        is_there.then(|| (branch, self.step_at(pixel).clamp(branch.ends[0], branch.ends[1])))
    }

    /// Draws the timeline of a run that is at step `now`, with the simulated times of its ends, and
    /// the time of `now` if it is another one; `seconds` gives the times of steps. The branch under the
    /// pointer has its name.
    pub(in crate::window) fn draw(
        &self,
        canvas: &mut HudCanvas<'_>,
        timeline: &Timeline,
        now: u64,
        pointer: Option<Vec2>,
        seconds: impl Fn(u64) -> f64,
    ) {
        let scale = canvas.scale;
        canvas.begin_block("timeline", self.area, DARK_BACKING);
        let pointed = pointer.and_then(|pixel| Some((pixel, self.branch_at(pixel, timeline)?.0)));
        self.draw_branches(canvas, timeline, pointed.map(|(_, branch)| branch.number));
        let area = self.line_area();
        let middle = self.middle();
        let (here, left) = (self.column(now), self.track[0]);
        let right = self.column(timeline.ends()[1]);
        let (pen, shapes) = (canvas.pen(), &mut canvas.shapes);
        for (from, to, stroke) in [(left, right, EMPTY), (left, here, DONE)] {
            let [low, high] = [middle - TRACK * scale, middle + TRACK * scale].map(f32::round);
            shapes.fill([Vec2::new(from, low), Vec2::new(to, high)], stroke);
        }
        for step in timeline.moments() {
            let x = self.column(step);
            let corners = [Vec2::new(x, middle - MOMENT * scale), Vec2::new(x + pen, middle)];
            shapes.fill(corners, MOMENTS);
        }
        shapes.disc(Vec2::new(here, middle), KNOB * scale, HERE);
        let row = area.y + area.height.saturating_sub(pixels(LINE, scale)) / 2;
        let width = |text: &str| pixels(canvas.width(text), scale);
        for TimeLabel { x, width, text, color } in self.labels(now, seconds, scale, width) {
            let margin = pixels(PADDING / 2, scale);
            let width = width + 2 * margin;
            // The one beside the knob lies on the track.
            canvas.darken(PixelRect { x: x.saturating_sub(margin), width, ..area }, DARK_BACKING);
            canvas.write([x, row], color, &text);
        }
        if let Some((pixel, branch)) = pointed {
            self.draw_name(canvas, pixel, branch.name.as_str());
        }
    }

    /// The pixels of the line, below those of the branches.
    fn line_area(&self) -> PixelRect {
        let above = self.rows as u32;
        PixelRect { y: self.area.y + above, height: self.area.height - above, ..self.area }
    }

    /// The row of pixels in the middle of the line.
    fn middle(&self) -> f32 {
        let area = self.line_area();
        (area.y + area.height / 2) as f32
    }

    /// Draws each branch from where it parts to its end.
    fn draw_branches(&self, canvas: &mut HudCanvas<'_>, timeline: &Timeline, pointed: Option<u32>) {
        let (half, pen) = ((BRANCH * canvas.scale).max(0.5), canvas.pen());
        let row = |number: u32| {
            let index = timeline.branches().position(|branch| branch.number == number)?;
            Some((self.area.y as f32 + (index as f32 + 0.5) * self.row).round())
        };
        for ShownBranch { number, parent, ends, .. } in timeline.branches() {
            let from_row = parent.and_then(row).unwrap_or(self.middle());
            let y = row(number).unwrap_or(from_row);
            let [from, end] = ends.map(|step| self.column(step));
            let stroke = Stroke::new(if pointed == Some(number) { ACCENT } else { QUIET });
            let rise = [Vec2::new(from, y.min(from_row)), Vec2::new(from + pen, y.max(from_row))];
            let level = [Vec2::new(from, y - half), Vec2::new(end.max(from + pen), y + half)];
            canvas.shapes.fill(rise, stroke);
            canvas.shapes.fill(level, stroke);
        }
    }

    /// Writes the name of a branch above the pointer.
    fn draw_name(&self, canvas: &mut HudCanvas<'_>, pointer: Vec2, name: &str) {
        let [width, height] = block_size(canvas.width(name), 1, canvas.scale);
        let first = self.area.x;
        let last = (first + self.area.width).saturating_sub(width).max(first);
        let x = (pointer.x as u32).saturating_sub(width / 2).clamp(first, last);
        let block = PixelRect { x, y: self.area.y.saturating_sub(height), width, height };
        canvas.begin_block("branch", block, DARK_BACKING);
        canvas.write_in(block, [0, 0], PLAIN, name);
    }

    /// The times of both ends, and of now beside the knob.
    fn labels(
        &self,
        now: u64,
        seconds: impl Fn(u64) -> f64,
        scale: f32,
        mut width: impl FnMut(&str) -> u32,
    ) -> Vec<TimeLabel> {
        let ([left, right], [first, end]) = (self.track, self.ends);
        let gap = pixels(GAP, scale);
        let mut label = |step: u64, at: f32, is_before: bool, color: [u8; 3]| {
            let text = format!("{:.2} s", seconds(step));
            let width = width(&text);
            let x = at as u32;
            let x = if is_before { x.saturating_sub(width + gap) } else { x + gap };
            TimeLabel { x: x.max(self.area.x), width, text, color }
        };
        let mut labels = vec![label(first, left, true, QUIET), label(end, right, false, QUIET)];
        if now != first && now != end {
            let here = self.column(now);
            // On the side where the track is longer, if it is long enough.
            let here = label(now, here, here > 0.5 * (left + right), ACCENT);
            let end = here.x + here.width;
            if here.x as f32 > left && (end as f32) < right {
                labels.push(here);
            }
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels of a text, as if all letters were of one width.
    fn width(text: &str) -> u32 {
        text.len() as u32 * 8
    }

    #[test]
    fn the_ends_of_the_track_are_the_ends_of_the_run() {
        let place = TimelinePlace::new([1280, 720], 300, 1.0, [100, 700], 0).unwrap();
        let steps = [0.0, 305.0, 376.0, 1204.0, 1279.0].map(|x| place.step_at(Vec2::new(x, 710.0)));
        assert_eq!(steps, [100, 100, 100, 700, 700]);
        for step in [100, 101, 350, 699, 700] {
            let back = place.step_at(Vec2::new(place.column(step), 710.0));
            assert!(back.abs_diff(step) <= 1, "{step} {back}");
        }
        assert!(
            place.contains(Vec2::new(301.0, 701.0)) && !place.contains(Vec2::new(299.0, 701.0))
        );
        assert!(!place.contains(Vec2::new(400.0, 699.0)));
        assert_eq!(TimelinePlace::new([300, 720], 100, 1.0, [0, 1], 0), None);
        assert_eq!(TimelinePlace::new([1280, 60], 0, 1.0, [0, 1], 0), None);
        assert_eq!(TimelinePlace::new([200, 200], 300, 1.0, [0, 1], 0), None);
    }

    #[test]
    fn the_labels_are_the_ends_and_between_them_the_present() {
        let place = TimelinePlace::new([640, 360], 0, 1.0, [60, 660], 0).unwrap();
        for (now, texts) in [
            (60, &["1.00 s", "11.00 s"][..]),
            (120, &["1.00 s", "11.00 s", "2.00 s"]),
            (600, &["1.00 s", "11.00 s", "10.00 s"]),
            (660, &["1.00 s", "11.00 s"]),
        ] {
            let mut labels = place.labels(now, |step| step as f64 / 60.0, 1.0, width);
            assert!(labels.iter().map(|label| &*label.text).eq(texts.iter().copied()), "{now}");
            labels.sort_by_key(|label| label.x);
            let end = |label: &TimeLabel| label.x + label.width;
            assert!(labels.is_sorted_by(|one, other| end(one) < other.x), "{now}");
            assert!(labels.iter().all(|label| end(label) <= 640), "{now}");
        }
    }

    #[test]
    fn a_short_track_has_no_room_for_the_present() {
        let place = TimelinePlace::new([270, 360], 0, 1.0, [600, 12_000], 0).unwrap();
        assert_eq!(place.labels(6_300, |step| step as f64 / 60.0, 1.0, width).len(), 2);
    }

    #[test]
    fn a_run_that_begins_is_at_its_end() {
        let place = TimelinePlace::new([640, 360], 0, 1.0, [50, 50], 0).unwrap();
        assert_eq!(place.column(50), place.track[1]);
        assert_eq!(place.step_at(Vec2::new(320.0, 350.0)), 50);
    }
}
