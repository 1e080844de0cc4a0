//! Regrid: makes the grid exact for the current positions, and from time to time sorts the agents
//! into cell order.
//!
//! Agents that have moved stay in their home cells, and the few that have left theirs too far are
//! listed as outliers: a small part of the time of a sort. Each outlier makes the search for
//! contacts a little slower; once they have cost as much as a sort would, all agents are sorted.
//! When that is depends on the agents alone, so that a run is the same on any machine.
//!
//! One spare column per type is enough: each column is gathered into it in turn, and the two are
//! swapped.

use std::ops::Range;

use glam::Vec2;

use super::{motion::Moved, slot_table::SlotTable};
use crate::{
    agents::{Agent, Agents, OwnColumns, Units},
    alloc,
    error::Result,
    geometry::Space,
    grid::{Disc, Elements, Grid},
    parallel,
    simd::{Kernel, SimdLevel},
};

/// The spare columns, and when to sort.
#[derive(Debug)]
pub(crate) struct Regrid {
    numbers: Vec<f32>,
    ids: Vec<u32>,
    /// Without capacity if the agents have no columns of bytes.
    bytes: Vec<u8>,
    /// Outliers right after the last sort: agents too large for their cells.
    large: usize,
    /// Outliers beside these, added up over the substeps since the last sort.
    drifted: usize,
    /// Where agents are wrapped.
    space: Space,
    slots: SlotTable,
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

impl Regrid {
    /// Creates the spare columns of `capacity` agents, with or without one for bytes.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, bytes: bool, space: Space) -> Result<Self> {
        let bytes = if bytes { capacity } else { 0 };
        Ok(Self {
            numbers: alloc::with_capacity(capacity, "the column for sorting")?,
            ids: alloc::with_capacity(capacity, "the column for sorting")?,
            bytes: alloc::with_capacity(bytes, "the column for sorting")?,
            large: 0,
            drifted: 0,
            space,
            slots: SlotTable::default(),
        })
    }

    /// Creates spare columns that decide on the next sort as `other` does.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn like(other: &Self, capacity: usize, bytes: bool) -> Result<Self> {
        let Self { large, drifted, space, .. } = *other;
        Ok(Self { large, drifted, ..Self::new(capacity, bytes, space)? })
    }

    /// The counts that decide when the next sort comes: large outliers, and outliers that drifted.
    pub(crate) fn due(&self) -> [usize; 2] {
        [self.large, self.drifted]
    }

    /// Sets the counts that decide when the next sort comes.
    pub(crate) fn set_due(&mut self, [large, drifted]: [usize; 2]) {
        (self.large, self.drifted) = (large, drifted);
    }

    /// Bytes that [`Self::new`] allocates.
    pub(crate) fn memory_for(capacity: usize, bytes: bool) -> usize {
        capacity * (size_of::<f32>() + size_of::<u32>() + usize::from(bytes))
    }

    /// Makes the grid exact for the positions that a motion has led to: lists the outliers, or
    /// sorts all agents once there have been too many, or one has strayed too far from the world.
    /// Returns true if it has sorted them.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(crate) fn run(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        moved: &Moved,
        dt: f32,
        simd: SimdLevel,
    ) -> Result<bool> {
        let sorts = self.is_due(moved.outliers, agents.len()) | moved.strayed;
        if sorts {
            self.sort(agents, None, grid, Retain::All, SUBSTEPS_AHEAD * dt, simd)?;
        } else {
            grid.list_outliers(agents, moved.outliers)?;
        }
        Ok(sorts)
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
        let reach = grid.near_limit();
        let ahead = Ahead { agents, seconds, reach };
        let order = match retain {
            Retain::All => grid.sort_kept(&ahead, |_| true)?,
            Retain::Living => grid.sort_kept(&ahead, |slot| agents.id[slot] != Agents::GONE)?,
        };
        self.gather(agents, order, simd);
        if let Some(column) = column {
            gather(column, &mut self.ids, order, simd);
        }
        grid.set_sorted_homed(&Ahead { agents, seconds, reach }, agents)?;
        self.large = grid.outlier_count();
        self.drifted = 0;
        Ok(())
    }

    /// Wraps all agents into the world, along axes along which it repeats.
    fn wrap(&self, agents: &mut Agents) {
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

    /// Gathers all columns in an order.
    fn gather(&mut self, agents: &mut Agents, order: &[u32], simd: SimdLevel) {
        let Agents { x, y, vx, vy, radius, id, units, own } = agents;
        for column in [x, y, vx, vy, radius] {
            gather(column, &mut self.numbers, order, simd);
        }
        gather(id, &mut self.ids, order, simd);
        if let Some(Units { faction, health }) = units {
            gather(faction, &mut self.bytes, order, simd);
            gather(health, &mut self.bytes, order, simd);
        }
        if let Some(OwnColumns { species, numbers }) = own.as_deref_mut() {
            if let Some(species) = species {
                gather(species, &mut self.bytes, order, simd);
            }
            for column in numbers {
                gather(&mut column.values, &mut self.numbers, order, simd);
            }
        }
    }

    /// Gives the agents with these ids the id [`Agents::GONE`], so that a sort of the living drops
    /// them; returns their number. A spare column holds the sorted list meanwhile.
    ///
    /// # Errors
    /// If the list is longer than the column, and there is not enough memory.
    pub(crate) fn mark_gone(&mut self, agents: &mut Agents, ids: &[u32]) -> Result<usize> {
        let listed = &mut self.ids;
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
        (self.numbers.capacity() + self.ids.capacity()) * 4
            + self.bytes.capacity()
            + self.slots.memory()
    }
}

/// The agents where they will be some substeps ahead, but within the reach of the current position:
/// assigned to the cell that it moves to, an agent first comes closer to its home cell and then
/// leaves it.
struct Ahead<'a> {
    agents: &'a Agents,
    seconds: f32,
    /// Distance that a near agent may stand out of its home cell, world units.
    reach: f32,
}

impl Ahead<'_> {
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

/// Gathers a column in an order, on all threads of the pool.
fn gather<T: Copy + Default + Send + Sync>(
    column: &mut Vec<T>,
    spare: &mut Vec<T>,
    order: &[u32],
    simd: SimdLevel,
) {
    spare.resize(order.len(), T::default());
    parallel::pieces(
        (&mut spare[..], order),
        PIECE,
        &|_, (spare, order): (&mut [T], &[u32])| simd.run(Gather { column, spare, order }),
        &|(), ()| (),
    );
    std::mem::swap(column, spare);
}

/// A part of a column to be gathered.
struct Gather<'a, T> {
    column: &'a [T],
    spare: &'a mut [T],
    order: &'a [u32],
}

impl<T: Copy> Kernel for Gather<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { column, spare, order } = self;
        let Some(last) = (column.len() as u32).checked_sub(1) else { return };
        for (to, &from) in spare.iter_mut().zip(order) {
            // The order has only slots that exist; the visible bound saves a branch.
            *to = column[from.min(last) as usize];
        }
    }
}
