//! The camera: which part of the world a frame shows, and the mapping between world and pixels.
//!
//! ```text
//!        world, y up                    frame, y down, (0, 0) is the corner of the first pixel
//!      ┌───────────────┐  to_pixel     0┌───────────────┐
//!      │       ×center │ ───────────►   │       ×size/2 │
//!      └───────────────┘  ◄───────────  └───────────────┘size
//!     0                   to_world
//! ```
//!
//! Pixels are square. The center is subtracted first, so that a view far from the origin loses no
//! precision.

use glam::Vec2;

use crate::geometry::Rect;

/// Share of the frame's width or height that [`Camera::fit`] leaves free, both sides together.
const MARGIN: f32 = 0.03;

/// How many times smaller than fitted the world may be shown.
const ZOOM_OUT_MAX: f32 = 8.0;

/// Smallest size of a pixel, in steps of `f32` at the world's farthest coordinate. At a larger scale,
/// positions would jump from pixel to pixel.
const FLOAT_STEPS_PER_PIXEL: f32 = 8.0;

/// A camera over the world: the point in the middle of the frame, and the size of a world unit.
///
/// A camera with numbers that aren't finite shows nothing useful, but neither its methods nor a draw
/// panic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The world point in the middle of the frame.
    pub center: Vec2,
    /// Pixels per world unit, above 0. A draw replaces any other value by the smallest positive one.
    pub scale: f32,
    /// Width and height of the frame, pixels.
    pub size: Vec2,
}

impl Camera {
    /// A camera that shows all of `world`, centered, with a small margin, in a frame of that many pixels.
    pub fn fit(world: &Rect, width: u32, height: u32) -> Self {
        let size = Vec2::new(width as f32, height as f32);
        Self { center: world.center(), scale: fit_scale(world, size), size }
    }

    /// A camera at `center` that shows `across` world units over the width of the frame, which has to be
    /// finite and above 0.
    pub fn new(center: Vec2, across: f32, width: u32, height: u32) -> Self {
        let size = Vec2::new(width as f32, height as f32);
        Self { center, scale: size.x.max(1.0) / across, size }
    }

    /// The position of a world point in the frame, pixels from the upper left corner.
    pub fn to_pixel(&self, point: Vec2) -> Vec2 {
        flip(point - self.center) * self.scale + self.size * 0.5
    }

    /// The world point at a position in the frame.
    pub fn to_world(&self, pixel: Vec2) -> Vec2 {
        self.center + flip(pixel - self.size * 0.5) / self.scale
    }

    /// The rectangle that the frame shows, including what lies outside the world.
    pub fn visible(&self) -> Rect {
        let half = self.size * 0.5 / self.scale;
        Rect::new(self.center - half, self.center + half)
    }

    /// Magnifies by `factor` (below 1: shrinks) and keeps the world point at `pixel` where it is.
    ///
    /// The scale stays between [`Self::scale_limits`] of `world`, and the middle of the frame inside
    /// the world. A factor that isn't finite and above 0 has no effect.
    pub fn zoom_at(&mut self, pixel: Vec2, factor: f32, world: &Rect) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let fixed = self.to_world(pixel);
        let [least, most] = self.scale_limits(world);
        // `clamp` would panic if a limit is NaN.
        self.scale = (self.scale * factor).max(least).min(most);
        let moved = self.to_world(pixel);
        self.center = (self.center + fixed - moved).clamp(world.min, world.max);
    }

    /// Moves the content of the frame by that many pixels, as a drag does. The middle of the frame stays
    /// inside the world.
    pub fn pan(&mut self, pixels: Vec2, world: &Rect) {
        self.center = (self.center - flip(pixels) / self.scale).clamp(world.min, world.max);
    }

    /// Changes the size of the frame. The point in the middle stays, and so does the extent of the world
    /// along the shorter side.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = Vec2::new(width as f32, height as f32);
        let (old, new) = (self.size.min_element(), size.min_element());
        if old > 0.0 && new > 0.0 {
            self.scale *= new / old;
        }
        // A frame without pixels is a minimized window: keep the scale for the next size.
        if new > 0.0 {
            self.size = size;
        }
    }

    /// The smallest and the largest useful scale for a world: an eighth of the fitted scale, and pixels
    /// of eight steps of `f32` at the world's farthest coordinate.
    pub fn scale_limits(&self, world: &Rect) -> [f32; 2] {
        let least = fit_scale(world, self.size) / ZOOM_OUT_MAX;
        let farthest = world.min.abs().max(world.max.abs()).max_element();
        let step = farthest.max(f32::MIN_POSITIVE) * f32::EPSILON;
        [least, (1.0 / (step * FLOAT_STEPS_PER_PIXEL)).max(least)]
    }
}

fn fit_scale(world: &Rect, size: Vec2) -> f32 {
    let room = size.max(Vec2::ONE) * (1.0 - MARGIN);
    (room / world.size().max(Vec2::splat(f32::MIN_POSITIVE))).min_element().clamp(1e-30, 1e30)
}

/// Flips y, which points up in the world and down in the frame.
fn flip(v: Vec2) -> Vec2 {
    Vec2::new(v.x, -v.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: Rect = Rect::new(Vec2::new(-50.0, 20.0), Vec2::new(150.0, 120.0));

    fn close(a: Vec2, b: Vec2) -> bool {
        (a - b).abs().max_element() < 1e-3
    }

    #[test]
    fn fit_shows_the_world_with_a_margin_and_flips_y() {
        let camera = Camera::fit(&WORLD, 640, 480);
        let (low, high) = (camera.to_pixel(WORLD.min), camera.to_pixel(WORLD.max));
        assert!(low.x > 0.0 && high.x < 640.0 && high.x - low.x > 600.0);
        assert!(low.y > high.y, "the bottom of the world is lower in the frame");
        assert!(close(camera.to_pixel(WORLD.center()), Vec2::new(320.0, 240.0)));
        assert!(camera.visible().contains_rect(&WORLD));
    }

    #[test]
    fn a_tall_world_leaves_the_sides_free() {
        let camera = Camera::fit(&Rect::from_size(10.0, 1000.0), 640, 480);
        assert!(camera.to_pixel(Vec2::ZERO).x > 300.0);
        assert!(camera.to_pixel(Vec2::new(10.0, 0.0)).x < 340.0);
    }

    #[test]
    fn to_pixel_and_to_world_are_inverse() {
        let camera = Camera::new(Vec2::new(3.0, 70.0), 12.5, 801, 333);
        for pixel in [Vec2::ZERO, Vec2::new(801.0, 333.0), Vec2::new(17.25, 300.5)] {
            assert!(close(camera.to_pixel(camera.to_world(pixel)), pixel));
        }
        assert!((camera.visible().width() - 12.5).abs() < 1e-4);
        assert!(close(camera.visible().center(), Vec2::new(3.0, 70.0)));
    }

    #[test]
    fn zoom_keeps_the_point_at_the_cursor() {
        let mut camera = Camera::fit(&WORLD, 640, 480);
        let cursor = Vec2::new(400.0, 200.0);
        let under = camera.to_world(cursor);
        for factor in [1.25, 1.25, 3.0, 0.8] {
            camera.zoom_at(cursor, factor, &WORLD);
            assert!(close(camera.to_pixel(under), cursor));
        }
    }

    #[test]
    fn zoom_stays_within_the_scale_limits() {
        let mut camera = Camera::fit(&WORLD, 640, 480);
        let [least, most] = camera.scale_limits(&WORLD);
        assert!(least < camera.scale && camera.scale < most);
        for _ in 0..200 {
            camera.zoom_at(Vec2::ZERO, 2.0, &WORLD);
        }
        assert_eq!(camera.scale, most);
        for _ in 0..200 {
            camera.zoom_at(Vec2::ZERO, 0.5, &WORLD);
        }
        assert_eq!(camera.scale, least);
        assert!(WORLD.contains(camera.center));
        let before = camera;
        camera.zoom_at(Vec2::ZERO, f32::NAN, &WORLD);
        camera.zoom_at(Vec2::ZERO, 0.0, &WORLD);
        assert_eq!(camera, before);
    }

    #[test]
    fn pan_moves_the_content_and_stays_in_the_world() {
        let mut camera = Camera::fit(&WORLD, 640, 480);
        let grabbed = camera.to_world(Vec2::new(100.0, 100.0));
        camera.pan(Vec2::new(30.0, -20.0), &WORLD);
        assert!(close(camera.to_pixel(grabbed), Vec2::new(130.0, 80.0)));
        camera.pan(Vec2::splat(1e9), &WORLD);
        assert!(WORLD.contains(camera.center));
    }

    #[test]
    fn resize_keeps_the_middle_and_ignores_a_minimized_window() {
        let mut camera = Camera::fit(&WORLD, 640, 480);
        let before = camera;
        camera.resize(0, 0);
        assert_eq!(camera, before);
        camera.resize(1280, 960);
        assert_eq!(camera.scale, before.scale * 2.0);
        assert!(close(camera.to_world(Vec2::new(640.0, 480.0)), before.center));
    }

    #[test]
    fn fit_is_finite_for_degenerate_frames_and_worlds() {
        for (width, height) in [(0, 0), (1, 1), (16_384, 1)] {
            for world in [WORLD, Rect::new(Vec2::ONE, Vec2::ONE)] {
                let camera = Camera::fit(&world, width, height);
                assert!(camera.scale.is_finite() && camera.scale > 0.0);
            }
        }
    }
}
