//! The software rasterizer: agents become pixels, cell by cell.

mod band;
mod batch;
mod blend;
mod coverage;
mod density;
mod frame;
mod ground;
mod look;
mod painter;
mod palette;
mod shot;
mod span;
mod sprite;
mod walk;
mod whole;

pub use frame::Frame;
pub use look::{Colouring, DrawOrder, Look};
pub use painter::Painter;
pub use palette::Palette;

use crate::{agents::Agents, grid::LooseTightGrid, rect::Rect};

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
