//! What all overlays share: the band that they draw on, and how they thin out.

use crate::{
    geometry::Rect,
    raster::{canvas::OverlayCanvas, context::DrawContext},
};

/// A band that an overlay is drawn on.
pub(super) struct OverlayBand<'a, 'b> {
    pub(super) canvas: OverlayCanvas<'a>,
    pub(super) context: &'a DrawContext<'b>,
    /// The part of the world that the band shows, enlarged by the reach of shapes.
    pub(super) area: Rect,
}

/// The number of cells of that size, pixels, that are grouped to reach a size of `least`: a power
/// of two.
pub(super) fn cells_per_group(size: f32, least: f32) -> u32 {
    // The fallback ends the search for cells of size 0.
    (0..31).map(|power| 1 << power).find(|&many| size * many as f32 >= least).unwrap_or(1 << 31)
}
