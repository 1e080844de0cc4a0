//! Regrid: makes the grid exact for where the agents are now, and now and then brings them into the order of
//! the cells that they have come to.
//!
//! Agents that have moved stay in the cells that they were homed in, and the few that have gone too far are
//! listed: that takes a small part of the time of a sort. Each of them makes the search for contacts a
//! little slower; once they have cost as much as a sort would, all are sorted. When that is depends on the
//! agents alone, so that a run is the same on any machine.
//!
//! One column beside the six is enough: each is gathered into it in turn, and they change places.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::{Agent, Agents, Units},
    alloc,
    error::Result,
    grid::{Disc, Elements, Grid},
    parallel,
    simd::{Kernel, SimdLevel},
};

/// The spare columns.
#[derive(Debug)]
pub(crate) struct Regrid {
    numbers: Vec<f32>,
    ids: Vec<u32>,
    /// None where agents have no sides.
    bytes: Vec<u8>,
    /// Agents that are far wherever they are homed.
    large: usize,
    /// Agents that were found far from their homes since the last sort, step by step.
    strayed: usize,
}

/// Who is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Everybody is there.
    All,
    /// Agents came and went: who has the id [`Agents::GONE`] is left out.
    Living,
}

/// Steps ahead that agents are homed: about half of those until the next sort, in what moves fast.
const STEPS_AHEAD: f32 = 2.0;

/// Slots that are gathered together.
const PIECE: usize = 16_384;

/// Agents for one that may be found far before all are homed anew: about what a sort costs beside a
/// search for one that is far.
const STRAYED_SHARE: usize = 24;

impl Regrid {
    /// Columns for so many agents that are like these.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, agents: &Agents) -> Result<Self> {
        let bytes = if agents.units.is_some() { capacity } else { 0 };
        Ok(Self {
            numbers: alloc::with_capacity(capacity, "the column for sorting")?,
            ids: alloc::with_capacity(capacity, "the column for sorting")?,
            bytes: alloc::with_capacity(bytes, "the column for sorting")?,
            large: 0,
            strayed: 0,
        })
    }

    /// Makes the grid exact for where the agents are now, of whom so many are far from their homes: most of the
    /// time by listing those, and by sorting all once they have become too many.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(crate) fn run(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        far: usize,
        dt: f32,
        simd: SimdLevel,
    ) -> Result<()> {
        self.strayed += far.saturating_sub(self.large);
        if self.strayed * STRAYED_SHARE > agents.len() {
            self.sort(agents, grid, Who::All, dt, simd)
        } else {
            grid.list_outliers(agents, far)
        }
    }

    /// Brings agents into the order of the cells that they are in now.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(crate) fn sort(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        who: Who,
        dt: f32,
        simd: SimdLevel,
    ) -> Result<()> {
        let (seconds, reach) = (STEPS_AHEAD * dt, grid.near_limit());
        let ahead = Ahead { agents, seconds, reach };
        let order = match who {
            Who::All => grid.sort_kept(&ahead, |_| true)?,
            Who::Living => grid.sort_kept(&ahead, |slot| agents.id[slot] != Agents::GONE)?,
        };
        self.gather(agents, order, simd);
        grid.set_sorted_homed(&Ahead { agents, seconds, reach }, agents)?;
        self.large = grid.outlier_count();
        self.strayed = 0;
        Ok(())
    }

    /// Brings each column into order.
    fn gather(&mut self, agents: &mut Agents, order: &[u32], simd: SimdLevel) {
        let Agents { x, y, vx, vy, radius, id, units } = agents;
        for column in [x, y, vx, vy, radius] {
            gather(column, &mut self.numbers, order, simd);
        }
        gather(id, &mut self.ids, order, simd);
        if let Some(Units { faction, health }) = units {
            gather(faction, &mut self.bytes, order, simd);
            gather(health, &mut self.bytes, order, simd);
        }
    }

    /// Marks the agents with these ids as gone, to be left out when the living are sorted next; says how many there
    /// were. The spare column holds the list meanwhile.
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

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        (self.numbers.capacity() + self.ids.capacity()) * 4 + self.bytes.capacity()
    }
}

/// Where agents will be, but not so far from where they are that they would be far from home at once. Homed there,
/// they come closer to their homes before they go away.
struct Ahead<'a> {
    agents: &'a Agents,
    seconds: f32,
    /// How far a near agent may stand out of its home, world units.
    reach: f32,
}

impl Ahead<'_> {
    #[inline(always)]
    fn of(&self, center: Vec2, [vx, vy]: [f32; 2], radius: f32) -> Vec2 {
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
        Disc { center: self.of(position, velocity.to_array(), radius), radius }
    }
    #[inline(always)]
    fn extents(&self, range: Range<usize>) -> impl Iterator<Item = (Vec2, f32)> {
        let Agents { vx, vy, .. } = self.agents;
        let velocities = vx[range.clone()].iter().zip(&vy[range.clone()]);
        self.agents
            .extents(range)
            .zip(velocities)
            .map(|((center, radius), (&vx, &vy))| (self.of(center, [vx, vy], radius), radius))
    }
}

/// Brings a column into order, on all threads of the pool.
fn gather<T: Copy + Default + Send + Sync>(
    column: &mut Vec<T>,
    spare: &mut Vec<T>,
    order: &[u32],
    simd: SimdLevel,
) {
    spare.resize(order.len(), T::default());
    let pieces = (&mut spare[..], order);
    parallel::pieces(
        pieces,
        PIECE,
        &|_, (spare, order): (&mut [T], &[u32])| simd.run(Gather { column, spare, order }),
        &|(), ()| (),
    );
    std::mem::swap(column, spare);
}

/// A piece of a column, brought into order.
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
            // The order has no slot that isn't there. Said so that it shows, there is no branch.
            *to = column[from.min(last) as usize];
        }
    }
}
