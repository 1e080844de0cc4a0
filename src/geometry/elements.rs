//! The traits by which callers lend their data to a search: elements with an index, in the caller's
//! own order. Nothing is copied.

use std::ops::Range;

use glam::Vec2;

use super::{disc::Disc, rect::Rect, shape::Shape};

/// A value that has a shape. Slices, arrays and `Vec`s of such values are [`Elements`].
///
/// ```
/// use jostle::{Disc, Vec2, grid::HasShape};
///
/// struct Unit { position: Vec2, size: f32, team: u8 }
///
/// impl HasShape for Unit {
///     type Shape = Disc;
///     fn shape(&self) -> Disc {
///         Disc::new(self.position, self.size)
///     }
/// }
/// ```
pub trait HasShape {
    /// [`Disc`] or [`Rect`].
    type Shape: Shape;
    /// The shape at present.
    fn shape(&self) -> Self::Shape;
}

impl HasShape for Disc {
    type Shape = Self;
    #[inline]
    fn shape(&self) -> Self {
        *self
    }
}

impl HasShape for Rect {
    type Shape = Self;
    #[inline]
    fn shape(&self) -> Self {
        *self
    }
}

/// Elements lent to a search, indexed `0..len`.
///
/// Slices, arrays and `Vec`s of values that implement [`HasShape`] are elements; [`Mapped`] makes
/// elements of a slice of any type by a closure, and [`DiscColumns`] of three arrays. Data of
/// another layout needs `len` and `shape`.
pub trait Elements: Sync {
    /// [`Disc`] or [`Rect`].
    type Shape: Shape;
    /// The number of elements.
    fn len(&self) -> usize;
    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The shape of the element with that index.
    fn shape(&self, index: usize) -> Self::Shape;
    /// The centers and extents of a range of elements, which a rebuild and an update read.
    // Only columns do this faster than one by one.
    #[doc(hidden)]
    #[inline(always)]
    fn extents(&self, range: Range<usize>) -> impl Iterator<Item = (Vec2, f32)> {
        range.map(|index| {
            let shape = self.shape(index);
            (shape.center(), shape.extent())
        })
    }
}

impl<T: HasShape + Sync> Elements for [T] {
    type Shape = T::Shape;
    fn len(&self) -> usize {
        self.len()
    }
    #[inline]
    fn shape(&self, index: usize) -> T::Shape {
        self[index].shape()
    }
}

impl<T: HasShape + Sync> Elements for Vec<T> {
    type Shape = T::Shape;
    fn len(&self) -> usize {
        self.len()
    }
    #[inline]
    fn shape(&self, index: usize) -> T::Shape {
        self[index].shape()
    }
}

impl<T: HasShape + Sync, const N: usize> Elements for [T; N] {
    type Shape = T::Shape;
    fn len(&self) -> usize {
        N
    }
    #[inline]
    fn shape(&self, index: usize) -> T::Shape {
        self[index].shape()
    }
}

/// Elements that a closure makes of a slice, for types of another crate, or a second shape of one
/// type.
///
/// ```
/// use jostle::{Disc, Grid, GridConfig, Rect, Vec2, grid::Mapped};
///
/// let trees: Vec<(f32, f32)> = vec![(3.0, 2.0), (9.0, 4.0)];
/// let shadows = Mapped::new(&trees, |&(x, y)| Disc::new(Vec2::new(x, y), 1.5));
/// let mut grid = Grid::new(GridConfig::new(Rect::from_size(16.0, 9.0), 4.0, trees.len()))?;
/// grid.rebuild(&shadows)?;
/// assert_eq!(grid.in_disc(&shadows, Vec2::new(3.0, 4.0), 1.0).collect::<Vec<_>>(), [0]);
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mapped<'a, T, F> {
    items: &'a [T],
    shape: F,
}

impl<'a, T, F> Mapped<'a, T, F> {
    /// The elements `shape(&items[0])`, `shape(&items[1])`, …
    pub const fn new<S: Shape>(items: &'a [T], shape: F) -> Self
    where
        F: Fn(&T) -> S,
    {
        Self { items, shape }
    }
}

impl<T: Sync, S: Shape, F: Fn(&T) -> S + Sync> Elements for Mapped<'_, T, F> {
    type Shape = S;
    fn len(&self) -> usize {
        self.items.len()
    }
    #[inline]
    fn shape(&self, index: usize) -> S {
        (self.shape)(&self.items[index])
    }
}

/// Discs as three arrays of one length.
#[derive(Clone, Copy, Debug)]
pub struct DiscColumns<'a> {
    /// The centers' x, world units.
    pub x: &'a [f32],
    /// The centers' y, world units.
    pub y: &'a [f32],
    /// The radii, world units, at least 0.
    pub radius: &'a [f32],
}

impl Elements for DiscColumns<'_> {
    type Shape = Disc;
    fn len(&self) -> usize {
        self.x.len()
    }
    #[inline]
    fn shape(&self, index: usize) -> Disc {
        Disc { center: Vec2::new(self.x[index], self.y[index]), radius: self.radius[index] }
    }
    #[inline(always)]
    fn extents(&self, range: Range<usize>) -> impl Iterator<Item = (Vec2, f32)> {
        let centers = self.x[range.clone()].iter().zip(&self.y[range.clone()]);
        centers.zip(&self.radius[range]).map(|((&x, &y), &radius)| (Vec2::new(x, y), radius))
    }
}
