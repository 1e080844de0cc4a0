//! The tools of the left mouse button, and the state of the one in use.

use std::time::{Duration, Instant};

use glam::Vec2;

use crate::window::history::{History, ToolStroke};

/// Longest time and distance, in pixels, between the clicks of a double-click.
const DOUBLE_CLICK: Duration = Duration::from_millis(450);
const DOUBLE_CLICK_PIXELS: f32 = 6.0;

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
    /// Builds walls of discs.
    Wall,
    /// Shows an agent's cells and neighbors, and follows the agent.
    Inspect,
}

impl Tool {
    /// All tools.
    pub(crate) const ALL: [Self; 7] = [
        Self::Hand,
        Self::Poke,
        Self::Attract,
        Self::Spawn,
        Self::Erase,
        Self::Wall,
        Self::Inspect,
    ];

    /// The tool's name, one word in lower case.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Hand => "hand",
            Self::Poke => "poke",
            Self::Attract => "attract",
            Self::Spawn => "spawn",
            Self::Erase => "erase",
            Self::Wall => "wall",
            Self::Inspect => "inspect",
        }
    }

    /// Whether the tool works on a disc around the pointer.
    pub(super) const fn has_size(self) -> bool {
        !matches!(self, Self::Hand | Self::Inspect)
    }
}

/// Radius of a tool, one of ten steps. In pixels, so that it feels the same at any zoom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToolSize(usize);

impl ToolSize {
    const RADII: [u16; 10] = [8, 12, 18, 26, 40, 60, 90, 130, 200, 300];

    /// The radius, pixels of a screen of scale factor 1.
    pub(super) fn radius(self) -> f32 {
        f32::from(Self::RADII[self.0])
    }

    /// The next larger size; the largest stays.
    pub(super) fn larger(self) -> Self {
        Self((self.0 + 1).min(Self::RADII.len() - 1))
    }

    /// The next smaller size; the smallest stays.
    pub(super) fn smaller(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl Default for ToolSize {
    fn default() -> Self {
        Self(4)
    }
}

/// The choices of a faction for spawned agents; `None` draws each one's faction at random.
pub(super) const FACTIONS: [Option<u8>; 3] = [None, Some(0), Some(1)];

/// The name of such a choice.
pub(super) const fn faction_name(faction: Option<u8>) -> &'static str {
    match faction {
        None => "either side",
        Some(0) => "left side",
        Some(_) => "right side",
    }
}

/// What a pressed mouse button drags or uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Held {
    /// No button is pressed.
    #[default]
    Nothing,
    /// The view, which follows the pointer.
    View,
    /// The mini-map, which centers the view.
    Map,
    /// The tool.
    Tool,
}

/// The tool in use, and what it has done.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolState {
    pub(super) tool: Tool,
    pub(super) size: ToolSize,
    /// Faction of spawned agents; `None` draws it at random.
    pub(super) faction: Option<u8>,
    pub(super) held: Held,
    /// End of the stroke so far, world units; `None` before its start.
    pub(super) at: Option<Vec2>,
    /// The stroke under way.
    pub(super) stroke: ToolStroke,
    /// The strokes before it.
    pub(super) history: History,
    /// Time and pixel of the first click of a possible double-click.
    clicked: Option<(Instant, Vec2)>,
}

impl ToolState {
    /// Ends the stroke, if one is under way, and describes what it did.
    pub(super) fn release(&mut self) -> Option<String> {
        let held = std::mem::take(&mut self.held);
        self.at = None;
        let stroke = std::mem::take(&mut self.stroke);
        let done = (held == Held::Tool).then(|| stroke.done());
        self.history.push(stroke);
        done
    }

    /// Ends the stroke and drops the history: another run starts.
    pub(super) fn restart(&mut self) {
        self.release();
        self.history = History::default();
    }

    /// Records a click at a pixel. True if it is the second of a double-click.
    pub(super) fn click(&mut self, now: Instant, at: Vec2) -> bool {
        let second = self.clicked.take().is_some_and(|(then, there)| {
            let near = at.distance(there) <= DOUBLE_CLICK_PIXELS;
            near && now.saturating_duration_since(then) <= DOUBLE_CLICK
        });
        // A third click starts the next pair.
        self.clicked = (!second).then_some((now, at));
        second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_end_at_the_smallest_and_the_largest() {
        let mut size = ToolSize::default();
        (0..20).for_each(|_| size = size.larger());
        assert_eq!(size.radius(), 300.0);
        (0..20).for_each(|_| size = size.smaller());
        assert_eq!(size.radius(), 8.0);
        assert!(ToolSize::RADII.is_sorted());
    }

    #[test]
    fn a_double_click_is_two_clicks_near_in_time_and_place() {
        let (now, ms) = (Instant::now(), Duration::from_millis(1));
        let mut state = ToolState::default();
        assert!(!state.click(now, Vec2::ZERO));
        assert!(state.click(now + 100 * ms, Vec2::ONE));
        assert!(!state.click(now + 200 * ms, Vec2::ONE), "a third starts a pair");
        assert!(!state.click(now + 900 * ms, Vec2::ONE), "too late");
        assert!(!state.click(now + 950 * ms, Vec2::splat(50.0)), "too far");
    }
}
