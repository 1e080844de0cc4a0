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
//! The agents of a cell lie in memory row by row of loose cells, seven in a row of a gas. So a row
//! is a block of eight lanes, of which the surplus is 0: hardly a branch depends on how many there
//! are. The lanes are added up once for some rows of the cell.
//!
//! `order` is the bond orientational order of Nelson and Halperin ("Dislocation-mediated melting in
//! two dimensions", 1979), as a mean over the bonds of a place. A bond joins discs whose centers
//! are at most [`BOND_MAX`] times as far apart as if they touched. The sixfold angle is the same
//! from both ends, so each bond is met once, in the candidate windows of the contact search.

use std::ops::Range;

use crate::{
    parallel,
    raster::{
        field::lattice::{GROUP, Lattice},
        style::ColorBy,
        view::View,
    },
    simd::{
        Kernel, SimdLevel,
        bonds::{self, BondSums},
        fields,
    },
};

/// Three sums of a cell that the color mode asks for, and its number of agents.
pub(super) type Sums = [f32; 4];

/// Longest bond, in distances at which the two discs touch: between the first and the second
/// neighbors of a hexagonal lattice with two to nine tenths of its ground covered.
const BOND_MAX: f32 = 1.5;

/// Agents with bonds that are added up together.
const LISTED: usize = 16;

/// Adds up the sums of all cells of a lattice. `spare` has as many, of any value.
pub(super) fn add_up(
    [sums, spare]: [&mut [Sums]; 2],
    lattice: &Lattice,
    view: &View<'_>,
    color_by: ColorBy,
    simd: SimdLevel,
) {
    let row = |first: usize, (sums, spare): (&mut [Sums], &mut [Sums])| {
        let row = first / lattice.cols;
        simd.run(SumRow { lattice, view, color_by, simd, row, sums, spare });
    };
    parallel::pieces((sums, spare), lattice.cols, &row, &|(), ()| ());
}

/// Counts the agents in the cells of a row: all of them, and the sum of the squares.
pub(super) fn count(row: usize, sums: &mut [Sums], lattice: &Lattice, view: &View<'_>) -> [u64; 2] {
    sums.fill([0.0; 4]);
    for group in lattice.groups(row) {
        let mut cells = group.cells(lattice, view.grid);
        while let Some((col, slots)) = cells.next_cell() {
            sums[col][0] += number(&slots);
        }
    }
    let counts = sums.iter().map(|sum| sum[0] as u64);
    counts.fold([0; 2], |[agents, squares], count| [agents + count, squares + count * count])
}

/// Adds up a row of cells.
struct SumRow<'a, 'b> {
    lattice: &'a Lattice,
    view: &'a View<'b>,
    color_by: ColorBy,
    simd: SimdLevel,
    row: usize,
    sums: &'a mut [Sums],
    spare: &'a mut [Sums],
}

impl Kernel for SumRow<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { lattice, view, color_by, simd, row, sums, spare } = self;
        let (agents, grid) = (view.agents, view.grid);
        let warmth = color_by == ColorBy::Temperature;
        sums.fill([0.0; 4]);
        if warmth {
            spare.fill([0.0; 4]);
        }
        let moving: [&[f32]; 3] = match color_by {
            // Masses alone need no velocities from memory.
            ColorBy::Density => [&agents.radius; 3],
            _ => [&agents.vx, &agents.vy, &agents.radius],
        };
        let placed: [&[f32]; 3] = [&agents.x, &agents.y, &agents.radius];
        for group in lattice.groups(row) {
            let mut cells = group.cells(lattice, grid);
            while let Some((col, slots)) = cells.next_cell() {
                let count = number(&slots);
                let more = if color_by == ColorBy::Order {
                    let mut added = BondSums::default();
                    for slots in &slots {
                        // All windows first: the sums stay in registers while bonds are added.
                        for first in slots.clone().step_by(LISTED) {
                            let mut windows = [const { [0..0, 0..0] }; LISTED];
                            let windows = &mut windows[..LISTED.min(slots.end - first)];
                            for (slot, windows) in (first..).zip(&mut *windows) {
                                if let Some(found) = grid.windows_of(slot) {
                                    *windows = found.into();
                                }
                            }
                            bonds::add_bonds(simd, placed, first, windows, BOND_MAX, &mut added);
                        }
                    }
                    let [c, s, bonds] = added.totals();
                    [c, s, bonds, count]
                } else {
                    let [px, py, mass, energy] = fields::momentum(simd, moving, &slots);
                    match color_by {
                        ColorBy::Flow => [px, py, mass, count],
                        ColorBy::Temperature => {
                            spare[col][0] += count;
                            [px, py, mass, energy]
                        }
                        _ => [mass, 0.0, 0.0, count],
                    }
                };
                for (sum, more) in sums[col].iter_mut().zip(more) {
                    *sum += more;
                }
            }
        }
        if warmth {
            for (sum, &[count, ..]) in sums.iter_mut().zip(&*spare) {
                let [px, py, mass, energy] = *sum;
                let common = if mass > 0.0 { (px * px + py * py) / mass } else { 0.0 };
                // The mean velocity takes the degrees of freedom of one agent.
                let free = (count - 1.0).max(0.0);
                *sum = [0.5 * (energy - common).max(0.0), 0.0, free, count];
            }
        }
    }
}

/// The number of agents.
#[inline(always)]
fn number(slots: &[Range<usize>; GROUP]) -> f32 {
    slots.iter().map(ExactSizeIterator::len).sum::<usize>() as f32
}
