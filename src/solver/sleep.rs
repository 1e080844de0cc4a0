//! Sleep: agents at rest are held, and what lies between held agents costs nothing.
//!
//! ```text
//! band 4   awake    an agent moves
//! band 3   awake    calm, but not for long enough
//! band 2   held     calm for half a second: its pairs with band 3 are solved, the others kept
//! band 1   asleep   held between held bands: not even searched
//! band 0   asleep
//! ```
//!
//! The solver pushes held bodies as if they were free and discards their speed, so that the forces
//! at the border of a held band stay as they were. Bands of infinite mass would wake their
//! neighbors again and again. An agent that moves near a held one wakes its band before anything is
//! solved.
//!
//! Bands follow from the grid, and whether an agent is calm follows from the agents. So the bits
//! are the same for any number of threads and with any index.

use std::ops::Range;

use super::{
    ContactSolver,
    bands::{BandState, SolverBand},
    physics::Physics,
    ranks::ContactRanks,
};
use crate::{agents::Agents, contacts::ContactList, geometry::Rect, grid::Grid, simd::SimdLevel};

/// Speeds that are compared at once.
const CHUNK_OF_SPEEDS: usize = 1_024;

impl ContactSolver {
    /// Number of agents that are not held: all but those that were in a held band and are still
    /// there. An agent that has come since wakes its band.
    pub(crate) fn awake(&self, agents: usize, grid: &Grid) -> usize {
        let slots =
            |rows: Range<u32>| grid.row_slots(rows.start).start..grid.row_slots(rows.end - 1).end;
        let held = self.bands.iter().zip(grid.bands()).filter(|(band, _)| band.is_held());
        let asleep = held
            .map(|(_, rows)| slots(rows))
            .filter(|slots| !slots.clone().any(|slot| self.memory.is_new(slot)));
        agents - asleep.map(|slots| slots.len()).sum::<usize>()
    }

    /// Wakes all agents.
    pub(crate) fn wake(&mut self) {
        self.bands.iter_mut().for_each(SolverBand::wake);
    }

    /// Wakes the agents near an area that changes, where there are that many outliers.
    pub(crate) fn wake_near(
        &mut self,
        area: &Rect,
        (outliers, grid): (usize, &Grid),
        contacts: &ContactList,
    ) {
        if outliers > 0 {
            // An outlier lies on what is far from its own row.
            return self.wake();
        }
        let rows = grid.rows_reaching(area.min.y, area.max.y);
        for (band, own) in self.bands.iter_mut().zip(contacts.bands()) {
            if own.rows.start < rows.end && rows.start < own.rows.end {
                band.wake();
            }
        }
    }

    /// The number of near pairs of a band, if it keeps them: it sleeps, or it keeps its blocks.
    pub(crate) fn kept_pairs(&self, band: usize) -> Option<usize> {
        self.bands[band].kept_pairs()
    }

    /// True if all agents are held and nothing has touched one since: a substep changes nothing.
    pub(crate) fn is_at_rest(
        &self,
        agents: &Agents,
        physics: &Physics,
        others: &mut impl ContactRanks,
    ) -> bool {
        let Agents { vx, vy, .. } = agents;
        let spins = agents.spins().filter(|_| self.arrays.friction.is_on);
        let is_held =
            physics.sleep && !self.memory.has_moved() && self.bands.iter().all(SolverBand::is_held);
        if !is_held {
            return false;
        }
        let stands = [vx, vy].into_iter().map(Vec::as_slice).chain(spins).all(|speeds| {
            speeds
                .chunks(CHUNK_OF_SPEEDS)
                .all(|speeds| speeds.iter().fold(0, |bits, speed| bits | speed.to_bits()) << 1 == 0)
        });
        !others.any(!stands)
    }

    /// Decides which bands are held, which of them need no search, and which of the others keep
    /// their blocks.
    pub(crate) fn plan(
        &mut self,
        agents: &Agents,
        contacts: &mut ContactList,
        grid: &Grid,
        physics: &Physics,
        simd: SimdLevel,
        others: &mut impl ContactRanks,
    ) {
        contacts.assign(grid);
        let same = !self.memory.has_moved();
        self.set_slots(contacts, others.own_bands());
        self.measure(agents, grid, physics, simd, others);
        let calm = physics.calm();
        for band in &mut self.bands {
            let was_held = band.is_held();
            band.rest.calm = if band.keep.moves { 0 } else { band.rest.calm.saturating_add(1) };
            let is_held = physics.sleep && band.rest.calm > calm;
            band.state = match (is_held, same && was_held) {
                (true, true) => BandState::Asleep,
                (true, false) => BandState::Held,
                (false, _) => BandState::Searched,
            };
        }
        self.keep(physics);
        self.rouse();
    }

    /// Wakes the bands that an agent has come near. Returns true if there are any: then contacts are
    /// to be found and built again.
    pub(crate) fn wake_touched(&mut self, others: &mut impl ContactRanks) -> bool {
        if others.own_bands().is_some() && self.bands.iter().any(SolverBand::is_held) {
            let wakes = |band: &SolverBand| band.rest.wakes.map(u32::from);
            let words: Vec<_> = self.bands.iter().flat_map(wakes).collect();
            for words in others.all_gather(&words) {
                for (band, wakes) in self.bands.iter_mut().zip(words.as_chunks::<2>().0) {
                    let [own, next] = &mut band.rest.wakes;
                    (*own, *next) = (*own | (wakes[0] > 0), *next | (wakes[1] > 0));
                }
            }
        }
        let mut woken = false;
        for index in 0..self.bands.len() {
            let [own, next] = std::mem::take(&mut self.bands[index].rest.wakes);
            for (wakes, index) in [(own, index), (next, index + 1)] {
                if wakes && let Some(band) = self.bands.get_mut(index) {
                    woken |= band.is_held();
                    band.wake();
                }
            }
        }
        if woken {
            self.keep_none();
            self.rouse();
        }
        woken
    }

    /// Held bands sleep only between held bands.
    fn rouse(&mut self) {
        let bands = &mut self.bands;
        for index in 0..bands.len() {
            let held = |index: Option<usize>| {
                index.and_then(|index| bands.get(index)).is_none_or(SolverBand::is_held)
            };
            let between = held(index.checked_sub(1)) && held(Some(index + 1));
            if bands[index].is_asleep() && !between {
                bands[index].state = BandState::Held;
            }
        }
    }
}
