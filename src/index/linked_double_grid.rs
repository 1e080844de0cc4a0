//! The double grid as it was published: lists of indices, changed one element at a time.
//!
//! # The idea
//!
//! From "Loose/Tight Double-Grid With 500k Agents" by the user "Dragon Energy" (Stack Overflow, 2018). An element
//! lives in the loose cell of its centre; the cell has a box that grows around what is in it. A coarser tight
//! grid lists the loose cells whose boxes reach into each of its cells. To search is to look through the tight
//! cells under an area, then the loose cells that meet it, then their elements.
//!
//! ```text
//! tight     [ head | head | …                 4 bytes a tight cell
//! nodes     [ (next, loose cell) | …          8 bytes; a loose cell may be listed in several tight cells
//! loose     [ (head, l, t, r, b) | …          20 bytes a loose cell
//! elements  [ (next, cell, x, y, radius) | …  20 bytes; by id
//! met       [ 7 | 6 | …                       a loose cell each: the last search that met it
//! ```
//!
//! An update moves each element: if it stays in its cell the box grows, or else it is unlinked and linked
//! anew. Then a clean-up makes all boxes and all lists of the tight grid anew, since boxes only grow until then.
//! Each element is then searched for on its own. Set beside [`crate::grid`] it shows what packing is worth: the
//! idea is the same.
//!
//! # What is not as published
//!
//! - The row stride is the number of columns, and positions are made relative to the origin once.
//! - A loose cell whose box grows is listed in *every* tight cell that the grown box meets, and not only in
//!   those under the new element.
//! - An empty loose cell is listed nowhere.
//! - A search marks the loose cells that it has met; the original looks through all it has found.
//!
//! # Cost
//!
//! Each element and each loose cell is reached by an index, so from anywhere in memory, in the clean-up and in
//! each search.

use glam::Vec2;

use super::{
    DiscsById, IndexConfig, IndexKind, SpatialIndex, padded,
    squares::{Block, Squares},
    stamps::Stamps,
};
use crate::{
    alloc,
    error::Result,
    geometry::{Rect, discs_overlap},
    grid::Disc,
};

const NONE: u32 = u32::MAX;

/// Side of a tight cell, in loose cells: 4 were quickest in `gas` with 100,000 discs.
const TIGHT_IN_LOOSE: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
struct LooseCell {
    head: u32,
    aabb: Rect,
}

/// A loose cell in the list of a tight one.
#[derive(Clone, Copy, Debug)]
struct Node {
    next: u32,
    cell: u32,
}

#[derive(Clone, Copy, Debug)]
struct Element {
    next: u32,
    /// [`NONE`] if it is not in.
    cell: u32,
    center: Vec2,
    radius: f32,
}

/// The double grid with linked lists; see `src/index/linked_double_grid.rs`.
#[derive(Debug)]
pub struct LinkedDoubleGrid {
    loose_squares: Squares,
    tight_squares: Squares,
    loose: Vec<LooseCell>,
    tight: Vec<u32>,
    nodes: Vec<Node>,
    elements: Vec<Element>,
    met: Stamps,
    growths: u64,
}

impl LinkedDoubleGrid {
    /// Its name.
    pub const KIND: IndexKind = IndexKind {
        name: "linked-double-grid",
        summary: "the double grid as published, with linked lists and one change at a time",
        build: |config| Ok(Box::new(Self::new(config)?)),
    };

    /// An empty grid.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(config: &IndexConfig) -> Result<Self> {
        let loose_squares = Squares::affordable(config, config.grid.loose_size.max_element());
        let tight_side = loose_squares.side * TIGHT_IN_LOOSE;
        let tight_squares = Squares::new(&config.grid.bounds, tight_side);
        let (cells, capacity) = (loose_squares.count(), config.grid.capacity);
        let empty = LooseCell { head: NONE, aabb: Rect::EMPTY };
        let absent = Element { next: NONE, cell: NONE, center: Vec2::ZERO, radius: 0.0 };
        Ok(Self {
            loose: alloc::filled(cells, empty, "the loose cells")?,
            tight: alloc::filled(tight_squares.count(), NONE, "the tight cells")?,
            // A loose cell that stands over a border is listed twice.
            nodes: alloc::with_capacity(cells.min(capacity) * 2, "the tight cells' lists")?,
            elements: alloc::filled(capacity, absent, "the elements")?,
            met: Stamps::new(cells)?,
            growths: 0,
            loose_squares,
            tight_squares,
        })
    }

    /// Puts an element in front of the list of a cell, which grows.
    fn link(&mut self, element: u32, cell: u32) -> Result<()> {
        let next = std::mem::replace(&mut self.loose[cell as usize].head, element);
        let here = &mut self.elements[element as usize];
        (here.next, here.cell) = (next, cell);
        self.grow(cell, element)
    }

    fn unlink(&mut self, element: u32) {
        let Element { next, cell, .. } = self.elements[element as usize];
        self.elements[element as usize].cell = NONE;
        let head = &mut self.loose[cell as usize].head;
        if *head == element {
            *head = next;
            return;
        }
        let mut before = *head;
        while self.elements[before as usize].next != element {
            before = self.elements[before as usize].next;
        }
        self.elements[before as usize].next = next;
    }

    /// Grows the box of a cell around an element, and lists the cell wherever the grown box reaches.
    fn grow(&mut self, cell: u32, element: u32) -> Result<()> {
        let old = self.loose[cell as usize].aabb;
        let new = old.union(&self.elements[element as usize].bounds());
        if new == old {
            return Ok(());
        }
        self.loose[cell as usize].aabb = new;
        let under = self.tight_squares.under(&new);
        if old.is_empty() {
            return under.iter().try_for_each(|tight| self.list(tight, cell));
        }
        let listed = self.tight_squares.under(&old);
        if under != listed {
            let stride = self.tight_squares.cols;
            for tight in under.iter() {
                if !contains(listed, tight % stride, tight / stride) {
                    self.list(tight, cell)?;
                }
            }
        }
        Ok(())
    }

    /// Puts a loose cell in front of the list of a tight one.
    fn list(&mut self, tight: u32, cell: u32) -> Result<()> {
        let room = self.nodes.capacity();
        let next = std::mem::replace(&mut self.tight[tight as usize], self.nodes.len() as u32);
        alloc::push(&mut self.nodes, Node { next, cell }, "the tight cells' lists")?;
        self.growths += u64::from(self.nodes.capacity() > room);
        Ok(())
    }

    /// Makes all boxes exact, and the tight grid's lists anew.
    fn clean_up(&mut self) -> Result<()> {
        self.tight.fill(NONE);
        self.nodes.clear();
        for cell in 0..self.loose.len() {
            let (mut aabb, mut element) = (Rect::EMPTY, self.loose[cell].head);
            while element != NONE {
                let here = &self.elements[element as usize];
                aabb = aabb.union(&here.bounds());
                element = here.next;
            }
            self.loose[cell].aabb = aabb;
            if !aabb.is_empty() {
                let under = self.tight_squares.under(&aabb);
                under.iter().try_for_each(|tight| self.list(tight, cell as u32))?;
            }
        }
        Ok(())
    }

    /// Calls `visit` once with each element of the loose cells whose boxes meet the area.
    fn search(&mut self, area: &Rect, mut visit: impl FnMut(u32, &Element)) {
        if area.is_empty() {
            return;
        }
        self.met.begin();
        for tight in self.tight_squares.under(area).iter() {
            let mut node = self.tight[tight as usize];
            while node != NONE {
                let Node { next, cell } = self.nodes[node as usize];
                let LooseCell { head, aabb } = self.loose[cell as usize];
                if aabb.intersects(area) && self.met.meet(cell) {
                    let mut element = head;
                    while element != NONE {
                        let here = &self.elements[element as usize];
                        visit(element, here);
                        element = here.next;
                    }
                }
                node = next;
            }
        }
    }
}

impl SpatialIndex for LinkedDoubleGrid {
    fn update(&mut self, discs: &DiscsById<'_>) -> Result<()> {
        for (id, &alive) in (0..).zip(discs.alive) {
            let old = self.elements[id as usize].cell;
            if !alive {
                if old != NONE {
                    self.unlink(id);
                }
                continue;
            }
            let (center, radius) = (discs.center(id), discs.radius(id));
            let here = &mut self.elements[id as usize];
            (here.center, here.radius) = (center, radius);
            let cell = self.loose_squares.cell(center);
            if cell == old {
                self.grow(cell, id)?;
                continue;
            }
            if old != NONE {
                self.unlink(id);
            }
            self.link(id, cell)?;
        }
        self.clean_up()
    }

    fn insert(&mut self, discs: &DiscsById<'_>, id: u32) -> Result<()> {
        let here = &mut self.elements[id as usize];
        (here.center, here.radius) = (discs.center(id), discs.radius(id));
        self.link(id, self.loose_squares.cell(discs.center(id)))
    }

    fn remove(&mut self, _: &DiscsById<'_>, id: u32) {
        self.unlink(id);
    }

    fn visit_pairs(
        &mut self,
        discs: &DiscsById<'_>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> Result<()> {
        for a in discs.living() {
            let here = self.elements[a as usize];
            self.search(&here.bounds(), |b, there| {
                if a < b && discs_overlap(here.disc(), there.disc()) {
                    visit(a, b);
                }
            });
        }
        Ok(())
    }

    fn visit_rect(&mut self, discs: &DiscsById<'_>, rect: &Rect, visit: &mut dyn FnMut(u32)) {
        self.search(rect, |id, _| {
            if discs.intersects_rect(id, rect) {
                visit(id);
            }
        });
    }

    fn visit_disc(&mut self, discs: &DiscsById<'_>, area: Disc, visit: &mut dyn FnMut(u32)) {
        self.search(&padded(area.center, area.radius), |id, _| {
            if discs.intersects_disc(id, area) {
                visit(id);
            }
        });
    }

    fn memory(&self) -> usize {
        self.loose.capacity() * size_of::<LooseCell>()
            + self.tight.capacity() * 4
            + self.nodes.capacity() * size_of::<Node>()
            + self.elements.capacity() * size_of::<Element>()
            + self.met.memory()
    }

    fn growths(&self) -> u64 {
        self.growths
    }

    /// Every living disc is in the cell of its centre, once, and in its box; every loose cell is listed in
    /// each tight cell under its box, once, and an empty one nowhere.
    fn validate(&self, discs: &DiscsById<'_>) -> std::result::Result<(), String> {
        let mut listed = vec![0; discs.len()];
        let mut lists = vec![Vec::new(); self.tight.len()];
        for (list, &head) in lists.iter_mut().zip(&self.tight) {
            let mut node = head;
            while node != NONE {
                list.push(self.nodes[node as usize].cell);
                node = self.nodes[node as usize].next;
            }
        }
        for (cell, loose) in (0..).zip(&self.loose) {
            let mut element = loose.head;
            while element != NONE {
                let here = &self.elements[element as usize];
                listed[element as usize] += 1;
                if here.cell != cell || !loose.aabb.contains_rect(&here.bounds()) {
                    return Err(format!("element {element} is not in cell {cell}: {here:?}"));
                }
                element = here.next;
            }
            if loose.aabb.is_empty() {
                continue;
            }
            for tight in self.tight_squares.under(&loose.aabb).iter() {
                let times = lists[tight as usize].iter().filter(|&&one| one == cell).count();
                if times != 1 {
                    return Err(format!("cell {cell} is listed {times} times in {tight}"));
                }
            }
        }
        if let Some(cell) =
            lists.iter().flatten().find(|&&cell| self.loose[cell as usize].aabb.is_empty())
        {
            return Err(format!("the empty cell {cell} is listed"));
        }
        for (id, &alive) in (0..).zip(discs.alive) {
            let Element { cell, center, radius, .. } = self.elements[id as usize];
            let (times, is_in) = (listed[id as usize], cell != NONE);
            if (times, is_in) != (u32::from(alive), alive) {
                return Err(format!("element {id} is listed {times} times"));
            }
            let at_home = (Disc { center, radius }) == discs.disc(id)
                && self.loose_squares.cell(center) == cell;
            if alive && !at_home {
                return Err(format!("element {id} is in cell {cell} at {center}"));
            }
        }
        Ok(())
    }
}

impl Element {
    #[inline]
    fn bounds(&self) -> Rect {
        padded(self.center, self.radius)
    }

    #[inline]
    fn disc(&self) -> [f32; 3] {
        [self.center.x, self.center.y, self.radius]
    }
}

fn contains(block: Block, col: u32, row: u32) -> bool {
    (block.col[0]..=block.col[1]).contains(&col) && (block.row[0]..=block.row[1]).contains(&row)
}

const _: () = assert!(size_of::<LooseCell>() == 20, "a loose cell is as small as published");
