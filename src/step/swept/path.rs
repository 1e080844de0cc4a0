//! Paths: the discs that cover them, when two of them touch, and what happens then.

use std::ops::Range;

use glam::Vec2;

use super::notes::Notes;
use crate::{
    agents::AgentsMut,
    contacts::{ContactSink, Pair, RecordedContact},
    geometry::{Disc, center_line},
    grid::{self, OutlierScan},
    simd::prefetch_item,
    step::{
        motion::Motion,
        pair_contact::{Exchange, PairContact},
        rub,
        travel::Surroundings,
    },
};

/// An overlap, as a share of the sum of the radii, above which it is no rounding.
pub(super) const ROUNDING: f32 = 1e-3;

/// Share of a step within which an agent collides again without a loss: with losses, agents that
/// are wedged between others would collide without end.
const COLLAPSE: f32 = 1e-3;

/// The slots in a range that have their bits set. The range begins with a word.
pub(super) fn set_bits(words: &[u64], slots: Range<usize>) -> impl Iterator<Item = usize> {
    let first = slots.start / OutlierScan::WORD;
    let words = &words[first..slots.end.div_ceil(OutlierScan::WORD)];
    grid::set_bits(first, words)
}

/// Distance, in pairs, at which agents are prefetched.
const AHEAD: usize = 16;

/// Prefetches the entries of the agents of a later pair, in columns that begin with slot `first`.
#[inline(always)]
pub(super) fn prefetch<const N: usize>(
    columns: [&[f32]; N],
    state: &[u8],
    first: usize,
    pairs: &[Pair],
    at: usize,
) {
    if let Some(pair) = pairs.get(at + AHEAD) {
        for entry in pair.map(|slot| slot as usize - first) {
            prefetch_item(state, entry);
            for column in columns {
                prefetch_item(column, entry);
            }
        }
    }
}

/// Notes when some pairs touch.
pub(super) fn note_all(notes: &mut Notes<'_>, first: usize, pairs: &[Pair], times: &[f32]) {
    for at in 0..pairs.len() {
        prefetch([&*notes.next], notes.state, first, pairs, at);
        notes.note_pair(first, pairs[at], times[at]);
    }
}

/// Lets each of some pairs collide if its time is the time of the next hit of both agents, and adds
/// the impulses to a sum. Moves the other pairs to the front and returns their number; times stay
/// where they are.
pub(super) fn collide_next(
    agents: &mut AgentsMut<'_>,
    notes: &mut Notes<'_>,
    pairs: &mut [Pair],
    times: &[f32],
    around: Surroundings<'_>,
    sum: &mut Exchange,
    log: &impl ContactSink,
) -> usize {
    let mut kept = 0;
    for at in 0..pairs.len() {
        let AgentsMut { first, x, y, vx, vy, radius, .. } = agents;
        prefetch([&**x, y, vx, vy, radius, notes.next], notes.state, *first, pairs, at);
        let (pair, time) = (pairs[at], times[at]);
        if notes.is_next_of(agents.first, pair, time) {
            *sum += collide(agents, notes, pair, time, around, |apart| apart, log);
        } else {
            pairs[kept] = pair;
            kept += 1;
        }
    }
    kept
}

/// Lets a pair collide at a time of the step, if the two approach each other; separates them if
/// they overlap by more than rounding.
#[inline(always)]
pub(super) fn collide(
    agents: &mut AgentsMut<'_>,
    notes: &mut Notes<'_>,
    pair: Pair,
    time: f32,
    around: Surroundings<'_>,
    nearest: impl Fn(Vec2) -> Vec2,
    log: &impl ContactSink,
) -> Exchange {
    let Motion { dt, restitution, roughness, .. } = *around.motion;
    let [i, j] = pair.map(|slot| slot as usize - agents.first);
    let before = [i, j].map(|entry| Vec2::new(agents.vx[entry], agents.vy[entry]));
    let velocity = before[1] - before[0];
    let nearest = |apart: Vec2| nearest(apart + velocity * time);
    let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
    let apart = nearest(apart);
    let square = apart.x * apart.x + apart.y * apart.y;
    let [ri, rj] = [agents.radius[i], agents.radius[j]];
    let core = (1.0 - ROUNDING) * (ri + rj);
    // Those that overlap are moved: until they are separated, or back to where they touched.
    let overlaps = square < core * core;
    let moves = overlaps | (time < 0.0);
    let starts = [i, j].map(|entry| Vec2::new(agents.x[entry], agents.y[entry]));
    if overlaps {
        let contact = PairContact::new(agents, pair, nearest);
        contact.push_positions(agents, contact.overlap);
    }
    // In f64, and along the line between the centers instead of a unit vector: in f32, lengths that
    // are always the same round the same way, so that energy would grow.
    let (apart, velocity) = (apart.as_dvec2(), velocity.as_dvec2());
    let (square, along) = (apart.length_squared(), velocity.dot(apart));
    let mut exchange = Exchange::default();
    if along < 0.0 {
        let last = notes.last_of_noted(i).max(notes.last_of_noted(j));
        let again = last >= 0.0 && time - last < COLLAPSE * dt;
        let restitution = if again { 1.0 } else { restitution };
        let change = -(1.0 + f64::from(restitution)) * along / square;
        let [mass_i, mass_j] = [ri, rj].map(|radius| f64::from(radius) * f64::from(radius));
        let shares = [-mass_j, mass_i].map(|mass| mass / (mass_i + mass_j) * change);
        for ((entry, before), share) in [i, j].into_iter().zip(before).zip(shares) {
            let after = before.as_dvec2() + apart * share;
            [agents.vx[entry], agents.vy[entry]] = after.as_vec2().to_array();
        }
        if roughness.friction > 0.0 {
            rub::rub_pair(agents, [i, j], apart, change * square.sqrt(), roughness);
        }
        exchange = Exchange { collisions: 1, virial: mass_i * -shares[0] * square };
    }
    log.record(|| {
        let ids = [i, j].map(|entry| agents.id[entry]);
        let (normal, distance) = center_line(apart.as_vec2(), ids);
        let impulse = if square > 0.0 { exchange.virial / square.sqrt() } else { 0.0 };
        RecordedContact::new(ids, normal, ri + rj - distance, impulse as f32)
    });
    for (entry, before) in [i, j].into_iter().zip(before) {
        // The new path leads through the place of the collision.
        agents.x[entry] += (before.x - agents.vx[entry]) * time;
        agents.y[entry] += (before.y - agents.vy[entry]) * time;
        // An agent that collided late moves on its new path from the start of the step.
        notes.take(entry, time.max(0.0));
    }
    if moves & !around.statics.is_empty() {
        let now = time.max(0.0);
        let places = [0, 1].map(|of| starts[of] + before[of] * now);
        stop_at_statics(agents, [i, j], places, now, around);
    }
    exchange
}

/// Lets agents that were moved from their places at a time of the step get no farther than to what
/// is in between.
#[cold]
fn stop_at_statics(
    agents: &mut AgentsMut<'_>,
    entries: [usize; 2],
    places: [Vec2; 2],
    now: f32,
    around: Surroundings<'_>,
) {
    for (entry, from) in entries.into_iter().zip(places) {
        let velocity = Vec2::new(agents.vx[entry], agents.vy[entry]);
        let to = Vec2::new(agents.x[entry], agents.y[entry]) + velocity * now;
        let back = around.stopped(Disc::new(from, agents.radius[entry]), to) - to;
        agents.x[entry] += back.x;
        agents.y[entry] += back.y;
    }
}
