//! The view control: the part of the world that the window shows. Until the user moves the view, it
//! shows the whole world at any size of the window.

use glam::Vec2;

use crate::{geometry::Rect, journal::JournalView, raster::Camera};

/// Magnification per notch of the wheel.
const NOTCH: f32 = 1.2;

/// Largest number of notches at a time: a factor must stay finite, whatever a wheel reports.
const NOTCHES_MAX: f32 = 50.0;

/// The camera, and whether it shows the whole world.
#[derive(Clone, Debug)]
pub(super) struct ViewControl {
    world: Rect,
    size: [u32; 2],
    /// Columns at the left that the panel takes, rows at the top and at the bottom that the status line
    /// and the timeline take, and rows above the latter that the legends take if nothing else needs them.
    taken: [u32; 4],
    camera: Camera,
    fitted: bool,
}

impl ViewControl {
    /// Shows the whole world in a frame of `size` pixels, beside the columns at the left and
    /// between the rows at the top and at the bottom that are `taken`. Columns beyond two thirds of
    /// the width cover the world instead, as there is too little room beside them. A world that leaves
    /// rows free is in the middle of them, or as much higher as the legends below it need.
    pub(super) fn new(world: Rect, size: [u32; 2], taken: [u32; 4]) -> Self {
        let [width, height] = size;
        let [left, top, bottom] = covered(size, taken);
        let mut camera = Camera::fit(&world, width - left, height - top - bottom);
        let free = camera.size.y - world.size().y * camera.scale;
        let legends = taken[3] as f32;
        let higher = if legends <= free { (legends - 0.5 * free).max(0.0) } else { 0.0 };
        camera.center += (aside(size, taken) - Vec2::new(0.0, higher)) / camera.scale;
        camera.size = Vec2::new(width as f32, height as f32);
        Self { world, size, taken, camera, fitted: true }
    }

    /// The camera of the next frame.
    pub(super) fn camera(&self) -> &Camera {
        &self.camera
    }

    /// The camera of a frame of `size` pixels of which nothing is taken but that many columns at the
    /// left: the whole world fits beside them, or the middle there is that of the part of the window
    /// that nothing covers, and it shows all that a window without the interface would.
    pub(super) fn uncovered(&self, size: [u32; 2], left: u32) -> Camera {
        if self.fitted {
            return Self::new(self.world, size, [left, 0, 0, 0]).camera;
        }
        let Camera { scale, .. } = self.camera;
        let middle = self.camera.center - aside(self.size, self.taken) / scale;
        let all = Vec2::from(size.map(|side| side as f32));
        let scale = scale * (all / self.camera.size).min_element();
        Camera { center: middle + aside(size, [left, 0, 0, 0]) / scale, scale, size: all }
    }

    /// What a frame of the window's size would show without the interface.
    pub(super) fn shown(&self) -> JournalView {
        if self.fitted {
            return JournalView::Whole;
        }
        let Camera { center, scale, size } = self.uncovered(self.size, 0);
        JournalView::Part(center, size.x / scale)
    }

    /// Changes the columns and rows that are taken; the point in the middle of the others stays there.
    pub(super) fn take(&mut self, taken: [u32; 4]) {
        let by = aside(self.size, taken) - aside(self.size, self.taken);
        self.camera.center += by / self.camera.scale;
        self.resize(self.size, taken);
    }

    /// Shows a part of the world: its middle, and its width.
    pub(super) fn show_part(&mut self, center: Vec2, width: f32) {
        let [columns, rows] = self.size;
        let [left, ..] = covered(self.size, self.taken);
        let across = width * columns as f32 / (columns - left).max(1) as f32;
        self.camera = Camera::new(center, across, columns, rows);
        let [least, most] = self.camera.scale_limits(&self.world);
        self.camera.scale = self.camera.scale.clamp(least, most);
        self.camera.center += aside(self.size, self.taken) / self.camera.scale;
        self.fitted = false;
    }

    /// Shows the whole world.
    pub(super) fn fit(&mut self) {
        *self = Self::new(self.world, self.size, self.taken);
    }

    /// Changes the frame's size, and the columns and rows that are taken of it.
    pub(super) fn resize(&mut self, size: [u32; 2], taken: [u32; 4]) {
        (self.size, self.taken) = (size, taken);
        if self.fitted {
            self.fit();
        } else {
            self.camera.resize(size[0], size[1]);
        }
    }

    /// Zooms by notches of the wheel, in if positive; the point under `cursor` stays.
    pub(super) fn zoom(&mut self, notches: f32, cursor: Vec2) {
        self.magnify(NOTCH.powf(notches.clamp(-NOTCHES_MAX, NOTCHES_MAX)), cursor);
    }

    /// Zooms by a factor; the point under `cursor` stays.
    pub(super) fn magnify(&mut self, factor: f32, cursor: Vec2) {
        self.camera.zoom_at(cursor, factor, &self.world);
        self.fitted = false;
    }

    /// Centers the view on a point of the world, beside the columns that are taken.
    pub(super) fn look_at(&mut self, point: Vec2) {
        let middle = self.middle() - 0.5 * self.camera.size;
        self.camera.center = point.clamp(self.world.min, self.world.max);
        self.camera.center.x -= middle.x / self.camera.scale;
        self.fitted = false;
    }

    /// The pixel in the middle of the columns that are not taken.
    fn middle(&self) -> Vec2 {
        0.5 * self.camera.size - aside(self.size, self.taken).with_y(0.0)
    }

    /// Centers the view on a point of the world, at a scale of at least this many pixels per unit.
    pub(super) fn look_close(&mut self, point: Vec2, scale_min: f32) {
        self.look_at(point);
        self.magnify((scale_min / self.camera.scale).max(1.0), self.middle());
    }

    /// Whether a part of the world is out of view.
    pub(super) fn is_close(&self) -> bool {
        !self.fitted && !self.camera.visible().contains_rect(&self.world)
    }

    /// Moves the world by this many pixels, y down.
    pub(super) fn pan(&mut self, pixels: Vec2) {
        self.camera.pan(pixels, &self.world);
        self.fitted = false;
    }
}

/// The columns and rows that are covered of those that are taken.
fn covered([width, height]: [u32; 2], [left, top, bottom, _]: [u32; 4]) -> [u32; 3] {
    let left = if left <= width / 3 * 2 { left } else { 0 };
    let top = top.min(height);
    [left, top, bottom.min(height - top)]
}

/// How far the middle of a frame lies from the middle of its uncovered part: pixels, y up.
fn aside(size: [u32; 2], taken: [u32; 4]) -> Vec2 {
    let [left, top, bottom] = covered(size, taken).map(|side| side as f32);
    Vec2::new(-left, top - bottom) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: Rect = Rect::new(Vec2::new(-100.0, 50.0), Vec2::new(1500.0, 950.0));

    const TAKEN: [u32; 4] = [0, 20, 16, 0];

    #[test]
    fn the_whole_world_fits_beside_what_is_taken() {
        for (size, taken) in [
            ([800, 450], [0, 20, 0, 0]),
            ([450, 800], [0, 40, 20, 0]),
            ([300, 300], [0, 0, 0, 0]),
            ([800, 450], [300, 20, 16, 0]),
            ([600, 400], [306, 20, 30, 0]),
        ] {
            let view = ViewControl::new(WORLD, size, taken);
            let [low, high] = [WORLD.min, WORLD.max].map(|corner| view.camera().to_pixel(corner));
            let [left, top, bottom, _] = taken.map(|side| side as f32);
            assert!(low.x > left && high.x < size[0] as f32, "{low} {high}");
            assert!(high.y > top && low.y < size[1] as f32 - bottom, "{low} {high}");
        }
        let narrow = ViewControl::new(WORLD, [400, 450], [300, 20, 0, 0]);
        assert_eq!(narrow.camera(), ViewControl::new(WORLD, [400, 450], [0, 20, 0, 0]).camera());
    }

    #[test]
    fn legends_have_the_rows_that_the_world_leaves() {
        // The world is 438 pixels high, and 102 rows are free.
        for (legends, below) in [(0, 51.0), (40, 51.0), (80, 80.0), (100, 100.0), (105, 51.0)] {
            let view = ViewControl::new(WORLD, [800, 600], [0, 40, 20, legends]);
            let low = 580.0 - view.camera().to_pixel(WORLD.min).y;
            assert!((low - below).abs() < 1.0, "{low} rows for {legends}");
        }
    }

    #[test]
    fn a_frame_without_the_interface_has_the_same_view() {
        let mut view = ViewControl::new(WORLD, [800, 450], [300, 20, 16, 0]);
        assert_eq!(view.uncovered([800, 450], 0), Camera::fit(&WORLD, 800, 450));
        let middle = Vec2::new(550.0, 227.0);
        view.magnify(4.0, middle);
        let (camera, uncovered) = (*view.camera(), view.uncovered([800, 450], 0));
        assert!(uncovered.center.distance(camera.to_world(middle)) < 0.01, "{uncovered:?}");
        assert_eq!(uncovered.scale, camera.scale);
        // A larger frame shows all of it, as large as it can.
        let larger = view.uncovered([1920, 1080], 0);
        assert_eq!((larger.center, larger.scale), (uncovered.center, 2.4 * camera.scale));
    }

    #[test]
    fn looking_close_magnifies_and_never_shrinks() {
        let mut view = ViewControl::new(WORLD, [800, 450], TAKEN);
        assert!(!view.is_close());
        let point = Vec2::new(300.0, 400.0);
        view.look_close(point, 5.0);
        assert!(view.is_close());
        assert_eq!((view.camera().center, view.camera().scale), (point, 5.0));
        view.look_close(point, 2.0);
        assert_eq!(view.camera().scale, 5.0);
        view.look_at(Vec2::splat(1e9));
        assert!(WORLD.contains(view.camera().center));
    }

    #[test]
    fn a_point_that_is_looked_at_is_in_the_middle_of_what_is_not_taken() {
        let mut view = ViewControl::new(WORLD, [800, 450], [400, 20, 16, 0]);
        let point = Vec2::new(300.0, 400.0);
        view.look_close(point, 5.0);
        assert!(view.camera().to_pixel(point).distance(Vec2::new(600.0, 225.0)) < 0.1);
    }

    #[test]
    fn nonsense_from_the_wheel_keeps_the_camera_finite() {
        let mut view = ViewControl::new(WORLD, [800, 450], TAKEN);
        for notches in [1e30, -1e30, f32::NAN, f32::INFINITY] {
            view.zoom(notches, Vec2::new(3.0, 4.0));
            assert!(view.camera().scale.is_finite() && view.camera().scale > 0.0);
            assert!(WORLD.contains(view.camera().center));
        }
    }
}
