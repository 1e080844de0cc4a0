//! An inspected agent: its state, its neighbors, and the query of the grid that finds them.
//!
//! ```text
//!  green   tight cells that the query looks into   white  the agent
//!  blue    loose cells that it visits              amber  neighbors, and boxes of outlier cells
//!  gray    agents that it tests                    red    agents that overlap
//! ```

use std::iter;

use glam::Vec2;

use super::{DARK_BACKING, HudCanvas, MARGIN, PLAIN, PixelRect, block_size};
use crate::{
    agents::Agent,
    format,
    geometry::{Disc, Rect},
    grid::{Elements, Grid, Neighbor, Shape},
    raster::{Camera, Interpolation, Stroke, View},
    sim::visit_copies,
};

/// Largest distance of a neighbor, in radii of the agent.
const NEAR: f32 = 2.0;

/// Largest distance of a click from an agent, pixels.
const MISS: f32 = 6.0;

const TIGHT: Stroke = Stroke { color: [120, 240, 170], opacity: 0.9 };
const LOOSE: Stroke = Stroke { color: [110, 180, 255], opacity: 0.16 };
const LOOSE_LINE: Stroke = Stroke { color: [130, 190, 255], opacity: 0.6 };
const HOME: Stroke = Stroke { color: [130, 190, 255], opacity: 0.28 };
const OUTLIERS: Stroke = Stroke { color: [255, 190, 70], opacity: 0.8 };
const TESTED: Stroke = Stroke { color: [190, 200, 220], opacity: 0.75 };
const FOUND: Stroke = Stroke::new([255, 196, 64]);
const TOUCHED: Stroke = Stroke::new([255, 80, 80]);
const ITSELF: Stroke = Stroke::new([255, 255, 255]);

/// Points from the top of the frame, below the status line.
const TOP: u32 = 28;

/// Points from the names of the figures to the figures, and of the figures at least: the block keeps its
/// width while digits change.
const NAME: u32 = 60;
const FIGURE: u32 = 110;

/// The cells and agents that a query visited.
#[derive(Clone, Debug, Default)]
struct Visited {
    /// The first and the last column, and the first and the last row.
    tight: [[u32; 2]; 2],
    loose: [[u32; 2]; 2],
    outliers: Vec<Rect>,
    tested: Vec<u32>,
    found: Vec<u32>,
}

impl Visited {
    /// Records a query of a disc.
    fn query(&mut self, view: &View<'_>, center: Vec2, radius: f32) {
        let View { agents, grid, space, .. } = view;
        let Self { tight, loose, outliers, tested, found } = self;
        outliers.clear();
        tested.clear();
        found.clear();
        let bounds = Rect::around(center, radius);
        let [loose_cells, tight_cells] = grid.searched_cells(&bounds);
        *tight = [tight_cells.col, tight_cells.row];
        *loose = [loose_cells.col, loose_cells.row];
        outliers.extend(grid.outlier_aabbs(&bounds));
        grid.slots_near(&bounds, |slots| tested.extend(slots.map(|slot| slot as u32)));
        grid.visit_outliers(center, radius, |slot| tested.push(slot));
        visit_copies(grid, *agents, space, Disc::new(center, radius), |slot, _| found.push(slot));
    }
}

/// The inspected agent and its query.
#[derive(Clone, Debug)]
pub(in crate::window) struct Inspection {
    /// Id of the agent.
    pub(in crate::window) id: u32,
    /// True if the view follows the agent.
    pub(in crate::window) follows: bool,
    slot: usize,
    /// The query of the last update. Its results exclude the agent itself and `touching`.
    visited: Visited,
    /// Agents that overlap the agent, by the definition of the step.
    touching: Vec<u32>,
}

impl Inspection {
    /// Inspects the agent at a world point, or at most a few pixels beside it.
    pub(in crate::window) fn at(
        view: &View<'_>,
        place: Vec2,
        pixels_per_unit: f32,
    ) -> Option<Self> {
        let View { agents, grid, space, .. } = view;
        let place = space.wrapped(place);
        let nearest = |shift| grid.nearest(*agents, place + shift, |_| true);
        let copies = iter::once(Vec2::ZERO).chain(space.shifts()).filter_map(nearest);
        let Neighbor { element, distance } =
            copies.min_by(|one, other| one.distance.total_cmp(&other.distance))?;
        (distance * pixels_per_unit <= MISS).then(|| Self {
            id: agents.id[element as usize],
            follows: true,
            slot: element as usize,
            visited: Visited::default(),
            touching: Vec::new(),
        })
    }

    /// Repeats the query at the present position of the agent; `None` if the agent is gone.
    pub(in crate::window) fn update(&mut self, view: &View<'_>) -> Option<Agent> {
        let View { agents, space, .. } = view;
        if agents.id.get(self.slot) != Some(&self.id) {
            self.slot = agents.id.iter().position(|id| *id == self.id)?;
        }
        let (slot, disc) = (self.slot, agents.shape(self.slot));
        self.visited.query(view, space.wrapped(disc.center), NEAR * disc.radius);
        let found = &mut self.visited.found;
        found.retain(|&other| other as usize != slot);
        let touches = |other: &mut u32| {
            let other = agents.shape(*other as usize);
            let center = disc.center + space.minimum_image(other.center - disc.center);
            disc.is_within(&Disc { center, ..other }, 0.0)
        };
        self.touching = found.extract_if(.., touches).collect();
        Some(agents.get(slot))
    }

    /// Slots of the agents that overlap it.
    #[cfg(test)]
    pub(in crate::window) fn touching(&self) -> &[u32] {
        &self.touching
    }

    /// Draws the cells and agents that the query visited, and a block of text in the upper right. The view is the one
    /// that was queried, `interpolation` the age at which its agents are drawn.
    pub(in crate::window) fn draw(
        &self,
        canvas: &mut HudCanvas<'_>,
        camera: &Camera,
        view: &View<'_>,
        interpolation: Interpolation,
    ) {
        let View { agents, grid, space, .. } = *view;
        let pen = canvas.pen();
        let shapes = &mut canvas.shapes;
        let corners = |part: &Rect| {
            let (low, high) = (camera.to_pixel(part.min), camera.to_pixel(part.max));
            [Vec2::new(low.x, high.y), Vec2::new(high.x, low.y)].map(Vec2::round)
        };
        let cell = |at: [u32; 2]| corners(&grid.loose_bounds(at));
        for at in cells(self.visited.loose) {
            shapes.fill(cell(at), LOOSE);
            shapes.outline(cell(at), pen, LOOSE_LINE);
        }
        if let Some((home, _)) = grid.home_cell(self.slot as u32) {
            shapes.fill(cell(home), HOME);
        }
        for at in cells(self.visited.tight) {
            shapes.outline(corners(&grid.tight_bounds(at)), 2.0 * pen, TIGHT);
        }
        for aabb in &self.visited.outliers {
            shapes.outline(corners(aabb), pen, OUTLIERS);
        }
        let position = |slot: u32| interpolation.position(&agents.get(slot as usize), &space);
        // Neighbors across the seam are shown beside the agent.
        let (own, place) = (position(self.slot as u32), space.wrapped(position(self.slot as u32)));
        let center = |slot: u32| camera.to_pixel(place + space.minimum_image(position(slot) - own));
        let slot = self.slot as u32;
        for (slots, width, stroke) in [
            (&self.visited.tested[..], 1.0, TESTED),
            (&self.visited.found, 2.0, FOUND),
            (&self.touching, 2.0, TOUCHED),
            (&[slot], 2.5, ITSELF),
        ] {
            for &slot in slots {
                let radius = agents.radius[slot as usize] * camera.scale;
                shapes.ring(center(slot), radius, width * pen, stroke);
            }
        }
        for &other in &self.touching {
            shapes.line([center(slot), center(other)], 2.0 * pen, TOUCHED);
        }
        let agent = agents.get(self.slot);
        let spin = agents.spins().map(|spins| spins[self.slot]);
        self.write(canvas, &Agent { position: space.wrapped(agent.position), ..agent }, spin, grid);
    }

    fn write(&self, canvas: &mut HudCanvas<'_>, agent: &Agent, spin: Option<f32>, grid: &Grid) {
        let Agent { position, velocity, radius, id } = *agent;
        let [touching, near] = [&self.touching, &self.visited.found].map(Vec::len);
        let [tight, loose] =
            [self.visited.tight, self.visited.loose].map(|block| cells(block).count());
        let plain = |name, figure| (PLAIN, name, figure);
        let marked = |stroke: Stroke, name, figure| (stroke.color, name, figure);
        let mut lines = vec![
            plain("agent", id.to_string()),
            plain("at", format!("{:.2}, {:.2}", position.x, position.y)),
            plain("speed", format!("{:.3}", velocity.length())),
            plain("radius", format!("{radius:.3}")),
            marked(TIGHT, "searched", format!("{tight} tight cells")),
            marked(LOOSE_LINE, "and", format!("{loose} loose cells")),
            marked(TESTED, "tested", format::plural(self.visited.tested.len(), "agent")),
            marked(FOUND, "near", (near + touching).to_string()),
            marked(TOUCHED, "touching", touching.to_string()),
        ];
        if let Some(([col, row], agents)) = grid.home_cell(self.slot as u32) {
            let others = agents.saturating_sub(1);
            lines.insert(4, plain("cell", format!("{col}, {row}, with {others} more")));
        }
        if let Some(spin) = spin {
            lines.insert(3, plain("spin", format!("{spin:.3} rad/s")));
        }
        let widest = lines.iter().map(|(_, _, figure)| canvas.width(figure)).fold(FIGURE, u32::max);
        let [width, height] = block_size(NAME + widest, lines.len() as u32, canvas.scale);
        let x = canvas.size[0].saturating_sub(width + canvas.pixels(MARGIN));
        let block = PixelRect { x, y: canvas.pixels(TOP), width, height };
        canvas.begin_block("inspection", block, DARK_BACKING);
        for (line, (color, name, figure)) in (0..).zip(&lines) {
            canvas.write_in(block, [0, line], *color, name);
            canvas.write_in(block, [NAME, line], *color, figure);
        }
    }
}

/// Column and row of each cell of a block.
fn cells([cols, rows]: [[u32; 2]; 2]) -> impl Iterator<Item = [u32; 2]> {
    (rows[0]..=rows[1]).flat_map(move |row| (cols[0]..=cols[1]).map(move |col| [col, row]))
}
