//! Sums over the agents of each cell. The value of a field is a quotient of two of them.
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
//! The agents of a cell lie in memory row by row of loose cells, seven in a row of a gas. A row is
//! therefore a block of eight lanes, with 0 in unused lanes, so that hardly a branch depends on the
//! number of agents. The lanes are added up once for some rows of the cell.
//!
//! `order` is the bond orientational order of Nelson and Halperin ("Dislocation-mediated melting in
//! two dimensions", 1979), as a mean over the bonds of a place. A bond joins discs with centers
//! at most [`BOND_MAX`] times as far apart as if they touched. The sixfold angle is the same
//! from both ends, so each bond is met once, in the candidate windows of the contact search. Where
//! cells have many agents, some rows of loose cells stand for all.

use crate::{
    parallel,
    raster::{
        field::lattice::{CHUNK, GROUP, Lattice},
        style::ColorBy,
        view::View,
    },
    simd::{
        Kernel, SimdLevel,
        bonds::{BondSums, DiscWindows},
        fields,
    },
};

/// Three sums of a cell that the color mode asks for, and its number of agents.
pub(super) type Sums = [f32; 4];

/// Longest bond, in distances at which the two discs touch: between the first and the second
/// neighbors of a hexagonal lattice with two to nine tenths of its ground covered.
const BOND_MAX: f32 = 1.5;

/// Agents per cell, on average, up to which the bonds of all are added up. From twice this number
/// on, only every second or fourth row of loose cells counts: bonds take ten times as long as other
/// sums.
const BONDED_MIN: f32 = 27.0;

/// Agents of a cell whose bonds are searched together.
const LISTED: usize = 64;

/// Adds up the sums of all cells of a lattice. `spare` has one element per cell, of any value.
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

/// Counts the agents in the cells of a row, in the last sum.
pub(super) fn count(row: usize, sums: &mut [Sums], lattice: &Lattice, view: &View<'_>) {
    sums.fill([0.0; 4]);
    for group in lattice.groups(row) {
        let mut cells = group.cells(lattice, view.grid);
        while let Some((columns, starts)) = cells.next_cells() {
            add_counts(&mut sums[columns], starts);
        }
    }
}

/// Adds the number of agents of successive cells to the last sum of each.
#[inline(always)]
fn add_counts(sums: &mut [Sums], starts: &[[u32; CHUNK + 1]; GROUP]) {
    for (k, sum) in sums.iter_mut().enumerate() {
        sum[3] += agents_of(k, starts) as f32;
    }
}

/// The number of agents of a cell.
#[inline(always)]
fn agents_of(k: usize, starts: &[[u32; CHUNK + 1]; GROUP]) -> u32 {
    starts.iter().map(|starts| starts[k + 1] - starts[k]).sum()
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
        let sample = lattice.sample(BONDED_MIN);
        let mut list = [DiscWindows::default(); LISTED];
        let mut bonds = BondSums::default();
        for group in lattice.groups(row) {
            let mut cells = group.cells(lattice, grid);
            while let Some((columns, starts)) = cells.next_cells() {
                let sums = &mut sums[columns.clone()];
                match color_by {
                    ColorBy::Order => {
                        for (k, sum) in sums.iter_mut().enumerate() {
                            let (mut listed, mut sampled) = (0, 0);
                            for starts in starts.iter().step_by(sample) {
                                sampled += starts[k + 1] - starts[k];
                                for slot in starts[k]..starts[k + 1] {
                                    if listed == LISTED {
                                        bonds.add(simd, placed, &list, BOND_MAX);
                                        listed = 0;
                                    }
                                    if let Some(found) = grid.windows_of(slot as usize) {
                                        list[listed] = DiscWindows::new(slot, found.into());
                                        listed += 1;
                                    }
                                }
                            }
                            bonds.add(simd, placed, &list[..listed], BOND_MAX);
                            let count = agents_of(k, starts) as f32;
                            let share = if sampled > 0 { count / sampled as f32 } else { 0.0 };
                            let [c, s, bonds] = bonds.take(simd).map(|sum| sum * share);
                            let more = [c, s, bonds, count];
                            *sum = std::array::from_fn(|k| sum[k] + more[k]);
                        }
                    }
                    ColorBy::Temperature => {
                        fields::add_momentum::<true, GROUP, { CHUNK + 1 }>(
                            simd, moving, starts, sums,
                        );
                        add_counts(&mut spare[columns], starts);
                    }
                    _ => fields::add_momentum::<false, GROUP, { CHUNK + 1 }>(
                        simd, moving, starts, sums,
                    ),
                }
            }
        }
        match color_by {
            ColorBy::Temperature => {
                for (sum, &[.., count]) in sums.iter_mut().zip(&*spare) {
                    let [px, py, mass, energy] = *sum;
                    let common = if mass > 0.0 { (px * px + py * py) / mass } else { 0.0 };
                    // The mean velocity takes the degrees of freedom of one agent.
                    let free = (count - 1.0).max(0.0);
                    *sum = [0.5 * (energy - common).max(0.0), 0.0, free, count];
                }
            }
            ColorBy::Density => {
                for sum in sums {
                    *sum = [sum[2], 0.0, 0.0, sum[3]];
                }
            }
            _ => {}
        }
    }
}
