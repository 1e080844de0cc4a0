//! The branches of a timeline: futures that were left, and how the run goes on as one of them.
//!
//! Undo and redo go along the branches that the line was before, as along the pages that one has seen.

use super::{BranchTurn, Future, NO_ROOM, TOO_MANY, Timeline, UNREACHED};
use crate::{
    journal::{BRANCHES_MAX, Branch, BranchName, BranchTree, Position},
    sim::Edit,
    snapshot::Snapshot,
    window::tool::UndoTurn,
};

/// A branch as the user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::window) struct ShownBranch {
    pub(in crate::window) number: u32,
    pub(in crate::window) name: BranchName,
    /// The branch that it parts from; `None`: the line.
    pub(in crate::window) parent: Option<u32>,
    /// The steps at which it parts, and at which it ends.
    pub(in crate::window) ends: [u64; 2],
}

/// A future from a moment before it parts from the line.
pub(in crate::window) struct OtherFuture<'a> {
    /// The moment.
    pub(in crate::window) before: &'a Snapshot,
    /// Edits from there on.
    pub(in crate::window) edits: Vec<&'a (u64, Edit)>,
    /// Where it parts from the line, and its last step.
    pub(in crate::window) ends: [u64; 2],
}

impl Timeline {
    /// The branches, oldest first.
    pub(in crate::window) fn branches(&self) -> impl ExactSizeIterator<Item = ShownBranch> {
        self.branches.iter().map(|branch| {
            let &Branch { number, name, parent, from: (from, _), end, .. } = branch;
            ShownBranch { number, name, parent, ends: [from, end] }
        })
    }

    /// The number and the name of the line.
    pub(in crate::window) fn line(&self) -> (u32, BranchName) {
        (self.branches.number, self.branches.name)
    }

    /// The first step, and the last one of the line and of all branches.
    pub(in crate::window) fn span(&self) -> [u64; 2] {
        let [first, end] = self.ends();
        [first, self.branches.iter().fold(end, |end, branch| end.max(branch.end))]
    }

    /// The branch to which a turn of the user goes back.
    pub(in crate::window) fn turned(&self, turn: UndoTurn) -> Option<u32> {
        self.turn_back(turn).map(|back| back.number)
    }

    /// Whether that branch was left after a time of the clock.
    pub(in crate::window) fn turned_after(&self, turn: UndoTurn, at: u64) -> bool {
        self.turn_back(turn).is_some_and(|back| back.left > at)
    }

    /// The newest turn to another branch than the line, which may have been shown several times.
    fn turn_back(&self, turn: UndoTurn) -> Option<&BranchTurn> {
        self.turns[turn as usize].iter().rfind(|back| back.number != self.branches.number)
    }

    /// Lets the opposite of a turn go back to the branch that the line was before it; without a turn, the user
    /// has chosen the line or made it, and undo goes back.
    pub(in crate::window) fn turn(&mut self, turn: Option<UndoTurn>, left: u32) {
        let line = self.branches.number;
        match turn.map(|turn| &mut self.turns[turn as usize]) {
            None => self.turns[UndoTurn::Redo as usize].clear(),
            Some(turns) => {
                let to = turns.iter().rposition(|back| back.number == line);
                turns.truncate(to.unwrap_or(turns.len()));
            }
        }
        let back = turn.map_or(UndoTurn::Undo, UndoTurn::opposite);
        let back_to = BranchTurn { number: left, left: self.tick() };
        self.turns[back as usize].push(back_to);
        self.forget_gone();
    }

    /// The branch beside which the run is shown at that step: the one that the user chose, or else the one that
    /// was left last, of those that have parted from the line by then.
    pub(in crate::window) fn beside(&self, step: u64) -> Option<u32> {
        let has_parted = |&number: &u32| self.way(number).is_some_and(|(_, from)| from.0 <= step);
        let mut newest = self.branches.iter().rev().map(|branch| branch.number);
        self.chosen.or_else(|| newest.find(has_parted))
    }

    /// The branch that the user chose.
    pub(in crate::window) fn chosen(&self) -> Option<u32> {
        self.chosen
    }

    /// Lets the run be shown beside that branch; `None`: beside the one that was left last.
    pub(in crate::window) fn choose(&mut self, branch: Option<u32>) {
        self.chosen = branch;
        self.forget_gone();
    }

    /// Gives the line or a branch another name. The name before.
    ///
    /// # Errors
    /// As [`BranchTree::rename`].
    pub(in crate::window) fn rename(
        &mut self,
        number: u32,
        name: BranchName,
    ) -> Result<BranchName, &'static str> {
        let before = self.branches.get(number).map_or(self.branches.name, |branch| branch.name);
        self.branches.rename(number, name).map(|()| before)
    }

    /// The branches that were given up since the last call, and why.
    pub(in crate::window) fn take_dropped(&mut self) -> Vec<(BranchName, &'static str)> {
        std::mem::take(&mut self.dropped)
    }

    /// The numbers of the branches on the way to one, and where the first parts from the line.
    pub(in crate::window) fn way(&self, number: u32) -> Option<(Vec<u32>, Position)> {
        let way = self.branches.way(number);
        let from = way.first()?.from;
        Some((way.iter().map(|branch| branch.number).collect(), from))
    }

    /// The last moment not after a place of the line.
    pub(in crate::window) fn before(&self, place: Position) -> Option<(Position, &Snapshot)> {
        let moment = self.moments.iter().rfind(|moment| moment.position <= place)?;
        Some((moment.position, &moment.snapshot))
    }

    /// The future of a branch, from the last moment before it parts from the line.
    pub(in crate::window) fn other_future(&self, number: u32) -> Option<OtherFuture<'_>> {
        let way = self.branches.way(number);
        let (first, last) = (way.first()?, way.last()?);
        let ((_, made), before) = self.before(first.from)?;
        let [from, to] = [made, first.from.1].map(|made| made - self.forgotten);
        let mut edits: Vec<_> = self.edits[from..to].iter().collect();
        for (branch, next) in way.iter().zip(way[1..].iter().map(Some).chain([None])) {
            let all = &branch.future.edits;
            let shared = next.map_or(all.len(), |next| next.from.1 - branch.from.1);
            edits.extend(&all[..shared]);
        }
        Some(OtherFuture { before, edits, ends: [first.from.0, last.end] })
    }

    /// Makes what comes after a place of the line a branch.
    pub(super) fn leave(&mut self, from: Position) {
        let (end, rest) = self.split(from);
        let left = self.branches.leave(from, end, rest);
        self.turn(None, left);
        if self.branches.iter().len() > BRANCHES_MAX {
            self.drop_oldest(TOO_MANY);
        }
    }

    /// Goes on as a branch that parts from the line, and makes what comes after that place a branch. `None` if
    /// there is no such branch.
    pub(in crate::window) fn resume(&mut self, number: u32) -> Option<()> {
        let branch = self.branches.get(number).filter(|branch| branch.parent.is_none())?;
        let from = branch.from;
        let (end, rest) = self.split(from);
        let is_left = end > from.0 || !rest.edits.is_empty();
        let Branch { end, future, .. } =
            self.branches.resume(number, is_left.then_some((end, rest)))?;
        self.end = end;
        self.moments.extend(future.moments);
        self.edits.extend(future.edits);
        self.strokes.extend(future.strokes);
        self.forget_gone();
        Some(())
    }

    /// Takes over the branches of a journal that the run has followed up to its end (true) or less far.
    pub(in crate::window) fn adopt(
        &mut self,
        mut tree: BranchTree<Vec<(u64, Edit)>>,
        now: u64,
        is_whole: bool,
    ) {
        let end = self.end();
        let first = self.moments.first().map(|moment| moment.position);
        let is_there = |place: Position| first.is_some_and(|first| first <= place) && place <= end;
        // A journal may say anything: a place has the edits before it, and no others.
        let fits = |edits: &[(u64, Edit)], before: usize, (step, made): Position| {
            made.checked_sub(before).and_then(|made| edits.split_at_checked(made)).is_some_and(
                |(past, future)| {
                    past.iter().all(|(at, _)| *at <= step)
                        && future.iter().all(|(at, _)| *at >= step)
                },
            )
        };
        loop {
            let gone = tree.iter().find(|branch| {
                let way = tree.way(branch.number);
                let has_others = tree.iter().any(|other| other.parent == Some(branch.number));
                let is_sound = way.first().is_some_and(|first| {
                    is_there(first.from) && fits(&self.edits, self.forgotten, first.from)
                }) && way
                    .windows(2)
                    .all(|pair| fits(&pair[0].future, pair[0].from.1, pair[1].from));
                !has_others && !is_sound
            });
            let Some(gone) = gone.map(|branch| branch.number).and_then(|it| tree.remove(it)) else {
                break;
            };
            self.dropped.push((gone.name, UNREACHED));
        }
        if tree.is_empty() {
            return;
        }
        self.branches = tree.map(|edits| Future::new(Vec::new(), edits));
        while self.branches.iter().len() > BRANCHES_MAX && self.drop_oldest(TOO_MANY) {}
        if !is_whole {
            // What comes after the run's end is no part of its line.
            self.branches.begin_line();
        }
        self.thin(0, now);
    }

    /// Takes everything after a place of the line away, with its last step.
    fn split(&mut self, from: Position) -> (u64, Future) {
        let kept = self.moments.partition_point(|moment| moment.position <= from);
        let moments = self.moments.split_off(kept);
        let edits = self.edits.split_off(from.1.saturating_sub(self.forgotten));
        let before = self.strokes.partition_point(|(at, _)| *at <= from);
        let strokes = self.strokes.split_off(before);
        let rest = Future { strokes, ..Future::new(moments, edits) };
        (std::mem::replace(&mut self.end, from.0), rest)
    }

    /// Gives the oldest branch up; false if there is none.
    pub(super) fn drop_oldest(&mut self, why: &'static str) -> bool {
        let oldest = self.branches.oldest().and_then(|number| self.branches.remove(number));
        let Some(Branch { name, .. }) = oldest else { return false };
        self.dropped.push((name, why));
        self.forget_gone();
        true
    }

    /// Gives all branches up: the run begins here.
    pub(super) fn drop_all(&mut self) {
        while self.drop_oldest(NO_ROOM) {}
    }

    /// Forgets the numbers of branches that are not there any more.
    fn forget_gone(&mut self) {
        let Self { branches, turns, chosen, .. } = self;
        for turn in turns {
            let is_there = |number| number == branches.number || branches.get(number).is_some();
            turn.retain(|back| is_there(back.number));
        }
        *chosen = chosen.filter(|number| branches.get(*number).is_some());
    }
}
