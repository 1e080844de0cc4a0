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

/// The largest ratio of the fitted scale to the scale of a camera.
const ZOOM_OUT_MAX: f32 = 8.0;

/// Smallest size of a pixel, in steps of `f32` at the world's farthest coordinate. At a larger
/// scale, positions would jump from pixel to pixel.
const FLOAT_STEPS_PER_PIXEL: f32 = 8.0;

/// A camera over the world: the point in the middle of the frame, and the size of a world unit.
///
/// A camera with numbers that aren't finite shows nothing useful, but neither its methods nor a
/// draw panic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The world point in the middle of the frame.
    pub center: Vec2,
    /// Pixels per world unit, above 0. A draw replaces any other value by the smallest positive
    /// one.
    pub scale: f32,
    /// Width and height of the frame, pixels.
    pub size: Vec2,
}

impl Camera {
    /// A camera that shows all of `world`, centered, with a small margin, in a frame of
    /// `width` × `height` pixels.
    pub fn fit(world: &Rect, width: u32, height: u32) -> Self {
        let size = Vec2::new(width as f32, height as f32);
        Self { center: world.center(), scale: fit_scale(world, size), size }
    }

    /// A camera at `center` that shows `across` world units over the width of the frame, which has
    /// to be finite and above 0.
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

    /// The rectangle that the frame shows, including the part outside the world.
    pub fn visible(&self) -> Rect {
        let half = self.size * 0.5 / self.scale;
        Rect::new(self.center - half, self.center + half)
    }

    /// Magnifies by `factor` (below 1: shrinks) and keeps the world point at `pixel` where it is.
    ///
    /// The scale stays between [`Self::scale_limits`] of `world`, and the middle of the frame
    /// inside the world. A factor that isn't finite and above 0 has no effect.
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

    /// Moves the content of the frame by `pixels`, as a drag does. The middle of the frame stays
    /// inside the world.
    pub fn pan(&mut self, pixels: Vec2, world: &Rect) {
        self.center = (self.center - flip(pixels) / self.scale).clamp(world.min, world.max);
    }

    /// Changes the size of the frame. The point in the middle stays, and so does the extent of the
    /// world along the shorter side.
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

    /// The smallest and the largest useful scale for a world: an eighth of the fitted scale, and
    /// pixels of eight steps of `f32` at the world's farthest coordinate.
    #[doc(hidden)]
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
