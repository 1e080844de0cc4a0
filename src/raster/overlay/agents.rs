//! The overlays of agents: whom they overlap, and where they go.

use glam::Vec2;

use super::Over;
use crate::{
    agents::Agent,
    geometry::Rect,
    grid::{Elements, Shape},
    raster::{sheet::Stroke, shot::DrawContext, walk},
};

const CONTACT: Stroke = Stroke { color: [255, 255, 255], opacity: 0.95 };
const VELOCITY: Stroke = Stroke { color: [160, 255, 235], opacity: 0.9 };

/// Pixels between two agents that are shown, at least, on average.
const APART: [f32; 2] = [5.0, 13.0];

/// Width of a contact's line, as a share of the smaller radius, and in pixels.
const CONTACT_SHARE: f32 = 0.3;
const CONTACT_WIDTH: [f32; 2] = [1.0, 4.0];

/// Pixels of the line of an agent of middling speed, at least; where agents are larger it is as long as they
/// may stand out of a cell. None is drawn as longer than so many times that.
const LENGTH: f32 = 6.0;
const LONGEST: f32 = 2.0;

/// Width of that line, pixels.
const VELOCITY_WIDTH: f32 = 1.3;

/// From each agent a line to the point where it touches another: two agents that touch draw half each, so
/// that a line never leaves the agent whose it is.
pub(super) fn contacts(over: &mut Over<'_, '_>) {
    let Over { sheet, shot, area } = over;
    let (grid, agents, camera) = (shot.picture.grid, shot.picture.agents, shot.camera);
    each(shot, area, 0.0, thinned(shot, APART[0]), |slot, agent| {
        let from = shot.place(&agent);
        let disc = agents.shape(slot as usize);
        let radius = disc.radius;
        if !area.intersects(&Rect::around(from, radius)) {
            return;
        }
        grid.visit_rect(agents, &disc.bounds(), |other| {
            if other == slot || !disc.is_within(&agents.shape(other as usize), 0.0) {
                return;
            }
            let touched = agents.get(other as usize);
            let reach = radius + touched.radius;
            // A moment ago they may have been apart.
            let way = (shot.place(&touched) - from).clamp_length_max(reach);
            let ends = [from, from + way * (radius / reach)].map(|end| camera.to_pixel(end));
            let width = CONTACT_SHARE * radius.min(touched.radius) * camera.scale;
            sheet.line(ends, width.clamp(CONTACT_WIDTH[0], CONTACT_WIDTH[1]), CONTACT);
        });
    });
}

/// From each agent a line to where it is going.
pub(super) fn velocities(over: &mut Over<'_, '_>) {
    let Over { sheet, shot, area } = over;
    let camera = shot.camera;
    let length = shot.picture.grid.reach().max(LENGTH / camera.scale);
    let seconds = length / shot.mean_speed;
    let longest = LONGEST * length;
    each(shot, area, longest, thinned(shot, APART[1]), |_, agent| {
        let way = (agent.velocity * seconds).clamp_length_max(longest);
        let from = shot.place(&agent);
        let ends = [from, from + way].map(|end| camera.to_pixel(end));
        sheet.line(ends, VELOCITY_WIDTH, VELOCITY);
        sheet.disc(ends[0], VELOCITY_WIDTH, VELOCITY);
    });
}

/// Calls `work` with the agents that may meet an area, or come within a distance of it: the wide ones first,
/// then the others, in cell order; of all of them those whose ids have none of the bits of `mask`.
fn each(
    shot: &DrawContext<'_>,
    area: &Rect,
    distance: f32,
    mask: u32,
    mut work: impl FnMut(u32, Agent),
) {
    let (grid, agents) = (shot.picture.grid, shot.picture.agents);
    let area = area.expanded(distance);
    let mut take = |slot: u32| {
        if agents.id[slot as usize] & mask == 0 {
            work(slot, agents.get(slot as usize));
        }
    };
    shot.for_each_wide(&area, |slots| slots.iter().for_each(|&slot| take(slot)));
    for row in walk::rows(grid, area, shot.drift) {
        for slot in row.slots {
            if !walk::is_wide(grid, slot as u32, agents.radius[slot]) {
                take(slot as u32);
            }
        }
    }
}

/// The bits that the ids of those have to lack that are shown, so that there is one for so many pixels
/// squared if agents are spread evenly. Ids are dealt at random, so any share of them is all over the world.
fn thinned(shot: &DrawContext<'_>, apart: f32) -> u32 {
    let Vec2 { x, y } = shot.picture.grid.config().loose_size;
    let cell = x * y * shot.camera.scale * shot.camera.scale;
    super::together(cell, apart * apart) - 1
}
