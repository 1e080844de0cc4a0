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
//! resolve   the other pairs alone; all ranks are told the tied pairs and the states of the agents in
//!           them, and each resolves all of these
//! ```
//!
//! Of two outliers the lower one has found the pair, whichever of the two reaches out of its slab. A pair
//! that two ranks tell counts once.

use std::ops::Range;

use glam::Vec2;

use super::{
    Link,
    migrate::band_of,
    shared::{RankSlot, SharedAgents},
};
use crate::{
    agents::Agents,
    contacts::{ContactList, Pair},
    geometry::{Disc, DiscColumns, Elements, Rect},
    grid::Grid,
    solver::{KEY_WORDS, LateContact},
    step::{
        impulse::{self, Direction},
        motion::Motion,
        pair_contact::Exchange,
        swept::{self, NoteColumns},
        travel::Surroundings,
    },
};

/// Words of a pair: two ranks with slots, and whether the partner is an outlier.
const PAIR_WORDS: usize = KEY_WORDS;

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

/// A late pair with its agents: their slots, or their entries in the table of shared agents.
#[derive(Debug)]
struct FoundPair {
    pair: LatePair,
    agents: Pair,
    /// When they touch, with swept collisions.
    time: f32,
}

/// The pairs with an outlier of a substep.
#[derive(Debug)]
pub(super) struct LatePairs {
    /// Pairs that no other rank knows, in order.
    free: Vec<FoundPair>,
    /// Pairs that all ranks know, in order.
    tied: Vec<FoundPair>,
    pub(super) shared: SharedAgents,
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
    /// None yet, of agents with the columns of `agents`.
    pub(super) fn of(agents: &Agents) -> Self {
        let (free, tied) = (Vec::new(), Vec::new());
        Self { free, tied, shared: SharedAgents::of(agents), marks: TiedSlots::default() }
    }

    /// Takes the pairs of discs that a search has found, and finds those between ranks.
    pub(super) fn find(
        &mut self,
        link: &mut impl Link,
        discs: DiscColumns<'_>,
        own: usize,
        grid: &Grid,
        contacts: &ContactList,
        bands: Range<usize>,
    ) {
        let rank = link.rank() as u32;
        let Self { free, tied, shared, marks } = self;
        free.clear();
        marks.clear(discs.x.len());
        let told = told(rank > 0, discs, own, grid, &bands);
        let words: Vec<u32> = told
            .iter()
            .flat_map(|&slot| {
                let Disc { center, radius } = discs.shape(slot as usize);
                [slot, center.x.to_bits(), center.y.to_bits(), radius.to_bits()]
            })
            .collect();
        for slot in told {
            marks.set(slot as usize);
        }
        let first = grid.bands().nth(bands.start).expect("a rank has bands").start;
        if rank > 0 {
            for slot in grid.row_slots(first) {
                marks.set(slot);
            }
        }
        let mut found = Vec::new();
        for (from, words) in (0..).zip(link.all_gather(&words)) {
            if from == rank {
                continue;
            }
            for words in words.chunks_exact(TOLD_WORDS) {
                let number = |index: usize| f32::from_bits(words[index]);
                let center = Vec2::new(number(1), number(2));
                let other = ((from, words[0]), Disc::new(center, number(3)));
                visit_own(discs, own, grid, other.1, |slot, is_outlier| {
                    marks.set(slot as usize);
                    found.push(LatePair::new((other.0, true), ((rank, slot), is_outlier)));
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
            let late = LatePair::new(one, other);
            if marks.has(pair[0] as usize) {
                found.push(late);
            } else {
                free.push(FoundPair { pair: late, agents: *pair, time: 0.0 });
            }
        }
        free.sort_unstable_by_key(|it| it.pair);
        let words: Vec<u32> = found.iter().flat_map(|pair| pair.words()).collect();
        let all = link.all_gather(&words).concat();
        let mut pairs: Vec<_> = all.chunks_exact(PAIR_WORDS).map(LatePair::from_words).collect();
        pairs.sort_unstable();
        pairs.dedup();
        shared.share(pairs.iter().flat_map(|pair| [pair.finder, pair.partner]));
        tied.clear();
        tied.extend(pairs.into_iter().map(|pair| {
            let [i, j] = [pair.finder, pair.partner].map(|place| shared.entry(place));
            FoundPair { pair, agents: [i.min(j), i.max(j)], time: 0.0 }
        }));
    }

    /// The free and the tied pairs for the contact solver.
    pub(super) fn contacts(&self) -> [Vec<LateContact>; 2] {
        let contact = |it: &FoundPair| LateContact::new(it.pair.words(), it.agents);
        [&self.free, &self.tied].map(|pairs| pairs.iter().map(contact).collect())
    }

    /// Resolves all pairs in a direction; adds the impulses of the pairs that the outliers of each band of
    /// this rank found.
    pub(super) fn resolve(
        &mut self,
        link: &mut impl Link,
        (agents, own): (&mut Agents, usize),
        grid: &Grid,
        (direction, motion): (Direction, &Motion),
        of_bands: &mut [Exchange],
    ) {
        let Self { free, tied, shared, .. } = self;
        let mut exchanges = Vec::with_capacity(free.len());
        let mut resolve = |agents: &mut Agents, pairs: &[FoundPair]| {
            let mut view = agents.view_mut();
            direction.each(pairs.iter(), |&FoundPair { pair, agents, .. }| {
                let exchange = impulse::resolve_pair(&mut view, agents, motion, |d| d);
                exchanges.push((pair, exchange));
            });
        };
        resolve(agents, free);
        if !tied.is_empty() {
            shared.work(link, (agents, own), None, |table, _| resolve(table, tied));
        }
        add_up(exchanges, link.rank() as u32, grid, of_bands, direction);
    }

    /// Notes when the paths of pairs touch, and drops pairs that do not. `met` is true if something has
    /// happened on this rank in the round before; returns true if so on any rank.
    pub(super) fn note(
        &mut self,
        link: &mut impl Link,
        (agents, own): (&mut Agents, usize),
        notes: &mut NoteColumns,
        (motion, met): (&Motion, bool),
    ) -> bool {
        let Self { free, tied, shared, .. } = self;
        if !shared.gather(link, agents, Some(notes), met) {
            return false;
        }
        let note = |agents: &Agents, notes: &mut NoteColumns, pairs: &mut Vec<FoundPair>| {
            pairs.retain_mut(|it| {
                let touches = swept::note_touch(agents, notes, it.agents, motion, |d| d);
                it.time = touches.unwrap_or(it.time);
                touches.is_some()
            });
        };
        note(&shared.table, &mut shared.notes, tied);
        shared.give_back(link, (agents, own), Some(notes));
        note(agents, notes, free);
        true
    }

    /// Lets pairs collide if this is the next hit of both agents, and drops these pairs. Adds the impulses
    /// of the pairs that the outliers of each band of this rank found; returns true if there are any.
    pub(super) fn collide(
        &mut self,
        link: &mut impl Link,
        (agents, own): (&mut Agents, usize),
        notes: &mut NoteColumns,
        (grid, around): (&Grid, Surroundings<'_>),
        of_bands: &mut [Exchange],
    ) -> bool {
        let Self { free, tied, shared, .. } = self;
        let mut exchanges = Vec::new();
        let mut collide =
            |agents: &mut Agents, notes: &mut NoteColumns, pairs: &mut Vec<FoundPair>| {
                pairs.retain(|&FoundPair { pair, agents: of_pair, time }| {
                    let hit = (of_pair, time);
                    let exchange = swept::collide_if_next(agents, notes, hit, around, |d| d, &());
                    exchanges.extend(exchange.map(|exchange| (pair, exchange)));
                    exchange.is_none()
                });
            };
        if !tied.is_empty() {
            let of_all = |table: &mut Agents, notes: &mut NoteColumns| collide(table, notes, tied);
            shared.work(link, (agents, own), Some(notes), of_all);
        }
        collide(agents, notes, free);
        let any = !exchanges.is_empty();
        add_up(exchanges, link.rank() as u32, grid, of_bands, Direction::Forward);
        any
    }
}

/// Adds the impulses of pairs that the outliers of each band of a rank found, in a direction.
fn add_up(
    mut exchanges: Vec<(LatePair, Exchange)>,
    rank: u32,
    grid: &Grid,
    of_bands: &mut [Exchange],
    direction: Direction,
) {
    exchanges.retain(|(pair, _)| pair.finder.0 == rank);
    exchanges.sort_unstable_by_key(|&(pair, _)| pair);
    direction.each(exchanges.iter(), |&(pair, exchange)| {
        let band = band_of(grid, grid.row_of(pair.finder.1));
        of_bands[band] += exchange;
    });
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

/// The own outliers that may overlap agents of other ranks: those near a border, or beyond.
fn told(
    has_lower: bool,
    discs: DiscColumns<'_>,
    own: usize,
    grid: &Grid,
    bands: &Range<usize>,
) -> Vec<u32> {
    let mut rows = grid.bands().skip(bands.start).take(bands.len());
    let first = rows.next().expect("a rank has bands");
    let last = rows.last().unwrap_or_else(|| first.clone());
    let low = grid.loose_bounds([0, first.start]).min.y;
    let high = grid.loose_bounds([0, last.end - 1]).max.y;
    let has_upper = last.end < grid.loose_cells()[1];
    let reach = grid.search_reach();
    let near = |slot: &u32| {
        let Disc { center, radius } = discs.shape(*slot as usize);
        (has_lower && center.y - radius < low + reach)
            || (has_upper && center.y + radius > high - reach)
    };
    grid.outliers_in(0..own).filter(near).collect()
}

/// Calls `visit` with each own disc that another disc overlaps, and whether it is an outlier.
pub(super) fn visit_own(
    discs: DiscColumns<'_>,
    own: usize,
    grid: &Grid,
    other: Disc,
    mut visit: impl FnMut(u32, bool),
) {
    let overlaps = |slot: usize| slot < own && other.overlaps(&discs.shape(slot));
    grid.slots_near(&Rect::around(other.center, other.radius), |slots| {
        for slot in slots {
            if overlaps(slot) && !grid.is_outlier(slot as u32) {
                visit(slot as u32, false);
            }
        }
    });
    grid.visit_outliers(other.center, other.radius, |slot| {
        if overlaps(slot as usize) {
            visit(slot, true);
        }
    });
}
