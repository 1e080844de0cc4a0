//! The timeline at the bottom of the frame: how far the run has come, its moments, and where it is.

use glam::Vec2;

use super::{ACCENT, DARK_BACKING, HudCanvas, LINE, PADDING, PLAIN, PixelRect, QUIET, pixels};
use crate::raster::Stroke;

/// Height in points.
const HEIGHT: u32 = 20;

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
}

/// A time, and the column where it begins, with its width in pixels.
struct TimeLabel {
    x: u32,
    width: u32,
    text: String,
    color: [u8; 3],
}

/// Rows at the bottom that the timeline takes.
pub(in crate::window) fn height(scale: f32) -> u32 {
    pixels(HEIGHT, scale)
}

impl TimelinePlace {
    /// The place in a frame beside that many columns of the panel; `None` if the frame is too small.
    pub(in crate::window) fn new(
        size: [u32; 2],
        beside: u32,
        scale: f32,
        ends: [u64; 2],
    ) -> Option<Self> {
        let height = height(scale);
        let beside_track = pixels(LABEL + GAP, scale);
        let width = size[0].checked_sub(beside)?;
        if size[1] < 4 * height || width < 2 * beside_track + pixels(TRACK_LEAST, scale) {
            return None;
        }
        let area = PixelRect { x: beside, y: size[1] - height, width, height };
        let track = [beside + beside_track, size[0] - beside_track].map(|x| x as f32);
        Some(Self { area, track, ends })
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

    /// Draws the timeline of a run that is at step `now`, with the simulated times of its ends, and
    /// the time of `now` if it is another one; `seconds` gives the times of steps.
    pub(in crate::window) fn draw(
        &self,
        canvas: &mut HudCanvas<'_>,
        moments: impl Iterator<Item = u64>,
        now: u64,
        seconds: impl Fn(u64) -> f64,
    ) {
        let (area, scale) = (self.area, canvas.scale);
        canvas.begin_block("timeline", area, DARK_BACKING);
        let middle = (area.y + area.height / 2) as f32;
        let (here, [left, right]) = (self.column(now), self.track);
        let (pen, shapes) = (canvas.pen(), &mut canvas.shapes);
        for (from, to, stroke) in [(left, right, EMPTY), (left, here, DONE)] {
            let [low, high] = [middle - TRACK * scale, middle + TRACK * scale].map(f32::round);
            shapes.fill([Vec2::new(from, low), Vec2::new(to, high)], stroke);
        }
        for step in moments {
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
        let place = TimelinePlace::new([1280, 720], 300, 1.0, [100, 700]).unwrap();
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
        assert_eq!(TimelinePlace::new([300, 720], 100, 1.0, [0, 1]), None);
        assert_eq!(TimelinePlace::new([1280, 60], 0, 1.0, [0, 1]), None);
        assert_eq!(TimelinePlace::new([200, 200], 300, 1.0, [0, 1]), None);
    }

    #[test]
    fn the_labels_are_the_ends_and_between_them_the_present() {
        let place = TimelinePlace::new([640, 360], 0, 1.0, [60, 660]).unwrap();
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
        let place = TimelinePlace::new([270, 360], 0, 1.0, [600, 12_000]).unwrap();
        assert_eq!(place.labels(6_300, |step| step as f64 / 60.0, 1.0, width).len(), 2);
    }

    #[test]
    fn a_run_that_begins_is_at_its_end() {
        let place = TimelinePlace::new([640, 360], 0, 1.0, [50, 50]).unwrap();
        assert_eq!(place.column(50), place.track[1]);
        assert_eq!(place.step_at(Vec2::new(320.0, 350.0)), 50);
    }
}
