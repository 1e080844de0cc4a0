//! Close pairs: all pairs of discs or points with a gap below a distance, for callers whose data
//! lie in any order.
//!
//! The contact search of a step is the fastest way to list pairs, but it needs discs in cell order.
//! So copies of the discs are kept in that order, enlarged by half of the distance:
//!
//! ```text
//! caller    discs by index, which move    │ 17 │ 4 │ 90 │ …
//!                                           ╲   ╱  gather
//! x y r     copies in cell order          │ 4 │ 17 │ 2 │ …    12 bytes per disc, 16 with a distance
//! id        the index of each copy        │ twice, to sort    8 bytes per disc
//! pairs     ids, the lower first          │ (4,17) (2,90) …   8 bytes per pair
//! ```
//!
//! The order stays while few discs have left their cells: then an update gathers the copies and
//! lists the outliers. Once the outliers have cost as much as a sort, the copies are sorted.

use super::list::ContactList;
use crate::{
    alloc,
    error::Result,
    geometry::{Disc, DiscColumns, Elements, Shape},
    grid::{Grid, GridConfig, Members, set_bits},
    limits::COORDINATE_MAX,
    parallel,
    simd::SimdLevel,
};

/// Pairs per disc for which memory is allocated: the number of pairs in a gas.
const PAIRS_PER_DISC: f32 = 0.25;

/// Discs per outlier that is tolerated before a sort: about the cost of a sort relative to the
/// search for an outlier.
const DISCS_PER_OUTLIER: usize = 16;

/// Copies that are gathered together.
const PIECE: usize = 8_192;

/// Purpose of the memory, for errors.
const COPIES: &str = "the discs in cell order";

/// Finds all pairs of discs or points that are close to each other.
///
/// It serves callers that need all pairs of every frame:
/// [`Grid::visit_pairs`] searches once per element, and takes several times as long.
///
/// ```
/// use jostle::{ClosePairs, Disc, GridConfig, Rect, Vec2};
///
/// // Points are discs of radius 0.
/// let points = [1.0, 2.5, 9.0].map(|x| Disc::new(Vec2::new(x, 4.0), 0.0));
/// let world = Rect::from_size(16.0, 9.0);
/// let mut close = ClosePairs::new(GridConfig::new(world, 2.2, points.len()))?;
/// assert_eq!(close.find(&points, 2.0)?, [[0, 1]]);
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClosePairs {
    grid: Grid,
    contacts: ContactList,
    copies: Copies,
    /// A bit per index: whether it is among the copies. And the number of indices.
    present: Vec<u64>,
    indices: usize,
    /// Outliers right after the last sort: discs too large for their cells.
    large: usize,
    /// Outliers beside these, added up over the updates since the last sort.
    drifted: usize,
    pairs: Vec<[u32; 2]>,
    growths: u64,
}

/// Discs in cell order.
#[derive(Clone, Debug, Default)]
struct Copies {
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    /// Radii with half of the distance; empty if that is 0.
    enlarged: Vec<f32>,
    id: Vec<u32>,
}

impl ClosePairs {
    /// Creates an empty search for at most [`GridConfig::capacity`] discs.
    ///
    /// Cells of 2.1 to 3 times the largest radius and half of the distance are the fastest; larger
    /// discs are found, too, each as an outlier.
    ///
    /// # Errors
    /// As for [`Grid::new`].
    pub fn new(config: GridConfig) -> Result<Self> {
        let capacity = config.capacity;
        let mut grid = Grid::new(config)?;
        let copies = Copies::new(capacity)?;
        grid.sort_kept(&copies.discs(), |_| true)?;
        grid.set_sorted(&copies.discs())?;
        Ok(Self {
            contacts: ContactList::new(capacity, PAIRS_PER_DISC, &grid)?,
            grid,
            copies,
            present: alloc::with_capacity(capacity.div_ceil(64), COPIES)?,
            indices: 0,
            large: 0,
            drifted: 0,
            pairs: Vec::new(),
            growths: 0,
        })
    }

    /// Returns all pairs of discs with a gap below `within`, world units (0: that overlap): each
    /// pair once, the lower index first, in an order that depends on this and former calls alone,
    /// and not on the number of threads. A negative or NaN `within` counts as 0.
    ///
    /// The discs may have moved in any way since the last call, and may be more or fewer. O(n)
    /// where they are spread evenly; it is several times as fast while few discs leave their cells
    /// between two calls. It uses all threads of the rayon pool that the caller is in.
    ///
    /// # Errors
    /// If there are more discs than the capacity, if a center is not finite or a radius negative,
    /// or if there is not enough memory.
    pub fn find<E>(&mut self, discs: &E, within: f32) -> Result<&[[u32; 2]]>
    where
        E: Elements<Shape = Disc> + ?Sized,
    {
        self.grid.check_elements(discs, Members::All)?;
        let within = if within > 0.0 { within.min(COORDINATE_MAX) } else { 0.0 };
        self.follow(discs.len(), |_| true, within, |id| discs.shape(id as usize))?;
        self.find_followed()?;
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        alloc::reserve(&mut pairs, self.contacts.len(), "the pairs")?;
        let Copies { x, y, radius, id, .. } = &self.copies;
        let copies = DiscColumns { x, y, radius };
        for [i, j] in self.contacts.iter() {
            let [one, other] = [i, j].map(|slot| copies.shape(slot as usize));
            // Enlarged radii are rounded up.
            if within == 0.0 || one.is_within(&other, within) {
                let [a, b] = [i, j].map(|slot| id[slot as usize]);
                pairs.push([a.min(b), a.max(b)]);
            }
        }
        self.pairs = pairs;
        Ok(&self.pairs)
    }

    /// Takes over the discs below `len` that live.
    pub(crate) fn follow(
        &mut self,
        len: usize,
        lives: impl Fn(u32) -> bool,
        within: f32,
        disc: impl Fn(u32) -> Disc + Sync,
    ) -> Result<()> {
        let held = self.grid.memory();
        let mut words = self.present.iter().enumerate();
        let same =
            self.indices == len && words.all(|(word, &bits)| living(word, len, &lives) == bits);
        if !same {
            self.replace(len, lives)?;
        }
        let Self { grid, copies, .. } = self;
        copies.gather(&disc, within);
        let mut sorts = !same;
        if same {
            let outliers = grid.record_outliers(&copies.discs());
            self.drifted += outliers.saturating_sub(self.large);
            sorts = self.drifted * DISCS_PER_OUTLIER > copies.id.len();
            if !sorts {
                grid.list_outliers(&copies.discs(), outliers)?;
            }
        }
        if sorts {
            let order = grid.sort_kept(&copies.discs(), |_| true)?;
            copies.sort_ids(order);
            copies.gather(&disc, within);
            grid.set_sorted(&copies.discs())?;
            (self.large, self.drifted) = (grid.outlier_count(), 0);
        }
        self.growths += u64::from(self.grid.memory() > held);
        Ok(())
    }

    /// Finds the pairs of the discs that [`Self::follow`] took over.
    pub(crate) fn find_followed(&mut self) -> Result<()> {
        self.contacts.find(self.copies.discs().into(), &self.grid, SimdLevel::best())
    }

    /// Sets which indices are among the copies. Those that were before come first, in their former
    /// order, which is nearly the present one, so that sorting hardly moves them.
    fn replace(&mut self, len: usize, lives: impl Fn(u32) -> bool) -> Result<()> {
        let Self { copies, present, indices, .. } = self;
        copies.id.retain(|&id| (id as usize) < len && lives(id));
        alloc::grow_to(present, len.div_ceil(64), 0, COPIES)?;
        *indices = len;
        for (word, bits) in present.iter_mut().enumerate() {
            let before = std::mem::replace(bits, living(word, len, &lives));
            copies.id.extend(set_bits(word, &[*bits & !before]).map(|id| id as u32));
        }
        Ok(())
    }

    /// The pairs of indices that [`Self::find_followed`] found.
    pub(crate) fn iter(&self) -> impl Iterator<Item = [u32; 2]> {
        let id = |slot: u32| self.copies.id[slot as usize];
        self.contacts.iter().map(move |pair| pair.map(id))
    }

    /// The number of bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        let Self { grid, contacts, copies, present, pairs, .. } = self;
        let Copies { x, y, radius, enlarged, id } = copies;
        let words = [x, y, radius, enlarged].map(Vec::capacity).iter().sum::<usize>();
        grid.memory()
            + contacts.memory()
            + (words + id.capacity()) * 4
            + present.capacity() * size_of::<u64>()
            + pairs.capacity() * size_of::<[u32; 2]>()
    }

    /// Number of allocations since construction.
    pub(crate) fn growths(&self) -> u64 {
        self.growths + self.contacts.growths()
    }
}

/// A bit for each of the 64 indices of a word: whether it is below `len` and lives.
fn living(word: usize, len: usize, lives: &impl Fn(u32) -> bool) -> u64 {
    let indices = word * 64..len.min(word * 64 + 64);
    indices.zip(0..).fold(0, |bits, (index, bit)| bits | u64::from(lives(index as u32)) << bit)
}

impl Copies {
    fn new(capacity: usize) -> Result<Self> {
        let numbers = || alloc::with_capacity(capacity, COPIES);
        let (x, y, radius) = (numbers()?, numbers()?, numbers()?);
        let id = alloc::with_capacity(capacity, COPIES)?;
        Ok(Self { x, y, radius, enlarged: Vec::new(), id })
    }

    /// Puts the ids into an order of slots. A column that is copied afterwards holds them meanwhile.
    fn sort_ids(&mut self, order: &[u32]) {
        let words: &mut [u32] = bytemuck::cast_slice_mut(&mut self.x);
        for (word, &slot) in words.iter_mut().zip(order) {
            *word = self.id[slot as usize];
        }
        self.id.copy_from_slice(words);
    }

    /// Copies all discs.
    fn gather(&mut self, disc: &(impl Fn(u32) -> Disc + Sync), within: f32) {
        let Self { x, y, radius, enlarged, id, .. } = self;
        let count = id.len();
        for column in [&mut *x, y, radius] {
            alloc::resize(column, count, 0.0);
        }
        parallel::pieces(
            (&mut x[..], &mut y[..], &mut radius[..]),
            PIECE,
            &|first, (x, y, radius): (&mut [f32], &mut [f32], &mut [f32])| {
                for (((x, y), radius), &id) in x.iter_mut().zip(y).zip(radius).zip(&id[first..]) {
                    let disc = disc(id);
                    (*x, *y, *radius) = (disc.center.x, disc.center.y, disc.radius);
                }
            },
            &|(), ()| (),
        );
        enlarged.clear();
        if within > 0.0 {
            // Rounded up, so that no close pair is missed.
            let enlarge = |radius: &f32| (radius + 0.5 * within) * (1.0 + 4.0 * f32::EPSILON);
            enlarged.extend(radius.iter().map(enlarge));
        }
    }

    fn discs(&self) -> DiscColumns<'_> {
        let radius = if self.enlarged.is_empty() { &self.radius } else { &self.enlarged };
        DiscColumns { x: &self.x, y: &self.y, radius }
    }
}
