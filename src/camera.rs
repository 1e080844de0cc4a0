//! What part of the world a frame shows (skeleton).

use glam::Vec2;

use crate::rect::Rect;

/// A view of the world: where the middle of the frame is, and how large a world unit is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The world point in the middle of the frame.
    pub center: Vec2,
    /// Pixels a world unit.
    pub scale: f32,
}

impl Camera {
    /// The whole of `world` in a frame of that many pixels, with a small margin.
    pub fn fit(world: &Rect, width: u32, height: u32) -> Self {
        let scale = (width as f32 / world.width()).min(height as f32 / world.height());
        Self { center: world.center(), scale }
    }
}
