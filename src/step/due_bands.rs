//! Due bands: which bands are sorted in a step.
//!
//! Outliers pay for sorts: each makes a step slower, and a sort is due once they have cost as much. The bands with the largest share of agents that have left their cells come first. Even bands are
//! sorted before odd ones, because the stretches of neighbors share a row.

use std::ops::Range;

use crate::{
    agents::Agents,
    alloc,
    error::Result,
    geometry::Space,
    grid::{Grid, Stretch},
};

/// The bands that are sorted in a step.
#[derive(Debug)]
pub(super) struct DueBands {
    due: Vec<DueBand>,
    stretches: Vec<Stretch>,
    /// The bands that are sorted here: all of them, or those of a rank of a cluster.
    own: Range<usize>,
}

/// A band that may be sorted.
#[derive(Clone, Debug)]
pub(crate) struct DueBand {
    pub(crate) band: usize,
    /// Agents of its stretch, and those of them that have left their cells.
    pub(crate) agents: usize,
    pub(crate) left: usize,
}

impl DueBand {
    fn share(&self) -> f64 {
        self.left as f64 / self.agents as f64
    }
}

impl DueBands {
    /// Creates the lists of `bands` bands.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(bands: usize) -> Result<Self> {
        Ok(Self {
            due: alloc::with_capacity(bands, "the bands to be sorted")?,
            stretches: alloc::with_capacity(bands, "the bands to be sorted")?,
            own: 0..bands,
        })
    }

    /// Leaves out the bands that other ranks of a cluster own.
    pub(super) fn restrict(&mut self, own: Range<usize>) {
        self.own = own;
    }

    /// The slot behind those of the bands that are sorted here.
    pub(super) fn own_end(&self, grid: &Grid) -> usize {
        let last = grid.bands().nth(self.own.end - 1).expect("a rank has bands");
        grid.row_slots(last.end - 1).end
    }

    /// The number of bands that there are lists for.
    pub(super) fn bands(&self) -> usize {
        self.due.capacity()
    }

    /// Bytes that [`Self::new`] allocates.
    pub(super) fn memory_for(bands: usize) -> usize {
        bands * (size_of::<DueBand>() + size_of::<Stretch>())
    }

    /// Counts the agents of each band that have left their cells; returns the bands that have any. The
    /// grid has recorded the outliers.
    pub(super) fn count(
        &mut self,
        agents: &Agents,
        grid: &Grid,
        space: &Space,
    ) -> &mut Vec<DueBand> {
        let Self { due, own, .. } = self;
        due.clear();
        let bands = grid.bands().enumerate().skip(own.start).take(own.len());
        due.extend(bands.map(|(band, rows)| {
            let slots = grid.stretch(&rows).slots;
            let outliers = grid.recorded_outliers(slots.clone());
            let left =
                outliers.filter(|&slot| can_return(slot as usize, agents, grid, space)).count();
            DueBand { band, agents: slots.len(), left }
        }));
        due.retain(|it| it.left > 0);
        due
    }

    /// Sets the bands that were counted.
    pub(super) fn set_counted(&mut self, bands: Vec<DueBand>) {
        self.due = bands;
    }

    /// Chooses those of the counted bands that are due if sorts of `paid` agents are paid for; returns the
    /// number of agents in their stretches.
    pub(super) fn choose(&mut self, paid: usize) -> usize {
        let Self { due, .. } = self;
        due.sort_unstable_by(|a, b| b.share().total_cmp(&a.share()).then(a.band.cmp(&b.band)));
        // A band that is too expensive is saved up for.
        let mut sorted = 0;
        let within = due.iter().take_while(|it| {
            let fits = sorted + it.agents <= paid;
            sorted += if fits { it.agents } else { 0 };
            fits
        });
        let count = within.count();
        due.truncate(count);
        due.sort_unstable_by_key(|it| it.band);
        sorted
    }

    /// True if a band is chosen.
    pub(super) fn is_due(&self, band: usize) -> bool {
        self.due.binary_search_by_key(&band, |it| it.band).is_ok()
    }

    /// The stretches of the chosen bands of one parity, as they are now.
    pub(super) fn stretches(&mut self, parity: usize, grid: &Grid) -> &mut [Stretch] {
        let Self { due, stretches, own } = self;
        stretches.clear();
        let wanted = |band| band % 2 == parity && own.contains(&band);
        stretches.extend(chosen(due, wanted, grid));
        stretches
    }

    /// The slots in the stretches of all chosen bands, after the sorts.
    pub(super) fn slots(&self, grid: &Grid) -> impl Iterator<Item = usize> {
        chosen(&self.due, |_| true, grid).flat_map(|stretch| stretch.slots)
    }
}

/// The stretches of the bands that are chosen and wanted.
fn chosen(
    due: &[DueBand],
    wanted: impl Fn(usize) -> bool,
    grid: &Grid,
) -> impl Iterator<Item = Stretch> {
    let mut chosen = due.iter().map(|it| it.band).filter(move |&band| wanted(band)).peekable();
    let bands = grid.bands().enumerate();
    bands.filter_map(move |(band, rows)| chosen.next_if_eq(&band).map(|_| grid.stretch(&rows)))
}

/// True if a sort of its band ends that an agent is an outlier: it is not too large, and not beyond a
/// border where its next cell is in the band at the opposite border.
fn can_return(slot: usize, agents: &Agents, grid: &Grid, space: &Space) -> bool {
    agents.radius[slot] <= grid.near_limit() && !is_beyond(slot, agents, space)
}

/// True if an agent is beyond the lower or the upper border of a world that repeats there.
fn is_beyond(slot: usize, agents: &Agents, space: &Space) -> bool {
    let (y, world) = (agents.y[slot], space.world());
    space.repeats()[1] && !(world.min.y..world.max.y).contains(&y)
}

/// The number of outliers before slot `end` that are beyond the lower or the upper border and not too large
/// for a cell.
pub(super) fn beyond(agents: &Agents, grid: &Grid, space: &Space, end: usize) -> usize {
    if !space.repeats()[1] {
        return 0;
    }
    let [_, rows] = grid.loose_cells();
    let border = grid.row_slots(0).start..grid.row_slots(0).end;
    let slots = [border, if rows > 1 { grid.row_slots(rows - 1) } else { 0..0 }];
    let outliers = slots.into_iter().flat_map(|slots| grid.recorded_outliers(slots));
    let small = outliers
        .filter(|&slot| (slot as usize) < end && agents.radius[slot as usize] <= grid.near_limit());
    small.filter(|&slot| is_beyond(slot as usize, agents, space)).count()
}
