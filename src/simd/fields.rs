//! Loops for the fields of the rasterizer: momentum and energy of discs, and the interpolation of sums
//! of cells. Bonds are in `bonds`.

use glam::{Mat4, Vec4};

use super::{
    SimdLevel,
    vectors::{LANES, LaneKernel, Vectors},
};

/// Adds to the sums of each cell momentum along x and y and mass of its discs. To the last sum it
/// adds mass times the square of the speed, or else the number of discs. The columns are velocities
/// and radius; the mass is the square of the radius.
///
/// The discs of cell `k` have the slots from `starts[k]` to `starts[k + 1]`, in each of some rows.
///
/// # Panics
/// If the columns are shorter than the slots, or there are too few starts for the sums.
#[inline(always)]
pub(crate) fn add_momentum<const ENERGY: bool, const ROWS: usize, const STARTS: usize>(
    simd: SimdLevel,
    columns: [&[f32]; 3],
    starts: &[[u32; STARTS]; ROWS],
    sums: &mut [[f32; 4]],
) {
    simd.run_lanes(AddMomentum::<ENERGY, ROWS, STARTS> { columns, starts, sums });
}

struct AddMomentum<'a, const ENERGY: bool, const ROWS: usize, const STARTS: usize> {
    columns: [&'a [f32]; 3],
    starts: &'a [[u32; STARTS]; ROWS],
    sums: &'a mut [[f32; 4]],
}

impl<const ENERGY: bool, const ROWS: usize, const STARTS: usize> LaneKernel
    for AddMomentum<'_, ENERGY, ROWS, STARTS>
{
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Self { columns: [vx, vy, radius], starts, sums } = self;
        assert!(sums.len() < STARTS, "a start for each cell and one behind");
        let end = vx.len().min(vy.len()).min(radius.len());
        let (vx, vy, radius) = (&vx[..end], &vy[..end], &radius[..end]);
        for (cell, to) in sums.iter_mut().enumerate() {
            let mut sums = [vectors.splat(0.0); 4];
            let mut count = 0;
            for starts in starts {
                let (mut first, last) = (starts[cell] as usize, starts[cell + 1] as usize);
                assert!(first <= last && last <= end, "the columns end before the slots");
                count += last - first;
                // Rows without discs are a block, too: a branch for them costs more than they do.
                loop {
                    let vx = vectors.load_first(&vx[first..last]);
                    let vy = vectors.load_first(&vy[first..last]);
                    let radius = vectors.load_first(&radius[first..last]);
                    let mass = radius * radius;
                    sums[0] = sums[0] + mass * vx;
                    sums[1] = sums[1] + mass * vy;
                    sums[2] = sums[2] + mass;
                    if ENERGY {
                        sums[3] = sums[3] + mass * (vx * vx + vy * vy);
                    }
                    first += LANES;
                    if first >= last {
                        break;
                    }
                }
            }
            let mut more = vectors.totals(sums);
            if !ENERGY {
                more[3] = count as f32;
            }
            *to = (Vec4::from_array(*to) + Vec4::from_array(more)).to_array();
        }
    }
}

/// Interpolates the four sums of cells at each place: the weighted sum of three successive cells. The
/// first of them is the cell of the place, or else the last cell with two behind it.
///
/// # Panics
/// If there are fewer than three cells.
#[inline(always)]
pub(crate) fn interpolate<const LEN: usize>(
    cells: &[[f32; 4]],
    firsts: &[u32; LEN],
    weights: &[[f32; LEN]; 3],
) -> [[f32; LEN]; 4] {
    const { assert!(LEN.is_multiple_of(4)) };
    let last = cells.len() - 3;
    let mut values = [[0.0; LEN]; 4];
    for (block, firsts) in firsts.as_chunks::<4>().0.iter().enumerate() {
        let sum = |k: usize| {
            let cells: &[_; 3] =
                cells[(firsts[k] as usize).min(last)..].first_chunk().expect("three cells");
            let weighted =
                |cell: usize| weights[cell][4 * block + k] * Vec4::from_array(cells[cell]);
            (weighted(0) + weighted(1)) + weighted(2)
        };
        let lanes = Mat4::from_cols(sum(0), sum(1), sum(2), sum(3)).transpose();
        for (values, lane) in values.iter_mut().zip(lanes.to_cols_array_2d()) {
            values.as_chunks_mut::<4>().0[block] = lane;
        }
    }
    values
}

/// The numbers with these indices, or else the last but one, in lanes of their own. The last number
/// only serves as room behind.
///
/// # Panics
/// If there are fewer than two numbers.
#[inline(always)]
pub(crate) fn look_up<const LEN: usize>(
    simd: SimdLevel,
    numbers: &[u16],
    indices: &[u32; LEN],
    to: &mut [u32; LEN],
) {
    const { assert!(LEN.is_multiple_of(LANES)) };
    simd.run_lanes(LookUp { numbers, indices, to });
}

struct LookUp<'a, const LEN: usize> {
    numbers: &'a [u16],
    indices: &'a [u32; LEN],
    to: &'a mut [u32; LEN],
}

impl<const LEN: usize> LaneKernel for LookUp<'_, LEN> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let indices = self.indices.as_chunks::<LANES>().0;
        for (to, indices) in self.to.as_chunks_mut::<LANES>().0.iter_mut().zip(indices) {
            *to = vectors.look_up(self.numbers, indices);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Numbers from -2 to 2.
    pub(in crate::simd) fn column(factor: u32) -> Vec<f32> {
        let step = |n: u32| (n.wrapping_mul(factor) >> 8) as f32;
        (1..200).map(|n| step(n) / (1 << 22) as f32 - 2.0).collect()
    }

    #[test]
    fn all_levels_give_the_same_bits() {
        let columns = [column(0x9e37_79b1), column(0x85eb_ca6b), column(0xc2b2_ae35)];
        let columns: [&[f32]; 3] = [&columns[0], &columns[1], &columns[2]];
        // Rows of any length, up to the end.
        let starts = [[3, 3, 5, 12, 20], [20, 28, 31, 31, 40], [40, 140, 140, 160, 199], [199; 5]];
        let all = |simd| {
            let mut sums = [[[1.0; 4]; 4]; 2];
            add_momentum::<true, 4, 5>(simd, columns, &starts, &mut sums[0]);
            add_momentum::<false, 4, 5>(simd, columns, &starts, &mut sums[1]);
            sums
        };
        let plain = all(SimdLevel::SCALAR);
        let counts = plain[1].map(|[.., count]| count);
        assert_eq!(counts, [109.0, 6.0, 28.0, 57.0]);
        let [_, _, mass, energy] = plain[0][0];
        let terms = (20..28).chain(40..140).map(|k| {
            let [vx, vy, radius] = columns.map(|column| column[k]);
            [radius * radius, radius * radius * (vx * vx + vy * vy)]
        });
        let expected = terms.fold([1.0; 2], |[a, b], [c, d]| [a + c, b + d]);
        assert!((mass / expected[0] - 1.0).abs() < 1e-5, "{mass} for {}", expected[0]);
        assert!((energy / expected[1] - 1.0).abs() < 1e-5, "{energy} for {}", expected[1]);
        for simd in SimdLevel::available() {
            let bits = |sums: [[[f32; 4]; 4]; 2]| bytemuck::cast::<_, [u32; 32]>(sums);
            assert_eq!(bits(all(simd)), bits(plain), "{}", simd.name());
        }
    }

    #[test]
    fn numbers_are_looked_up() {
        let numbers: Vec<u16> = (0..500).map(|n| 65_535 - 131 * n).collect();
        let indices: [u32; 32] = std::array::from_fn(|k| k as u32 * 17);
        let indices = indices.map(|index| if index == 17 { u32::MAX } else { index });
        for simd in SimdLevel::available() {
            let mut to = [7; 32];
            look_up(simd, &numbers, &indices, &mut to);
            for (to, index) in to.into_iter().zip(indices) {
                assert_eq!(to, u32::from(numbers[index.min(498) as usize]), "{}", simd.name());
            }
        }
    }

    #[test]
    fn places_are_means_of_three_cells() {
        let cells: Vec<[f32; 4]> = (0..9).map(|k| [1.0, k as f32, 0.1 * k as f32, -0.3]).collect();
        let firsts = [0, 1, 1, 2, 5, 6, 7, 99];
        let shares = column(0x9e37_79b1);
        let weights = [0, 1, 2].map(|row| std::array::from_fn(|k| 0.5 * shares[8 * row + k]));
        let values = interpolate(&cells, &firsts, &weights);
        for (k, first) in firsts.into_iter().enumerate() {
            let [a, b, c] = weights.map(|weights: [f32; 8]| weights[k]);
            let first = first.min(6) as f32;
            assert!((values[0][k] - (a + b + c)).abs() < 1e-5);
            let expected = a * first + b * (first + 1.0) + c * (first + 2.0);
            assert!((values[1][k] - expected).abs() < 1e-4);
        }
    }
}
