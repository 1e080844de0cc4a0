//! The content of a draw: agents and their surroundings, now or a moment ago.
//!
//! ```text
//! step n ●────────────○────────● step n+1      ○ is drawn: x − seconds · v
//!                     └seconds─┘
//! ```
//!
//! Frames between two steps show each agent where it was a moment ago, by its velocity. Positions
//! are shifted while they are loaded into a batch, so nothing is copied. An agent that bounced
//! between the two steps is drawn off its path, by at most its way in one step, for one frame.

use glam::Vec2;

use crate::{
    agents::{Agent, Agents},
    geometry::{Boundary, Rect, Space},
    grid::Grid,
    sim::Sim,
    statics::Statics,
};

/// Borrowed agents and their surroundings; a draw never changes them.
///
/// A run is drawn with [`View::from_sim`]. Agents of your own need columns in the cell order of a
/// grid:
///
/// ```
/// use jostle::{Agent, Agents, Grid, GridConfig, Rect, Vec2};
/// use jostle::raster::{Camera, Renderer, Style, View};
///
/// let world = Rect::from_size(32.0, 18.0);
/// let mut units = Agents::default();
/// for (id, x) in (0..8).zip([5.0, 1.0, 20.0, 30.0, 9.0, 15.0, 25.0, 12.0]) {
///     let position = Vec2::new(x, 9.0);
///     units.push(Agent { position, velocity: Vec2::X, radius: 1.0, id });
/// }
/// // Sort them into the order of the grid's cells.
/// let mut grid = Grid::new(GridConfig::new(world, 4.0, units.len()))?;
/// let mut agents = Agents::default();
/// for &slot in grid.sort(&units)? {
///     agents.push(units.get(slot as usize));
/// }
/// grid.set_sorted(&agents)?;
///
/// let mut buffer = vec![0; 320 * 180 * 4];
/// let mut renderer = Renderer::new(320, 180, Style::default())?;
/// let camera = Camera::fit(&world, 320, 180);
/// renderer.draw_into(&mut buffer, &camera, &View::new(&agents, &grid, world));
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The agents, in the cell order of `grid`.
    pub agents: &'a Agents,
    /// The grid of the agents. Agents that moved since its last update may be missing from the
    /// picture.
    pub grid: &'a Grid,
    /// Discs, boxes and capsules that never move, if there are any.
    pub statics: Option<&'a Statics>,
    /// The world; its border is drawn. Where it repeats, agents are drawn on both sides of the
    /// seam.
    pub space: Space,
}

impl<'a> View<'a> {
    /// A view of agents in a world without statics. Slot `i` of `grid` has to be agent `i`.
    pub fn new(agents: &'a Agents, grid: &'a Grid, world: Rect) -> Self {
        let space = Space::new(world, Boundary::Walls);
        Self { agents, grid, statics: None, space }
    }

    /// A view of the present state of a run.
    pub fn from_sim(sim: &'a Sim) -> Self {
        Self {
            agents: sim.agents(),
            grid: sim.grid(),
            statics: Some(sim.statics()),
            space: sim.space(),
        }
    }
}

/// The time before the present state at which agents are drawn, and the largest shift that results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interpolation {
    /// Simulated seconds before the present state, 0 or more; 0 draws the present state.
    pub seconds: f32,
    /// Largest shift of an agent along x or y, world units. Agents are searched for this far beyond
    /// the border of the frame.
    pub farthest: f32,
}

impl Interpolation {
    /// True if agents are drawn as they are now.
    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.seconds == 0.0
    }

    /// The position at which an agent is drawn, inside the walls of a space.
    #[inline(always)]
    pub(crate) fn position(self, agent: &Agent, space: &Space) -> Vec2 {
        let Agent { position, velocity, radius, .. } = *agent;
        if self.is_none() {
            return position;
        }
        let [along, up] = Self::walls(space);
        Vec2::new(
            self.coordinate(position.x, velocity.x, radius, along),
            self.coordinate(position.y, velocity.y, radius, up),
        )
    }

    /// The earlier coordinate of an agent between walls at `low` and `high`.
    #[inline(always)]
    pub(crate) fn coordinate(self, at: f32, speed: f32, radius: f32, [low, high]: [f32; 2]) -> f32 {
        let by = (self.seconds * speed).max(-self.farthest).min(self.farthest);
        (at - by).max(low + radius).min(high - radius)
    }

    /// The walls along x and along y; infinitely far away where the world repeats.
    #[inline(always)]
    pub(crate) fn walls(space: &Space) -> [[f32; 2]; 2] {
        let (world, repeats) = (space.world(), space.repeats());
        let far = repeats.map(|repeats| if repeats { f32::INFINITY } else { 0.0 });
        [0, 1].map(|axis| [world.min[axis] - far[axis], world.max[axis] + far[axis]])
    }
}
