//! The software rasterizer (skeleton).

use crate::{agents::Agents, camera::Camera, grid::LooseTightGrid, rect::Rect};

/// What is drawn: borrowed, never changed.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// In the grid's cell order.
    pub agents: &'a Agents,
    /// Exact for them.
    pub grid: &'a LooseTightGrid,
    /// Its borders are drawn.
    pub world: Rect,
}

/// An image of RGBA8 pixels, top row first.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha.
    pub pixels: Vec<[u8; 4]>,
}

impl Frame {
    /// A black frame.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![[0, 0, 0, 255]; (width * height) as usize] }
    }
}

/// Draws the picture into the frame.
pub fn draw(_frame: &mut Frame, _camera: &Camera, _picture: &Picture<'_>) {}
