//! The tool in hand: what the mouse holds now, and what its strokes did, so that they can be taken back.

use std::time::{Duration, Instant};

use glam::Vec2;

use crate::{
    agents::Spawn,
    count,
    statics::Static,
    window::tool::{Tool, ToolSize},
};

/// Two clicks are one double-click if they are no farther apart than this, in time and in pixels.
const DOUBLE: Duration = Duration::from_millis(450);
const DOUBLE_PIXELS: f32 = 6.0;

/// Strokes that can be taken back: what they hold is memory.
const PAST: usize = 64;

/// The sides that somebody may choose for those who are spawned.
pub(super) const SIDES: [Option<u8>; 3] = [None, Some(0), Some(1)];

/// What such a choice is called.
pub(super) const fn side_name(side: Option<u8>) -> &'static str {
    match side {
        None => "either side",
        Some(0) => "left side",
        Some(_) => "right side",
    }
}

/// What the mouse holds while a button is down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Held {
    /// No button is down.
    #[default]
    Nothing,
    /// The world, which goes where the mouse goes.
    View,
    /// The mini-map: the view goes there.
    Map,
    /// The tool, which works.
    Tool,
}

/// What a stroke did, from the press of the button to its release.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolStroke {
    /// The ids of agents that came.
    pub(super) spawned: Vec<u32>,
    /// Agents that went, by the ids that they had, as they were.
    pub(super) erased: Vec<(u32, Spawn)>,
    /// The ids of walls that came.
    pub(super) walls: Vec<u32>,
    /// Walls that went, by the ids that they had.
    pub(super) broken: Vec<(u32, Static)>,
    /// Times that an agent was steered, which nobody can take back.
    pub(super) steered: usize,
}

impl ToolStroke {
    /// True if there is something to be taken back.
    pub(super) fn can_be_undone(&self) -> bool {
        let Self { spawned, erased, walls, broken, steered: _ } = self;
        !(spawned.is_empty() && erased.is_empty() && walls.is_empty() && broken.is_empty())
    }

    /// How much it did.
    fn tally(&self) -> Tally {
        let Self { spawned, erased, walls, broken, steered } = self;
        Tally {
            spawned: spawned.len(),
            erased: erased.len(),
            walls: walls.len(),
            broken: broken.len(),
            steered: *steered,
        }
    }
}

/// How much a stroke did, or how much of that was taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) spawned: usize,
    pub(super) erased: usize,
    pub(super) walls: usize,
    pub(super) broken: usize,
    pub(super) steered: usize,
}

impl Tally {
    /// What was done, or taken back, in words.
    pub(super) fn story(self, done: bool) -> String {
        let Self { spawned, erased, walls, broken, steered } = self;
        let [came, went] = if done { ["spawned", "erased"] } else { ["removed", "brought back"] };
        let [built, broke] = if done { ["built", "broke"] } else { ["removed", "rebuilt"] };
        let counts = [
            (steered, "steered", "agent"),
            (spawned, came, "agent"),
            (erased, went, "agent"),
            (walls, built, "disc"),
            (broken, broke, "wall"),
        ];
        let told = counts.into_iter().filter(|(count, ..)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, what, whom)| {
                let s = if count == 1 { "" } else { "s" };
                format!("{what} {} {whom}{s}", count::grouped(count as u64))
            })
            .collect();
        if told.is_empty() { "nothing".to_owned() } else { told.join(", ") }
    }
}

/// The tool in hand.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolState {
    pub(super) tool: Tool,
    pub(super) size: ToolSize,
    /// The side of those who are spawned where there are sides; as likely as each is there, if none.
    pub(super) side: Option<u8>,
    pub(super) held: Held,
    /// Where the stroke has come to, world units; none before it has begun.
    pub(super) at: Option<Vec2>,
    /// The stroke under way.
    pub(super) stroke: ToolStroke,
    past: Vec<ToolStroke>,
    clicked: Option<(Instant, Vec2)>,
}

impl ToolState {
    /// Lets go; says what the stroke did, if there was one.
    pub(super) fn release(&mut self) -> Option<String> {
        let held = std::mem::take(&mut self.held);
        self.at = None;
        let stroke = std::mem::take(&mut self.stroke);
        let story = (held == Held::Tool).then(|| stroke.tally().story(true));
        self.keep(stroke);
        story
    }

    /// Notes a stroke as the last one, if there is something to be taken back.
    pub(super) fn keep(&mut self, stroke: ToolStroke) {
        if stroke.can_be_undone() {
            if self.past.len() == PAST {
                self.past.remove(0);
            }
            self.past.push(stroke);
        }
    }

    /// Notes a stroke as the first one, so that all others are taken back before it.
    pub(super) fn put_off(&mut self, stroke: ToolStroke) {
        self.past.insert(0, stroke);
    }

    /// What came back has another id than the strokes that made it know: pairs of what was and what is.
    pub(super) fn rename(
        &mut self,
        ids: fn(&mut ToolStroke) -> &mut Vec<u32>,
        renamed: impl IntoIterator<Item = (u32, u32)>,
    ) {
        let mut renamed: Vec<(u32, u32)> = renamed.into_iter().collect();
        renamed.sort_unstable();
        for id in self.past.iter_mut().flat_map(ids) {
            if let Ok(place) = renamed.binary_search_by_key(id, |&(was, _)| was) {
                *id = renamed[place].1;
            }
        }
    }

    /// The last stroke that is not taken back yet.
    pub(super) fn take_last(&mut self) -> Option<ToolStroke> {
        self.past.pop()
    }

    /// Forgets all strokes: they were of another run.
    pub(super) fn forget(&mut self) {
        self.release();
        self.past.clear();
    }

    /// A click at a place, pixels; true if it is the second one of a double-click.
    pub(super) fn click(&mut self, now: Instant, at: Vec2) -> bool {
        let second = self.clicked.take().is_some_and(|(then, there)| {
            now.saturating_duration_since(then) <= DOUBLE && at.distance(there) <= DOUBLE_PIXELS
        });
        // A third click is the first of the next two.
        self.clicked = (!second).then_some((now, at));
        second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clicks_are_a_double_click_if_they_are_near_and_soon() {
        let (now, ms) = (Instant::now(), Duration::from_millis(1));
        let mut tool_state = ToolState::default();
        assert!(!tool_state.click(now, Vec2::ZERO));
        assert!(tool_state.click(now + 100 * ms, Vec2::ONE));
        assert!(!tool_state.click(now + 200 * ms, Vec2::ONE), "a third is a first");
        assert!(!tool_state.click(now + 900 * ms, Vec2::ONE), "too late");
        assert!(!tool_state.click(now + 950 * ms, Vec2::splat(50.0)), "too far");
    }

    #[test]
    fn only_so_many_strokes_are_kept_the_last_ones() {
        let mut tool_state = ToolState::default();
        for id in 0..100 {
            tool_state.held = Held::Tool;
            tool_state.stroke.spawned.push(id);
            assert_eq!(tool_state.release().as_deref(), Some("spawned 1 agent"));
        }
        tool_state.held = Held::Tool;
        assert_eq!(tool_state.release().as_deref(), Some("nothing"));
        let ids: Vec<u32> =
            std::iter::from_fn(|| tool_state.take_last()).map(|stroke| stroke.spawned[0]).collect();
        assert!(ids.into_iter().eq((36..100).rev()));
    }
}
