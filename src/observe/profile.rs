//! Profiles: means over strips of the world across x or y.

use std::f64::consts::PI;

use glam::DVec2;

use crate::Sim;

/// The axis along which a profile goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// From left to right.
    X,
    /// From bottom to top.
    Y,
}

/// A strip of a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProfileBin {
    /// The middle of the strip, world units.
    pub at: f64,
    /// Agents per area.
    pub density: f64,
    /// The share of the strip that agents cover, if each lies in it whole.
    pub covered: f64,
    /// The mean velocity; 0 without agents.
    pub velocity: [f64; 2],
    /// k·T relative to that stream: the mean of m·|v − u|²/2; 0 without agents.
    pub temperature: f64,
}

/// The profile of a moment in that many equal strips, at least one. An agent belongs to the strip of
/// its center.
pub fn profile(sim: &Sim, axis: Axis, bins: usize) -> Vec<ProfileBin> {
    profile_of(sim, axis, bins, 1)
}

/// The same from a sample: one of `every` agents, by slots.
pub(crate) fn profile_of(sim: &Sim, axis: Axis, bins: usize, every: usize) -> Vec<ProfileBin> {
    let (agents, space, world, bins) = (sim.agents(), sim.space(), sim.world(), bins.max(1));
    let sample = || (0..agents.len()).step_by(every.max(1));
    let each = agents.len() as f64 / sample().len().max(1) as f64;
    let axis = axis as usize;
    let (low, size) = (f64::from(world.min[axis]), world.size().as_dvec2());
    let width = size[axis] / bins as f64;
    let area = width * size[1 - axis];
    let strip = |slot: usize| {
        let at = f64::from(space.wrapped(agents.get(slot).position)[axis]);
        (((at - low) / width) as usize).min(bins - 1)
    };
    let (mut streams, mut counts) = (vec![DVec2::ZERO; bins], vec![0.0; bins]);
    let mut profile = vec![ProfileBin::default(); bins];
    for slot in sample() {
        let (bin, radius) = (strip(slot), f64::from(agents.radius[slot]));
        streams[bin] += agents.get(slot).velocity.as_dvec2();
        counts[bin] += 1.0;
        profile[bin].covered += each * PI * radius * radius / area;
    }
    for (bin, own) in profile.iter_mut().enumerate() {
        own.at = low + (bin as f64 + 0.5) * width;
        own.density = each * counts[bin] / area;
        streams[bin] /= f64::max(counts[bin], 1.0);
        own.velocity = streams[bin].to_array();
    }
    for slot in sample() {
        let (bin, radius) = (strip(slot), f64::from(agents.radius[slot]));
        let velocity = agents.get(slot).velocity.as_dvec2() - streams[bin];
        let energy = 0.5 * radius * radius * velocity.length_squared();
        profile[bin].temperature += energy / counts[bin];
    }
    profile
}
