//! Statics: discs, boxes and capsules that never move, of infinite mass.
//!
//! ```text
//! index    0    1    2   …     in ascending order of their ids
//! shapes [ .. | .. | .. | …    the core, and the distance that the static extends beyond it
//! id     [  0 |  1 |  4 | …    never used twice
//! ```
//!
//! A static is the set of points at most `radius` away from its core, so that one computation
//! serves all kinds. The core of a disc is its center, that of a capsule is a segment, and the core
//! of a box is the box itself, with radius 0. Statics near an agent are found through a flat grid of
//! their own (`cells`), which is rebuilt when they change and not touched by a step. The idea is the static list in the
//! spatial hash grid of Mario Zechner's *Beginning Android Games*. Statics that touch each other are
//! one wall: `joined` tells which points of their surfaces lie inside of it.

mod cells;
mod joined;
mod reach;
mod rounded;
mod shape;

use std::ops::Range;

use glam::Vec2;

use self::cells::Cells;
pub(crate) use self::rounded::Rounded;
pub use self::shape::Static;
use crate::{
    alloc,
    error::{Adjust, Error, Field, Limit, Result, Stored, Value},
    geometry::{Rect, padded},
    limits,
    snapshot::{Lines, Snapshot, Writer, require, write_line},
};

/// The remedy if there is no memory for statics.
pub(crate) const FEWER: &[Adjust] =
    &[Adjust::Lower(Field::Statics), Adjust::Lower(Field::StaticSize)];

/// The statics of a world; see the module. By default there are none, without capacity.
#[derive(Debug, Default)]
pub struct Statics {
    world: Rect,
    capacity: usize,
    next_id: u32,
    shapes: Vec<Rounded>,
    id: Vec<u32>,
    /// Marks of statics to be removed, by index; none is set between two calls.
    gone: Vec<bool>,
    cells: Cells,
    /// One flag per static: it may touch another static; see [`Self::is_covered`].
    joined: Vec<bool>,
}

impl Statics {
    /// Bytes per static: its shape, its id and two marks.
    const BYTES: usize = size_of::<Rounded>() + size_of::<u32>() + 2 * size_of::<bool>();

    /// Creates these statics, with ids that count from 0, and capacity for `spare` more.
    ///
    /// # Errors
    /// If [`Static::check`] rejects one, `spare` is above 10,000,000, or
    /// there is not enough memory.
    pub fn new(world: Rect, start: &[Static], spare: usize) -> Result<Self> {
        check_spare(spare)?;
        let statics = Self::with_capacity(world, start.len() + spare).and_then(|mut statics| {
            statics.add(start)?;
            Ok(statics)
        });
        alloc::with_remedy(statics, FEWER)
    }

    fn with_capacity(world: Rect, capacity: usize) -> Result<Self> {
        Ok(Self {
            world,
            capacity,
            next_id: 0,
            shapes: alloc::with_capacity(capacity, "the statics")?,
            id: alloc::with_capacity(capacity, "the statics")?,
            gone: alloc::filled(capacity, false, "the statics")?,
            cells: Cells::new(&world, capacity)?,
            joined: alloc::filled(capacity, false, "the statics")?,
        })
    }

    /// Copies the statics, with their capacity.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn try_clone(&self) -> Result<Self> {
        let mut clone = Self::with_capacity(self.world, self.capacity)?;
        clone.shapes.extend_from_slice(&self.shapes);
        clone.id.extend_from_slice(&self.id);
        clone.next_id = self.next_id;
        clone.list()?;
        Ok(clone)
    }

    /// Writes the statics in the order of their ids, which is the order of every search.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, to: &mut Writer) -> Result<()> {
        let mut text = String::new();
        write_line(&mut text, "count", self.len());
        write_line(&mut text, "capacity", self.capacity);
        write_line(&mut text, "next_id", self.next_id);
        to.text("statics", &text)?;
        to.array("static.id", &self.id)?;
        let corners = |shape: &Rounded| shape.ends().map(|at| at.to_array());
        to.values("static.core", self.shapes.iter().flat_map(corners).flatten())?;
        to.values("static.radius", self.shapes.iter().map(|shape| shape.radius))
    }

    /// Reads the statics of a world, of which `spare` could be added at the start.
    ///
    /// # Errors
    /// If a section is missing or wrong, a static does not lie in the world, or there is not enough
    /// memory.
    pub(crate) fn load(from: &Snapshot, world: Rect, spare: usize) -> Result<Self> {
        let (count, capacity, next_id) = Self::saved_lines(from, spare)?;
        let id: Vec<u32> = from.array("static.id", count, 0)?;
        let ascend = id.is_sorted_by(|one, other| one < other);
        let used = id.last().is_none_or(|&last| last < next_id);
        require(ascend && used, "static.id", "has ids twice, or that were not given yet")?;
        let cores = from.numbers("static.core", 4 * count, 0)?;
        let radii = from.numbers("static.radius", count, 0)?;
        let mut statics = Self::with_capacity(world, capacity)?;
        let (cores, _) = cores.as_chunks();
        for (&[left, bottom, right, top], &radius) in cores.iter().zip(&radii) {
            let ends = [Vec2::new(left, bottom), Vec2::new(right, top)];
            let shape = Static::of_core(ends, radius);
            shape.check(&world)?;
            statics.shapes.push(shape.into());
        }
        statics.id.extend_from_slice(&id);
        statics.next_id = next_id;
        alloc::with_remedy(statics.list(), FEWER)?;
        Ok(statics)
    }

    /// The number of statics, how many there may be, and the next id.
    fn saved_lines(from: &Snapshot, spare: usize) -> Result<(usize, usize, u32)> {
        let mut lines = Lines::new("statics", from.text("statics")?)?;
        let (count, capacity) = (lines.take::<usize>("count")?, lines.take::<usize>("capacity")?);
        let next_id = lines.take::<u32>("next_id")?;
        lines.end()?;
        // Each static of the start had an id.
        let most = spare.saturating_add(next_id as usize);
        require(count <= capacity && capacity <= most, "statics", "are more than any run has")?;
        Ok((count, capacity, next_id))
    }

    /// Bytes that [`Self::load`] allocates.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(crate) fn memory_to_load(from: &Snapshot, spare: usize) -> Result<usize> {
        let (_, capacity, _) = Self::saved_lines(from, spare)?;
        Ok(Self::memory_for(capacity))
    }

    /// Bytes that [`Self::new`] allocates for `capacity` statics in all, of which each touches a
    /// few cells.
    pub(crate) fn memory_for(capacity: usize) -> usize {
        capacity * Self::BYTES + Cells::memory_for(capacity)
    }

    /// Number of statics.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Maximum number of statics.
    #[doc(hidden)]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the static at an index; they are in ascending order of their ids.
    ///
    /// # Panics
    /// If `index >= self.len()`.
    #[must_use]
    pub fn get(&self, index: usize) -> Static {
        self.shapes[index].into()
    }

    /// The static with an id.
    pub(crate) fn find(&self, id: u32) -> Option<Static> {
        self.id.binary_search(&id).ok().map(|index| self.get(index))
    }

    /// All statics with their ids, in ascending order of these.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, Static)> {
        self.id.iter().enumerate().map(|(index, &id)| (id, self.get(index)))
    }

    /// The rectangle around the static at an index, enlarged by more than rounding: it intersects
    /// the rectangle around any disc that touches the static.
    pub(crate) fn bounds(&self, index: usize) -> Rect {
        let Rounded { core, radius, .. } = self.shapes[index];
        Rect::new(padded(core.min, radius).min, padded(core.max, radius).max)
    }

    /// Calls `visit` once with the index of each static with bounds that intersect a rectangle, and
    /// of others near it.
    #[inline]
    pub fn visit_near(&self, area: &Rect, visit: impl FnMut(usize)) {
        self.cells.visit(area, visit);
    }

    /// True if no static is near a rectangle: then none has bounds that intersect it.
    pub(crate) fn is_clear(&self, area: &Rect) -> bool {
        self.cells.is_clear(area)
    }

    /// Adds statics and returns their ids: the next unused ones, in the order of the list. Adds all
    /// of them or none.
    ///
    /// # Errors
    /// If [`Static::check`] rejects one, there is no room for all, or there is not enough memory to
    /// list them.
    pub(crate) fn add(&mut self, shapes: &[Static]) -> Result<Range<u32>> {
        shapes.iter().try_for_each(|shape| shape.check(&self.world))?;
        let (there, ids) = (self.len(), self.next_ids(shapes.len())?);
        if shapes.is_empty() {
            return Ok(ids);
        }
        self.id.extend(ids.clone());
        self.shapes.extend(shapes.iter().copied().map(Rounded::from));
        if let Err(error) = alloc::with_remedy(self.list(), FEWER) {
            self.shapes.truncate(there);
            self.id.truncate(there);
            return Err(error);
        }
        self.next_id = ids.end;
        Ok(ids)
    }

    /// Removes statics by their ids and returns the number removed. Ids that no static has are
    /// ignored.
    pub(crate) fn remove(&mut self, ids: &[u32]) -> usize {
        let mut removed = 0;
        for index in ids.iter().filter_map(|id| self.id.binary_search(id).ok()) {
            removed += usize::from(!std::mem::replace(&mut self.gone[index], true));
        }
        if removed > 0 {
            let Self { shapes, id, gone, .. } = self;
            keep(shapes, gone);
            keep(id, gone);
            gone.fill(false);
            self.list().expect("fewer take no more memory");
        }
        removed
    }

    /// Gives the static with an id another shape; does nothing if no static has the id.
    ///
    /// # Errors
    /// If [`Static::check`] rejects the shape, or there is not enough memory to list it. Nothing is
    /// changed then.
    pub(crate) fn replace(&mut self, id: u32, shape: Static) -> Result<()> {
        let Ok(index) = self.id.binary_search(&id) else { return Ok(()) };
        shape.check(&self.world)?;
        let old = std::mem::replace(&mut self.shapes[index], Rounded::from(shape));
        if let Err(error) = alloc::with_remedy(self.list(), FEWER) {
            self.shapes[index] = old;
            return Err(error);
        }
        Ok(())
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        self.id.capacity() * Self::BYTES + self.cells.memory()
    }

    /// All statics with their ids, as the step takes them.
    pub(crate) fn rounded_by_id(&self) -> impl Iterator<Item = (u32, Rounded)> {
        self.id.iter().copied().zip(self.shapes.iter().copied())
    }

    /// The id of the static at an index.
    #[inline]
    pub(crate) fn id(&self, index: usize) -> u32 {
        self.id[index]
    }

    /// The static at an index, as the step takes it.
    #[inline]
    pub(crate) fn rounded(&self, index: usize) -> Rounded {
        self.shapes[index]
    }

    /// The ids that `more` statics would get.
    fn next_ids(&self, more: usize) -> Result<Range<u32>> {
        let (there, left) = (self.len(), self.capacity - self.len());
        if more > left {
            return Err(Error::Full {
                stored: Stored::Statics,
                more: more as u64,
                len: there as u64,
                capacity: self.capacity as u64,
            });
        }
        let first = self.next_id;
        let end = first.checked_add(more as u32).ok_or(Error::IdsUsedUp {
            stored: Stored::Statics,
            more: more as u64,
            used: first,
            ids: u32::MAX,
        })?;
        Ok(first..end)
    }

    /// Rebuilds the cells, and marks the statics that may touch others.
    fn list(&mut self) -> Result<()> {
        let mut cells = std::mem::take(&mut self.cells);
        let listed = cells.list(self.len(), |index| self.bounds(index));
        self.cells = cells;
        listed?;
        self.mark_joined();
        Ok(())
    }
}

/// Rejects capacity for too many statics beside the statics of the start.
fn check_spare(spare: usize) -> Result<()> {
    if spare <= limits::STATICS_MAX as usize {
        return Ok(());
    }
    let limit = Limit::Counts(0..=u64::from(limits::STATICS_MAX));
    Err(Error::invalid(Field::SpareStatics, Value::Count(spare as u64), limit))
}

/// Removes the marked entries of a column.
fn keep<T>(column: &mut Vec<T>, gone: &[bool]) {
    let mut gone = gone.iter();
    column.retain(|_| gone.next() == Some(&false));
}
