//! Geometry shared by the whole crate: rectangles, discs, segments and rays, the overlap test of
//! two discs, and the layout of equal cells.
//!
//! Read in this order:
//! - [`rect`], [`disc`] and [`segment`]: the plain shapes; `disc` has the one overlap test.
//! - [`shape`]: the operations that a search needs of a disc or a box, rays included.
//! - [`space`]: the borders of the world: walls, or the opposite side.
//! - [`elements`]: the traits by which callers lend their own data.
//! - [`cells`]: columns and rows of equal cells over a rectangle.

pub(crate) mod cells;
mod disc;
mod elements;
mod rect;
mod segment;
mod shape;
mod space;

pub use self::{
    disc::Disc,
    elements::{DiscColumns, Elements, HasShape, Mapped},
    rect::Rect,
    segment::Ray,
    shape::{RayEntry, Shape},
    space::{Boundary, Space},
};
pub(crate) use self::{
    disc::{center_line, coincident_normal, discs_overlap, padded},
    segment::Segment,
};
