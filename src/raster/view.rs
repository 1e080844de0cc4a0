//! What a draw shows.

use crate::{agents::Agents, geometry::Rect, grid::Grid, sim::Sim, statics::Statics};

/// Borrowed agents and their surroundings; a draw never changes them.
///
/// A run is drawn with [`View::from_sim`]. Agents of your own need columns in the cell order of a grid:
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
    /// The grid of the agents. Agents that moved since its last update may be missing from the picture.
    pub grid: &'a Grid,
    /// Discs and boxes that never move, if there are any.
    pub statics: Option<&'a Statics>,
    /// The world; its border is drawn.
    pub world: Rect,
}

impl<'a> View<'a> {
    /// A view of agents in a world without statics. Slot `i` of `grid` has to be agent `i`.
    pub fn new(agents: &'a Agents, grid: &'a Grid, world: Rect) -> Self {
        Self { agents, grid, statics: None, world }
    }

    /// The same view with statics.
    #[must_use]
    pub fn with_statics(self, statics: &'a Statics) -> Self {
        Self { statics: Some(statics), ..self }
    }

    /// A view of the present state of a run.
    pub fn from_sim(sim: &'a Sim) -> Self {
        Self::new(sim.agents(), sim.grid(), sim.world()).with_statics(sim.statics())
    }
}
