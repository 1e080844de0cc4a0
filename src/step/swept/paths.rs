//! The paths of a step as columns, and the discs around them.

use std::ops::Range;

use super::{
    cover::{self, Advance, Cover, CoverColumns, Covered, Covers},
    fixed,
    notes::{LastHits, NoteColumns},
    touch::FirstTouches,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{Narrowing, Sought},
    error::Result,
    geometry::{DiscColumns, Space},
    grid::Grid,
    parallel,
    simd::SimdLevel,
    statics::Statics,
    step::{
        motion::{Motion, Moved},
        travel::Surroundings,
    },
};

/// Slots per task: whole words of bits.
const PIECE: usize = 8_192;

/// Purpose of the memory, for errors.
const PATHS: &str = "the paths of swept collisions";

/// The paths of a step, and what happens on them.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    /// Discs around the paths.
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    pub(super) notes: NoteColumns,
    /// The time at which each contact happens, laid out as the list is.
    pub(super) times: Vec<f32>,
    /// One bit per agent: its path may reach a wall or a static, or is longer than its disc shows.
    pub(super) alone: Vec<u64>,
    /// The longest half of a path that a disc covers, world units.
    half_max: f32,
    /// One bit per agent: the disc around its next path is an outlier. As long as `ahead` holds.
    outliers: Vec<u64>,
    /// The counts of the next paths, if the discs are already around these, and nothing has changed
    /// the agents since.
    ahead: Option<Covered>,
}

impl Swept {
    /// Creates the columns of `capacity` agents, and the column of a list of `pairs` contacts.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(capacity: usize, pairs: usize) -> Result<Self> {
        let column = || alloc::with_capacity(capacity, PATHS);
        Ok(Self {
            x: column()?,
            y: column()?,
            radius: column()?,
            notes: NoteColumns::new(capacity, PATHS)?,
            times: alloc::filled(pairs, 0.0, PATHS)?,
            alone: alloc::with_capacity(capacity.div_ceil(64), PATHS)?,
            half_max: 0.0,
            outliers: alloc::with_capacity(capacity.div_ceil(64), PATHS)?,
            ahead: None,
        })
    }

    /// Bytes that [`Self::new`] allocates.
    pub(crate) fn memory_for(capacity: usize, pairs: usize) -> usize {
        (capacity * 5 + pairs) * size_of::<f32>()
            + capacity
            + 2 * capacity.div_ceil(64) * size_of::<u64>()
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        (self.x.capacity() * 3 + self.times.capacity()) * size_of::<f32>()
            + self.notes.memory()
            + (self.alone.capacity() + self.outliers.capacity()) * size_of::<u64>()
    }

    /// The largest disc around a path of an agent in a world where the largest radius is that.
    pub(crate) fn cover_max(radius_max: f32) -> f32 {
        2.0 * radius_max
    }

    /// Sets the largest radius of the agents, which decides how long a path a disc may cover.
    pub(crate) fn set_radius_max(&mut self, radius: f32, space: &Space) {
        let room = if space.is_periodic() { space.radius_max() - radius } else { radius };
        self.half_max = radius.min(room).max(0.0);
        self.forget_ahead();
    }

    /// The discs around the paths, to be searched for pairs. Pairs that do not touch are dropped.
    pub(crate) fn search<'a>(&'a mut self, touches: &'a FirstTouches<'a>) -> Sought<'a> {
        let Self { x, y, radius, times, .. } = self;
        let narrowing = Narrowing { by: touches, column: times, purpose: PATHS };
        let discs = DiscColumns { x, y, radius };
        Sought { narrowing: Some(narrowing), ..discs.into() }
    }

    /// Adds gravity to the velocities and covers each path by a disc; makes the grid exact for
    /// these.
    ///
    /// # Errors
    /// If there is no memory for the lists of outlier cells.
    #[inline(never)]
    pub(crate) fn cover(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
    ) -> Result<Covered> {
        let count = agents.len();
        let half_max = self.half_max;
        let covers = Covers { motion, half_max };
        let covered = if let Some(covered) = self.ahead.take() {
            debug_assert!(cover::are_current(self.discs(), agents, covers), "paths have changed");
            grid.set_outliers(&self.outliers);
            covered
        } else {
            self.resize(count);
            let Self { x, y, radius, alone, .. } = self;
            let to = CoverColumns { x, y, radius, alone, scan: grid.outlier_scan(count) };
            parallel::pieces(
                (agents.view_mut(), to),
                PIECE,
                &|_, (agents, to)| simd.run(Cover { agents, to, covers }),
                &Covered::merge,
            )
        };
        let Self { x, y, radius, alone, .. } = self;
        let discs = DiscColumns { x, y, radius };
        let around = Surroundings { motion, statics };
        if !statics.is_empty() {
            parallel::pieces(
                &mut alone[..],
                PIECE / 64,
                &|start, words: &mut [u64]| {
                    for (word, bits) in (start..).zip(words) {
                        *bits |= fixed::near_statics(word, discs, around);
                    }
                },
                &|(), ()| (),
            );
        }
        grid.list_outliers(&discs, covered.outliers)?;
        Ok(covered)
    }

    /// Makes all columns `count` agents long.
    fn resize(&mut self, count: usize) {
        let Self { x, y, radius, notes, alone, outliers, .. } = self;
        notes.resize(count);
        for column in [x, y, radius] {
            column.resize(count, 0.0);
        }
        for bits in [alone, outliers] {
            bits.resize(count.div_ceil(64), 0);
        }
    }

    /// The discs around the paths.
    pub(crate) fn discs(&self) -> DiscColumns<'_> {
        DiscColumns { x: &self.x, y: &self.y, radius: &self.radius }
    }

    /// Moves all agents along their paths to the end of the step, in a world without gravity, and
    /// covers the paths of the next step at once. This saves a pass over all agents.
    pub(crate) fn advance(
        &mut self,
        agents: &mut Agents,
        grid: &mut Grid,
        motion: &Motion,
        statics: &Statics,
        simd: SimdLevel,
    ) -> Moved {
        let Self { x, y, radius, alone, outliers, half_max, notes, .. } = self;
        let covers = Covers { motion, half_max: *half_max };
        let hits = notes.last_hits();
        let [scan, next] = grid.outlier_scans(agents.len(), outliers);
        let to = CoverColumns { x, y, radius, alone, scan: next };
        let (moved, covered) = parallel::pieces(
            (agents.view_mut(), scan, to),
            PIECE,
            &|_, (agents, scan, to)| simd.run(Advance { agents, hits, scan, to, covers, statics }),
            &|one: (Moved, Covered), other| (one.0.merge(other.0), one.1.merge(other.1)),
        );
        self.ahead = Some(covered);
        moved
    }

    /// The last hits of the agents in the step that was resolved.
    pub(crate) fn last_hits(&self) -> LastHits<'_> {
        self.notes.last_hits()
    }

    /// Forgets the discs around the next paths, because the agents or their motion have changed.
    pub(crate) fn forget_ahead(&mut self) {
        self.ahead = None;
    }

    /// Number of agents in some slots with a path that is longer than its disc.
    pub(crate) fn long_paths(&self, agents: &Agents, slots: Range<usize>, motion: &Motion) -> u64 {
        let is_long = |&slot: &usize| {
            cover::is_long([agents.vx[slot], agents.vy[slot]], motion.dt, self.half_max)
        };
        slots.filter(is_long).count() as u64
    }
}
