//! Geometry that everything above shares: rectangles, discs and how they overlap.

mod rect;

pub use rect::Rect;
