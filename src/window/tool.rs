//! The tools of the left mouse button, the state of the one in use, and its strokes.
//!
//! A stroke goes from the press of a button to its release. Strokes are kept so that they can be
//! undone. Agents and walls that an undo restores get new ids, so the strokes that are still in the
//! histories are renamed.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use glam::Vec2;

use crate::{agents::Spawn, error::Field, format, names::names, statics::Static};

/// Longest time and distance, in pixels, between the clicks of a double-click.
const DOUBLE_CLICK: Duration = Duration::from_millis(450);
const DOUBLE_CLICK_PIXELS: f32 = 6.0;

/// Radii of a tool, pixels of a screen of scale factor 1, so that it feels the same at any zoom;
/// and the first one.
const RADII: [u16; 10] = [8, 12, 18, 26, 40, 60, 90, 130, 200, 300];
const FIRST_RADIUS: usize = 4;

/// Strokes kept for undo; each holds memory for the agents that it erased.
pub(super) const STROKES_MAX: usize = 64;

/// A tool of the left mouse button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Moves the view.
    #[default]
    Hand,
    /// Pushes agents away.
    Poke,
    /// Pulls agents closer.
    Attract,
    /// Fills free space with agents.
    Spawn,
    /// Removes agents and walls.
    Erase,
    /// Builds walls.
    Wall,
    /// Shows an agent's cells and neighbors, and follows the agent.
    Inspect,
}

impl Tool {
    /// Whether the tool works on a disc around the pointer.
    pub(super) const fn has_size(self) -> bool {
        !matches!(self, Self::Hand | Self::Inspect)
    }
}

names!(
    pub(crate) Tool:
    Hand = "hand",
    Poke = "poke",
    Attract = "attract",
    Spawn = "spawn",
    Erase = "erase",
    Wall = "wall",
    Inspect = "inspect",
);

/// The choices of a faction for spawned agents; `None` draws each one's faction at random.
pub(super) const FACTIONS: [Option<u8>; 3] = [None, Some(0), Some(1)];

/// A direction in the history of strokes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UndoTurn {
    /// To before the last stroke.
    Undo,
    /// To after the stroke that was undone last.
    Redo,
}

impl UndoTurn {
    /// The other direction, which takes this one back.
    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::Undo => Self::Redo,
            Self::Redo => Self::Undo,
        }
    }
}

/// The name of such a choice.
pub(super) const fn faction_name(faction: Option<u8>) -> &'static str {
    match faction {
        None => "either side",
        Some(0) => "left side",
        Some(_) => "right side",
    }
}

/// The object that a pressed mouse button drags or uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Held {
    /// No button is pressed.
    #[default]
    Nothing,
    /// The view, which follows the pointer.
    View,
    /// The mini-map, which centers the view.
    Map,
    /// The timeline, along which the run goes to where the pointer is.
    Timeline,
    /// The tool.
    Tool,
}

/// A world file that a run had: its name, its text, and the values that were set beside it.
#[derive(Clone, Debug)]
pub(super) struct WorldText(pub(super) String, pub(super) String, pub(super) Vec<(String, f32)>);

/// The effects of one stroke.
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
    /// Values of the world file before it.
    pub(super) values: Vec<(String, f32)>,
    /// A number of the motion before it.
    pub(super) motion: Option<(Field, f32)>,
    /// The world file before it, if it changed.
    pub(super) world: Option<WorldText>,
    /// Number of times that an agent was steered, which can't be undone.
    pub(super) steered: usize,
    /// True if a part of the stroke was refused, which is reported once.
    pub(super) refused: bool,
    /// True if a part of a wall was left out, as it was drawn outside of the world.
    pub(super) outside: bool,
    /// True if it has left a future, which undo brings back.
    pub(super) parts: bool,
    /// When it was made, by the clock of the timeline.
    pub(super) at: u64,
}

impl ToolStroke {
    /// Numbers of agents spawned and erased, of walls built and broken, where a wall is one static,
    /// of values that were set, and of changes of the world file.
    fn counts(&self) -> [usize; PARTS] {
        let Self { spawned, erased, walls, broken, values, motion, world, .. } = self;
        let [numbers, texts] = [motion.is_some(), world.is_some()].map(usize::from);
        let values = values.len() + numbers;
        [spawned.len(), erased.len(), walls.len(), broken.len(), values, texts]
    }

    /// Whether both strokes set one value, the same, and do nothing else.
    fn sets_as(&self, other: &Self) -> bool {
        let only = |it: &Self| {
            let name = it.values.first().map(|(name, _)| name.clone());
            let is_one = it.counts() == [0, 0, 0, 0, 1, 0] && !it.parts;
            is_one.then_some((name, it.motion.map(|(field, _)| field)))
        };
        only(self).is_some_and(|set| only(other) == Some(set))
    }

    /// Describes the changes of the stroke.
    fn done(&self) -> String {
        let verbs =
            [("spawned", "agent"), ("erased", "agent"), ("built", "wall"), ("broke", "wall")];
        self.described(self.steered, verbs)
    }

    /// Describes the changes of another stroke that this one took back.
    pub(super) fn taken_back(&self) -> String {
        let verbs =
            [("restored", "agent"), ("removed", "agent"), ("rebuilt", "wall"), ("removed", "wall")];
        self.described(0, verbs)
    }

    /// What it changed, in these words for agents and walls. A single value is named.
    fn described(&self, steered: usize, verbs: [(&str, &str); 4]) -> String {
        let [agents @ .., values, texts] = self.counts();
        let motion = self.motion.map(|(field, _)| field.name());
        let set = self.values.iter().map(|(name, _)| name.as_str()).chain(motion);
        let set = match values {
            1 => format!("set {}", set.collect::<String>()),
            _ => format!("set {}", format::plural(values, "value")),
        };
        // An agent is steered before each step that it is in reach.
        let parts: Vec<String> = std::iter::once((steered, "steered agents", "time"))
            .chain(agents.into_iter().zip(verbs).map(|(count, (verb, noun))| (count, verb, noun)))
            .filter(|(count, ..)| *count > 0)
            .map(|(count, verb, noun)| format!("{verb} {}", format::plural(count, noun)))
            .chain((values > 0).then_some(set))
            .chain((texts > 0).then(|| "took another text of the world file".to_owned()))
            .collect();
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
    }

    /// Whether undo takes something of it back.
    pub(super) fn can_be_undone(&self) -> bool {
        self.counts() != [0; PARTS]
    }
}

/// Kinds of what a stroke does.
const PARTS: usize = 6;

/// The strokes that can be undone, or done again; oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct History(pub(super) Vec<Arc<ToolStroke>>);

impl History {
    /// Adds the newest stroke, unless nothing of it can be undone. Drops the oldest when full.
    pub(super) fn push(&mut self, stroke: ToolStroke) {
        if stroke.can_be_undone() {
            if self.0.len() == STROKES_MAX {
                self.0.remove(0);
            }
            self.0.push(Arc::new(stroke));
        }
    }
}

/// By [`UndoTurn`]: the strokes before the state of a run, and the strokes that were undone, each as
/// the stroke that undid it.
pub(super) type Histories = Arc<[History; 2]>;

/// The tool in use, and its strokes.
#[derive(Clone, Debug)]
pub(super) struct ToolState {
    pub(super) tool: Tool,
    /// Position of the tool's radius in [`RADII`].
    size: usize,
    /// Faction of spawned agents; `None` draws it at random.
    pub(super) faction: Option<u8>,
    pub(super) held: Held,
    /// End of the stroke so far, world units; `None` before its start.
    pub(super) at: Option<Vec2>,
    /// The stroke under way.
    pub(super) stroke: ToolStroke,
    /// The strokes before it, as the timeline keeps them.
    pub(super) histories: Histories,
    /// True if agents were steered since the newest of them, and nothing else was done.
    pub(super) steered: bool,
    /// Time and pixel of the first click of a possible double-click.
    clicked: Option<(Instant, Vec2)>,
    /// A click; a second one soon after it is ignored.
    ignored: Option<(Instant, Vec2)>,
}

impl ToolState {
    /// The hand, of the first size.
    pub(super) fn new() -> Self {
        Self {
            tool: Tool::Hand,
            size: FIRST_RADIUS,
            faction: None,
            held: Held::Nothing,
            at: None,
            stroke: ToolStroke::default(),
            histories: Histories::default(),
            steered: false,
            clicked: None,
            ignored: None,
        }
    }

    /// The tool's radius, pixels of a screen of scale factor 1.
    pub(super) fn radius(&self) -> f32 {
        f32::from(RADII[self.size])
    }

    /// Makes the tool that many sizes larger, at most as large or small as possible.
    pub(super) fn resize(&mut self, sizes: isize) {
        self.size = self.size.saturating_add_signed(sizes).min(RADII.len() - 1);
    }

    /// Ends the stroke, if one is under way, and describes it.
    pub(super) fn release(&mut self) -> Option<String> {
        let held = std::mem::take(&mut self.held);
        self.at = None;
        let stroke = std::mem::take(&mut self.stroke);
        let done = stroke.done();
        let done = match (stroke.outside, stroke.can_be_undone()) {
            (true, true) => format!("{done}, none outside of the world"),
            (true, false) => {
                format!("{done}, as the stroke lay outside of the world; draw inside it")
            }
            (false, false) if self.tool == Tool::Spawn => {
                let larger = self.size + 1 < RADII.len();
                let larger = if larger { "; ] makes the ring larger" } else { "" };
                format!("{done}, as there was no room for an agent{larger}")
            }
            (false, _) => done,
        };
        let done = (held == Held::Tool).then_some(done);
        if held == Held::Tool {
            self.steered = stroke.steered > 0 && !stroke.can_be_undone();
        }
        if stroke.can_be_undone() {
            let [strokes, undone] = Arc::make_mut(&mut self.histories);
            *undone = History::default();
            strokes.push(stroke);
        }
        done
    }

    /// Adds a change that is no stroke of the pointer, made at that time of the clock. One of a single
    /// value goes on with one of the same value, if the user has done nothing between them.
    pub(super) fn add(&mut self, stroke: ToolStroke, at: u64) {
        let [strokes, undone] = Arc::make_mut(&mut self.histories);
        *undone = History::default();
        self.steered = false;
        match strokes.0.last_mut() {
            Some(newest) if newest.at + 1 == at && stroke.sets_as(newest) => {
                Arc::make_mut(newest).at = at;
            }
            _ => strokes.push(ToolStroke { at, ..stroke }),
        }
    }

    /// Ends the stroke and drops the histories: another run starts.
    pub(super) fn restart(&mut self) {
        self.release();
        self.histories = Histories::default();
        self.steered = false;
    }

    /// Records a click at a pixel. True if it is the second of a double-click.
    pub(super) fn click(&mut self, now: Instant, at: Vec2) -> bool {
        let second = is_second(self.clicked.take(), now, at);
        // A third click starts the next pair.
        self.clicked = (!second).then_some((now, at));
        second
    }

    /// Ignores the second click of a double-click that begins with one elsewhere, as on a menu.
    pub(super) fn ignore_second(&mut self, now: Instant, at: Vec2) {
        self.ignored = Some((now, at));
    }

    /// True if a click is to be ignored.
    pub(super) fn ignores(&mut self, now: Instant, at: Vec2) -> bool {
        is_second(self.ignored.take(), now, at)
    }
}

/// True if a click at a pixel makes a double-click with the one before it.
fn is_second(before: Option<(Instant, Vec2)>, now: Instant, at: Vec2) -> bool {
    before.is_some_and(|(then, there)| {
        let near = at.distance(there) <= DOUBLE_CLICK_PIXELS;
        near && now.saturating_duration_since(then) <= DOUBLE_CLICK
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_end_at_the_smallest_and_the_largest() {
        let mut state = ToolState::new();
        for (sizes, radius) in [(1, 60.0), (20, 300.0), (-20, 8.0)] {
            state.resize(sizes);
            assert_eq!(state.radius(), radius);
        }
    }

    #[test]
    fn the_newest_strokes_are_kept() {
        let mut strokes = History::default();
        for id in 0..100 {
            strokes.push(ToolStroke { spawned: vec![id], ..ToolStroke::default() });
        }
        strokes.push(ToolStroke { steered: 5, ..ToolStroke::default() });
        assert!(strokes.0.iter().map(|stroke| stroke.spawned[0]).eq(36..100));
    }

    #[test]
    fn a_double_click_is_two_clicks_near_in_time_and_place() {
        let (now, ms) = (Instant::now(), Duration::from_millis(1));
        let mut state = ToolState::new();
        assert!(!state.click(now, Vec2::ZERO));
        assert!(state.click(now + 100 * ms, Vec2::ONE));
        assert!(!state.click(now + 200 * ms, Vec2::ONE), "a third starts a pair");
        assert!(!state.click(now + 900 * ms, Vec2::ONE), "too late");
        assert!(!state.click(now + 950 * ms, Vec2::splat(50.0)), "too far");
    }
}
