//! The timeline: the states and edits of a run that the window keeps, so that the user can go back.
//!
//! ```text
//! moments   ●────●───●──●─●●●●●●        snapshots, thinner the older they are
//! edits       ▴  ▴▴        ▴            every change of the run, each with its step
//! steps     0 ───────── now ─── end
//! ```
//!
//! A step has one outcome, so a moment and the edits after it are enough to come to any later state,
//! bit for bit. More moments only make that faster. A change in the past makes another future: what came
//! after it on the line becomes a branch, with its moments and edits.
//!
//! Invariant: moments and edits ascend, the first moment is where the run began, and everything
//! together takes no more than the budget.

mod branches;

pub(super) use self::branches::{OtherFuture, ShownBranch};

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    alloc,
    journal::{BranchName, BranchTree, Position},
    sim::{Edit, Sim},
    snapshot::Snapshot,
    window::tool::{Histories, STROKES_MAX},
};

/// Computing time from one moment to the next: the longest way from a moment to a later state.
const SPACING: Duration = Duration::from_millis(200);

/// The least multiple of the time that a moment takes from one to the next: 2.8 % of the run.
const COST: u32 = 36;

/// Number of moments of which the cost is remembered.
const COSTS: usize = 5;

/// Why a branch is given up.
const NO_ROOM: &str = "the history has no room for it; a larger --history has";
const TOO_MANY: &str = "a run has at most 16 branches, and it was the oldest";
const UNREACHED: &str = "the history does not have the place where it parts";

/// Simulated seconds before the end in which moments are thinned last.
const RECENT: f32 = 10.0;

/// A state of the run.
struct TimelineMoment {
    position: Position,
    snapshot: Snapshot,
}

/// A branch to which a turn of the user goes back.
#[derive(Clone, Copy, Debug)]
struct BranchTurn {
    number: u32,
    /// When the branch was left, by the clock of the timeline.
    left: u64,
}

/// What happens in a branch.
struct Future {
    moments: Vec<TimelineMoment>,
    edits: Vec<(u64, Edit)>,
    /// Bytes of the edits.
    edits_bytes: usize,
    strokes: Vec<(Position, Histories)>,
}

impl Future {
    fn new(moments: Vec<TimelineMoment>, edits: Vec<(u64, Edit)>) -> Self {
        let edits_bytes = edits_bytes(&edits);
        Self { moments, edits, edits_bytes, strokes: Vec::new() }
    }
}

/// The moments and edits of a run.
pub(super) struct Timeline {
    /// Largest size in bytes.
    budget: usize,
    /// Bytes of it that the runs before and after this one take, and the twin of this one.
    reserved: usize,
    moments: Vec<TimelineMoment>,
    edits: Vec<(u64, Edit)>,
    /// What undo and redo took back after each stroke, ascending: the newest ones.
    strokes: Vec<(Position, Histories)>,
    /// Edits before them, which the first moment has.
    forgotten: usize,
    /// The last step that the run has reached.
    end: u64,
    branches: BranchTree<Future>,
    /// By [`UndoTurn`](super::tool::UndoTurn): the branches to which it goes back, the next one last.
    turns: [Vec<BranchTurn>; 2],
    /// Number of strokes, and of turns and choices of branches, in the order in which the user made them.
    clock: u64,
    /// The branch beside which the user wants to see the run.
    chosen: Option<u32>,
    /// Branches that were given up, and why, until they are taken.
    dropped: Vec<(BranchName, &'static str)>,
    /// Computing time from one moment to the next: at least this time, and at least this multiple of
    /// the time that a moment takes.
    spacing: (Duration, u32),
    /// Computing time since the last moment, and the times that the last ones took.
    since: Duration,
    costs: [Duration; COSTS],
    /// Steps before the end in which moments are thinned last.
    recent: u64,
}

impl Timeline {
    /// The timeline of a run that begins here after `made` edits, of at most `budget` bytes. Without
    /// room for one moment it stays empty.
    pub(super) fn new(sim: &Sim, made: usize, budget: usize) -> Self {
        let mut timeline = Self {
            budget,
            reserved: 0,
            moments: Vec::new(),
            edits: Vec::new(),
            strokes: Vec::new(),
            forgotten: made,
            end: sim.steps(),
            branches: BranchTree::new(),
            turns: Default::default(),
            clock: 0,
            chosen: None,
            dropped: Vec::new(),
            spacing: (SPACING, COST),
            since: Duration::ZERO,
            costs: [Duration::ZERO; COSTS],
            recent: (RECENT * sim.setup().hz) as u64,
        };
        timeline.keep(sim, made);
        timeline
    }

    /// Leaves so much more of the budget to other runs, or so much less. The first moment stays.
    pub(super) fn reserve(&mut self, bytes: isize, now: u64) {
        self.reserved = self.reserved.saturating_add_signed(bytes);
        self.thin(0, now);
    }

    /// The same of a run that was replaced: nothing of its budget belongs to others.
    pub(super) fn alone(self) -> Self {
        Self { reserved: 0, ..self }
    }

    /// Sets the largest size, and drops what has no room in it. The first moment stays.
    pub(super) fn set_budget(&mut self, bytes: usize, now: u64) {
        self.budget = bytes;
        self.thin(0, now);
    }

    /// Has the room of a timeline in its place.
    pub(super) fn take_room_of(&mut self, other: &Self, now: u64) {
        self.reserved = other.reserved;
        self.set_budget(other.budget, now);
    }

    /// Keeps a moment after each step, for tests of short runs.
    #[cfg(test)]
    pub(super) fn keep_all(&mut self) {
        self.spacing = (Duration::ZERO, 0);
    }

    /// The time that a moment takes: the median of the last ones.
    pub(super) fn cost(&self) -> Duration {
        let mut costs = self.costs;
        costs.sort_unstable();
        let missing = costs.partition_point(Duration::is_zero).min(COSTS - 1);
        costs[usize::midpoint(missing, COSTS)]
    }

    /// The most bytes.
    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    /// Whether there is a way back.
    pub(super) fn goes_back(&self) -> bool {
        !self.moments.is_empty()
    }

    /// The first step and the last one that the user can go to.
    pub(super) fn ends(&self) -> [u64; 2] {
        [self.moments.first().map_or(self.end, |first| first.position.0), self.end]
    }

    /// The end of the run.
    pub(super) fn end(&self) -> Position {
        (self.end, self.forgotten + self.edits.len())
    }

    /// The steps of the moments, ascending.
    pub(super) fn moments(&self) -> impl Iterator<Item = u64> {
        self.moments.iter().map(|moment| moment.position.0)
    }

    /// The edit that is made next after these, if it is made before the step after that one.
    pub(super) fn next_edit(&self, (step, made): Position) -> Option<&Edit> {
        let edit = self.edits.get(made.checked_sub(self.forgotten)?);
        edit.filter(|(at, _)| *at <= step).map(|(_, edit)| edit)
    }

    /// The last moment not after a step.
    pub(super) fn nearest(&self, step: u64) -> Option<(Position, &Snapshot)> {
        let after = self.moments.partition_point(|moment| moment.position.0 <= step);
        let moment = self.moments.get(after.checked_sub(1)?)?;
        Some((moment.position, &moment.snapshot))
    }

    /// Records a step of a run with `made` edits, and the time that it took. Keeps a moment where one
    /// is due.
    pub(super) fn stepped(&mut self, sim: &Sim, made: usize, took: Duration) {
        self.end = self.end.max(sim.steps());
        if !self.goes_back() {
            return;
        }
        let position = (sim.steps(), made);
        if self.moments.binary_search_by_key(&position, |moment| moment.position).is_ok() {
            self.since = Duration::ZERO;
            return;
        }
        self.since += took;
        let (spacing, cost) = self.spacing;
        if self.since >= spacing.max(self.cost() * cost) {
            let begin = Instant::now();
            self.keep(sim, made);
            // One of them may have waited for the system.
            self.costs.rotate_left(1);
            self.costs[COSTS - 1] = begin.elapsed();
            self.since = Duration::ZERO;
        }
    }

    /// The run was restored: the next moment is due later.
    pub(super) fn restored(&mut self) {
        self.since = Duration::ZERO;
    }

    /// The user has changed the run at a position. If that is in the past, there is another future
    /// from now on.
    ///
    /// True if there is.
    pub(super) fn record(&mut self, position: Position, edit: Edit) -> bool {
        let parts = position < self.end();
        if parts {
            self.leave(position);
        }
        if self.goes_back() {
            let edit = (position.0, edit);
            alloc::demanded(alloc::push(&mut self.edits, edit, "the edits of the run"));
        }
        parts
    }

    /// Holds the budget after edit number `made` was recorded and made. Edits that alone take most of
    /// it are forgotten with everything before them: the run begins here then.
    pub(super) fn settle(&mut self, sim: &Sim, made: usize) {
        if self.goes_back() && edits_bytes(&self.edits) > self.budget / 2 {
            self.drop_all();
            let Self { reserved, clock, .. } = *self;
            let dropped = std::mem::take(&mut self.dropped);
            // The line keeps its name.
            let branches = std::mem::replace(&mut self.branches, BranchTree::new());
            let strokes = self.strokes.pop().into_iter().collect();
            let begins = Self::new(sim, made, self.budget);
            *self = Self { reserved, strokes, branches, clock, dropped, ..begins };
        }
        self.thin(0, sim.steps());
    }

    /// The strokes that were made before a position of the line.
    pub(super) fn strokes(&self, position: Position) -> Option<&Histories> {
        let after = self.strokes.partition_point(|(at, _)| *at <= position);
        self.strokes.get(after.checked_sub(1)?).map(|(_, strokes)| strokes)
    }

    /// Keeps the strokes before a position of the line, unless they are those of the stroke before.
    pub(super) fn keep_strokes(&mut self, position: Position, strokes: &Histories) {
        let before = self.strokes(position);
        if before.map_or(strokes.iter().all(|it| it.0.is_empty()), |it| Arc::ptr_eq(it, strokes)) {
            return;
        }
        let at = self.strokes.partition_point(|(at, _)| *at < position);
        self.strokes.insert(at, (position, Arc::clone(strokes)));
        self.strokes.retain(|(at, kept)| *at != position || Arc::ptr_eq(kept, strokes));
        let old = self.strokes.len().saturating_sub(STROKES_MAX);
        self.strokes.drain(..old);
    }

    /// The time of what the user does now: later than all before it.
    pub(super) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// The edits after the first `made`.
    pub(super) fn edits_after(&self, made: usize) -> &[(u64, Edit)] {
        self.edits.get(made.saturating_sub(self.forgotten)..).unwrap_or_default()
    }

    /// Lets a run that begins have a future.
    pub(super) fn foresee(&mut self, edits: Vec<(u64, Edit)>, end: u64) {
        (self.edits, self.end) = (edits, end);
    }

    /// Bytes that are held, with those of other runs.
    pub(super) fn memory(&self) -> usize {
        let moments = |moments: &[TimelineMoment]| -> usize {
            moments
                .iter()
                .map(|moment| moment.snapshot.memory() + size_of::<TimelineMoment>())
                .sum()
        };
        let branches = self.branches.iter().map(|branch| &branch.future);
        let branches: usize = branches.map(|it| moments(&it.moments) + it.edits_bytes).sum();
        moments(&self.moments) + edits_bytes(&self.edits) + branches + self.reserved
    }

    /// Keeps the present state, if the budget and the memory have room for it.
    fn keep(&mut self, sim: &Sim, made: usize) {
        let position = (sim.steps(), made);
        let needed = sim.moment_bytes() + size_of::<TimelineMoment>();
        let buffer = self.thin(needed, sim.steps());
        if self.memory() + needed > self.budget {
            return;
        }
        // A buffer that is used again may be larger than its contents.
        let fits = |buffer: &Vec<u8>| self.memory() + buffer.capacity().max(needed) <= self.budget;
        let buffer = buffer.filter(fits).unwrap_or_default();
        if alloc::reserve(&mut self.moments, 1, "the moments of the run").is_err() {
            return;
        }
        let Ok(snapshot) = sim.snapshot_for_memory(buffer) else { return };
        let at = self.moments.partition_point(|moment| moment.position < position);
        self.moments.insert(at, TimelineMoment { position, snapshot });
        self.thin(0, sim.steps());
    }

    /// Drops moments until there is room for more bytes; returns the buffer of the last one. Those of
    /// branches go first, as these can be computed again, and the branches themselves last.
    /// The first moment stays, and of the others those stay that have far neighbors, compared with
    /// their distance from the present and from the end.
    fn thin(&mut self, needed: usize, now: u64) -> Option<Vec<u8>> {
        let mut buffer = None;
        while self.memory() + needed > self.budget {
            let of_branch = self.branches.futures().find_map(|future| future.moments.pop());
            let dropped = match of_branch.or_else(|| self.take_densest(now)) {
                Some(dropped) => dropped,
                // A branch is worth more than a moment, which only makes ways shorter.
                None if self.memory() > self.budget && self.drop_oldest(NO_ROOM) => continue,
                None => break,
            };
            buffer = Some(dropped.snapshot.into_bytes());
        }
        buffer
    }

    /// Takes the moment away that is missed least.
    fn take_densest(&mut self, now: u64) -> Option<TimelineMoment> {
        let gap = |index: usize| {
            let step = |index: usize| self.moments.get(index).map(|moment| moment.position.0);
            let at = step(index).unwrap_or(0);
            let next = step(index + 1).unwrap_or(self.end.max(at));
            let between = next - step(index - 1).unwrap_or(0);
            let age = (self.end.max(at) - at).min(at.abs_diff(now));
            let recent = self.end.max(at) - at <= self.recent;
            (recent, between as f64 / (age + 1) as f64)
        };
        let order = |one: &(bool, f64), other: &(bool, f64)| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        };
        let all = (1..self.moments.len()).map(|index| (index, gap(index)));
        let (densest, _) = all.min_by(|one, other| order(&one.1, &other.1))?;
        Some(self.moments.remove(densest))
    }
}

fn edits_bytes(edits: &[(u64, Edit)]) -> usize {
    edits.iter().map(|(_, edit)| edit.memory() + size_of::<u64>()).sum()
}
