//! Marks of discs that turn: a line from near the center towards the rim, at the agent's `angle`. Agents
//! without this column have none.

use glam::Vec2;

use super::{
    band::FrameBand,
    canvas::{OverlayCanvas, Stroke},
    context::DrawContext,
    culling,
};
use crate::geometry::Rect;

/// The radii from which a mark begins to show and from which it shows fully, pixels.
const RADIUS: [f32; 2] = [3.0, 7.0];

/// Opacity, in the color of the ground. Width and ends are shares of the radius.
const OPACITY: f32 = 0.8;
const WIDTH: f32 = 0.16;
const ENDS: [f32; 2] = [0.15, 0.8];

/// Draws the marks of the discs that may overlap an area, over a band with all discs. Not inlined, so
/// that a profile shows it by name.
#[inline(never)]
pub(super) fn draw(band: &mut FrameBand<'_>, context: &DrawContext<'_>, area: Rect) {
    let (agents, camera) = (context.view.agents, &context.camera);
    let [least, full] = RADIUS;
    let largest = context.view.grid.near_limit().max(context.largest);
    let Some(angles) = agents.angles().filter(|_| largest * camera.scale >= least) else { return };
    let (spins, ago) = (agents.spins(), context.interpolation.seconds);
    let canvas = &mut OverlayCanvas::from_band(band);
    for slot in culling::too_large(context, area).chain(culling::fitting(context, area)) {
        let slot = slot as usize;
        let radius = agents.radius[slot] * camera.scale;
        if radius < least {
            continue;
        }
        let turned = spins.map_or(0.0, |spins| spins[slot] * ago);
        // Pixels count downwards.
        let along = Vec2::from_angle(turned - angles[slot]) * radius;
        let center = camera.to_pixel(context.position(&agents.get(slot)));
        let ends = ENDS.map(|share| center + along * share);
        let opacity = OPACITY * ((radius - least) / (full - least)).min(1.0);
        let stroke = Stroke { color: context.style.ground, opacity };
        canvas.line(ends, (WIDTH * radius).max(1.0), stroke);
    }
}
