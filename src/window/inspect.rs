//! One agent under the glass: what it is, whom it touches, and what a search of the grid goes through to know.
//!
//! ```text
//!  green   tight cells that are looked into        white  the agent
//!  blue    loose cells that are gone through       amber  its neighbours, and boxes of wide cells
//!  grey    agents that are held against the area   red    those it touches
//! ```

use std::fmt::Write as _;

use glam::Vec2;

use crate::{
    agents::{Agent, Agents},
    geometry::Rect,
    grid::{Disc, Elements, Grid, Neighbour, Shape, Trace},
    raster::Camera,
    raster::{Interpolation, OverlayCanvas, Stroke, View},
    window::canvas::{Area, Canvas, LETTER},
};

/// How far from an agent its neighbours are at most, in its radii.
const NEAR: f32 = 2.0;

/// Pixels that a click may miss an agent by.
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

const TEXT: [u8; 3] = [222, 226, 235];

/// Font pixels around the text and between its lines, from the frame's side, and from the status line.
const PADDING: u32 = 6;
const LEADING: u32 = 4;
const MARGIN: u32 = 12;
const BELOW: u32 = 34;

/// What a search went through.
#[derive(Clone, Debug, Default)]
struct Way {
    tight: [[u32; 2]; 2],
    loose: Vec<(u32, [u32; 2])>,
    wide: Vec<Rect>,
    tested: Vec<u32>,
    found: Vec<u32>,
}

impl Trace for Way {
    fn tight(&mut self, cols: [u32; 2], rows: [u32; 2]) {
        self.tight = [cols, rows];
    }
    fn loose(&mut self, row: u32, cols: [u32; 2]) {
        self.loose.push((row, cols));
    }
    fn wide(&mut self, aabb: &Rect) {
        self.wide.push(*aabb);
    }
    fn tested(&mut self, element: u32) {
        self.tested.push(element);
    }
    fn found(&mut self, element: u32) {
        self.found.push(element);
    }
}

/// The agent under the glass, and what was found out about it; its memory is kept from frame to frame.
#[derive(Clone, Debug)]
pub(super) struct Inspection {
    /// Its id.
    pub(super) id: u32,
    /// True if the view stays over it.
    pub(super) follows: bool,
    slot: usize,
    touched: usize,
    way: Way,
    text: String,
}

impl Inspection {
    /// The agent at a place in the world, or a few pixels beside it.
    pub(super) fn of(
        agents: &Agents,
        grid: &Grid,
        place: Vec2,
        pixels_a_unit: f32,
    ) -> Option<Self> {
        let mut nearest = [Neighbour::NONE];
        grid.nearest(agents, place, &mut nearest);
        let [Neighbour { element, distance }] = nearest;
        (distance * pixels_a_unit <= MISS).then(|| Self {
            id: agents.id[element as usize],
            follows: true,
            slot: element as usize,
            touched: 0,
            way: Way::default(),
            text: String::new(),
        })
    }

    /// Searches around the agent, wherever it is now; says where that is, or nothing if it is gone.
    pub(super) fn look(&mut self, agents: &Agents, grid: &Grid) -> Option<Agent> {
        if agents.id.get(self.slot) != Some(&self.id) {
            self.slot = agents.id.iter().position(|id| *id == self.id)?;
        }
        let Way { loose, wide, tested, found, .. } = &mut self.way;
        loose.clear();
        wide.clear();
        tested.clear();
        found.clear();
        let disc = agents.shape(self.slot);
        grid.trace_disc(agents, disc.center, NEAR * disc.radius, &mut self.way);
        let (slot, itself) = (self.slot, disc);
        self.way.found.retain(|&other| other as usize != slot);
        self.touched =
            self.way.found.iter().filter(|&&other| touches(agents, itself, other)).count();
        let agent = agents.get(self.slot);
        self.describe(&agent, grid);
        Some(agent)
    }

    /// Draws what the search went through, and a box of text in the upper right; a font pixel is `scale`
    /// pixels wide. The picture is what it looked at, and is drawn as long ago as that.
    pub(super) fn draw(
        &self,
        size: [u32; 2],
        bytes: &mut [u8],
        scale: u32,
        camera: &Camera,
        picture: &View<'_>,
        lag: Interpolation,
    ) {
        let View { agents, grid, world, .. } = *picture;
        let sheet = &mut OverlayCanvas::new(size, bytes);
        let pen = scale as f32;
        let corners = |part: &Rect| {
            let (low, high) = (camera.to_pixel(part.min), camera.to_pixel(part.max));
            [Vec2::new(low.x, high.y), Vec2::new(high.x, low.y)].map(Vec2::round)
        };
        let cell = |row: u32, col: u32| corners(&grid.loose_bounds([col, row]));
        for &(row, [from, to]) in &self.way.loose {
            for col in from..=to {
                sheet.fill(cell(row, col), LOOSE);
                sheet.outline(cell(row, col), pen, LOOSE_LINE);
            }
        }
        if let Some([col, row]) = grid.cell_of(self.slot as u32) {
            sheet.fill(cell(row, col), HOME);
        }
        let [cols, rows] = self.way.tight;
        for row in rows[0]..=rows[1] {
            for col in cols[0]..=cols[1] {
                sheet.outline(corners(&grid.tight_bounds([col, row])), 2.0 * pen, TIGHT);
            }
        }
        for aabb in &self.way.wide {
            sheet.outline(corners(aabb), pen, WIDE);
        }
        let place = |slot: u32| camera.to_pixel(lag.position(&agents.get(slot as usize), &world));
        let mut ring = |slot: u32, width: f32, ink: Stroke| {
            let radius = agents.radius[slot as usize] * camera.scale;
            sheet.ring(place(slot), radius, width * pen, ink);
        };
        let itself = agents.shape(self.slot);
        self.way.tested.iter().for_each(|&slot| ring(slot, 1.0, TESTED));
        self.way.found.iter().for_each(|&slot| {
            let touched = touches(agents, itself, slot);
            ring(slot, 2.0, if touched { TOUCHED } else { FOUND });
        });
        ring(self.slot as u32, 2.5, ITSELF);
        let from = place(self.slot as u32);
        for &slot in self.way.found.iter().filter(|&&slot| touches(agents, itself, slot)) {
            sheet.line([from, place(slot)], 2.0 * pen, TOUCHED);
        }
        self.write(&mut Canvas::new(size, bytes), scale);
    }

    fn write(&self, canvas: &mut Canvas<'_>, scale: u32) {
        let lines = self.text.lines().count() as u32;
        let letters = self.text.lines().map(|line| line.len() as u32).max().unwrap_or(0);
        let width = (letters * LETTER + 2 * PADDING) * scale;
        let height = (lines * (LETTER + LEADING) - LEADING + 2 * PADDING) * scale;
        let x = canvas.size()[0].saturating_sub(width + MARGIN * scale);
        let y = BELOW * scale;
        canvas.darken(Area { x, y, width, height });
        canvas.darken(Area { x, y, width, height });
        for (line, text) in (0..).zip(self.text.lines()) {
            let top = y + (PADDING + line * (LETTER + LEADING)) * scale;
            canvas.write(x + PADDING * scale, top, scale, TEXT, text);
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
        if let Some([col, row]) = grid.cell_of(self.slot as u32) {
            let beside = grid.len_of([col, row]).saturating_sub(1);
            let _ = writeln!(text, "cell      {col}, {row}, with {beside} more");
        }
        let _ = writeln!(text, "near      {}, touching {}", self.way.found.len(), self.touched);
        let [cols, rows] = self.way.tight;
        let tight = (cols[1] - cols[0] + 1) * (rows[1] - rows[0] + 1);
        let loose: u32 = self.way.loose.iter().map(|(_, [from, to])| to - from + 1).sum();
        let _ = writeln!(text, "searched  {tight} tight, {loose} loose cells");
        let _ = writeln!(text, "looked at {} agents", self.way.tested.len());
    }
}

/// True if two agents overlap, by what a step calls overlap.
fn touches(agents: &Agents, itself: Disc, other: u32) -> bool {
    itself.is_within(&agents.shape(other as usize), 0.0)
}
