//! An inspected agent: its state, its neighbors, and the query of the grid that finds them.
//!
//! ```text
//!  green   tight cells that the query looks into   white  the agent
//!  blue    loose cells that it visits              amber  neighbors, and boxes of outlier cells
//!  gray    agents that it tests                    red    agents that overlap
//! ```

use std::fmt::Write as _;

use glam::Vec2;

use super::{
    canvas::Canvas,
    text::{self, MARGIN, PLAIN, TextBlock},
};
use crate::{
    agents::{Agent, Agents},
    geometry::Rect,
    grid::{Disc, Elements, Grid, Neighbor, Shape},
    raster::Camera,
    raster::{Interpolation, OverlayCanvas, Stroke, View},
};

/// Largest distance of a neighbor, in radii of the agent.
const NEAR: f32 = 2.0;

/// Largest distance of a click from an agent, pixels.
const MISS: f32 = 6.0;

const TIGHT: Stroke = Stroke { color: [120, 240, 170], opacity: 0.9 };
const LOOSE: Stroke = Stroke { color: [110, 180, 255], opacity: 0.16 };
const LOOSE_LINE: Stroke = Stroke { color: [130, 190, 255], opacity: 0.6 };
const HOME: Stroke = Stroke { color: [130, 190, 255], opacity: 0.28 };
const WIDE: Stroke = Stroke { color: [255, 190, 70], opacity: 0.8 };
const TESTED: Stroke = Stroke { color: [190, 200, 220], opacity: 0.75 };
const FOUND: Stroke = Stroke::new([255, 196, 64]);
const TOUCHED: Stroke = Stroke::new([255, 80, 80]);
const ITSELF: Stroke = Stroke::new([255, 255, 255]);

/// Font pixels from the top of the frame, below the status line.
const TOP: u32 = 34;

/// What a query visited.
#[derive(Clone, Debug, Default)]
struct Visited {
    tight: [[u32; 2]; 2],
    loose: Vec<(u32, [u32; 2])>,
    wide: Vec<Rect>,
    tested: Vec<u32>,
    found: Vec<u32>,
}

impl Visited {
    /// Records a query of a disc.
    fn query(&mut self, agents: &Agents, grid: &Grid, center: Vec2, radius: f32) {
        let Self { tight, loose, wide, tested, found } = self;
        loose.clear();
        wide.clear();
        tested.clear();
        found.clear();
        let bounds = Rect::around(center, radius);
        let [loose_cells, tight_cells] = grid.searched_cells(&bounds);
        *tight = [tight_cells.col, tight_cells.row];
        let [first, last] = loose_cells.row;
        loose.extend((first..=last).map(|row| (row, loose_cells.col)));
        wide.extend(grid.outlier_aabbs(&bounds));
        grid.slots_near(&bounds, |slots| tested.extend(slots.map(|slot| slot as u32)));
        grid.visit_outliers(center, radius, |slot| tested.push(slot));
        grid.visit_disc(agents, center, radius, |slot| found.push(slot));
    }
}

/// The inspected agent and its query. It keeps its memory from frame to frame.
#[derive(Clone, Debug)]
pub(in crate::window) struct Inspection {
    /// Id of the agent.
    pub(in crate::window) id: u32,
    /// True if the view follows the agent.
    pub(in crate::window) follows: bool,
    slot: usize,
    touched: usize,
    visited: Visited,
    text: String,
}

impl Inspection {
    /// Inspects the agent at a world point, or at most a few pixels beside it.
    pub(in crate::window) fn at(
        agents: &Agents,
        grid: &Grid,
        place: Vec2,
        pixels_per_unit: f32,
    ) -> Option<Self> {
        let Neighbor { element, distance } = grid.nearest(agents, place, |_| true)?;
        (distance * pixels_per_unit <= MISS).then(|| Self {
            id: agents.id[element as usize],
            follows: true,
            slot: element as usize,
            touched: 0,
            visited: Visited::default(),
            text: String::new(),
        })
    }

    /// Repeats the query at the present position of the agent; `None` if the agent is gone.
    pub(in crate::window) fn update(&mut self, agents: &Agents, grid: &Grid) -> Option<Agent> {
        if agents.id.get(self.slot) != Some(&self.id) {
            self.slot = agents.id.iter().position(|id| *id == self.id)?;
        }
        let itself = agents.shape(self.slot);
        self.visited.query(agents, grid, itself.center, NEAR * itself.radius);
        let slot = self.slot;
        self.visited.found.retain(|&other| other as usize != slot);
        self.touched =
            self.visited.found.iter().filter(|&&other| touches(agents, itself, other)).count();
        let agent = agents.get(self.slot);
        self.describe(&agent, grid);
        Some(agent)
    }

    /// Draws what the query visited, and a block of text in the upper right, with `scale` pixels per
    /// font pixel. The picture is the one that was queried, and `lag` the age at which it is drawn.
    pub(in crate::window) fn draw(
        &self,
        size: [u32; 2],
        bytes: &mut [u8],
        scale: u32,
        camera: &Camera,
        picture: &View<'_>,
        lag: Interpolation,
    ) {
        let View { agents, grid, world, .. } = *picture;
        let canvas = &mut OverlayCanvas::new(size, bytes);
        let pen = scale as f32;
        let corners = |part: &Rect| {
            let (low, high) = (camera.to_pixel(part.min), camera.to_pixel(part.max));
            [Vec2::new(low.x, high.y), Vec2::new(high.x, low.y)].map(Vec2::round)
        };
        let cell = |row: u32, col: u32| corners(&grid.loose_bounds([col, row]));
        for &(row, [from, to]) in &self.visited.loose {
            for col in from..=to {
                canvas.fill(cell(row, col), LOOSE);
                canvas.outline(cell(row, col), pen, LOOSE_LINE);
            }
        }
        if let Some(([col, row], _)) = grid.home_cell(self.slot as u32) {
            canvas.fill(cell(row, col), HOME);
        }
        let [cols, rows] = self.visited.tight;
        for row in rows[0]..=rows[1] {
            for col in cols[0]..=cols[1] {
                canvas.outline(corners(&grid.tight_bounds([col, row])), 2.0 * pen, TIGHT);
            }
        }
        for aabb in &self.visited.wide {
            canvas.outline(corners(aabb), pen, WIDE);
        }
        let place = |slot: u32| camera.to_pixel(lag.position(&agents.get(slot as usize), &world));
        let mut ring = |slot: u32, width: f32, ink: Stroke| {
            let radius = agents.radius[slot as usize] * camera.scale;
            canvas.ring(place(slot), radius, width * pen, ink);
        };
        let itself = agents.shape(self.slot);
        self.visited.tested.iter().for_each(|&slot| ring(slot, 1.0, TESTED));
        self.visited.found.iter().for_each(|&slot| {
            let touched = touches(agents, itself, slot);
            ring(slot, 2.0, if touched { TOUCHED } else { FOUND });
        });
        ring(self.slot as u32, 2.5, ITSELF);
        let from = place(self.slot as u32);
        for &slot in self.visited.found.iter().filter(|&&slot| touches(agents, itself, slot)) {
            canvas.line([from, place(slot)], 2.0 * pen, TOUCHED);
        }
        self.write(&mut Canvas::new(size, bytes), scale);
    }

    fn write(&self, canvas: &mut Canvas<'_>, scale: u32) {
        let lines = self.text.lines().count() as u32;
        let letters = self.text.lines().map(|line| line.len() as u32).max().unwrap_or(0);
        let size = text::block_size(letters, lines, scale);
        let corner = [canvas.size()[0].saturating_sub(size[0] + MARGIN * scale), TOP * scale];
        let mut block = TextBlock::new(canvas, scale, corner, size, 2);
        for (line, text) in (0..).zip(self.text.lines()) {
            block.write(0, line, PLAIN, text);
        }
    }

    fn describe(&mut self, agent: &Agent, grid: &Grid) {
        let Agent { position, velocity, radius, id } = *agent;
        let text = &mut self.text;
        text.clear();
        let _ = writeln!(text, "agent     {id}");
        let _ = writeln!(text, "at        {:.2}, {:.2}", position.x, position.y);
        let _ = writeln!(text, "speed     {:.3}", velocity.length());
        let _ = writeln!(text, "radius    {radius:.3}");
        if let Some(([col, row], agents)) = grid.home_cell(self.slot as u32) {
            let beside = agents - 1;
            let _ = writeln!(text, "cell      {col}, {row}, with {beside} more");
        }
        let _ = writeln!(text, "near      {}, touching {}", self.visited.found.len(), self.touched);
        let [cols, rows] = self.visited.tight;
        let tight = (cols[1] - cols[0] + 1) * (rows[1] - rows[0] + 1);
        let loose: u32 = self.visited.loose.iter().map(|(_, [from, to])| to - from + 1).sum();
        let _ = writeln!(text, "searched  {tight} tight, {loose} loose cells");
        let _ = writeln!(text, "looked at {} agents", self.visited.tested.len());
    }
}

/// True if two agents overlap, by the definition of the step.
fn touches(agents: &Agents, itself: Disc, other: u32) -> bool {
    itself.is_within(&agents.shape(other as usize), 0.0)
}
