//! The strokes of the tools, kept so that they can be undone.
//!
//! A stroke goes from the press of a button to its release. Agents and walls that an undo restores
//! get new ids, so the strokes that are still in the history are [renamed](History::rename).

use crate::{agents::Spawn, format, statics::Static};

/// Strokes kept for undo; each holds memory for what it erased.
const LENGTH: usize = 64;

/// What one stroke did.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolStroke {
    /// Ids of spawned agents.
    pub(super) spawned: Vec<u32>,
    /// Erased agents with their former ids.
    pub(super) erased: Vec<(u32, Spawn)>,
    /// Ids of built walls.
    pub(super) walls: Vec<u32>,
    /// Erased walls with their former ids.
    pub(super) broken: Vec<(u32, Static)>,
    /// How often an agent was steered, which can't be undone.
    pub(super) steered: usize,
}

impl ToolStroke {
    /// How much of the stroke can be undone.
    fn tally(&self) -> Tally {
        let Self { spawned, erased, walls, broken, .. } = self;
        let [spawned, walls] = [spawned, walls].map(Vec::len);
        Tally { spawned, erased: erased.len(), walls, broken: broken.len() }
    }

    /// Describes what the stroke did.
    pub(super) fn done(&self) -> String {
        self.tally().describe(self.steered, ["spawned", "erased", "built", "broke"])
    }
}

/// How much of a stroke was undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) spawned: usize,
    pub(super) erased: usize,
    pub(super) walls: usize,
    pub(super) broken: usize,
}

impl Tally {
    /// Describes what was undone.
    pub(super) fn undone(self) -> String {
        self.describe(0, ["removed", "restored", "removed", "rebuilt"])
    }

    fn describe(self, steered: usize, [spawned, erased, built, broke]: [&str; 4]) -> String {
        let parts: Vec<String> = [
            ("steered", steered, "agent"),
            (spawned, self.spawned, "agent"),
            (erased, self.erased, "agent"),
            (built, self.walls, "disc"),
            (broke, self.broken, "wall"),
        ]
        .into_iter()
        .filter(|(_, count, _)| *count > 0)
        .map(|(verb, count, noun)| format!("{verb} {}", format::plural(count, noun)))
        .collect();
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
    }
}

/// The strokes that can be undone, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<ToolStroke>);

impl History {
    /// Adds the newest stroke, unless nothing of it can be undone. Drops the oldest when full.
    pub(super) fn push(&mut self, stroke: ToolStroke) {
        if stroke.tally() != Tally::default() {
            if self.0.len() == LENGTH {
                self.0.remove(0);
            }
            self.0.push(stroke);
        }
    }

    /// Adds the oldest stroke: all others are undone before it.
    pub(super) fn push_oldest(&mut self, stroke: ToolStroke) {
        self.0.insert(0, stroke);
    }

    /// Removes the newest stroke.
    pub(super) fn pop(&mut self) -> Option<ToolStroke> {
        self.0.pop()
    }

    /// Replaces ids in one column of all strokes, given pairs of former and new id.
    pub(super) fn rename(
        &mut self,
        column: fn(&mut ToolStroke) -> &mut Vec<u32>,
        renamed: impl IntoIterator<Item = (u32, u32)>,
    ) {
        let mut renamed: Vec<(u32, u32)> = renamed.into_iter().collect();
        renamed.sort_unstable();
        for id in self.0.iter_mut().flat_map(column) {
            if let Ok(slot) = renamed.binary_search_by_key(id, |&(former, _)| former) {
                *id = renamed[slot].1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_strokes_are_kept() {
        let mut history = History::default();
        for id in 0..100 {
            let stroke = ToolStroke { spawned: vec![id], ..ToolStroke::default() };
            assert_eq!(stroke.done(), "spawned 1 agent");
            history.push(stroke);
        }
        history.push(ToolStroke { steered: 5, ..ToolStroke::default() });
        let ids = std::iter::from_fn(|| history.pop()).map(|stroke| stroke.spawned[0]);
        assert!(ids.eq((36..100).rev()));
    }
}
