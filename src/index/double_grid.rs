//! The double grid, packed: [`Grid`] and the contact search of the simulation's own step.
//!
//! The grid is fastest where elements lie in cell order. A simulation keeps its agents in that
//! order; [`DiscsById`] does not. So this index has columns of its own, sorts the discs into them
//! in each update, and finds pairs as a step does: two ranges of neighboring slots per disc,
//! without a look-up.
//!
//! ```text
//! x, y, radius, id   in cell order, as of the last update; twice, to sort    32 bytes per disc
//! grid, contacts     see `crate::grid` and `crate::contacts`
//! ```
//!
//! The pairs of an update are found on all threads of the pool that the caller runs on.

use super::{
    discs::DiscsById,
    spatial_index::{IndexConfig, IndexKind, PairVisitor, SpatialIndex},
};
use crate::{
    agents::Agents, alloc, contacts::ContactList, error::Result, grid::Grid, simd::SimdLevel,
};

/// Pairs per disc for which memory is allocated: the number of pairs in a gas.
const PAIRS_PER_DISC: f32 = 0.25;

/// The loose/tight double grid over discs by id; see the [module](self).
#[derive(Debug)]
pub(crate) struct DoubleGrid {
    grid: Grid,
    contacts: ContactList,
    /// Positions, radii and ids by slot. The columns of velocities are empty.
    slots: Agents,
    /// The same columns before they are sorted.
    gathered: Agents,
    /// Whether an id is in the index.
    present: Vec<bool>,
    growths: u64,
}

impl DoubleGrid {
    pub(crate) const KIND: IndexKind = IndexKind {
        name: "double-grid",
        summary: "the loose/tight double grid, packed, in cell order",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    fn new(config: &IndexConfig) -> Result<Self> {
        let capacity = config.grid.capacity;
        let mut grid = Grid::new(config.grid)?;
        let slots = columns(capacity)?;
        grid.sort_kept(&slots, |_| true)?;
        grid.set_sorted(&slots)?;
        Ok(Self {
            contacts: ContactList::new(capacity, PAIRS_PER_DISC, &grid)?,
            grid,
            slots,
            gathered: columns(capacity)?,
            present: alloc::filled(capacity, false, "the discs that are present")?,
            growths: 0,
        })
    }

    /// Collects the living discs in `gathered`. Discs that were present before come first, in their
    /// previous cell order, which is nearly the present one, so that sorting hardly moves them.
    fn collect(&mut self, discs: &DiscsById<'_>) {
        let Self { slots, gathered, present, .. } = self;
        gathered.id.clear();
        let lives = |id: u32| discs.alive.get(id as usize) == Some(&true);
        gathered.id.extend(slots.id.iter().copied().filter(|&id| lives(id)));
        for (id, (&alive, present)) in (0..).zip(discs.alive.iter().zip(present)) {
            if alive && !*present {
                gathered.id.push(id);
            }
            *present = alive;
        }
        let Agents { x, y, radius, id, .. } = gathered;
        gather([x, y, radius], [discs.x, discs.y, discs.radius], id);
    }
}

/// Fills columns with the entries `order[0]`, `order[1]`, … of other columns.
fn gather(columns: [&mut Vec<f32>; 3], from: [&[f32]; 3], order: &[u32]) {
    for (column, from) in columns.into_iter().zip(from) {
        column.clear();
        column.extend(order.iter().map(|&index| from[index as usize]));
    }
}

/// Empty columns with room for `capacity` discs.
fn columns(capacity: usize) -> Result<Agents> {
    let numbers = || alloc::with_capacity(capacity, "the columns in cell order");
    Ok(Agents {
        x: numbers()?,
        y: numbers()?,
        radius: numbers()?,
        id: alloc::with_capacity(capacity, "the ids in cell order")?,
        ..Agents::default()
    })
}

impl SpatialIndex for DoubleGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        let held = self.grid.memory();
        self.collect(discs);
        let Self { grid, slots, gathered, .. } = self;
        let order = grid.sort_kept(gathered, |_| true)?;
        let Agents { x, y, radius, .. } = slots;
        gather([x, y, radius], [&gathered.x, &gathered.y, &gathered.radius], order);
        slots.id.clear();
        slots.id.extend(order.iter().map(|&from| gathered.id[from as usize]));
        grid.set_sorted(slots)?;
        self.growths += u64::from(self.grid.memory() > held);
        Ok(())
    }

    fn visit_pairs(&mut self, _: &DiscsById<'_>, visit: &mut PairVisitor<'_>) -> Result<()> {
        let Self { grid, contacts, slots, .. } = self;
        contacts.find(slots.discs().into(), grid, SimdLevel::best())?;
        let id = |slot: u32| slots.id[slot as usize];
        contacts.iter().for_each(|[i, j]| visit(id(i), id(j)));
        Ok(())
    }

    fn memory(&self) -> usize {
        let columns = |agents: &Agents| {
            let numbers = agents.x.capacity() + agents.y.capacity() + agents.radius.capacity();
            numbers * size_of::<f32>() + agents.id.capacity() * size_of::<u32>()
        };
        self.grid.memory()
            + self.contacts.memory()
            + columns(&self.slots)
            + columns(&self.gathered)
            + self.present.capacity()
    }

    fn growths(&self) -> u64 {
        self.growths + self.contacts.growths()
    }
}
