//! The board of `pegs`: a hopper, rows of pegs and bins, as Francis Galton had them.
//!
//! ```text
//!  height  ┌──────┐      hopper   agents start in it, and leave through its neck
//!   1.00   │▒▒▒▒▒▒│
//!   0.77  ╱▒▒▒▒▒▒▒╲      slopes   discs side by side, since a static is a disc or an upright box
//!   0.69   ╲─·  ·─╱
//!         ·  ·  ·  ·     pegs     each below the middle of two: at each an agent goes left or right
//!           ·  ·  ·
//!   0.26  │  │  │  │     bins     a wall below each peg of the last row
//!   0.00  └──┴──┴──┘
//! ```
//!
//! Everything is a share of the world, but where agents would not come through, or too well. Between two pegs of a row
//! there is room for one. Between two slanting rows there is less than for two: down straight ways a stream of small
//! agents would run to where these end, and pile up in two heaps. So pegs are the larger the smaller agents are, and
//! rows are farther apart than in triangles with equal sides, where the ways would be as wide as the gaps.

use glam::Vec2;

use super::{Setup, radii::Radii};
use crate::{geometry::Rect, statics::Static};

/// Distances of pegs that the world is wide where there are a thousand agents. For more of them it grows with the
/// eighth root.
const PEGS_ACROSS: f32 = 30.0;

/// Largest radii between two pegs, at least.
const APART_IN_RADII: f32 = 3.6;

/// Largest radii that the neck is wide, at least: narrower, and agents bridge it.
const NECK_IN_RADII: f32 = 5.0;

/// Width of the neck as a share of the world's, and as many gaps between pegs at most: more flows over the pegs to the
/// sides, as water does.
const NECK: f32 = 0.035;
const NECK_IN_GAPS: f32 = 9.0;

/// Width of the hopper as a share of the world's.
const HOPPER: f32 = 0.5;

/// Largest radii of room between two slanting rows of pegs, and the least and the largest radius of a peg that this
/// may lead to, as shares of the distance of pegs.
const SLANT_IN_RADII: f32 = 3.65;
const PEG: [f32; 2] = [0.16, 0.44];

/// Thickness of a wall of the bins, as a share of the distance of pegs.
const WALL: f32 = 0.12;

/// Radius of the discs of a slope, as a share of the world's width. They lie a radius apart.
const SLOPE: f32 = 0.006;

/// Heights as shares of the world's: the hopper, where its slopes end, the rows of pegs, the bins.
const HOPPER_HEIGHTS: [f32; 2] = [0.78, 1.0];
const NECK_HEIGHT: f32 = 0.69;
const PEG_HEIGHTS: [f32; 2] = [0.28, 0.66];
const BIN_HEIGHT: f32 = 0.26;

/// From row to row, and from slanting row to slanting row, in distances of pegs: half a distance to the side and 1.2
/// down are 1.3 in all.
const PITCH: f32 = 1.2;
const SLANT_PITCH: f32 = 1.2 / 1.3;

/// The board of a set-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    world: Rect,
    /// From peg to peg of a row, world units.
    apart: f32,
    /// Radius of a peg.
    peg: f32,
    neck: f32,
}

impl Board {
    /// The board that fits a world and its agents.
    pub(super) fn of(setup: &Setup) -> Self {
        let world = setup.world();
        let largest = Radii::of(setup).largest();
        let width = world.width();
        let more = (setup.agents as f32 / 1_000.0).max(1.0).sqrt().sqrt().sqrt();
        let across = (width / (APART_IN_RADII * largest)).min(PEGS_ACROSS * more);
        let apart = width / across.floor().max(1.0);
        let peg = 0.5 * (SLANT_PITCH * apart - SLANT_IN_RADII * largest);
        let peg = peg.clamp(PEG[0] * apart, PEG[1] * apart);
        let neck = (NECK * width).min(NECK_IN_GAPS * (apart - 2.0 * peg));
        let neck = neck.max(NECK_IN_RADII * largest).min(0.9 * HOPPER * width);
        Self { world, apart, peg, neck }
    }

    /// Where agents start.
    pub(super) fn hopper(&self) -> Rect {
        let [bottom, top] = HOPPER_HEIGHTS;
        let half = Vec2::new(0.5 * HOPPER * self.world.width(), 0.0);
        let middle = self.world.center().x;
        Rect::new(
            Vec2::new(middle, self.height(bottom)) - half,
            Vec2::new(middle, self.height(top)) + half,
        )
    }

    /// Everything that is in the way.
    pub(super) fn statics(&self) -> Vec<Static> {
        let mut statics = Vec::new();
        self.sides(&mut statics);
        self.slopes(&mut statics);
        let last = self.pegs(&mut statics);
        self.bins(last, &mut statics);
        statics.retain(|shape| shape.check(&self.world).is_ok());
        statics
    }

    /// The walls of the hopper.
    fn sides(&self, statics: &mut Vec<Static>) {
        let Rect { min, max } = self.hopper();
        let radius = SLOPE * self.world.width();
        let foot = min.y - radius;
        for left in [min.x - 2.0 * radius, max.x] {
            let right = left + 2.0 * radius;
            statics.push(Static::Box(Rect::new(Vec2::new(left, foot), Vec2::new(right, max.y))));
        }
    }

    /// From the foot of each side down to the neck.
    fn slopes(&self, statics: &mut Vec<Static>) {
        let hopper = self.hopper();
        let radius = SLOPE * self.world.width();
        let (middle, out) = (self.world.center().x, 0.5 * hopper.width() + radius);
        let (inner, low) = (0.5 * self.neck + radius, self.height(NECK_HEIGHT));
        let high = hopper.min.y - radius;
        let length = Vec2::new(out - inner, high - low).length();
        let count = (length / radius).ceil().max(1.0);
        for n in 0..=count as u32 {
            let share = n as f32 / count;
            let (x, y) = (inner + (out - inner) * share, low + (high - low) * share);
            statics.push(Static::disc(Vec2::new(middle - x, y), radius));
            statics.push(Static::disc(Vec2::new(middle + x, y), radius));
        }
    }

    /// The rows, each half a distance beside the one above; returns how far the last one is.
    fn pegs(&self, statics: &mut Vec<Static>) -> f32 {
        let [bottom, top] = PEG_HEIGHTS.map(|share| self.height(share));
        let rows = ((top - bottom) / (PITCH * self.apart)).floor() as u32 + 1;
        for row in 0..rows {
            let y = top - row as f32 * PITCH * self.apart;
            let columns = self.columns(shift(row));
            statics.extend(columns.map(|x| Static::disc(Vec2::new(x, y), self.peg)));
        }
        shift(rows - 1)
    }

    /// A wall under each peg of the last row.
    fn bins(&self, shift: f32, statics: &mut Vec<Static>) {
        let half = 0.5 * WALL * self.apart;
        let (bottom, top) = (self.world.min.y, self.height(BIN_HEIGHT));
        statics.extend(self.columns(shift).map(|x| {
            Static::Box(Rect::new(Vec2::new(x - half, bottom), Vec2::new(x + half, top)))
        }));
    }

    /// Places a distance apart, from side to side, around the middle.
    fn columns(&self, shift: f32) -> impl Iterator<Item = f32> {
        let (middle, apart) = (self.world.center().x, self.apart);
        let half = (0.5 * self.world.width() / apart) as i32 + 1;
        (-half..=half).map(move |column| middle + (column as f32 + shift) * apart)
    }

    fn height(&self, share: f32) -> f32 {
        self.world.min.y + share * self.world.height()
    }
}

/// How far a row of pegs is shifted, in distances.
fn shift(row: u32) -> f32 {
    if row.is_multiple_of(2) { 0.0 } else { 0.5 }
}
