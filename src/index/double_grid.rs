//! The double grid, packed: [`Grid`] and the search of the simulation's own step.
//!
//! The grid is quickest where elements lie in cell order. A simulation keeps its agents so; who lends
//! [`DiscsById`] by id does not, so that this index keeps columns of its own, sorts the discs into them in each
//! update, and finds pairs as the step does: two windows of neighbouring slots a disc, and no look-up.
//!
//! ```text
//! x, y, radius, id   in cell order, as of the last update; twice, to sort    32 bytes a disc
//! slot_of, vacant    id → where it is in these columns, for edits             8 bytes
//! grid, contacts     see `crate::grid` and `crate::step::contacts`
//! ```
//!
//! Who is inserted goes behind the others; then the grid searches for each disc in turn, until the next update
//! sorts anew. The pairs of an update are found on all threads of the pool that the caller runs on.

use super::{DiscsById, IndexConfig, IndexKind, SpatialIndex};
use crate::{
    agents::Agents,
    alloc,
    error::Result,
    geometry::Rect,
    grid::{Disc, Grid},
    step::contacts::Contacts,
};

const NONE: u32 = u32::MAX;

/// Pairs a disc that room is claimed for: what a gas has, as in a simulation.
const PAIRS_A_DISC: f32 = 0.25;

/// The loose/tight double grid over discs by id; see `src/index/double_grid.rs`.
#[derive(Debug)]
pub struct DoubleGrid {
    grid: Grid,
    contacts: Contacts,
    /// Positions, radii and ids by slot; nobody asks for velocities.
    slots: Agents,
    /// The columns as they were gathered by id, before they are sorted; they take turns.
    gathered: Agents,
    /// Who is in.
    is_in: Vec<bool>,
    /// id → slot, once it is asked for; meaningless for who is not in.
    slot_of: Vec<u32>,
    looked_up: bool,
    /// Slots whose discs were removed since the last update.
    vacant: Vec<u32>,
    growths: u64,
}

impl DoubleGrid {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "double-grid",
        summary: "the loose/tight double grid, packed, in cell order",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty index.
    ///
    /// # Errors
    /// If the cells don't fit the world, or there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let capacity = config.grid.capacity;
        let mut grid = Grid::new(config.grid)?;
        let slots = columns(capacity)?;
        grid.sort(&slots)?;
        grid.adopt(&slots)?;
        Ok(Self {
            contacts: Contacts::new(capacity, PAIRS_A_DISC, &grid)?,
            grid,
            slots,
            gathered: columns(capacity)?,
            is_in: alloc::filled(capacity, false, "the discs that are in")?,
            slot_of: alloc::filled(capacity, NONE, "the slots of the discs")?,
            looked_up: true,
            vacant: alloc::with_capacity(capacity, "the vacant slots")?,
            growths: 0,
        })
    }

    /// Puts the living into `gathered`: those that were in before in the cell order of then, which is nearly
    /// that of now, so that sorting them hardly moves anybody; those that are new behind them.
    fn gather(&mut self, discs: &DiscsById<'_>) {
        let Self { slots, gathered, is_in, .. } = self;
        gathered.id.clear();
        let lives = |id: u32| discs.alive.get(id as usize) == Some(&true);
        gathered.id.extend(slots.id.iter().copied().filter(|&id| lives(id)));
        for (id, (&alive, is_in)) in (0..).zip(discs.alive.iter().zip(is_in)) {
            if alive && !*is_in {
                gathered.id.push(id);
            }
            *is_in = alive;
        }
        let ids = &gathered.id;
        for (column, from) in [
            (&mut gathered.x, discs.x),
            (&mut gathered.y, discs.y),
            (&mut gathered.radius, discs.radius),
        ] {
            column.clear();
            column.extend(ids.iter().map(|&id| from[id as usize]));
        }
        self.looked_up = false;
        self.vacant.clear();
    }

    /// Writes down who is in which slot, for the first edit after an update.
    fn look_up(&mut self) {
        if !self.looked_up {
            for (slot, &id) in (0..).zip(&self.slots.id) {
                self.slot_of[id as usize] = slot;
            }
            self.looked_up = true;
        }
    }

    /// Bytes claimed now, to see whether something has grown since.
    fn claimed(&self) -> usize {
        self.grid.memory()
    }
}

/// Columns for so many discs.
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
        let claimed = self.claimed();
        self.gather(discs);
        let Self { grid, slots, gathered, .. } = self;
        let order = grid.sort(gathered)?;
        for (sorted, column) in [
            (&mut slots.x, &gathered.x),
            (&mut slots.y, &gathered.y),
            (&mut slots.radius, &gathered.radius),
        ] {
            sorted.clear();
            sorted.extend(order.iter().map(|&from| column[from as usize]));
        }
        slots.id.clear();
        slots.id.extend(order.iter().map(|&from| gathered.id[from as usize]));
        grid.adopt(slots)?;
        self.growths += u64::from(self.claimed() > claimed);
        Ok(())
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        let claimed = self.claimed();
        self.look_up();
        let Disc { center, radius } = discs.disc(id);
        let Agents { x, y, radius: radii, id: ids, .. } = &mut self.slots;
        let slot = self.vacant.pop().map_or(ids.len(), |slot| slot as usize);
        if slot == ids.len() {
            x.push(center.x);
            y.push(center.y);
            radii.push(radius);
            ids.push(id);
        } else {
            (x[slot], y[slot], radii[slot], ids[slot]) = (center.x, center.y, radius, id);
        }
        self.slot_of[id as usize] = slot as u32;
        self.is_in[id as usize] = true;
        self.grid.insert(&self.slots, slot as u32);
        self.growths += u64::from(self.claimed() > claimed);
        Ok(())
    }

    fn remove(&mut self, _: &DiscsById<'_>, id: u32) {
        self.look_up();
        self.is_in[id as usize] = false;
        let slot = std::mem::replace(&mut self.slot_of[id as usize], NONE);
        self.slots.id[slot as usize] = NONE;
        self.grid.remove(&self.slots, slot);
        self.vacant.push(slot);
    }

    fn visit_pairs(&mut self, _: &DiscsById<'_>, visit: &mut dyn FnMut(u32, u32)) -> Result<()> {
        let Self { grid, contacts, slots, .. } = self;
        let id = |slot: u32| slots.id[slot as usize];
        if !grid.is_edited() {
            contacts.find(slots, grid)?;
            contacts.iter().for_each(|[i, j]| visit(id(i), id(j)));
            return Ok(());
        }
        grid.visit_pairs(slots, 0.0, |i, j| visit(id(i), id(j)));
        Ok(())
    }

    fn visit_rect(&mut self, _: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        let Self { grid, slots, .. } = self;
        grid.visit_rect(slots, rect, |slot| visit(slots.id[slot as usize]));
    }

    fn visit_disc(&mut self, _: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        let Self { grid, slots, .. } = self;
        grid.visit_disc(slots, area.center, area.radius, |slot| visit(slots.id[slot as usize]));
    }

    fn memory(&self) -> usize {
        let columns = |agents: &Agents| {
            (agents.x.capacity() + agents.y.capacity() + agents.radius.capacity()) * 4
                + agents.id.capacity() * 4
        };
        self.grid.memory()
            + self.contacts.memory()
            + columns(&self.slots)
            + columns(&self.gathered)
            + (self.slot_of.capacity() + self.vacant.capacity()) * 4
            + self.is_in.capacity()
    }

    fn growths(&self) -> u64 {
        self.growths + self.contacts.growths
    }

    /// The grid is sound for the columns, and these are the living discs.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let Agents { x, y, radius, id: ids, .. } = &self.slots;
        let mut held = vec![false; discs.len()];
        for (slot, &id) in ids.iter().enumerate().filter(|&(_, &id)| id != NONE) {
            let disc = Disc { center: glam::Vec2::new(x[slot], y[slot]), radius: radius[slot] };
            if disc != discs.disc(id) || !self.grid.contains(slot as u32) {
                return Err(format!("disc {id} is held in slot {slot} as {disc:?}"));
            }
            if self.looked_up && self.slot_of[id as usize] != slot as u32 {
                return Err(format!("disc {id} in slot {slot} is looked up elsewhere"));
            }
            held[id as usize] = true;
        }
        for (id, &alive) in discs.alive.iter().enumerate() {
            if [held[id], self.is_in[id]] != [alive; 2] {
                return Err(format!("disc {id} lives: {alive}; is held: {}", held[id]));
            }
        }
        if self.grid.len() != discs.living().count() {
            return Err(format!("the grid holds {} discs", self.grid.len()));
        }
        self.grid.validate(&self.slots)
    }
}
