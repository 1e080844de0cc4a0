//! Regrid: brings the agents into the cell order of where they are now, and makes the grid exact for them.
//!
//! One column beside the six is enough: each is gathered into it in turn, and they change places.

use crate::{
    agents::Agents,
    claim,
    error::Result,
    grid::LooseTightGrid,
    simd::{Kernel, Usable},
};

/// The spare columns.
#[derive(Debug)]
pub struct Regrid {
    numbers: Vec<f32>,
    ids: Vec<u32>,
}

impl Regrid {
    /// Columns for so many agents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(capacity: usize) -> Result<Self> {
        Ok(Self {
            numbers: claim::room(capacity, "the column for sorting")?,
            ids: claim::room(capacity, "the column for sorting")?,
        })
    }

    /// Sorts the agents and makes the grid exact for them.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub fn run(
        &mut self,
        agents: &mut Agents,
        grid: &mut LooseTightGrid,
        simd: Usable,
    ) -> Result<()> {
        let order = grid.sort(agents)?;
        let Agents { x, y, vx, vy, radius, id } = agents;
        for column in [x, y, vx, vy, radius] {
            simd.run(Gather { column, spare: &mut self.numbers, order });
        }
        simd.run(Gather { column: id, spare: &mut self.ids, order });
        grid.adopt(agents)
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        (self.numbers.capacity() + self.ids.capacity()) * 4
    }
}

/// One column, brought into order.
struct Gather<'a, T> {
    column: &'a mut Vec<T>,
    spare: &'a mut Vec<T>,
    order: &'a [u32],
}

impl<T: Copy> Kernel for Gather<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { column, spare, order } = self;
        spare.clear();
        spare.extend(order.iter().map(|&slot| column[slot as usize]));
        std::mem::swap(column, spare);
    }
}
