//! Contacts: which agents overlap, in canonical order.
//!
//! Overlap is `dx·dx + dy·dy < (ri + rj)²` in f32, in that order of operations, strict.
//!
//! ```text
//! pairs [ band 0: room for K · its agents | band 1: room for K · its agents | …
//!         (i,j) (i,j) (i,j) · · · ·         (i,j) (i,j) · · ·
//! ```
//!
//! The list is laid out along the slots: a band that owns n agents owns room for K·n pairs, wherever the
//! agents have moved, so that nothing is allocated as they do. If a band needs more, the whole list grows
//! before anything is resolved. A pair is never dropped.
//!
//! In a band are the pairs of narrow agents: slot i in one of its rows, slot j behind it in the same row
//! or in the next. Pairs with a wide agent reach farther; they have a list of their own, resolved last.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::Agents,
    claim,
    error::Result,
    grid::{LooseTightGrid, Windows},
    par,
    simd::{Kernel, Usable},
    step::bands::{self, Band},
};

/// Two slots, the lower first.
pub type Pair = [u32; 2];

/// Room for a band's pairs whatever its number of agents.
const ROOM_MIN: usize = 16;
/// Room is counted in parts of an agent.
const PARTS: usize = 16;

/// The pairs that overlap.
#[derive(Debug)]
pub struct Contacts {
    /// The grid's rows, with the slots and the number of pairs found in each.
    pub bands: Vec<Band>,
    pairs: Vec<Pair>,
    /// Room for pairs, in parts an agent.
    room: usize,
    wide: Vec<Pair>,
    /// For each place in `pairs`, then in `wide`: how fast the two approached when it was read.
    speeds: Vec<f32>,
    /// Times that the lists had to grow.
    pub growths: u64,
    /// The instructions that the search runs with.
    pub simd: Usable,
}

impl Contacts {
    /// Lists for `capacity` agents with `per_agent` pairs each, over a grid of so many rows.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(capacity: usize, per_agent: f32, rows: u32) -> Result<Self> {
        let bands = bands::cut(rows);
        let room = (per_agent * PARTS as f32) as usize;
        let length = length(capacity, room, bands.len());
        Ok(Self {
            pairs: claim::filled(length, [0; 2], "the contact lists")?,
            bands,
            room,
            wide: claim::room(capacity / 8, "the contact list of wide agents")?,
            speeds: Vec::new(),
            growths: 0,
            simd: Usable::best(),
        })
    }

    /// Finds all pairs that overlap now. The agents lie in the grid's cell order.
    ///
    /// # Errors
    /// If the lists must grow and there is not enough memory.
    pub fn find(&mut self, agents: &Agents, grid: &LooseTightGrid) -> Result<()> {
        bands::assign(&mut self.bands, grid);
        loop {
            self.share_room();
            find_in(&mut self.bands, &mut self.pairs, agents, grid, self.simd);
            let Some(needed) = self.bands.iter().filter_map(lacking).max() else { break };
            let room = needed + needed / 4 + 1;
            let length = length(agents.len(), room, self.bands.len());
            claim::reach(&mut self.pairs, length, [0; 2], "the contact lists")?;
            self.room = room;
            self.growths += 1;
        }
        self.find_wide(agents, grid)
    }

    /// All pairs in canonical order: band after band, then the wide ones.
    pub fn iter(&self) -> impl Iterator<Item = Pair> {
        let narrow = self.bands.iter().flat_map(|band| pairs_of(band, &self.pairs));
        narrow.chain(&self.wide).copied()
    }

    /// Reads how fast the two of each pair approach now.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn read_speeds(&mut self, agents: &Agents) -> Result<()> {
        let length = self.pairs.len() + self.wide.capacity();
        claim::reach(&mut self.speeds, length, 0.0, "the contacts' speeds")?;
        let (narrow, wide) = self.speeds.split_at_mut(self.pairs.len());
        read_in(&self.bands, &self.pairs, narrow, agents);
        for (speed, &pair) in wide.iter_mut().zip(&self.wide) {
            *speed = approach_speed(agents, pair);
        }
        Ok(())
    }

    /// The lists, to be worked through.
    pub(super) fn lists(&mut self) -> Lists<'_> {
        let Self { bands, pairs, wide, speeds, .. } = self;
        Lists { bands, pairs, wide, speeds }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        (self.pairs.capacity() + self.wide.capacity()) * size_of::<Pair>()
            + self.speeds.capacity() * size_of::<f32>()
            + self.bands.capacity() * size_of::<Band>()
    }

    fn share_room(&mut self) {
        for (index, band) in self.bands.iter_mut().enumerate() {
            let start = |slot: usize, index| slot * self.room / PARTS + index * (ROOM_MIN + 1);
            band.room = start(band.slots.start, index)..start(band.slots.end, index + 1);
        }
    }

    fn find_wide(&mut self, agents: &Agents, grid: &LooseTightGrid) -> Result<()> {
        self.wide.clear();
        let capacity = self.wide.capacity();
        let mut outcome = Ok(());
        visit_wide(agents, grid, |pair| {
            if outcome.is_ok() {
                outcome = claim::push(&mut self.wide, pair, "the contact list of wide agents");
            }
        });
        self.wide.sort_unstable();
        self.growths += u64::from(self.wide.capacity() > capacity);
        outcome
    }
}

/// The contact lists, lent to who works through them: the bands to be written to, the rest as it is.
#[derive(Debug)]
pub(super) struct Lists<'a> {
    pub(super) bands: &'a mut [Band],
    pub(super) pairs: &'a [Pair],
    pub(super) wide: &'a [Pair],
    pub(super) speeds: &'a [f32],
}

/// The pairs of a band, in canonical order.
pub(super) fn pairs_of<'a>(band: &Band, pairs: &'a [Pair]) -> &'a [Pair] {
    &pairs[band.room.start..][..band.found]
}

fn length(agents: usize, room: usize, bands: usize) -> usize {
    agents * room / PARTS + bands * (ROOM_MIN + 1)
}

/// If the band found more pairs than it has room for: the room that would have done.
fn lacking(band: &Band) -> Option<usize> {
    let lacks = band.found > band.room.len();
    lacks.then(|| ((band.found - ROOM_MIN) * PARTS).div_ceil(band.slots.len()))
}

/// Fills the bands' rooms, on all threads of the crew. `pairs` begins with the room of the first band.
fn find_in(
    bands: &mut [Band],
    pairs: &mut [Pair],
    agents: &Agents,
    grid: &LooseTightGrid,
    simd: Usable,
) {
    if let [band] = bands {
        let room = &mut pairs[..band.room.len()];
        band.found = simd.run(Search { agents, grid, rows: band.rows.clone(), room });
    } else if !bands.is_empty() {
        let (lower, upper) = bands.split_at_mut(bands.len() / 2);
        let (below, above) = pairs.split_at_mut(upper[0].room.start - lower[0].room.start);
        par::join(
            || find_in(lower, below, agents, grid, simd),
            || find_in(upper, above, agents, grid, simd),
        );
    }
}

/// The search for the pairs of narrow agents that overlap, the first of the two in some rows of cells; in
/// canonical order.
struct Search<'a> {
    agents: &'a Agents,
    grid: &'a LooseTightGrid,
    rows: Range<u32>,
    room: &'a mut [Pair],
}

impl Kernel for Search<'_> {
    /// How many pairs there are, be there room for them or not.
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { agents, grid, rows, room } = self;
        let any_wide = grid.wide_cells().next().is_some();
        let narrow = if any_wide { grid.narrow_reach() } else { f32::MAX };
        let mut list = List { room, found: 0 };
        for row in rows.filter(|&row| !grid.row_slots(row).is_empty()) {
            for run in grid.runs(row) {
                for windows in grid.windows(run) {
                    list.meet_all(agents, windows, narrow);
                }
            }
        }
        list.found
    }
}

/// Pairs, put down as long as there is room and counted in any case.
struct List<'a> {
    room: &'a mut [Pair],
    found: usize,
}

impl List<'_> {
    /// Puts down the pairs of a cell's narrow agents with those in its windows.
    #[inline(always)]
    fn meet_all(&mut self, agents: &Agents, windows: Windows, narrow: f32) {
        let below = block(agents, windows.below.start);
        for i in windows.own {
            let along = i + 1..windows.along;
            // A window is rarely longer than a block, and in a gas a contact is rare: one branch for both
            // windows, and hardly ever taken. A block may read past the end of its window; what it meets
            // there is not put down.
            let short = along.len().max(windows.below.len()) <= LANES;
            if let (true, Some(one), Some(other)) = (short, block(agents, i + 1), below) {
                if any_overlaps(agents, i, one) | any_overlaps(agents, i, other) {
                    self.put(agents, i, along, overlaps(agents, i, one), narrow);
                    let below = windows.below.clone();
                    self.put(agents, i, below, overlaps(agents, i, other), narrow);
                }
            } else {
                self.meet(agents, i, along, narrow);
                self.meet(agents, i, windows.below.clone(), narrow);
            }
        }
    }

    /// Puts down the pairs of narrow agent `i` with those in a window of any length.
    #[inline(always)]
    fn meet(&mut self, agents: &Agents, i: usize, window: Range<usize>, narrow: f32) {
        for start in window.clone().step_by(LANES) {
            let hits = match block(agents, start) {
                Some(block) => overlaps(agents, i, block),
                None => (start..window.end.min(start + LANES))
                    .map(|j| u32::from(overlap(agents, i, j)) << (j - start))
                    .fold(0, |hits, hit| hits | hit),
            };
            self.put(agents, i, start..window.end, hits, narrow);
        }
    }

    /// Puts down the pairs of narrow agent `i` with those hit of the first block of a window.
    #[inline(always)]
    fn put(&mut self, agents: &Agents, i: usize, window: Range<usize>, mut hits: u32, narrow: f32) {
        while hits != 0 {
            let j = window.start + hits.trailing_zeros() as usize;
            hits &= hits - 1;
            if j < window.end && agents.radius[i].max(agents.radius[j]) <= narrow {
                if let Some(place) = self.room.get_mut(self.found) {
                    *place = [i as u32, j as u32];
                }
                self.found += 1;
            }
        }
    }
}

/// Candidates that are tested at once: most windows hold no more.
const LANES: usize = 16;

/// So many discs: their x, their y, their radii.
type Block<'a> = [&'a [f32; LANES]; 3];

/// The block that begins in a slot, if there are so many slots from there on.
#[inline(always)]
fn block(agents: &Agents, start: usize) -> Option<Block<'_>> {
    let Agents { x, y, radius, .. } = agents;
    Some([
        x.get(start..)?.first_chunk()?,
        y.get(start..)?.first_chunk()?,
        radius.get(start..)?.first_chunk()?,
    ])
}

/// True if agent `i` overlaps one of the block: no branch until all are tested, and a third quicker than
/// to ask which.
#[inline(always)]
fn any_overlaps(agents: &Agents, i: usize, [x, y, radius]: Block<'_>) -> bool {
    let disc = [agents.x[i], agents.y[i], agents.radius[i]];
    let mut any = false;
    for lane in 0..LANES {
        any |= discs_overlap(disc, [x[lane], y[lane], radius[lane]]);
    }
    any
}

/// Which of the block agent `i` overlaps, a bit each.
#[inline(always)]
fn overlaps(agents: &Agents, i: usize, [x, y, radius]: Block<'_>) -> u32 {
    let disc = [agents.x[i], agents.y[i], agents.radius[i]];
    let mut hits = 0;
    for lane in 0..LANES {
        hits |= u32::from(discs_overlap(disc, [x[lane], y[lane], radius[lane]])) << lane;
    }
    hits
}

#[inline(always)]
fn overlap(agents: &Agents, i: usize, j: usize) -> bool {
    let Agents { x, y, radius, .. } = agents;
    discs_overlap([x[i], y[i], radius[i]], [x[j], y[j], radius[j]])
}

/// The one definition of overlap: f32, in this order of operations, strict.
#[inline(always)]
fn discs_overlap([xi, yi, ri]: [f32; 3], [xj, yj, rj]: [f32; 3]) -> bool {
    let (dx, dy, reach) = (xj - xi, yj - yi, ri + rj);
    dx * dx + dy * dy < reach * reach
}

/// Calls `visit` with each pair of agents that overlap, at least one of them wide; in no order. Who is
/// wide searches for narrow ones, and for wide ones in later slots.
fn visit_wide(agents: &Agents, grid: &LooseTightGrid, mut visit: impl FnMut(Pair)) {
    let Agents { x, y, radius, .. } = agents;
    let narrow = grid.narrow_reach();
    for i in grid.wide_cells().flatten().filter(|&i| radius[i] > narrow) {
        grid.visit_disc(agents, Vec2::new(x[i], y[i]), radius[i], |j| {
            let j = j as usize;
            let first = radius[j] <= narrow || j > i;
            if first && overlap(agents, i, j) {
                visit([i.min(j) as u32, i.max(j) as u32]);
            }
        });
    }
}

/// Fills in the speeds of the bands' pairs, on all threads of the crew. `speeds` begins with the room of
/// the first band.
fn read_in(bands: &[Band], pairs: &[Pair], speeds: &mut [f32], agents: &Agents) {
    if let [band] = bands {
        for (speed, &pair) in speeds.iter_mut().zip(pairs_of(band, pairs)) {
            *speed = approach_speed(agents, pair);
        }
    } else if !bands.is_empty() {
        let (lower, upper) = bands.split_at(bands.len() / 2);
        let (below, above) = speeds.split_at_mut(upper[0].room.start - lower[0].room.start);
        par::join(|| read_in(lower, pairs, below, agents), || read_in(upper, pairs, above, agents));
    }
}

/// How fast two agents approach along the line of their centres; 0 if these coincide.
fn approach_speed(agents: &Agents, [i, j]: Pair) -> f32 {
    let (i, j) = (agents.get(i as usize), agents.get(j as usize));
    let (delta, velocity) = (j.position - i.position, j.velocity - i.velocity);
    let distance = (delta.x * delta.x + delta.y * delta.y).sqrt();
    if distance > 0.0 { -(delta.x * velocity.x + delta.y * velocity.y) / distance } else { 0.0 }
}
