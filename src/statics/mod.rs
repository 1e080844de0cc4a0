//! Statics: discs and boxes that never move, of infinite mass.
//!
//! ```text
//! place    0    1    2   …           in the order of their ids
//! left   [ .. | .. | .. | …  f32     the core: a box is its own, a disc's is its centre
//! bottom [ .. | .. | .. | …  f32
//! right  [ .. | .. | .. | …  f32
//! top    [ .. | .. | .. | …  f32
//! radius [ .. | .. | .. | …  f32     how far it reaches around its core: 0 for a box
//! id     [  0 |  1 |  4 | …  u32     never used twice
//! ```
//!
//! A static is all that is at most `radius` away from its core, be it a disc or a box, so that one computation does
//! for both. Who is near is found through a flat grid of their own (`cells`), which is made anew when they
//! change and not touched by a step: the idea of the static list in the spatial hash grid of Mario Zechner's
//! *Beginning Android Games*.

mod cells;
mod shape;

use std::ops::Range;

use glam::Vec2;

use self::cells::Cells;
pub use self::shape::Static;
use crate::{
    alloc,
    error::{Adjust, Error, Field, Limit, Result, Stored, Value},
    geometry::{Rect, padded},
    grid::Disc,
    limits,
};

/// What to do if there is no memory for them.
pub(crate) const FEWER: &[Adjust] =
    &[Adjust::Lower(Field::Statics), Adjust::Lower(Field::StaticSize)];

/// All that is at most `radius` away from a box: what both kinds are to the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rounded {
    pub(crate) core: Rect,
    pub(crate) radius: f32,
}

/// The arrays of the statics; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// Left border of the core, world units; a disc's core is its centre.
    pub left: &'a [f32],
    /// Lower border of the core.
    pub bottom: &'a [f32],
    /// Right border of the core.
    pub right: &'a [f32],
    /// Upper border of the core.
    pub top: &'a [f32],
    /// How far a static reaches around its core, world units; 0 for a box.
    pub radius: &'a [f32],
    /// Stable names, ascending.
    pub id: &'a [u32],
}

/// The statics of a world, as arrays of one length; see the [module](self).
#[derive(Clone, Debug)]
pub struct Statics {
    world: Rect,
    room: usize,
    next_id: u32,
    left: Vec<f32>,
    bottom: Vec<f32>,
    right: Vec<f32>,
    top: Vec<f32>,
    radius: Vec<f32>,
    id: Vec<u32>,
    /// Marks of those that are taken out, by place; none is set between two calls.
    gone: Vec<bool>,
    cells: Cells,
}

impl Statics {
    /// Those statics, with ids that count from 0, and room for so many more.
    ///
    /// # Errors
    /// If one of them can't be in the world, there would be room for more than
    /// [`STATICS_MAX`](limits::STATICS_MAX) beside them, or there is not enough memory.
    pub fn new(world: Rect, start: &[Static], more: usize) -> Result<Self> {
        check_room(more)?;
        alloc::with_remedy(Self::claim(world, start, more), FEWER)
    }

    fn claim(world: Rect, start: &[Static], more: usize) -> Result<Self> {
        let room = start.len() + more;
        let numbers = || alloc::with_capacity(room, "the statics");
        let mut statics = Self {
            world,
            room,
            next_id: 0,
            left: numbers()?,
            bottom: numbers()?,
            right: numbers()?,
            top: numbers()?,
            radius: numbers()?,
            id: alloc::with_capacity(room, "the statics")?,
            gone: alloc::filled(room, false, "the statics")?,
            cells: Cells::new(&world, room)?,
        };
        statics.add(start)?;
        Ok(statics)
    }

    /// None, and no room for any.
    pub fn none() -> Self {
        let nowhere = Rect::new(Vec2::ZERO, Vec2::ONE);
        Self {
            world: nowhere,
            room: 0,
            next_id: 0,
            left: Vec::new(),
            bottom: Vec::new(),
            right: Vec::new(),
            top: Vec::new(),
            radius: Vec::new(),
            id: Vec::new(),
            gone: Vec::new(),
            cells: Cells::default(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// How many there may be at once.
    pub fn room(&self) -> usize {
        self.room
    }

    /// The one in a place; they are in the order of their ids.
    ///
    /// # Panics
    /// If `place >= self.len()`.
    pub fn get(&self, place: usize) -> Static {
        let Rounded { core, radius } = self.rounded(place);
        if radius > 0.0 { Static::disc(core.min, radius) } else { Static::Box(core) }
    }

    /// The name of the one in a place.
    ///
    /// # Panics
    /// If `place >= self.len()`.
    pub fn id(&self, place: usize) -> u32 {
        self.id[place]
    }

    /// All of them with their ids, which ascend.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, Static)> {
        self.id.iter().enumerate().map(|(place, &id)| (id, self.get(place)))
    }

    /// The rectangle around the one in a place, a hair larger than it: it meets that of a disc which touches it,
    /// however the sums are rounded.
    ///
    /// # Panics
    /// If `place >= self.len()`.
    pub fn bounds(&self, place: usize) -> Rect {
        let Rounded { core, radius } = self.rounded(place);
        Rect::new(padded(core.min, radius).min, padded(core.max, radius).max)
    }

    /// Calls `visit` once with the place of each static whose bounds meet a rectangle, and of others near it.
    #[inline]
    pub fn visit_near(&self, area: &Rect, visit: impl FnMut(usize)) {
        self.cells.visit(area, visit);
    }

    /// True if no static's bounds meet a rectangle; false also if one is merely near it.
    pub fn is_clear(&self, area: &Rect) -> bool {
        self.cells.is_clear(area)
    }

    /// Puts some in, with the next ids in the order of the list; returns these ids. All of them come, or none.
    ///
    /// # Errors
    /// If one of them can't be in the world, there is no room for all, or there is not enough memory to list them.
    pub(crate) fn add(&mut self, shapes: &[Static]) -> Result<Range<u32>> {
        shapes.iter().try_for_each(|shape| shape.check(&self.world))?;
        let (there, ids) = (self.len(), self.next_ids(shapes.len())?);
        if shapes.is_empty() {
            return Ok(ids);
        }
        for (id, &shape) in ids.clone().zip(shapes) {
            self.push(id, shape);
        }
        if let Err(error) = alloc::with_remedy(self.list(), FEWER) {
            let Self { left, bottom, right, top, radius, id, .. } = self;
            for column in [left, bottom, right, top, radius] {
                column.truncate(there);
            }
            id.truncate(there);
            return Err(error);
        }
        self.next_id = ids.end;
        Ok(ids)
    }

    /// Takes out those with these ids; returns how many there were. An id that none has is nobody's loss.
    pub(crate) fn remove(&mut self, ids: &[u32]) -> usize {
        let mut removed = 0;
        for place in ids.iter().filter_map(|id| self.id.binary_search(id).ok()) {
            removed += usize::from(!std::mem::replace(&mut self.gone[place], true));
        }
        if removed > 0 {
            let Self { left, bottom, right, top, radius, id, gone, .. } = self;
            for column in [left, bottom, right, top, radius] {
                keep(column, gone);
            }
            keep(id, gone);
            gone.fill(false);
            self.list().expect("fewer take no more memory");
        }
        removed
    }

    /// The arrays, of one length.
    pub fn columns(&self) -> Columns<'_> {
        let Self { left, bottom, right, top, radius, id, .. } = self;
        Columns { left, bottom, right, top, radius, id }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.id.capacity() * 25 + self.cells.memory()
    }

    /// The one in a place, as the step sees it.
    #[inline]
    pub(crate) fn rounded(&self, place: usize) -> Rounded {
        let min = Vec2::new(self.left[place], self.bottom[place]);
        let max = Vec2::new(self.right[place], self.top[place]);
        Rounded { core: Rect::new(min, max), radius: self.radius[place] }
    }

    /// The ids that so many more would have.
    fn next_ids(&self, more: usize) -> Result<Range<u32>> {
        let (there, left) = (self.len(), self.room - self.len());
        if more > left {
            return Err(Error::Full {
                stored: Stored::Statics,
                more: more as u64,
                len: there as u64,
                capacity: self.room as u64,
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

    /// Appends one that no cell lists yet.
    fn push(&mut self, id: u32, shape: Static) {
        let (core, radius) = match shape {
            Static::Disc(Disc { center, radius }) => (Rect::new(center, center), radius),
            Static::Box(rect) => (rect, 0.0),
        };
        self.left.push(core.min.x);
        self.bottom.push(core.min.y);
        self.right.push(core.max.x);
        self.top.push(core.max.y);
        self.radius.push(radius);
        self.id.push(id);
    }

    /// Makes the cells' lists anew.
    fn list(&mut self) -> Result<()> {
        let mut cells = std::mem::take(&mut self.cells);
        let listed = cells.list(self.len(), |place| self.bounds(place));
        self.cells = cells;
        listed
    }
}

/// Refuses to keep room for too many.
pub(crate) fn check_room(more: usize) -> Result<()> {
    if more <= limits::STATICS_MAX as usize {
        return Ok(());
    }
    let limit = Limit::Counts { min: 0, max: u64::from(limits::STATICS_MAX) };
    Err(Error::invalid(Field::SpareStatics, Value::Count(more as u64), limit))
}

/// Keeps what is not gone, in its order.
fn keep<T>(column: &mut Vec<T>, gone: &[bool]) {
    let mut gone = gone.iter();
    column.retain(|_| gone.next() == Some(&false));
}
