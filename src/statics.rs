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

use glam::Vec2;

use self::cells::Cells;
pub use self::shape::Static;
use crate::{
    claim,
    error::{Error, Result},
    grid::Disc,
    index::padded,
    rect::Rect,
};

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
    cells: Cells,
}

impl Statics {
    /// Those statics, with ids that count from 0, and room for so many more.
    ///
    /// # Errors
    /// If one of them can't be in the world, or there is not enough memory.
    pub fn new(world: Rect, start: &[Static], more: usize) -> Result<Self> {
        let room = start.len() + more;
        let numbers = || claim::room(room, "the statics");
        let mut statics = Self {
            world,
            room,
            next_id: 0,
            left: numbers()?,
            bottom: numbers()?,
            right: numbers()?,
            top: numbers()?,
            radius: numbers()?,
            id: claim::room(room, "the statics")?,
            cells: Cells::new(&world, room)?,
        };
        for shape in start {
            statics.push(*shape)?;
        }
        statics.list()?;
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

    /// Puts one in, and returns its id.
    ///
    /// # Errors
    /// If it can't be in the world, or there is no room for one more. Nothing has changed then.
    pub(crate) fn add(&mut self, shape: Static) -> Result<u32> {
        let id = self.push(shape)?;
        if let Err(error) = self.list() {
            self.take(self.len() - 1);
            self.next_id = id;
            return Err(error);
        }
        Ok(id)
    }

    /// Takes one out.
    ///
    /// # Errors
    /// If there is none of that id.
    pub(crate) fn remove(&mut self, id: u32) -> Result<Static> {
        let place = self.id.binary_search(&id).map_err(|_| {
            Error::invalid(format!(
                "there is no static {id}, or it was removed; {} are there",
                self.len()
            ))
        })?;
        let shape = self.get(place);
        self.take(place);
        self.list()?;
        Ok(shape)
    }

    /// The arrays, of one length.
    pub fn columns(&self) -> Columns<'_> {
        let Self { left, bottom, right, top, radius, id, .. } = self;
        Columns { left, bottom, right, top, radius, id }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.id.capacity() * 24 + self.cells.memory()
    }

    /// The one in a place, as the step sees it.
    #[inline]
    pub(crate) fn rounded(&self, place: usize) -> Rounded {
        let min = Vec2::new(self.left[place], self.bottom[place]);
        let max = Vec2::new(self.right[place], self.top[place]);
        Rounded { core: Rect::new(min, max), radius: self.radius[place] }
    }

    /// Appends one that no cell lists yet.
    fn push(&mut self, shape: Static) -> Result<u32> {
        shape.check(&self.world)?;
        if self.len() == self.room {
            return Err(Error::invalid(format!(
                "{shape} has no room, since {} statics are as many as this run was set up for; remove one, \
                 or set up a run with room for more",
                self.room
            )));
        }
        let next_id = self.next_id.checked_add(1).ok_or_else(|| {
            Error::invalid(format!(
                "{shape} has no id left, since {} statics were put in before it; start a new run",
                self.next_id
            ))
        })?;
        let (core, radius) = match shape {
            Static::Disc(Disc { center, radius }) => (Rect::new(center, center), radius),
            Static::Box(rect) => (rect, 0.0),
        };
        self.left.push(core.min.x);
        self.bottom.push(core.min.y);
        self.right.push(core.max.x);
        self.top.push(core.max.y);
        self.radius.push(radius);
        self.id.push(self.next_id);
        Ok(std::mem::replace(&mut self.next_id, next_id))
    }

    /// Takes the one in a place out of the arrays; the others keep their order.
    fn take(&mut self, place: usize) {
        let Self { left, bottom, right, top, radius, id, .. } = self;
        for column in [left, bottom, right, top, radius] {
            column.remove(place);
        }
        id.remove(place);
    }

    /// Makes the cells' lists anew.
    fn list(&mut self) -> Result<()> {
        let mut cells = std::mem::take(&mut self.cells);
        let listed = cells.list(self.len(), |place| self.bounds(place));
        self.cells = cells;
        listed
    }
}
