//! The seam: pairs of discs that touch across the border of a world that repeats.
//!
//! The search takes each copy of the [halo](Halo) for a disc of its own and finds what it touches
//! in the world. Copies are rounded and a bit too large, so a pair that is found counts only if the
//! two overlap by the displacement to the nearest copy ([`Space::minimum_image`]), which is the
//! same in both directions. So this search and another index, which is lent the copies as further
//! discs, find the same pairs.
//!
//! Pairs hold the slots of the two discs themselves, the lower first, and are in ascending order.
//! They are resolved last, on one thread: the first and the last band are neighbors here.

use super::{bands::Pair, halo::Halo};
use crate::{
    alloc,
    error::Result,
    geometry::{DiscColumns, Elements, Rect, Shape, Space},
    grid::Grid,
};

/// Purpose of the memory, for errors.
const PAIRS: &str = "the contacts across the seam";

/// The pairs across the seam of a space, and the halo that they are found in.
#[derive(Clone, Debug)]
pub(crate) struct Seam {
    space: Space,
    halo: Halo,
    pairs: Vec<Pair>,
    /// Number of pairs for which memory was last claimed.
    room: usize,
    growths: u64,
}

impl Seam {
    /// The seam of a run of `agents` agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(space: Space, agents: usize) -> Result<Self> {
        let room = Halo::room_for(agents);
        let pairs = alloc::with_capacity(room, PAIRS)?;
        Ok(Self { space, halo: Halo::new(agents)?, pairs, room, growths: 0 })
    }

    /// Refreshes the halo and removes all pairs. The discs lie in the grid's cell order.
    ///
    /// # Errors
    /// If the halo must grow and there is not enough memory.
    pub(crate) fn refresh(&mut self, discs: DiscColumns<'_>, grid: &Grid) -> Result<()> {
        self.refresh_within(discs, grid, self.reached(discs, grid))
    }

    /// The same for discs that are some of those in an area.
    ///
    /// # Errors
    /// As [`Self::refresh`].
    pub(crate) fn refresh_within(
        &mut self,
        discs: DiscColumns<'_>,
        grid: &Grid,
        reached: Rect,
    ) -> Result<()> {
        self.pairs.clear();
        self.halo.gather(discs, grid, &self.space, reached)
    }

    /// The area that the discs reach.
    pub(crate) fn reached(&self, discs: DiscColumns<'_>, grid: &Grid) -> Rect {
        Halo::reached(discs, grid, &self.space)
    }

    /// Finds all pairs. The discs lie in the grid's cell order.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    pub(super) fn find(&mut self, discs: DiscColumns<'_>, grid: &Grid) -> Result<()> {
        self.refresh(discs, grid)?;
        let mut kept = Ok(());
        for index in 0..self.halo.len() {
            let copy = self.halo.discs().shape(index);
            // Near discs meet outliers by the copies of these.
            let is_outlier = grid.is_outlier(self.halo.slots()[index]);
            grid.slots_near(&copy.bounds(), |slots| {
                for slot in slots {
                    let hit = copy.overlaps(&discs.shape(slot));
                    if hit && kept.is_ok() && !grid.is_outlier(slot as u32) {
                        kept = self.offer(discs, grid, slot as u32, index);
                    }
                }
            });
            if is_outlier {
                grid.visit_outliers(copy.center(), copy.radius, |slot| {
                    if copy.overlaps(&discs.shape(slot as usize)) && kept.is_ok() {
                        kept = self.offer(discs, grid, slot, index);
                    }
                });
            }
        }
        kept?;
        self.sort();
        Ok(())
    }

    /// Keeps a pair that a search found, of the disc in a slot and a copy of the halo, if the two
    /// overlap and the pair is not found another time.
    ///
    /// # Errors
    /// If the list must grow and there is not enough memory.
    pub(crate) fn offer(
        &mut self,
        discs: DiscColumns<'_>,
        grid: &Grid,
        slot: u32,
        copy: usize,
    ) -> Result<()> {
        let other = self.halo.slots()[copy];
        // Each copy of an outlier meets everything; two outliers meet by the copies of both.
        let counts = match [slot, other].map(|slot| grid.is_outlier(slot)) {
            [false, _] => true,
            [true, false] => false,
            [true, true] => slot < other,
        };
        let [one, two] = [slot, other].map(|slot| discs.shape(slot as usize));
        let d = self.space.minimum_image(two.center - one.center);
        let reach = one.radius + two.radius;
        let overlap = d.x * d.x + d.y * d.y < reach * reach;
        if counts && overlap {
            alloc::push(&mut self.pairs, [slot.min(other), slot.max(other)], PAIRS)?;
        }
        Ok(())
    }

    /// Drops the pairs for which `keep` returns false.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(Pair) -> bool) {
        self.pairs.retain(|&pair| keep(pair));
    }

    /// Brings the pairs into canonical order.
    pub(crate) fn sort(&mut self) {
        self.pairs.sort_unstable();
        if self.pairs.len() > self.room {
            self.room = self.pairs.len() + self.pairs.len() / 4;
            self.growths += 1;
        }
    }

    /// The copies of discs.
    pub(crate) fn halo(&self) -> &Halo {
        &self.halo
    }

    /// The pairs that were found last, in canonical order.
    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Number of times that a list has grown.
    pub(super) fn growths(&self) -> u64 {
        self.growths + self.halo.growths()
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>() + self.halo.memory()
    }

    /// Bytes that [`Self::new`] allocates for that many agents.
    pub(super) fn memory_for(agents: usize) -> usize {
        Halo::room_for(agents) * (size_of::<Pair>() + 4 * size_of::<u32>())
    }
}
