//! Overlays: layers over the agents that show the grid, the contacts, the velocities or the
//! density.
//!
//! An overlay thins out as the view zooms out, so it never turns into a uniform veil. It draws only
//! every second, fourth, eighth, … line between cells and a share of the agents, and it groups
//! areas until they are some pixels wide.
//!
//! Invariants: a band draws all shapes that overlap it, in cell order, so that pixels don't depend
//! on bands or threads. An overlay reads nothing outside the frame and allocates nothing.
//!
//! `cells` has the shared parts, and draws the two grids with their list lengths and the heat map;
//! `agents` draws contacts and velocities.

mod agents;
mod cells;

#[cfg(feature = "window")]
pub(super) use cells::FULL as OVERLAY_FULL;
use cells::OverlayBand;

use super::{band::FrameBand, canvas::OverlayCanvas, context::DrawContext, style::Overlay};

/// Largest distance of a pixel from the line along which a shape is drawn, pixels.
const SHAPE_REACH: f32 = 4.0;

/// Draws the overlay of the style over a finished band. Not inlined, so that a profile shows it by
/// name.
#[inline(never)]
pub(crate) fn draw(band: &mut FrameBand<'_>, context: &DrawContext<'_>) {
    if context.style.overlay == Overlay::None {
        return;
    }
    let area = context.area(band.width, band.top..band.top + band.rows);
    let area = area.expanded(SHAPE_REACH / context.camera.scale);
    let over = &mut OverlayBand { canvas: OverlayCanvas::from_band(band), context, area };
    match context.style.overlay {
        Overlay::None => {}
        Overlay::Loose => cells::loose(over),
        Overlay::Tight => cells::tight(over),
        Overlay::Contacts => agents::contacts(over),
        Overlay::Velocities => agents::velocities(over),
        Overlay::Density => cells::density(over),
    }
}
