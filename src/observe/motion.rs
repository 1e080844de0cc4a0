//! Motions since a moment: the displacement of agents, and the correlation of their velocities.

use glam::{DVec2, Vec2};

use crate::Sim;

/// The motions of the agents since a moment. Agents that come later are not followed, and those
/// that leave are left out from then on.
#[derive(Clone, Debug)]
pub struct Motions {
    /// By id, in steps of two to the power of `shift`.
    tracks: Vec<Option<Track>>,
    shift: u32,
}

/// One agent.
#[derive(Clone, Copy, Debug)]
struct Track {
    last: Vec2,
    displacement: DVec2,
    velocity: DVec2,
}

/// Means over the agents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionsSince {
    /// Agents that were there at both moments.
    pub agents: u64,
    /// ⟨|r(t) − r(0)|²⟩, world units squared. The way over the seam of a world that repeats counts.
    pub square_displacement: f64,
    /// ⟨v(t)·v(0)⟩ / ⟨v(0)·v(0)⟩.
    pub velocity_correlation: f64,
}

impl Motions {
    /// Follows all agents from now on.
    pub fn new(sim: &Sim) -> Self {
        Self::sampled(sim, usize::MAX)
    }

    /// Follows at most that many agents from now on, evenly spread over their ids.
    pub(crate) fn sampled(sim: &Sim, most: usize) -> Self {
        let ids = ids_of(sim);
        let shift = ids.div_ceil(most).next_power_of_two().trailing_zeros();
        let mut motions = Self { tracks: Vec::new(), shift };
        motions.restart(sim);
        motions
    }

    /// Follows the same share of the agents from now on, from where they are now.
    pub(crate) fn restart(&mut self, sim: &Sim) {
        let agents = sim.agents();
        self.tracks.clear();
        self.tracks.resize(ids_of(sim).div_ceil(1 << self.shift), None);
        for slot in 0..agents.len() {
            let Some(at) = followed(agents.id[slot], self.shift) else { continue };
            let agent = agents.get(slot);
            let velocity = agent.velocity.as_dvec2();
            let track = Track { last: agent.position, displacement: DVec2::ZERO, velocity };
            self.tracks[at] = Some(track);
        }
    }

    /// Follows the agents to where they are now. To be called so often that no agent comes through
    /// a quarter of a world that repeats in between.
    pub fn follow(&mut self, sim: &Sim) -> MotionsSince {
        let (agents, space) = (sim.agents(), sim.space());
        let mut sums = MotionsSince::default();
        let (mut now, mut then) = (0.0, 0.0);
        for slot in 0..agents.len() {
            let Some(at) = followed(agents.id[slot], self.shift) else { continue };
            let track = self.tracks.get_mut(at).and_then(Option::as_mut);
            let Some(track) = track else { continue };
            let agent = agents.get(slot);
            // Positions may have been wrapped since.
            let moved = space.minimum_image(agent.position - track.last);
            track.displacement += moved.as_dvec2();
            track.last = agent.position;
            sums.agents += 1;
            sums.square_displacement += track.displacement.length_squared();
            now += track.velocity.dot(agent.velocity.as_dvec2());
            then += track.velocity.length_squared();
        }
        sums.square_displacement /= sums.agents as f64;
        sums.velocity_correlation = now / then;
        sums
    }
}

/// Ids that were given so far, at least.
fn ids_of(sim: &Sim) -> usize {
    sim.agents().id.iter().max().map_or(0, |&id| id as usize + 1)
}

/// The index of the track of an agent, if it is followed.
fn followed(id: u32, shift: u32) -> Option<usize> {
    let at = id >> shift;
    (at << shift == id).then_some(at as usize)
}
