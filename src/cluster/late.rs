//! Late pairs: pairs with an outlier, which may reach over borders. They are resolved after all near
//! pairs, one after another in the order of their finders.
//!
//! Two pairs without a common agent can be resolved in any order, with the same bits. So ranks need the
//! order only within connected components: pairs that are connected by common agents. Most components are
//! in one slab, and its rank resolves them alone. A component is *tied* if one of its agents is known to
//! another rank, as a ghost or as an outlier near a border, or is in a pair with an agent of another rank:
//!
//! ```text
//! find      each rank tells all ranks its outliers that reach to its borders or beyond;
//!           a rank that owns an agent which such an outlier overlaps has found a pair between ranks
//! tie       agents of pairs between ranks, of the first row, and told outliers; then all that are
//!           connected with these
//! resolve   the other pairs alone; then all ranks tell all tied pairs, with the agents in them, and
//!           each resolves all of these
//! ```
//!
//! Of two outliers the lower one has found the pair, whichever of the two reaches out of its slab. A pair
//! that two ranks tell counts once.

use std::ops::Range;

use glam::Vec2;

use super::{
    Link,
    border::{AGENT_WORDS, agent_of, columns, push_agent},
    migrate::band_of,
};
use crate::{
    agents::Agents,
    contacts::{ContactList, Pair},
    geometry::{Disc, Rect, discs_overlap},
    grid::Grid,
    step::{
        impulse::{self, Direction},
        motion::Motion,
        pair_contact::Exchange,
    },
};

/// A rank and a slot there. They ascend as the slots of one process do.
pub(super) type RankSlot = (u32, u32);

/// Words of a pair: two ranks with slots, and whether the partner is an outlier.
const PAIR_WORDS: usize = 5;

/// Words of a told outlier: its slot, position and radius.
const TOLD_WORDS: usize = 4;

/// A pair with an outlier; the order is the one in which pairs are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LatePair {
    /// The outlier; the lower one if both are outliers.
    finder: RankSlot,
    /// True if both are outliers.
    outliers: bool,
    partner: RankSlot,
}

/// The pairs with an outlier of a substep.
#[derive(Debug, Default)]
pub(super) struct LatePairs {
    /// Pairs that no other rank knows, in order.
    free: Vec<LatePair>,
    /// Pairs that other ranks may know.
    tied: Vec<LatePair>,
    /// Slots of own outliers that other ranks were told.
    told: Vec<u32>,
    /// The agents of tied components.
    marks: TiedSlots,
}

/// A bit per slot: whether the pairs of its agent are tied.
#[derive(Debug, Default)]
struct TiedSlots(Vec<u64>);

impl TiedSlots {
    fn clear(&mut self, slots: usize) {
        self.0.clear();
        self.0.resize(slots.div_ceil(64), 0);
    }

    fn set(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    fn has(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 != 0
    }
}

impl LatePairs {
    /// Takes the pairs that a search has found, and finds those between ranks.
    pub(super) fn find(
        &mut self,
        link: &mut impl Link,
        agents: &Agents,
        own: usize,
        grid: &Grid,
        contacts: &ContactList,
        bands: Range<usize>,
    ) {
        let rank = link.rank() as u32;
        let Self { free, tied, told, marks } = self;
        free.clear();
        tied.clear();
        marks.clear(agents.len());

        tell(told, link.rank() > 0, agents, own, grid, &bands);
        let words: Vec<u32> = told
            .iter()
            .flat_map(|&slot| {
                let Disc { center, radius } = disc(agents, slot as usize);
                [slot, center.x.to_bits(), center.y.to_bits(), radius.to_bits()]
            })
            .collect();
        for &slot in &*told {
            marks.set(slot as usize);
        }
        let first = grid.bands().nth(bands.start).expect("a rank has bands").start;
        if rank > 0 {
            for slot in grid.row_slots(first) {
                marks.set(slot);
            }
        }
        for (from, words) in (0..).zip(link.all_gather(&words)) {
            if from == rank {
                continue;
            }
            for words in words.chunks_exact(TOLD_WORDS) {
                let number = |index: usize| f32::from_bits(words[index]);
                let center = Vec2::new(number(1), number(2));
                let other = ((from, words[0]), Disc::new(center, number(3)));
                visit_own(agents, own, grid, other.1, |slot, is_outlier| {
                    marks.set(slot as usize);
                    tied.push(LatePair::new((other.0, true), ((rank, slot), is_outlier)));
                });
            }
        }
        let slots = |pair: &Pair| pair.map(|slot| slot as usize);
        let all = || {
            let bands = &contacts.bands()[bands.clone()];
            bands.iter().flat_map(|band| &contacts.pairs()[band.outliers()])
        };
        for [i, j] in all().map(slots).filter(|&[_, j]| j >= own) {
            marks.set(i);
            marks.set(j);
        }
        // Pairs ascend, so that a turn in both directions reaches all of most components.
        loop {
            let mut grew = false;
            for [i, j] in all().chain(all().rev()).map(slots) {
                if marks.has(i) != marks.has(j) {
                    marks.set(i);
                    marks.set(j);
                    grew = true;
                }
            }
            if !grew {
                break;
            }
        }
        let place = |slot: u32| {
            let ghost = (slot as usize).checked_sub(own);
            ghost.map_or((rank, slot), |ghost| (rank + 1, ghost as u32))
        };
        for pair in all() {
            let [one, other] = pair.map(|slot| (place(slot), grid.is_outlier(slot)));
            let late = if marks.has(pair[0] as usize) { &mut *tied } else { &mut *free };
            late.push(LatePair::new(one, other));
        }
    }

    /// Resolves all pairs in a direction; sets the impulses of the pairs that the outliers of each band of
    /// this rank found.
    pub(super) fn resolve(
        &mut self,
        link: &mut impl Link,
        agents: &mut Agents,
        own: usize,
        grid: &Grid,
        (direction, motion): (Direction, &Motion),
        of_bands: &mut [Exchange],
    ) {
        let rank = link.rank() as u32;
        let mut exchanges = Vec::with_capacity(self.free.len());
        let mut view = agents.view_mut();
        direction.each(self.free.iter(), |&pair| {
            let [(_, i), (_, j)] = [pair.finder, pair.partner];
            let exchange = impulse::resolve_pair(&mut view, [i.min(j), i.max(j)], motion);
            exchanges.push((pair, exchange));
        });
        let count = agents.len();
        let own_slot = |place| slot_here(place, rank, own, count);
        let mut known: Vec<_> = self.told.iter().map(|&slot| (rank, slot)).collect();
        known.extend(self.tied.iter().flat_map(|pair| [pair.finder, pair.partner]));
        known.retain(|&place| own_slot(place).is_some());
        known.sort_unstable();
        known.dedup();
        let mut words = vec![self.tied.len() as u32];
        words.extend(self.tied.iter().flat_map(|pair| pair.words()));
        for place in known {
            words.extend([place.0, place.1]);
            push_agent(&mut words, agents, own_slot(place).expect("it has a slot here"));
        }
        let (mut pairs, mut states) = (Vec::new(), Vec::new());
        for words in link.all_gather(&words) {
            let (count, words) = words.split_first().expect("each rank tells its number of pairs");
            let (of_pairs, of_agents) = words.split_at(*count as usize * PAIR_WORDS);
            pairs.extend(of_pairs.chunks_exact(PAIR_WORDS).map(LatePair::from_words));
            states.extend(
                of_agents
                    .chunks_exact(2 + AGENT_WORDS)
                    .map(|words| ((words[0], words[1]), agent_of(&words[2..]))),
            );
        }
        pairs.sort_unstable();
        pairs.dedup();
        states.sort_by_key(|&(place, _)| place);
        states.dedup_by_key(|&mut (place, _)| place);
        let index = |place: RankSlot| {
            let found = states.binary_search_by_key(&place, |&(place, _)| place);
            found.expect("a rank that knows a pair tells its own agent in it") as u32
        };
        let mut table = columns(states.iter().map(|&(_, agent)| agent));
        let mut view = table.view_mut();
        direction.each(pairs.iter(), |&pair| {
            let [i, j] = [pair.finder, pair.partner].map(index);
            let exchange = impulse::resolve_pair(&mut view, [i.min(j), i.max(j)], motion);
            exchanges.push((pair, exchange));
        });
        take_states(agents, states.iter().map(|&(place, _)| own_slot(place)), &table);
        // Each band has a sum in the order of its pairs, whoever has resolved them.
        exchanges.retain(|(pair, _)| pair.finder.0 == rank);
        exchanges.sort_unstable_by_key(|&(pair, _)| pair);
        of_bands.fill(Exchange::default());
        direction.each(exchanges.iter(), |&(pair, exchange)| {
            let band = band_of(grid, grid.row_of(pair.finder.1));
            of_bands[band] += exchange;
        });
    }
}

impl LatePair {
    /// The pair of two agents, each with whether it is an outlier; at least one is.
    fn new(one: (RankSlot, bool), other: (RankSlot, bool)) -> Self {
        let outliers = one.1 && other.1;
        let finds = if outliers { one.0 < other.0 } else { one.1 };
        let (finder, partner) = if finds { (one.0, other.0) } else { (other.0, one.0) };
        Self { finder, outliers, partner }
    }

    fn words(self) -> [u32; PAIR_WORDS] {
        let Self { finder, outliers, partner } = self;
        [finder.0, finder.1, outliers.into(), partner.0, partner.1]
    }

    fn from_words(words: &[u32]) -> Self {
        Self {
            finder: (words[0], words[1]),
            outliers: words[2] != 0,
            partner: (words[3], words[4]),
        }
    }
}

/// The slot that an agent has on a rank with that many own agents and agents: one of its own, or a ghost.
pub(super) fn slot_here(
    (of, slot): RankSlot,
    rank: u32,
    own: usize,
    agents: usize,
) -> Option<usize> {
    let slot = match of.checked_sub(rank)? {
        0 => slot as usize,
        1 => own + slot as usize,
        _ => return None,
    };
    (slot < agents).then_some(slot)
}

/// Takes over the positions and velocities of a table for the agents that have a slot here.
pub(super) fn take_states(
    agents: &mut Agents,
    slots: impl Iterator<Item = Option<usize>>,
    table: &Agents,
) {
    for (entry, slot) in slots.enumerate() {
        if let Some(slot) = slot {
            agents.x[slot] = table.x[entry];
            agents.y[slot] = table.y[entry];
            agents.vx[slot] = table.vx[entry];
            agents.vy[slot] = table.vy[entry];
        }
    }
}

fn disc(agents: &Agents, slot: usize) -> Disc {
    Disc::new(Vec2::new(agents.x[slot], agents.y[slot]), agents.radius[slot])
}

/// Lists the own outliers that may overlap agents of other ranks: those near a border, or beyond.
fn tell(
    told: &mut Vec<u32>,
    has_lower: bool,
    agents: &Agents,
    own: usize,
    grid: &Grid,
    bands: &Range<usize>,
) {
    told.clear();
    let mut rows = grid.bands().skip(bands.start).take(bands.len());
    let first = rows.next().expect("a rank has bands");
    let last = rows.last().unwrap_or_else(|| first.clone());
    let low = grid.loose_bounds([0, first.start]).min.y;
    let high = grid.loose_bounds([0, last.end - 1]).max.y;
    let has_upper = last.end < grid.loose_cells()[1];
    let reach = grid.search_reach();
    let near = |slot: &u32| {
        let Disc { center, radius } = disc(agents, *slot as usize);
        (has_lower && center.y - radius < low + reach)
            || (has_upper && center.y + radius > high - reach)
    };
    told.extend(grid.outliers_in(0..own).filter(near));
}

/// Calls `visit` with each own agent that a disc overlaps, and whether it is an outlier.
pub(super) fn visit_own(
    agents: &Agents,
    own: usize,
    grid: &Grid,
    other: Disc,
    mut visit: impl FnMut(u32, bool),
) {
    let Disc { center, radius } = other;
    let overlaps = |slot: usize| {
        let discs = [other, disc(agents, slot)];
        let [one, other] = discs.map(|disc| [disc.center.x, disc.center.y, disc.radius]);
        slot < own && discs_overlap(one, other)
    };
    grid.slots_near(&Rect::around(center, radius), |slots| {
        for slot in slots {
            if overlaps(slot) && !grid.is_outlier(slot as u32) {
                visit(slot as u32, false);
            }
        }
    });
    grid.visit_outliers(center, radius, |slot| {
        if overlaps(slot as usize) {
            visit(slot, true);
        }
    });
}
