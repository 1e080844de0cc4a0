//! The software rasterizer: agents become pixels, cell by cell.
//!
//! ```text
//!  Agents, grid ─► rows of cells ─► batches of 64 ─► by radius in pixels ─► band of the frame
//!  (cell order)    (walk)           (batch)          0      0.25    1.5     32
//!                                                    ├density┼sprite─┼whole──┼─span ─►
//! ```
//!
//! The frame is cut into stripes of rows, and each is drawn by one thread into its own part of the
//! buffer, a band of rows at a time: no locks, no atomics. A band asks the grid for the rows of cells that may meet it, and each
//! of those is one range of slots, so that agents stream from memory in the order in which their pixels
//! lie in the frame. Only what is in view is looked at.
//!
//! A band is drawn from the bottom to the top of this list:
//!
//! 6. `overlay`: cells, contacts, velocities, heat, if a look asks for one
//! 5. `density`: agents too small to be discs, as a tone-mapped sum
//! 4. narrow agents, in cell order
//! 3. wide agents, in cell order
//! 2. `fixed`: statics
//! 1. `ground`: the world's ground, its border, the outside
//!
//! Invariants: raster never changes what it draws. A pixel depends on the picture, the camera and the
//! look alone, not on threads, bands or SIMD levels. A draw allocates nothing, once [`Renderer::record_starts`] has seen the
//! agents: without it, the first draw of a coloring that asks the grid claims a byte a slot. Coverage is that of the
//! disc itself: within 16/255 for sprites, which are drawn at the nearest of 16 × 16 phases, and 2/255 for the rest.
//!
//! Colors are mixed as they are stored, in sRGB, as other rasterizers do by default.

mod band;
mod batch;
mod blend;
mod camera;
mod coverage;
mod density;
mod disc;
mod draw;
mod fixed;
mod frame;
mod ground;
mod interpolation;
mod marks;
mod overlay;
mod palette;
mod renderer;
mod sheet;
mod shot;
mod span;
mod sprite;
mod starts;
mod style;
mod walk;
mod whole;

pub use camera::Camera;
pub use frame::Frame;
pub use interpolation::Interpolation;
pub use overlay::Overlay;
pub use palette::Palette;
pub use renderer::Renderer;
pub use sheet::{OverlayCanvas, Stroke};
pub use style::{ColorBy, DrawOrder, Style};

use crate::{agents::Agents, geometry::Rect, grid::Grid, sim::Sim, statics::Statics};

/// What is drawn: borrowed, never changed.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// In the grid's cell order.
    pub agents: &'a Agents,
    /// Exact for them.
    pub grid: &'a Grid,
    /// What never moves.
    pub statics: &'a Statics,
    /// Its borders are drawn.
    pub world: Rect,
}

impl<'a> View<'a> {
    /// What is to be seen of a run.
    pub fn from_sim(sim: &'a Sim) -> Self {
        Self { agents: sim.agents(), grid: sim.grid(), statics: sim.statics(), world: sim.world() }
    }
}
