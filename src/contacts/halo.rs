//! The halo: read-only copies of the discs at the borders of a world that repeats, one world away,
//! beside the opposite borders.
//!
//! ```text
//! ┌───┬─────────┬───┐
//! │ c │  b b b  │ c │    a, b, c   near discs of the first column and the first row of cells
//! ├───╔═════════╗───┤              of the world ═
//! │   ║         ║ a │    right, above them: their copies, as the halo has them
//! │   ║ a     · ║ a │
//! │   ║ c b b c ║   │
//! └───╚═════════╝───┘
//! ```
//!
//! A near disc reaches out of its cell by less than half of it, and cells divide the world. So two
//! near discs that touch across the seam have their homes in the first and in the last column, or
//! row. Of the two directions in which they see each other, the halo has one: copies to the right
//! and above. Outliers may reach anywhere, and may be touched by all: the halo has each of their
//! copies that comes near the world.
//!
//! The halo is gathered before each search, from one range of slots per row of the first column and
//! one for the first row. It holds everything that a search needs from the other side of the seam.
//! A list of copies needs no slots of its own in the agents' columns, and a snapshot does not have
//! it.

use glam::Vec2;

use crate::{
    alloc,
    error::Result,
    geometry::{Disc, DiscColumns, Elements, Rect, Space},
    grid::Grid,
};

/// Purpose of the memory, for errors.
const HALO: &str = "the halo of the world";

/// Copies for which memory is claimed per agent at the rim of a square world, and in any case.
const COPIES_PER_RIM: f32 = 8.0;
const COPIES_MIN: usize = 256;

/// Copies of discs outside the world.
#[derive(Clone, Debug)]
pub(crate) struct Halo {
    x: Vec<f32>,
    y: Vec<f32>,
    /// A bit larger than the disc: the position of a copy is rounded.
    radius: Vec<f32>,
    /// The slot of the copied disc.
    slot: Vec<u32>,
    /// Number of copies for which memory was last claimed.
    room: usize,
    growths: u64,
}

impl Halo {
    /// Number of copies for which [`Self::new`] claims memory.
    pub(crate) fn room_for(agents: usize) -> usize {
        COPIES_MIN + (COPIES_PER_RIM * (agents as f32).sqrt()) as usize
    }

    /// An empty halo of a run of `agents` agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(agents: usize) -> Result<Self> {
        let room = Self::room_for(agents);
        Ok(Self {
            x: alloc::with_capacity(room, HALO)?,
            y: alloc::with_capacity(room, HALO)?,
            radius: alloc::with_capacity(room, HALO)?,
            slot: alloc::with_capacity(room, HALO)?,
            room,
            growths: 0,
        })
    }

    /// Number of copies.
    pub(crate) fn len(&self) -> usize {
        self.slot.len()
    }

    /// The copies as discs, a bit larger than the copied discs.
    pub(crate) fn discs(&self) -> DiscColumns<'_> {
        DiscColumns { x: &self.x, y: &self.y, radius: &self.radius }
    }

    /// The slots of the copied discs.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slot
    }

    /// Number of times that the halo has grown.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        4 * self.slot.capacity() * size_of::<u32>()
    }

    /// The area that near discs and outliers reach: copies outside of it touch nothing.
    pub(super) fn reached(discs: DiscColumns<'_>, grid: &Grid, space: &Space) -> Rect {
        let near = space.world().expanded(grid.search_reach());
        let outliers = grid.outliers_in(0..discs.len());
        outliers.fold(near, |all, slot| all.union(&discs.shape(slot as usize).bounds()))
    }

    /// Copies the discs that may touch others across the seam, if all discs are in `reached`. They lie in
    /// the grid's cell order.
    ///
    /// # Errors
    /// If the halo must grow and there is not enough memory.
    pub(super) fn gather(
        &mut self,
        discs: DiscColumns<'_>,
        grid: &Grid,
        space: &Space,
        reached: Rect,
    ) -> Result<()> {
        let Self { x, y, radius, slot, .. } = self;
        [x, y, radius].into_iter().for_each(Vec::clear);
        slot.clear();
        let (world, reach) = (space.world(), grid.search_reach());
        let pad = grid.margin(&world);
        let near = world.expanded(reach);
        let mut kept = Ok(());
        // To the right and above, as the diagram shows.
        for shift in space.shifts().filter(|by| by.y > 0.0 || (by.y == 0.0 && by.x > 0.0)) {
            let strip = near.intersection(&near.shifted(-shift));
            grid.slots_near(&strip, |slots| {
                for slot in slots {
                    let copy = copy(discs.shape(slot), shift, pad);
                    let meets = copy.bounds().intersects(&near);
                    if meets && kept.is_ok() && !grid.is_outlier(slot as u32) {
                        kept = self.push(copy, slot);
                    }
                }
            });
        }
        kept?;
        self.gather_outliers(discs, grid, space, reached, pad)?;
        if self.len() > self.room {
            self.room = self.len() + self.len() / 4;
            self.growths += 1;
        }
        Ok(())
    }

    /// Copies the outliers to where they may touch discs, all of which are in `reached`.
    fn gather_outliers(
        &mut self,
        discs: DiscColumns<'_>,
        grid: &Grid,
        space: &Space,
        reached: Rect,
        pad: f32,
    ) -> Result<()> {
        let outliers = || grid.outliers_in(0..discs.len()).map(|slot| slot as usize);
        let inner = space.out_of_reach(&reached);
        let reaches =
            |bounds: Rect| !(bounds.min.cmpgt(inner.min) & bounds.max.cmplt(inner.max)).all();
        for slot in outliers().filter(|&slot| reaches(discs.shape(slot).bounds().expanded(pad))) {
            for shift in space.shifts() {
                let copy = copy(discs.shape(slot), shift, pad);
                if copy.bounds().intersects(&reached) {
                    self.push(copy, slot)?;
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, copy: Disc, slot: usize) -> Result<()> {
        alloc::push(&mut self.x, copy.center.x, HALO)?;
        alloc::push(&mut self.y, copy.center.y, HALO)?;
        alloc::push(&mut self.radius, copy.radius, HALO)?;
        alloc::push(&mut self.slot, slot as u32, HALO)
    }
}

/// The copy of a disc that lies `shift` away.
fn copy(disc: Disc, shift: Vec2, pad: f32) -> Disc {
    Disc::new(disc.center + shift, disc.radius + pad)
}
