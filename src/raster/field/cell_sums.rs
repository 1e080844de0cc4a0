//! Sums over the agents of each cell: what the value of a field is divided from.
//!
//! | color mode | sums of a cell, beside its agents | value |
//! |---|---|---|
//! | `flow` | Σ m·vx, Σ m·vy, Σ m | the velocity of the center of mass |
//! | `temperature` | Σ ½m·\|v − u\|², agents less one | kT, with u of the cell itself |
//! | `density` | Σ r² | the share of the ground that discs cover |
//! | `order` | Σ cos 6θ, Σ sin 6θ, bonds | ψ6, over all bonds at an angle θ |
//!
//! The mass m is r², as in the simulation.
//!
//! `order` is the bond orientational order of Nelson and Halperin ("Dislocation-mediated melting in
//! two dimensions", 1979), as a mean over the bonds of a place. A bond joins discs whose centers
//! are at most [`BOND_MAX`] times as far apart as if they touched. The sixfold angle is the same
//! from both ends, so each bond is met once, in the candidate windows of the contact search.

use std::ops::Range;

use crate::{
    agents::Agents,
    grid::Grid,
    parallel,
    raster::{field::lattice::Lattice, style::ColorBy, view::View},
    simd::{Kernel, SimdLevel},
};

/// Three sums of a cell that the color mode asks for, and its number of agents.
pub(super) type Sums = [f32; 4];

/// Longest bond, in distances at which the two discs touch: between the first and the second
/// neighbors of a hexagonal lattice with two to nine tenths of its ground covered.
const BOND_MAX: f32 = 1.5;

/// Neighbors that are examined at once.
const LANES: usize = 8;

/// Adds up the sums of all cells of a lattice.
pub(super) fn add_up(
    sums: &mut [Sums],
    lattice: &Lattice,
    view: &View<'_>,
    color_by: ColorBy,
    simd: SimdLevel,
) {
    let row = |first: usize, sums: &mut [Sums]| {
        let rows = lattice.loose_rows(first / lattice.cols);
        simd.run(SumRow { lattice, view, color_by, rows, sums });
    };
    parallel::pieces(sums, lattice.cols, &row, &|(), ()| ());
}

/// Counts the agents in the cells of a row: all of them, and the sum of the squares.
pub(super) fn count(row: usize, sums: &mut [Sums], lattice: &Lattice, view: &View<'_>) -> [u64; 2] {
    sums.fill([0.0; 4]);
    each_run(lattice, view.grid, lattice.loose_rows(row), sums, |slots, sum| {
        sum[0] += slots.len() as f32;
    });
    let counts = sums.iter().map(|sum| sum[0] as u64);
    counts.fold([0; 2], |[agents, squares], count| [agents + count, squares + count * count])
}

/// Adds up a row of cells.
struct SumRow<'a, 'b> {
    lattice: &'a Lattice,
    view: &'a View<'b>,
    color_by: ColorBy,
    /// The rows of loose cells in it.
    rows: Range<u32>,
    sums: &'a mut [Sums],
}

impl Kernel for SumRow<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { lattice, view, color_by, rows, sums } = self;
        let (agents, grid) = (view.agents, view.grid);
        sums.fill([0.0; 4]);
        match color_by {
            ColorBy::Flow => each_run(lattice, grid, rows, sums, |slots, sum| {
                momentum(agents, slots, sum, |_| 1.0);
            }),
            ColorBy::Temperature => {
                each_run(lattice, grid, rows.clone(), sums, |slots, sum| {
                    momentum(agents, slots, sum, |square| square);
                });
                for sum in &mut *sums {
                    let [px, py, mass, energy] = *sum;
                    let common = if mass > 0.0 { (px * px + py * py) / mass } else { 0.0 };
                    *sum = [0.5 * (energy - common).max(0.0), 0.0, 0.0, 0.0];
                }
                each_run(lattice, grid, rows, sums, |slots, sum| sum[3] += slots.len() as f32);
                // The mean velocity takes the degrees of freedom of one agent.
                for sum in sums {
                    sum[2] = (sum[3] - 1.0).max(0.0);
                }
            }
            ColorBy::Density => each_run(lattice, grid, rows, sums, |slots, sum| {
                sum[3] += slots.len() as f32;
                for &radius in &agents.radius[slots] {
                    sum[0] += radius * radius;
                }
            }),
            ColorBy::Order => {
                each_run(lattice, grid, rows, sums, |slots, sum| bonds(view, slots, sum));
            }
            _ => {}
        }
    }
}

/// Calls `work` for each row of loose cells in each cell that has agents, with their slots.
#[inline(always)]
fn each_run(
    lattice: &Lattice,
    grid: &Grid,
    rows: Range<u32>,
    sums: &mut [Sums],
    mut work: impl FnMut(Range<usize>, &mut Sums),
) {
    for row in rows {
        let slot = |col: usize| grid.first_slot(lattice.loose_col(col), row);
        let (mut col, mut start, last) = (0, slot(0), slot(sums.len()));
        // `start` is the first slot of column `col`, or of a later one.
        while start < last {
            let end = slot(col + 1);
            if start < end {
                work(start..end, &mut sums[col]);
                (col, start) = (col + 1, end);
                continue;
            }
            // A row of a thin world is mostly empty, which steps that double soon leave behind.
            let mut step = 1;
            while slot(col + step) == start {
                (col, step) = (col + step, step * 2);
            }
        }
    }
}

/// Adds momentum, mass, and what a closure makes of mass times the square of the speed.
#[inline(always)]
fn momentum(agents: &Agents, slots: Range<usize>, sum: &mut Sums, last: impl Fn(f32) -> f32) {
    let [vx, vy, radius] = [&agents.vx, &agents.vy, &agents.radius].map(|all| &all[slots.clone()]);
    for ((&vx, &vy), &radius) in vx.iter().zip(vy).zip(radius) {
        let mass = radius * radius;
        let terms = [mass * vx, mass * vy, mass, last(mass * (vx * vx + vy * vy))];
        for (sum, term) in sum.iter_mut().zip(terms) {
            *sum += term;
        }
    }
}

/// Adds the bonds to later slots, and counts the agents.
#[inline(always)]
fn bonds(view: &View<'_>, slots: Range<usize>, sum: &mut Sums) {
    let (agents, grid) = (view.agents, view.grid);
    let mut lanes = [[0.0; LANES]; 3];
    for slot in slots.clone() {
        let disc = [agents.x[slot], agents.y[slot], agents.radius[slot]];
        let Some(windows) = grid.windows_of(slot) else { continue };
        for window in [windows.along, windows.below] {
            for first in window.clone().step_by(LANES) {
                add_bonds(agents, disc, first..window.end.min(first + LANES), &mut lanes);
            }
        }
    }
    for (sum, lanes) in sum.iter_mut().zip(&lanes) {
        *sum += lanes.iter().sum::<f32>();
    }
    sum[3] += slots.len() as f32;
}

/// Adds the bonds of a disc to at most [`LANES`] others: cos 6θ, sin 6θ and 1 in each lane.
#[inline(always)]
fn add_bonds(agents: &Agents, disc: [f32; 3], others: Range<usize>, sums: &mut [[f32; LANES]; 3]) {
    let mut spare = [[0.0; LANES]; 3];
    let [x, y, radius] = std::array::from_fn(|column| {
        let values = [&agents.x, &agents.y, &agents.radius][column];
        values[others.start..].first_chunk().copied().unwrap_or_else(|| {
            spare[column][..others.len()].copy_from_slice(&values[others.clone()]);
            spare[column]
        })
    });
    let count = others.len() as u32;
    for lane in 0..LANES {
        let (dx, dy) = (x[lane] - disc[0], y[lane] - disc[1]);
        let reach = BOND_MAX * (radius[lane] + disc[2]);
        let square = dx * dx + dy * dy;
        let bound = (square < reach * reach) & (square > 0.0) & ((lane as u32) < count);
        let square = if bound { square } else { 1.0 };
        let one = if bound { 1.0 } else { 0.0 };
        let scale = one / square.sqrt();
        // The sixth power of the unit vector, as a complex number.
        let (c, s) = (if bound { dx } else { 0.0 } * scale, if bound { dy } else { 0.0 } * scale);
        let (c2, s2) = (c * c - s * s, 2.0 * c * s);
        let (c4, s4) = (c2 * c2 - s2 * s2, 2.0 * c2 * s2);
        sums[0][lane] += c4 * c2 - s4 * s2;
        sums[1][lane] += c4 * s2 + s4 * c2;
        sums[2][lane] += one;
    }
}
