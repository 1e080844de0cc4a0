//! The Galton board of `pegs`: a hopper, rows of pegs, and bins (Francis Galton, 1889).
//!
//! ```text
//!  height  ┌──────┐      hopper   agents start here, and leave through the neck
//!   1.00   │▒▒▒▒▒▒│
//!   0.77  ╱▒▒▒▒▒▒▒╲      slopes   discs side by side, since a static is a disc or an upright box
//!   0.69   ╲─·  ·─╱
//!         ·  ·  ·  ·     pegs     each below the middle of two; agents pass left or right
//!           ·  ·  ·
//!   0.26  │  │  │  │     bins     a wall below each peg of the last row
//!   0.00  └──┴──┴──┘
//! ```
//!
//! Lengths are shares of the world, except where agents would not pass, or pass too easily. One
//! agent fits between two pegs of a row. Between two slanting rows there is room for less than two
//! agents: along a wider straight lane, a stream of small agents would run to its end and pile up
//! in two heaps. So smaller agents have larger pegs, and rows are farther apart than in equilateral
//! triangles, where the lanes would have the width of the gaps.

use glam::Vec2;

use crate::{geometry::Rect, statics::Static};

/// Width of the world for a thousand agents, in distances of pegs. It grows with the eighth root of
/// their number.
const PEGS_ACROSS: f32 = 30.0;

/// Least distance of two pegs, in radii of the largest agent.
const APART_IN_RADII: f32 = 3.6;

/// Least width of the neck, in radii of the largest agent: agents would bridge a narrower one.
const NECK_IN_RADII: f32 = 5.0;

/// Width of the neck as a share of the world's width, and its largest width in gaps between pegs: a
/// wider flow would run over the pegs to the sides, like water.
const NECK: f32 = 0.035;
const NECK_IN_GAPS: f32 = 9.0;

/// Width of the hopper as a share of the world's width.
const HOPPER: f32 = 0.5;

/// Distance between two slanting rows of pegs, in radii of the largest agent; and the least and the
/// largest radius of a peg that may follow, as shares of the distance of pegs.
const SLANT_IN_RADII: f32 = 3.65;
const PEG: [f32; 2] = [0.16, 0.44];

/// Thickness of a wall of the bins, as a share of the distance of pegs.
const WALL: f32 = 0.12;

/// Radius of the discs of a slope, as a share of the world's width.
const SLOPE: f32 = 0.006;

/// Distance of two discs of a slope, as a share of their radius. With a larger distance, small
/// agents would come to lie in the dents between the discs.
const SLOPE_APART: f32 = 0.5;

/// Heights as shares of the world's height: the hopper, the end of its slopes, the rows of pegs,
/// the bins.
const HOPPER_HEIGHTS: [f32; 2] = [0.78, 1.0];
const NECK_HEIGHT: f32 = 0.69;
const PEG_HEIGHTS: [f32; 2] = [0.28, 0.66];
const BIN_HEIGHT: f32 = 0.26;

/// Distance of rows and of slanting rows, in distances of pegs: half a distance to the side and 1.2
/// down make 1.3.
const PITCH: f32 = 1.2;
const SLANT_PITCH: f32 = 1.2 / 1.3;

/// The board of a world.
#[derive(Clone, Copy, Debug)]
pub(super) struct GaltonBoard {
    world: Rect,
    /// Distance of two pegs of a row, world units.
    apart: f32,
    /// Radius of a peg.
    peg: f32,
    neck: f32,
}

impl GaltonBoard {
    /// Height that agents fall through freely, as a share of the world's height: from the last row
    /// of pegs to the ground.
    pub(super) const FREE_HEIGHT: f32 = PEG_HEIGHTS[0];

    /// The board that fits a world and its agents, the largest of which has the radius `largest`.
    pub(super) fn new(world: Rect, largest: f32, agents: u32) -> Self {
        let width = world.width();
        let more = (agents as f32 / 1_000.0).max(1.0).sqrt().sqrt().sqrt();
        let across = (width / (APART_IN_RADII * largest)).min(PEGS_ACROSS * more);
        let apart = width / across.floor().max(1.0);
        let peg = 0.5 * (SLANT_PITCH * apart - SLANT_IN_RADII * largest);
        let peg = peg.clamp(PEG[0] * apart, PEG[1] * apart);
        let neck = (NECK * width).min(NECK_IN_GAPS * (apart - 2.0 * peg));
        let neck = neck.max(NECK_IN_RADII * largest).min(0.9 * HOPPER * width);
        Self { world, apart, peg, neck }
    }

    /// The rectangle that agents start in.
    pub(super) fn hopper(&self) -> Rect {
        let [bottom, top] = HOPPER_HEIGHTS;
        let half = Vec2::new(0.5 * HOPPER * self.world.width(), 0.0);
        let middle = self.world.center().x;
        Rect::new(
            Vec2::new(middle, self.height(bottom)) - half,
            Vec2::new(middle, self.height(top)) + half,
        )
    }

    /// All statics of the board.
    pub(super) fn statics(&self) -> Vec<Static> {
        let (pegs, shift) = self.pegs();
        let mut statics = [self.sides(), self.slopes(), pegs, self.bins(shift)].concat();
        statics.retain(|shape| shape.check(&self.world).is_ok());
        statics
    }

    /// The walls of the hopper.
    fn sides(&self) -> Vec<Static> {
        let Rect { min, max } = self.hopper();
        let radius = SLOPE * self.world.width();
        let side = |left: f32| {
            let right = left + 2.0 * radius;
            Static::Box(Rect::new(Vec2::new(left, min.y - radius), Vec2::new(right, max.y)))
        };
        [min.x - 2.0 * radius, max.x].map(side).into()
    }

    /// The slopes, from the foot of each side down to the neck.
    fn slopes(&self) -> Vec<Static> {
        let hopper = self.hopper();
        let radius = SLOPE * self.world.width();
        let (middle, out) = (self.world.center().x, 0.5 * hopper.width() + radius);
        let high = hopper.min.y - radius;
        // In a flat world, the discs are large and lie side by side below the hopper.
        let (inner, low) = (0.5 * self.neck + radius, self.height(NECK_HEIGHT).min(high));
        let length = Vec2::new(out - inner, high - low).length();
        let count = (length / (SLOPE_APART * radius)).ceil().max(1.0);
        let pair = |n: u32| {
            let share = n as f32 / count;
            let (x, y) = (inner + (out - inner) * share, low + (high - low) * share);
            [middle - x, middle + x].map(|x| Static::disc(Vec2::new(x, y), radius))
        };
        (0..=count as u32).flat_map(pair).collect()
    }

    /// The rows of pegs, each shifted by half a distance from the one above, and the shift of the
    /// last one.
    fn pegs(&self) -> (Vec<Static>, f32) {
        let [bottom, top] = PEG_HEIGHTS.map(|share| self.height(share));
        // In a flat world, pegs are large and would reach into the hopper.
        let top = top.min(self.hopper().min.y - self.peg);
        let rows = ((top - bottom) / (PITCH * self.apart)).floor() as u32 + 1;
        let shift = |row: u32| if row.is_multiple_of(2) { 0.0 } else { 0.5 };
        let row = |row: u32| {
            let y = top - row as f32 * PITCH * self.apart;
            self.columns(shift(row)).map(move |x| Static::disc(Vec2::new(x, y), self.peg))
        };
        ((0..rows).flat_map(row).collect(), shift(rows - 1))
    }

    /// The walls of the bins, one under each peg of the last row.
    fn bins(&self, shift: f32) -> Vec<Static> {
        let half = 0.5 * WALL * self.apart;
        let (bottom, top) = (self.world.min.y, self.height(BIN_HEIGHT));
        let wall = |x| Rect::new(Vec2::new(x - half, bottom), Vec2::new(x + half, top));
        self.columns(shift).map(|x| Static::Box(wall(x))).collect()
    }

    /// Positions from side to side, one distance of pegs apart, around the middle.
    fn columns(&self, shift: f32) -> impl Iterator<Item = f32> {
        let (middle, apart) = (self.world.center().x, self.apart);
        let half = (0.5 * self.world.width() / apart) as i32 + 1;
        (-half..=half).map(move |column| middle + (column as f32 + shift) * apart)
    }

    fn height(&self, share: f32) -> f32 {
        self.world.min.y + share * self.world.height()
    }
}
