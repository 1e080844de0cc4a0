//! Pairs across the seam of a world that repeats. They are resolved last, one after another, and the first
//! and the last slab are neighbors here. So all ranks know all of these pairs, and each resolves all of them.
//!
//! ```text
//! find      each rank tells all ranks the copies of its agents beside the opposite border, and pairs
//!           the copies that it is told with its own agents; then all ranks tell their pairs
//! resolve   all ranks tell the states of their agents in these pairs
//! ```

use glam::Vec2;

use super::{Link, late::visit_own, shared::SharedAgents};
use crate::{
    agents::Agents,
    contacts::{Pair, Seam},
    error::Result,
    geometry::{Disc, DiscColumns, Elements, Rect, Space},
    grid::Grid,
    step::{
        impulse::{self, Direction},
        motion::Motion,
        pair_contact::Exchange,
        swept::{self, NoteColumns},
        travel::Surroundings,
    },
};

/// Words of a copy: the slot, the disc, whether it is an outlier, and the disc that is copied.
const COPY_WORDS: usize = 8;

/// The pairs across the seam that all ranks know.
#[derive(Debug)]
pub(super) struct SharedSeam {
    space: Space,
    /// The copies of the agents of this rank.
    seam: Seam,
    shared: SharedAgents,
    /// Entries of the table of shared agents, in order, the lower agent first.
    pairs: Vec<Pair>,
}

impl SharedSeam {
    /// The seam of a space, if it has one, with room for the copies of `all` agents, which have the
    /// columns of `agents`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(space: Space, agents: &Agents, all: usize) -> Result<Option<Self>> {
        let new = || {
            let (shared, pairs) = (SharedAgents::of(agents), Vec::new());
            Ok(Self { space, seam: Seam::new(space, all)?, shared, pairs })
        };
        space.is_periodic().then(new).transpose()
    }

    /// Finds all pairs of discs.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    pub(super) fn find(
        &mut self,
        link: &mut impl Link,
        discs: DiscColumns<'_>,
        own: usize,
        grid: &Grid,
    ) -> Result<()> {
        let Self { space, seam, shared, pairs } = self;
        // Which copies touch something depends on the outliers of all ranks.
        let Rect { min, max } = seam.reached(discs, grid);
        let reached = link.all_gather(&[min.x, min.y, max.x, max.y].map(f32::to_bits));
        let rect = |words: &Vec<u32>| {
            let [left, bottom, right, top] =
                [0, 1, 2, 3].map(|at: usize| f32::from_bits(words[at]));
            Rect::new(Vec2::new(left, bottom), Vec2::new(right, top))
        };
        let all = reached.iter().map(rect).reduce(|all, of_rank| all.union(&of_rank));
        seam.refresh_within(discs, grid, all.expect("there is a rank"))?;
        let halo = seam.halo();
        let copies = (0..halo.len()).filter(|&copy| (halo.slots()[copy] as usize) < own);
        let words: Vec<u32> = copies
            .flat_map(|copy| {
                let slot = halo.slots()[copy];
                let [copy, disc] = [halo.discs().shape(copy), discs.shape(slot as usize)];
                let numbers = [copy, disc].map(|it| [it.center.x, it.center.y, it.radius]);
                let [[x, y, radius], [x0, y0, r0]] = numbers.map(|it| it.map(f32::to_bits));
                [slot, x, y, radius, grid.is_outlier(slot).into(), x0, y0, r0]
            })
            .collect();
        let rank = link.rank() as u32;
        let mut found = Vec::new();
        for (from, words) in (0..).zip(link.all_gather(&words)) {
            for words in words.chunks_exact(COPY_WORDS) {
                let disc = |first: usize| {
                    let [x, y, radius] = [0, 1, 2].map(|at| f32::from_bits(words[first + at]));
                    Disc::new(Vec2::new(x, y), radius)
                };
                let (other, copy, is_outlier) = ((from, words[0]), disc(1), words[4] != 0);
                visit_own(discs, own, grid, copy, |slot, finds| {
                    let place = (rank, slot);
                    // Each copy of an outlier meets everything; two outliers meet by the copies of both.
                    let counts = !finds || (is_outlier && place < other);
                    let [one, two] = [discs.shape(slot as usize), disc(5)];
                    let apart = space.minimum_image(two.center - one.center);
                    let reach = one.radius + two.radius;
                    let overlap = apart.x * apart.x + apart.y * apart.y < reach * reach;
                    if counts && overlap {
                        let [low, high] = [place.min(other), place.max(other)];
                        found.extend([low.0, low.1, high.0, high.1]);
                    }
                });
            }
        }
        let told = link.all_gather(&found).concat();
        let mut places: Vec<_> =
            told.chunks_exact(4).map(|it| [(it[0], it[1]), (it[2], it[3])]).collect();
        places.sort_unstable();
        shared.share(places.iter().flatten().copied());
        pairs.clear();
        pairs.extend(places.iter().map(|pair| pair.map(|place| shared.entry(place))));
        Ok(())
    }

    /// Resolves all pairs in a direction; returns their impulses.
    pub(super) fn resolve(
        &mut self,
        link: &mut impl Link,
        agents: (&mut Agents, usize),
        direction: Direction,
        motion: &Motion,
    ) -> Exchange {
        let Self { space, shared, pairs, .. } = self;
        let mut sum = Exchange::default();
        if pairs.is_empty() {
            return sum;
        }
        let nearest = |displacement| space.minimum_image(displacement);
        shared.work(link, agents, None, |table, _| {
            let mut view = table.view_mut();
            direction.each(pairs.iter(), |&pair| {
                sum += impulse::resolve_pair(&mut view, pair, motion, nearest);
            });
        });
        sum
    }

    /// Notes when the paths of pairs touch, and drops pairs that do not.
    pub(super) fn note(
        &mut self,
        link: &mut impl Link,
        agents: (&mut Agents, usize),
        notes: &mut NoteColumns,
        motion: &Motion,
    ) {
        let Self { space, shared, pairs, .. } = self;
        if pairs.is_empty() {
            return;
        }
        let nearest = |displacement| space.minimum_image(displacement);
        shared.work(link, agents, Some(notes), |table, notes| {
            pairs.retain(|&pair| swept::note_touch(table, notes, pair, motion, nearest).is_some());
        });
    }

    /// Lets pairs collide if this is the next hit of both agents, and drops these pairs. Adds their
    /// impulses; returns true if there are any.
    pub(super) fn collide(
        &mut self,
        link: &mut impl Link,
        agents: (&mut Agents, usize),
        notes: &mut NoteColumns,
        around: Surroundings<'_>,
        sum: &mut Exchange,
    ) -> bool {
        let Self { shared, pairs, .. } = self;
        let before = pairs.len();
        if before == 0 {
            return false;
        }
        shared.work(link, agents, Some(notes), |table, notes| {
            pairs.retain(|&pair| {
                let exchange = swept::collide_across_seam(table, notes, pair, around, &());
                *sum += exchange.unwrap_or_default();
                exchange.is_none()
            });
        });
        pairs.len() < before
    }
}
