//! Regrid: makes the grid exact for the current positions, and from time to time sorts the agents
//! into cell order.
//!
//! Agents that have moved stay in their home cells, and the few that have left theirs too far are
//! listed as outliers: a small part of the time of a sort. Each outlier makes the search for
//! contacts a little slower; once they have cost as much as a sort would, agents are sorted: those of
//! the bands with the most outliers, so that no step is much slower than the others, or all of them
//! where that has to be. When that is depends on the agents alone, so that a run is the same on any
//! machine.

use std::ops::Range;

use glam::Vec2;

use super::{
    due_bands::{self, DueBand, DueBands},
    motion::Moved,
    slot_table::SlotTable,
    spare_columns::{Order, SpareColumns},
};
use crate::{
    agents::{Agent, Agents},
    alloc,
    contacts::PARITIES,
    error::Result,
    geometry::Space,
    grid::{Disc, Elements, Grid, Merge, Stretch},
    parallel,
    simd::SimdLevel,
};

/// The spare columns, and when to sort.
#[derive(Debug)]
pub(crate) struct Regrid {
    spare: SpareColumns,
    due: DueBands,
    /// Outliers right after the last sort of all agents: those too large for their cells.
    large: usize,
    /// Outliers beside these, added up over the substeps, that no sort has been paid with.
    drifted: usize,
    /// Where agents are wrapped.
    space: Space,
    slots: SlotTable,
    /// Empty until agents come and go.
    merge: Merge,
}

/// Agents beyond a border that repeats.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AgentsBeyond {
    pub(crate) count: usize,
    /// True if an outlier is far from its cell: one that is beyond may be it.
    pub(crate) is_far: bool,
}

/// The agents that a sort keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retain {
    /// All of them.
    All,
    /// All but the agents with the id [`Agents::GONE`], after agents came and went.
    Living,
}

/// Substeps ahead of the current positions that home cells are chosen for: about half of those
/// until the next sort, for agents that move fast.
pub(crate) const SUBSTEPS_AHEAD: f32 = 2.0;

/// Slots per task.
const PIECE: usize = 16_384;

/// Agents per outlier that is tolerated before a sort: about the cost of a sort relative to the
/// search for an outlier.
const AGENTS_PER_OUTLIER: usize = 24;

/// Agents per agent that comes or goes, at least, for a merge to be faster than a sort.
const AGENTS_PER_CHANGE: usize = 8;

/// Substeps in which outliers beyond a border that repeats may cost as much as a sort of all agents,
/// the only one that brings them to the opposite border.
const SUBSTEPS_BEYOND: usize = 16;

impl Regrid {
    /// Creates the spare columns of the agents on a grid, with or without one for bytes, and the lists of
    /// its bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(grid: &Grid, bytes: bool, space: Space) -> Result<Self> {
        Ok(Self {
            spare: SpareColumns::new(grid.config().capacity, bytes)?,
            due: DueBands::new(grid.bands().count())?,
            large: 0,
            drifted: 0,
            space,
            slots: SlotTable::default(),
            merge: Merge::default(),
        })
    }

    /// Creates spare columns that decide on the next sort as `other` does.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn like(other: &Self, grid: &Grid, bytes: bool) -> Result<Self> {
        let Self { large, drifted, space, .. } = *other;
        Ok(Self { large, drifted, ..Self::new(grid, bytes, space)? })
    }

    /// The counts that decide when the next sort comes: large outliers, and outliers that drifted.
    pub(crate) fn due(&self) -> [usize; 2] {
        [self.large, self.drifted]
    }

    /// Sets the counts that decide when the next sort comes.
    pub(crate) fn set_due(&mut self, [large, drifted]: [usize; 2]) {
        (self.large, self.drifted) = (large, drifted);
    }

    /// Bytes that [`Self::new`] allocates for `capacity` agents and `bands` bands.
    pub(crate) fn memory_for(capacity: usize, bytes: bool, bands: usize) -> usize {
        SpareColumns::memory_for(capacity, bytes) + DueBands::memory_for(bands)
    }

    /// Makes the grid exact for the positions that a motion has led to: lists the outliers, and sorts all
    /// agents once there have been too many, or one has strayed too far from the world. If it may, it
    /// sorts the bands that are due instead, so that no step is much slower than the others; nothing of
    /// the caller may belong to slots then. Returns true if it has sorted any.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(crate) fn run(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        moved: &Moved,
        dt: f32,
        spreads: bool,
        simd: SimdLevel,
    ) -> Result<bool> {
        let spreads = spreads && grid.has_stretches(agents.len());
        let seconds = SUBSTEPS_AHEAD * dt;
        let sorts = if spreads {
            let beyond = self.beyond(agents, grid, agents.len());
            self.must_sort(agents.len(), moved.outliers, beyond)
        } else {
            self.is_due(moved.outliers, agents.len())
        };
        if sorts | moved.strayed {
            self.sort(agents, None, grid, Retain::All, seconds, simd)?;
            return Ok(true);
        }
        let mut sorted = None;
        if spreads {
            self.count_bands(agents, grid);
            self.choose_bands();
            for parity in PARITIES {
                sorted = self.sort_bands(parity, agents, grid, seconds, simd).or(sorted);
            }
            if sorted.is_some() {
                self.slots.update(&agents.id, self.due.slots(grid));
            }
        }
        grid.list_outliers(agents, sorted.unwrap_or(moved.outliers))?;
        Ok(sorted.is_some())
    }

    /// The agents beyond a border that repeats, among those before slot `end`.
    pub(crate) fn beyond(&self, agents: &Agents, grid: &Grid, end: usize) -> AgentsBeyond {
        let count = due_bands::beyond(agents, grid, &self.space, end);
        AgentsBeyond { count, is_far: grid.max_drift() > 2.0 * grid.near_limit() }
    }

    /// Counts the outliers of a substep, some of them beyond a border that repeats; returns true if sorts
    /// of bands are not enough, since most agents would be sorted at once, or too many are beyond, or
    /// one so far that searches go as far.
    pub(crate) fn must_sort(
        &mut self,
        agents: usize,
        outliers: usize,
        AgentsBeyond { count: beyond, is_far }: AgentsBeyond,
    ) -> bool {
        self.large = self.large.min(outliers);
        let drifted = outliers.saturating_sub(self.large + beyond);
        let most = agents.div_ceil(AGENTS_PER_OUTLIER);
        self.drifted = self.drifted.saturating_add(drifted).min(most);
        (drifted > most) | (beyond * SUBSTEPS_BEYOND > most) | (beyond > 0 && is_far)
    }

    /// Leaves out the bands that other ranks of a cluster own.
    pub(crate) fn restrict(&mut self, own: Range<usize>) {
        self.due.restrict(own);
    }

    /// Counts the agents of each band that have left their cells; returns the bands that have any. The
    /// grid has recorded the outliers.
    pub(crate) fn count_bands(&mut self, agents: &Agents, grid: &Grid) -> &mut Vec<DueBand> {
        self.due.count(agents, grid, &self.space)
    }

    /// Sets the bands that were counted, on all ranks.
    pub(crate) fn set_counted(&mut self, bands: Vec<DueBand>) {
        self.due.set_counted(bands);
    }

    /// Chooses the counted bands that the outliers have paid for.
    pub(crate) fn choose_bands(&mut self) {
        let sorted = self.due.choose(self.drifted * AGENTS_PER_OUTLIER);
        self.drifted -= sorted.div_ceil(AGENTS_PER_OUTLIER);
    }

    /// True if a band is chosen.
    pub(crate) fn is_chosen(&self, band: usize) -> bool {
        self.due.is_due(band)
    }

    /// Sorts the chosen bands of one parity; returns the number of outliers then. `None` if there is no
    /// such band. [`Self::slot_of`] does not follow.
    pub(crate) fn sort_bands(
        &mut self,
        parity: usize,
        agents: &mut Agents,
        grid: &mut Grid,
        seconds: f32,
        simd: SimdLevel,
    ) -> Option<usize> {
        let stretches = self.due.stretches(parity, grid);
        if stretches.is_empty() {
            return None;
        }
        if self.space.repeats()[0] {
            // The rows of a stretch reach from border to border.
            for Stretch { slots, .. } in &*stretches {
                self.space.wrap_all(0, &mut agents.x[slots.clone()]);
            }
        }
        let ahead = Ahead::new(agents, seconds, grid);
        let order = grid.sort_stretches(&ahead, stretches);
        self.spare.gather(agents, None, Order::Stretches(order, stretches), simd);
        Some(grid.set_sorted_stretches(agents, stretches))
    }

    /// Counts the outliers of a substep, of which the grid has recorded `outliers`; returns true
    /// once a sort is due.
    pub(crate) fn is_due(&mut self, outliers: usize, agents: usize) -> bool {
        self.drifted += outliers.saturating_sub(self.large);
        self.drifted * AGENTS_PER_OUTLIER > agents
    }

    /// Takes the outliers right after a sort for the large ones.
    pub(crate) fn set_large(&mut self, outliers: usize) {
        self.large = outliers;
    }

    /// Wraps the agents into the world, where it repeats, and sorts them by the cells that they
    /// will be in some seconds ahead, and a column of the caller with them.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(crate) fn sort(
        &mut self,
        agents: &mut Agents,
        column: Option<&mut Vec<u32>>,
        grid: &mut Grid,
        retain: Retain,
        seconds: f32,
        simd: SimdLevel,
    ) -> Result<()> {
        self.slots.clear();
        self.wrap(agents);
        let ahead = Ahead::new(agents, seconds, grid);
        let order = match retain {
            Retain::All => grid.sort_kept(&ahead, |_| true)?,
            Retain::Living => grid.sort_kept(&ahead, |slot| agents.id[slot] != Agents::GONE)?,
        };
        self.spare.gather(agents, column, Order::Whole(order), simd);
        let ahead = Ahead::new(agents, seconds, grid);
        grid.set_sorted_homed(&ahead, agents)?;
        self.large = grid.outlier_count();
        self.drifted = 0;
        Ok(())
    }

    /// True if [`Self::merge`] can bring that many agents that come and go into the grid of a run of so many
    /// agents, of which a rank has some.
    pub(crate) fn can_merge(grid: &Grid, agents: usize, changes: usize) -> bool {
        grid.has_stretches(agents) && changes * AGENTS_PER_CHANGE <= agents
    }

    /// Brings the agents behind those in the grid into cell order, and drops the agents in the slots `gone`,
    /// which ascend. The others keep their cells and their order. The windows of the grid are left out unless agents
    /// collide. Returns the number of large outliers that go, and of those that come, for
    /// [`Self::change_large`]; of a rank, these are in its own bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn merge(
        &mut self,
        agents: &mut Agents,
        column: Option<&mut Vec<u32>>,
        grid: &mut Grid,
        (gone, collide): (impl Iterator<Item = usize> + Clone, bool),
        seconds: f32,
        simd: SimdLevel,
    ) -> Result<[usize; 2]> {
        self.slots.clear();
        let is_large = |agents: &Agents, grid: &Grid, slot: usize| {
            grid.is_outlier(slot as u32) && agents.radius[slot] > grid.near_limit()
        };
        let (kept, own) = (grid.len(), self.due.own_end(grid));
        let left = if grid.outlier_count() > 0 {
            let own = gone.clone().take_while(|&slot| slot < own);
            own.filter(|&slot| is_large(agents, grid, slot)).count()
        } else {
            0
        };
        grid.merge(&Ahead::new(agents, seconds, grid), gone, &mut self.merge)?;
        self.spare.gather(agents, column, Order::Merged(&self.merge), simd);
        grid.set_merged(agents, collide)?;
        let own = self.due.own_end(grid) as u32;
        let newcomers = self.merge.newcomers(kept).take_while(|&slot| slot < own);
        Ok([left, newcomers.filter(|&slot| grid.is_outlier(slot)).count()])
    }

    /// Follows large outliers that go and come, by which the time of the next sort stays as it is.
    pub(crate) fn change_large(&mut self, [go, come]: [usize; 2]) {
        self.large = self.large.saturating_sub(go) + come;
    }

    /// Wraps all agents into the world, along axes along which it repeats.
    pub(crate) fn wrap(&self, agents: &mut Agents) {
        if !self.space.is_periodic() {
            return;
        }
        for (axis, column) in [&mut agents.x, &mut agents.y].into_iter().enumerate() {
            parallel::pieces(
                &mut column[..],
                PIECE,
                &|_, piece: &mut [f32]| self.space.wrap_all(axis, piece),
                &|(), ()| (),
            );
        }
    }

    /// Gives the agents with these ids the id [`Agents::GONE`], so that a sort of the living drops
    /// them; returns their number. A spare column holds the sorted list meanwhile.
    ///
    /// # Errors
    /// If the list is longer than the column, and there is not enough memory.
    pub(crate) fn mark_gone(&mut self, agents: &mut Agents, ids: &[u32]) -> Result<usize> {
        let listed = &mut self.spare.words;
        alloc::grow_to(listed, ids.len(), Agents::GONE, "the list of ids")?;
        listed.copy_from_slice(ids);
        listed.sort_unstable();
        let listed = &listed[..];
        Ok(parallel::pieces(
            &mut agents.id[..],
            PIECE,
            &|_, ids: &mut [u32]| {
                let mut gone = 0;
                for id in ids {
                    if listed.binary_search(id).is_ok() {
                        *id = Agents::GONE;
                        gone += 1;
                    }
                }
                gone
            },
            &|one, other| one + other,
        ))
    }

    /// The slot of the agent with this id, if there is one. The first call after a sort takes O(n).
    ///
    /// # Panics
    /// If there is not enough memory.
    pub(crate) fn slot_of(&self, agents: &Agents, id: u32) -> Option<usize> {
        self.slots.find(&agents.id, id)
    }

    /// Allocates what [`Self::slot_of`] needs.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn prepare_slots(&self, agents: &Agents) -> Result<()> {
        self.slots.build(&agents.id)
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        let lists = self.slots.memory() + self.merge.memory();
        self.spare.memory() + DueBands::memory_for(self.due.bands()) + lists
    }
}

/// The agents where they will be some substeps ahead, but within the reach of the current position:
/// assigned to the cell that it moves to, an agent first comes closer to its home cell and then
/// leaves it.
pub(crate) struct Ahead<'a> {
    agents: &'a Agents,
    seconds: f32,
    /// Distance that a near agent may stand out of its home cell, world units.
    reach: f32,
}

impl<'a> Ahead<'a> {
    /// The agents some seconds ahead, as a sort on that grid takes them.
    pub(crate) fn new(agents: &'a Agents, seconds: f32, grid: &Grid) -> Self {
        Self { agents, seconds, reach: grid.near_limit() }
    }

    #[inline(always)]
    fn position(&self, center: Vec2, [vx, vy]: [f32; 2], radius: f32) -> Vec2 {
        let most = (self.reach - radius).max(0.0);
        let ahead = |speed: f32| (speed * self.seconds).max(-most).min(most);
        Vec2::new(center.x + ahead(vx), center.y + ahead(vy))
    }
}

impl Elements for Ahead<'_> {
    type Shape = Disc;
    fn len(&self) -> usize {
        self.agents.len()
    }
    fn shape(&self, slot: usize) -> Disc {
        let Agent { position, velocity, radius, .. } = self.agents.get(slot);
        Disc { center: self.position(position, velocity.to_array(), radius), radius }
    }
    #[inline(always)]
    fn extents(&self, range: Range<usize>) -> impl Iterator<Item = (Vec2, f32)> {
        let Agents { vx, vy, .. } = self.agents;
        let velocities = vx[range.clone()].iter().zip(&vy[range.clone()]);
        self.agents
            .extents(range)
            .zip(velocities)
            .map(|((center, radius), (&vx, &vy))| (self.position(center, [vx, vy], radius), radius))
    }
}
