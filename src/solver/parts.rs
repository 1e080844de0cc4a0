//! The solver in parts: what the ranks of a cluster make their solvers of, and what a whole one is made of
//! again.
//!
//! The pairs of blocks are colored again, which gives the same blocks. Slots ascend alike on ranks and in one
//! process, so that they differ by the number of agents of lower ranks.

use std::ops::Range;

use super::{
    ContactSolver,
    bands::{BandState, Keeping, Rest},
    coulomb::Rub,
    ids::{ImpulseOfIds, SlotsOfIds},
    pairs::PairImpulses,
    saved::pairs_of,
};
use crate::{agents::Agents, contacts::ContactList, error::Result};

/// Words of a band, of a pair, and of a contact with a wall or static.
const BAND_WORDS: usize = 8;
const CONTACT_WORDS: usize = 5;

/// A slot with the key of a wall or static and its impulses.
type FixedPart = (u32, u32, f32, Rub);

/// What decides the future of a band.
#[derive(Clone, Copy, Debug)]
struct BandPart {
    calm: u32,
    state: BandState,
    keep: Keeping,
    /// The number of its near pairs.
    pairs: usize,
}

/// What a solver remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SolverParts {
    bands: Vec<BandPart>,
    /// The pairs in the blocks of bands that may keep them, in order.
    kept: Vec<PairImpulses>,
    near: Vec<PairImpulses>,
    far: Vec<PairImpulses>,
    fixed: Vec<FixedPart>,
    /// True if agents may have been sorted since. Then `far` has all pairs.
    moved: bool,
    /// By slot, which agents have come since; empty unless they may have moved.
    newcomers: Vec<bool>,
}

impl ContactSolver {
    /// The parts of some bands, which have the first `own` agents, but for the pairs of `tied`, which are
    /// sorted.
    pub(crate) fn parts(
        &self,
        own: usize,
        bands: Range<usize>,
        agents: &Agents,
        tied: &[ImpulseOfIds],
    ) -> SolverParts {
        let moved = self.memory.has_moved();
        let mut parts = SolverParts { moved, ..SolverParts::default() };
        let bands = &self.bands[bands];
        parts.bands.extend(bands.iter().map(|band| BandPart {
            calm: band.rest.calm,
            state: band.state,
            keep: band.keep,
            pairs: band.pairs.len(),
        }));
        let fixed = self.fixed_memory.parts(if moved { usize::MAX } else { own });
        if moved {
            parts.newcomers.extend((0..own).map(|slot| self.memory.is_new(slot)));
            let known = (0..agents.len()).filter(|&slot| !self.memory.is_new(slot));
            let known = known.map(|slot| slot as u32);
            let slots = SlotsOfIds::new(known.map(|slot| (self.memory.origin(slot), slot)));
            let slot_of = |former: u32| slots.get(former);
            self.memory.visit_all(0..self.arrays.bodies.len(), |former, impulses| {
                let now = ImpulseOfIds::new(former, impulses);
                parts.far.extend(now.at(slot_of));
            });
            let now = |(former, key, impulse, rub)| Some((slot_of(former)?, key, impulse, rub));
            let of_own = fixed.filter_map(now).filter(|&(slot, ..)| (slot as usize) < own);
            parts.fixed.extend(of_own);
            parts.fixed.sort_by_key(|&(slot, ..)| slot);
            return parts;
        }
        for band in bands.iter().filter(|band| band.keep.live) {
            let (blocks, places) = (&self.arrays.blocks, &self.arrays.places);
            parts.kept.extend(band.pairs_in(blocks, places, &self.arrays.friction));
        }
        parts.kept.sort_unstable_by_key(|&(pair, _)| pair);
        self.memory.visit_near(0..own, |pair, impulses| parts.near.push((pair, impulses)));
        self.memory.visit_far(|pair, impulses| {
            let ids = pair.map(|slot| agents.id[slot as usize]);
            if !ImpulseOfIds::new(ids, impulses).is_among(tied) {
                parts.far.push((pair, impulses));
            }
        });
        parts.fixed.extend(fixed);
        parts
    }

    /// Remembers these parts and nothing else. The list has room for their pairs. A rank owns some of the
    /// bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn set_parts(
        &mut self,
        parts: &SolverParts,
        agents: &Agents,
        contacts: &ContactList,
        own: Option<Range<usize>>,
    ) -> Result<()> {
        let SolverParts { bands, kept, near, far, fixed, moved, newcomers } = parts;
        self.forget(agents.len());
        self.reserve(contacts.storage())?;
        self.arrays.resize(agents.len());
        self.fixed_memory.replace(fixed.iter().copied())?;
        self.set_slots(contacts, own);
        let of_contacts = self.bands.iter_mut().zip(contacts.bands());
        for ((band, listed), &part) in of_contacts.zip(bands) {
            (band.rest, band.state) = (Rest { calm: part.calm, ..Rest::default() }, part.state);
            band.keep = part.keep;
            band.pairs = listed.storage.start..listed.storage.start + part.pairs;
            band.storage = listed.storage.clone();
            let is_held = band.is_held();
            band.fixed_count = if is_held { self.fixed_memory.of(&band.slots).len() } else { 0 };
        }
        if *moved {
            self.memory.replace(far.iter().copied(), agents.len())?;
            for (slot, _) in newcomers.iter().enumerate().filter(|(_, is_new)| **is_new) {
                self.memory.forget_agent(slot, agents.len());
            }
            return Ok(());
        }
        self.rebuild_kept(kept, agents, contacts)?;
        self.memory.take_slots(agents.len());
        for band in self.bands.iter().filter(|band| !band.keep.live) {
            let own = pairs_of(near, &band.slots);
            self.memory.set_band(&band.slots, band.storage.start, own);
        }
        self.memory.remember_outliers(far.iter().copied())?;
        let Self { bands, arrays, fixed_memory, .. } = self;
        for band in bands.iter().filter(|band| band.is_held()) {
            fixed_memory.recall(&band.slots, &mut arrays.fixed[band.fixed.clone()]);
        }
        Ok(())
    }

    /// Sets the slots of the bands. A rank owns some of them, and knows the first row of the next one.
    pub(super) fn set_slots(&mut self, contacts: &ContactList, own: Option<Range<usize>>) {
        for (band, own) in self.bands.iter_mut().zip(contacts.bands()) {
            (band.slots, band.slots_end) = (own.slots.clone(), own.slots_end);
        }
        if let Some(own) = own
            && let Some([last, ghosts]) = self.bands.get_mut(own.end - 1..=own.end)
        {
            ghosts.slots.start = last.slots.end;
        }
    }
}

impl SolverParts {
    /// The numbers of near pairs of the bands.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = usize> {
        self.bands.iter().map(|band| band.pairs)
    }

    /// What a rank with these bands needs; `slots` are those of its own agents and then of ghosts.
    pub(crate) fn of_rank(&self, slots: &Range<usize>, own: usize, bands: &Range<usize>) -> Self {
        let first = slots.start as u32;
        let is_here = |slot: &u32| slots.contains(&(*slot as usize));
        let is_own = |slot: &u32| is_here(slot) && ((slot - first) as usize) < own;
        let here = |pairs: &[PairImpulses], begin: &dyn Fn(&u32) -> bool| {
            let pairs = pairs.iter().filter(|([i, j], _)| begin(i) && is_here(j));
            pairs.map(|&(pair, of)| (pair.map(|slot| slot - first), of)).collect()
        };
        let of_bands = self.bands.iter().enumerate().map(|(index, &band)| {
            let pairs = if bands.contains(&index) { band.pairs } else { 0 };
            BandPart { pairs, ..band }
        });
        let fixed = self.fixed.iter().filter(|(slot, ..)| is_here(slot));
        let newcomers = self.newcomers.get(slots.clone()).unwrap_or_default();
        Self {
            bands: of_bands.collect(),
            kept: here(&self.kept, &is_own),
            near: here(&self.near, &is_own),
            far: here(&self.far, &is_here),
            fixed: fixed.map(|&(slot, key, of, rub)| (slot - first, key, of, rub)).collect(),
            moved: self.moved,
            newcomers: newcomers.to_vec(),
        }
    }

    /// The pairs with outliers, with ids in place of slots.
    pub(crate) fn far_ids(&self, ids: &[u32]) -> impl Iterator<Item = ImpulseOfIds> {
        self.far.iter().map(move |&(pair, impulses)| {
            ImpulseOfIds::new(pair.map(|slot| ids[slot as usize]), impulses)
        })
    }

    /// Adds pairs of ids with outliers.
    pub(crate) fn add_far(&mut self, pairs: &[ImpulseOfIds], ids: &[u32]) {
        let slots = SlotsOfIds::of(ids);
        self.far.extend(pairs.iter().filter_map(|pair| pair.at(|id| slots.get(id))));
    }

    /// The parts as words.
    pub(crate) fn words(&self) -> Vec<u32> {
        let Self { bands, kept, near, far, fixed, moved, newcomers } = self;
        let lengths = [bands.len(), kept.len(), near.len(), far.len(), fixed.len()];
        let mut words: Vec<_> = lengths.map(|length| length as u32).into();
        words.push((*moved).into());
        words.extend(newcomers.iter().map(|&is_new| u32::from(is_new)));
        for &BandPart { calm, state, keep, pairs } in bands {
            let states = [BandState::Searched, BandState::Kept, BandState::Held, BandState::Asleep];
            let state = states.iter().position(|&it| it == state).unwrap_or(0) as u32;
            let [low, high] = [keep.outliers as u32, (keep.outliers >> 32) as u32];
            let [drift, farthest] = [keep.drift, keep.farthest_square].map(f32::to_bits);
            words.extend([calm, state, keep.live.into(), drift, low, high, farthest, pairs as u32]);
        }
        let mut push = |slots: [u32; 2], (impulse, [tangent, roll]): (f32, Rub)| {
            words.extend(slots);
            words.extend([impulse, tangent, roll].map(f32::to_bits));
        };
        [kept, near, far].into_iter().flatten().for_each(|&(pair, of)| push(pair, of));
        for &(slot, key, impulse, rub) in fixed {
            push([slot, key], (impulse, rub));
        }
        words
    }

    /// Adds the parts of the next rank, which has slots from this one on.
    pub(crate) fn add(&mut self, words: &[u32], (first, own): (u32, u32)) {
        let ([bands, kept, near, far, fixed, moved], mut words) =
            words.split_first_chunk().expect("the lengths of lists");
        let mut take = |count: &u32, length: usize| {
            let taken;
            (taken, words) = words.split_at(*count as usize * length);
            taken.chunks_exact(length)
        };
        self.moved = *moved > 0;
        let newcomers = take(&(own * moved), 1);
        self.newcomers.extend(newcomers.map(|words| words[0] > 0));
        for words in take(bands, BAND_WORDS) {
            let state = match words[1] {
                1 => BandState::Kept,
                2 => BandState::Held,
                3 => BandState::Asleep,
                _ => BandState::Searched,
            };
            let keep = Keeping {
                live: words[2] > 0,
                drift: f32::from_bits(words[3]),
                outliers: u64::from(words[4]) | u64::from(words[5]) << 32,
                farthest_square: f32::from_bits(words[6]),
                ..Keeping::default()
            };
            self.bands.push(BandPart { calm: words[0], state, keep, pairs: words[7] as usize });
        }
        let impulses = |words: &[u32]| {
            let [impulse, tangent, roll] = [2, 3, 4].map(|at: usize| f32::from_bits(words[at]));
            (impulse, [tangent, roll])
        };
        for (pairs, count) in [(&mut self.kept, kept), (&mut self.near, near), (&mut self.far, far)]
        {
            let words = take(count, CONTACT_WORDS);
            pairs.extend(words.map(|it| ([first + it[0], first + it[1]], impulses(it))));
        }
        self.fixed.extend(take(fixed, CONTACT_WORDS).map(|words| {
            let (impulse, rub) = impulses(words);
            (first + words[0], words[1], impulse, rub)
        }));
    }
}
