//! Keeping: a band in which agents have hardly moved keeps its blocks.
//!
//! Its pairs are not searched, colored or remembered again, only aimed:
//!
//! ```text
//! search ─► build ─► solve │ aim ─► solve │ aim ─► solve │ … remember ─► search ─► build ─► solve
//! drift        0           │     0.002    │     0.004    │ …   0.021  too far
//! ```
//!
//! Two discs that are not in the blocks were farther apart than the margins of both when the blocks
//! were built. As long as no agent moves farther than a share of its margin, that leaves the others
//! the rest of it. The agents alone decide, so the bits are the same with any index.

use super::{
    ContactSolver,
    bands::{BandState, SolverArrays, SolverBand},
    bodies::Largest,
    memory::MemoryView,
    pairs::impulses_at,
    physics::Physics,
    ranks::ContactRanks,
};
use crate::{
    agents::Agents,
    contacts::{Band, ContactList},
    error::Result,
    grid::Grid,
    parallel,
    simd::SimdLevel,
};

impl ContactSolver {
    /// Measures how the agents of each band move, and whether its outliers are the same as before.
    pub(super) fn measure(
        &mut self,
        agents: &Agents,
        grid: &Grid,
        physics: &Physics,
        simd: SimdLevel,
        others: &mut impl ContactRanks,
    ) {
        let is_rough = self.arrays.friction.is_on;
        let split = |(): (), _: &SolverBand, _: &SolverBand| ((), ());
        parallel::parts(&mut self.bands, (), &split, &|band, ()| {
            let slots = band.slots.clone();
            let speeds = agents.vx[slots.clone()].iter().zip(&agents.vy[slots.clone()]);
            let mut fastest = simd.run(Largest(speeds.map(|(&vx, &vy)| [vx, vy])));
            if let Some(spins) = agents.spins().filter(|_| is_rough) {
                // What turns is not at rest.
                let rims = spins[slots.clone()].iter().zip(&agents.radius[slots]);
                fastest = rims.fold(fastest, |most, (spin, radius)| {
                    let rim = spin * radius;
                    most.max(rim * rim)
                });
            }
            band.keep.fastest_square = fastest;
        });
        let (same, slow) = (!self.memory.has_moved(), physics.slow_square());
        let first = others.first_slot();
        for band in &mut self.bands {
            let keep = &mut band.keep;
            let outliers = grid.outliers_in(band.slots.start..band.slots_end);
            let outliers = identify(outliers.map(|slot| first + slot));
            keep.others_stand_out = keep.outliers != outliers;
            keep.outliers = outliers;
            keep.moves = (keep.fastest_square > slow)
                || (!same && band.slots.clone().any(|slot| self.memory.is_new(slot)));
        }
        if let Some(own) = others.own_bands() {
            let words = self.bands[own].iter().flat_map(|band| band.keep.words());
            let words: Vec<_> = words.collect();
            let all = others.all_gather(&words).concat();
            for (band, &words) in self.bands.iter_mut().zip(all.as_chunks().0) {
                band.keep.set(words);
            }
        }
    }

    /// Decides which bands keep their blocks, and remembers the impulses of the others.
    pub(super) fn keep(&mut self, physics: &Physics) {
        for index in 0..self.bands.len() {
            let next = self.bands.get(index + 1).map(|band| band.keep).unwrap_or_default();
            let next_held = self.bands.get(index + 1).is_some_and(SolverBand::is_held);
            let band = &mut self.bands[index];
            let is_held = band.is_held() | next_held;
            let keep = &mut band.keep;
            keep.drift += keep.farthest_square.max(next.farthest_square).sqrt();
            let motion = physics.motion(keep.fastest_square.max(next.fastest_square).sqrt());
            if keep.live
                & !is_held
                & !keep.others_stand_out
                & (keep.drift + motion < physics.slack())
            {
                band.state = BandState::Kept;
            } else {
                keep.drift = 0.0;
            }
        }
        self.remember_blocks(|band| band.state != BandState::Kept);
    }

    /// Lets no band keep its blocks.
    pub(super) fn keep_none(&mut self) {
        self.remember_blocks(|_| true);
        for band in &mut self.bands {
            band.keep.drift = 0.0;
            if band.state == BandState::Kept {
                band.state = BandState::Searched;
            }
        }
    }

    /// Remembers the impulses in the blocks of some bands.
    fn remember_blocks(&mut self, of: impl Fn(&SolverBand) -> bool + Sync) {
        let Self { bands, memory, arrays, .. } = self;
        let SolverArrays { blocks, places, bodies, friction, .. } = arrays;
        let of = |band: &SolverBand| band.keep.live && of(band);
        if !bands.iter().any(of) {
            return;
        }
        parallel::parts(bands, memory.view(bodies.len()), &split_memory, &|band, view| {
            if !of(band) {
                return;
            }
            band.keep.live = false;
            let found = band.pairs_in(blocks, places, friction);
            view.remember(&band.slots, band.storage.start, found);
        });
    }

    /// Keeps the impulses for the next substep: blocks with held agents have not all of them, nor
    /// do those with outliers stay.
    #[inline(never)]
    pub(super) fn remember(
        &mut self,
        contacts: &ContactList,
        others: &mut impl ContactRanks,
    ) -> Result<()> {
        let Self { bands, memory, fixed_memory, outliers, outlier_rubs, arrays, .. } = self;
        let SolverArrays { blocks, places, fixed, bodies, friction, .. } = arrays;
        memory.take_slots(bodies.len());
        parallel::parts(bands, memory.view(bodies.len()), &split_memory, &|band, view| {
            if band.is_skipped() {
                return;
            }
            band.keep.live = !(band.is_held() | band.next_held);
            if band.keep.live {
                return view.clear(band.slots.len());
            }
            let blocks = &blocks[band.blocks.start..band.blocks.start + band.block_count];
            let rubs = friction.rubs(band.blocks.start, band.block_count);
            let pairs = contacts.pairs()[band.pairs.clone()].iter();
            let found = pairs.zip(&places[band.pairs.clone()]);
            let found = found.map(|(&pair, &place)| (pair, impulses_at(blocks, rubs, place)));
            view.remember(&band.slots, band.storage.start, found);
        });
        let far = contacts.bands().iter().flat_map(Band::outliers);
        let far = far.map(|entry| {
            (contacts.pairs()[entry], impulses_at(outliers, outlier_rubs, places[entry]))
        });
        if let Some(mut late) = others.take_late() {
            memory.remember_outliers(late.pairs_here(outliers, outlier_rubs))?;
            late.remember();
            others.put_late(late);
        } else {
            memory.remember_outliers(far)?;
        }
        fixed_memory.clear();
        for band in bands.iter() {
            let own = &fixed[band.fixed.start..band.fixed.start + band.fixed_count];
            fixed_memory.push(band.slots.start as u32, own)?;
        }
        Ok(())
    }
}

/// Splits a part of the memory where a band begins.
fn split_memory<'a>(
    view: MemoryView<'a>,
    lower: &SolverBand,
    upper: &SolverBand,
) -> (MemoryView<'a>, MemoryView<'a>) {
    view.split(upper.slots.start - lower.slots.start, upper.storage.start - lower.storage.start)
}

/// A number that tells one list of slots from another.
fn identify(slots: impl Iterator<Item = u32>) -> u64 {
    slots.fold(0, |id, slot| (id ^ u64::from(slot)).wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1)
}
