//! The overlays of agents: contacts and velocities.

use std::iter;

use glam::Vec2;

use super::cells::{OverlayBand, cells_per_group};
use crate::{
    agents::Agent,
    geometry::Rect,
    grid::Elements,
    raster::{
        canvas::{OverlayCanvas, Stroke},
        context::DrawContext,
        culling,
        view::View,
    },
    sim::visit_copies,
};

const CONTACT: Stroke = Stroke { color: [255, 255, 255], opacity: 0.95 };
const VELOCITY: Stroke = Stroke { color: [160, 255, 235], opacity: 0.9 };

/// Target for the mean distance between agents with drawn contacts, pixels.
const CONTACT_SPACING: f32 = 5.0;

/// Target for the mean distance between drawn velocities, pixels.
const VELOCITY_SPACING: f32 = 13.0;

/// Width of a contact's line, as a share of the smaller radius.
const CONTACT_SHARE: f32 = 0.3;

/// Smallest and largest width of a contact's line, pixels.
const CONTACT_WIDTH: [f32; 2] = [1.0, 4.0];

/// Smallest length of the line of an agent of mean speed, pixels. At larger scales it is as long as
/// an agent may reach out of its cell.
const LENGTH_MIN: f32 = 6.0;

/// Largest length of a velocity's line, in lengths of an agent of mean speed.
const LENGTHS_MAX: f32 = 2.0;

/// Width of a velocity's line, pixels.
const VELOCITY_WIDTH: f32 = 1.3;

/// Length of the two lines of an arrow's head, pixels, and its largest share of the arrow. An arrow
/// that is shorter than the last number is a dot.
const HEAD: f32 = 5.5;
const HEAD_SHARE: f32 = 0.5;
const DOT: f32 = 2.5;

/// Cosine and sine of the angle between an arrow and the lines of its head, 28 degrees.
const HEAD_ANGLE: Vec2 = Vec2::new(0.883, 0.469);

/// Draws a line from each agent to the points where it touches others. Each agent of a pair draws
/// its own half, so that no line leaves its agent.
pub(super) fn contacts(over: &mut OverlayBand<'_, '_>) {
    let OverlayBand { canvas, context, area } = over;
    let (grid, agents, camera) = (context.view.grid, context.view.agents, context.camera);
    for_each(context, area, 0.0, hidden_bits(context, CONTACT_SPACING), |slot, agent| {
        let from = context.position(&agent);
        let (disc, space) = (agents.shape(slot as usize), context.view.space);
        let radius = disc.radius;
        if !area.intersects(&Rect::around(from, radius)) {
            return;
        }
        visit_copies(grid, agents, &space, disc, |other, apart| {
            let touched = agents.get(other as usize);
            let reach = radius + touched.radius;
            if other == slot || apart.length_squared() >= reach * reach {
                return;
            }
            // In their earlier positions, the agents may be apart.
            let way = space.minimum_image(context.position(&touched) - from);
            let way = way.clamp_length_max(reach);
            let ends = [from, from + way * (radius / reach)].map(|end| camera.to_pixel(end));
            let width = CONTACT_SHARE * radius.min(touched.radius) * camera.scale;
            canvas.line(ends, width.clamp(CONTACT_WIDTH[0], CONTACT_WIDTH[1]), CONTACT);
        });
    });
}

/// Draws an arrow from each agent along its velocity.
pub(super) fn velocities(over: &mut OverlayBand<'_, '_>) {
    let OverlayBand { canvas, context, area } = over;
    let camera = context.camera;
    let length = context.view.grid.near_limit().max(LENGTH_MIN / camera.scale);
    let seconds = length / context.mean_speed;
    let longest = LENGTHS_MAX * length;
    for_each(context, area, longest, hidden_bits(context, VELOCITY_SPACING), |_, agent| {
        let way = (agent.velocity * seconds).clamp_length_max(longest);
        let from = context.position(&agent);
        let ends = [from, from + way].map(|end| camera.to_pixel(end));
        arrow(canvas, ends);
    });
}

/// Draws an arrow from the first point to the second.
fn arrow(canvas: &mut OverlayCanvas<'_>, [from, tip]: [Vec2; 2]) {
    let length = from.distance(tip);
    if length < DOT {
        canvas.disc(from, VELOCITY_WIDTH, VELOCITY);
        return;
    }
    canvas.line([from, tip], VELOCITY_WIDTH, VELOCITY);
    let back = (from - tip) * (HEAD.min(HEAD_SHARE * length) / length);
    for angle in [HEAD_ANGLE, HEAD_ANGLE * Vec2::new(1.0, -1.0)] {
        canvas.line([tip, tip + angle.rotate(back)], VELOCITY_WIDTH, VELOCITY);
    }
}

/// Calls `work` with the agents within a distance of an area: first those that are too large for
/// their cells, then the others, in cell order. Agents with one of the bits of `hidden` in their id
/// are skipped. Where the world repeats, an agent is the copy that has its center in the world.
fn for_each(
    context: &DrawContext<'_>,
    area: &Rect,
    distance: f32,
    hidden: u32,
    mut work: impl FnMut(u32, Agent),
) {
    let View { agents, grid, space, .. } = context.view;
    let area = area.expanded(distance);
    let here = iter::once((Vec2::ZERO, area));
    let across = culling::seen_across_seam(context, area);
    for (shift, area) in here.chain(across) {
        let mut take = |slot: u32| {
            let agent = agents.get(slot as usize);
            let position = agent.position + shift;
            let is_there = !space.is_periodic() || space.world().contains(position);
            if agent.id & hidden == 0 && is_there {
                work(slot, Agent { position, ..agent });
            }
        };
        culling::too_large(context, area).for_each(&mut take);
        for row in culling::rows(context, area) {
            for slot in row.slots {
                if !culling::is_too_large(grid, slot as u32, agents.radius[slot]) {
                    take(slot as u32);
                }
            }
        }
    }
}

/// The id bits that hide an agent, so that one agent per `spacing` × `spacing` pixels is drawn if
/// agents are spread evenly. Ids are assigned at random, so every share of them is spread over the
/// whole world.
fn hidden_bits(context: &DrawContext<'_>, spacing: f32) -> u32 {
    let Vec2 { x, y } = context.view.grid.config().loose_size;
    let cell = x * y * context.camera.scale * context.camera.scale;
    cells_per_group(cell, spacing * spacing) - 1
}
