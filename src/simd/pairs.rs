//! Blocks of pairs, and the hot loops of the contact solver: what aims them where a substep begins,
//! and one pass over all of them.
//!
//! The compiler does not find the transposition of eight bodies into columns by itself: the same
//! loops in plain Rust, which are the twins for other instruction sets, take three times as long.

use super::{Kernel, SimdLevel};

/// Pairs per block.
pub(crate) const LANES: usize = 8;

/// Some pairs without a common body.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct PairBlock {
    /// Bodies, counted from the first slot of the band.
    pub(crate) i: [u32; LANES],
    pub(crate) j: [u32; LANES],
    /// Unit vector from i to j.
    pub(crate) nx: [f32; LANES],
    pub(crate) ny: [f32; LANES],
    /// Distance from rim to rim at the start of the substep, world units; negative if they overlap.
    pub(crate) gap: [f32; LANES],
    /// The share of a change of their relative velocity that i takes; 0 in a lane without a pair.
    pub(crate) share: [f32; LANES],
    /// The sum of the changes in a round.
    pub(crate) impulse: [f32; LANES],
    /// Speed at which they approached at the start of the substep; 0 if they did not.
    pub(crate) approach: [f32; LANES],
}

impl PairBlock {
    pub(crate) const EMPTY: Self = Self {
        i: [0; LANES],
        j: [0; LANES],
        nx: [0.0; LANES],
        ny: [0.0; LANES],
        gap: [1.0; LANES],
        share: [0.0; LANES],
        impulse: [0.0; LANES],
        approach: [0.0; LANES],
    };

    /// Fills the lanes from `from` on with the bodies of the first lane.
    pub(crate) fn pad(&mut self, from: usize) {
        for lane in from..LANES {
            self.i[lane] = self.i[0];
            self.j[lane] = self.j[0];
            self.nx[lane] = 0.0;
            self.ny[lane] = 0.0;
            self.gap[lane] = 1.0;
            self.share[lane] = 0.0;
            self.impulse[lane] = 0.0;
            self.approach[lane] = 0.0;
        }
    }
}

/// What a pass does with overlaps.
///
/// A pair with a gap may approach by no more than the gap in a round. A pair that overlaps is a
/// spring and damper, solved implicitly: its frequency is a quarter of the rounds' own, above which
/// a pile boils, and it is overdamped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoftPass {
    /// Rounds per second.
    pub(crate) rate: f32,
    /// Speed at which an overlap of one world unit is removed, per second.
    pub(crate) bias: f32,
    /// Factor of the change that the pass would make without softness.
    pub(crate) mass: f32,
    /// Share of the impulse that softness takes back.
    pub(crate) impulse: f32,
}

/// The bodies of the lanes, column by column.
#[inline(always)]
pub(crate) fn load(bodies: &[[f32; 4]], index: &[u32; LANES]) -> [[f32; LANES]; 4] {
    let mut columns = [[0.0; LANES]; 4];
    for lane in 0..LANES {
        let body = bodies[index[lane] as usize];
        for (column, value) in columns.iter_mut().zip(body) {
            column[lane] = value;
        }
    }
    columns
}

/// Stores the velocities of the lanes, the last lane first.
#[inline(always)]
pub(crate) fn store(bodies: &mut [[f32; 4]], index: &[u32; LANES], [vx, vy]: [[f32; LANES]; 2]) {
    for lane in (0..LANES).rev() {
        let body = &mut bodies[index[lane] as usize];
        body[0] = vx[lane];
        body[1] = vy[lane];
    }
}

/// Aims the pairs of some blocks: sets normals, gaps and speeds of approach from the bodies, which
/// have their centers in the place of displacements, and takes the impulses out of the references,
/// so that the first round adds them.
struct AimBlocks<'a> {
    blocks: &'a mut [PairBlock],
    bodies: &'a [[f32; 4]],
    radius: &'a [f32],
    reference: &'a mut [[f32; 2]],
}

impl Kernel for AimBlocks<'_> {
    /// True if the bodies of a pair have the same center. It has no normal then.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { blocks, bodies, radius, reference } = self;
        let mut coincide = false;
        for block in blocks {
            let ([ax, ay, acx, acy], [bx, by, bcx, bcy]) =
                (load(bodies, &block.i), load(bodies, &block.j));
            for lane in 0..LANES {
                let (dx, dy) = (bcx[lane] - acx[lane], bcy[lane] - acy[lane]);
                let distance = (dx * dx + dy * dy).sqrt();
                let (real, apart) = (block.share[lane] != 0.0, distance > 0.0);
                coincide |= real & !apart;
                let inverse = 1.0 / distance;
                let normal = if real & apart { [dx * inverse, dy * inverse] } else { [0.0; 2] };
                let [nx, ny] = normal;
                let approach = (ax[lane] - bx[lane]) * nx + (ay[lane] - by[lane]) * ny;
                let reach = radius[block.i[lane] as usize] + radius[block.j[lane] as usize];
                (block.nx[lane], block.ny[lane]) = (nx, ny);
                block.gap[lane] = if real { distance - reach } else { 1.0 };
                block.approach[lane] = if approach > 0.0 { approach } else { 0.0 };
            }
            if block.impulse != [0.0; LANES] {
                take_out(block, reference);
            }
        }
        coincide
    }
}

/// Takes the impulses of a block out of the references of its bodies.
#[inline(always)]
fn take_out(block: &PairBlock, reference: &mut [[f32; 2]]) {
    let shares: [f32; LANES] = std::array::from_fn(|lane| block.share[lane] * block.impulse[lane]);
    let mut add = |slot: u32, lane: usize, size: f32| {
        let [x, y] = &mut reference[slot as usize];
        (*x, *y) = (*x + size * block.nx[lane], *y + size * block.ny[lane]);
    };
    for (lane, &slot) in block.i.iter().enumerate() {
        add(slot, lane, shares[lane]);
    }
    for (lane, &slot) in block.j.iter().enumerate() {
        add(slot, lane, shares[lane] - block.impulse[lane]);
    }
}

/// Aims the pairs of some blocks at the start of a substep; see [`AimBlocks`].
///
/// # Panics
/// If a block contains a body that is not there.
pub(crate) fn aim(
    blocks: &mut [PairBlock],
    bodies: &[[f32; 4]],
    radius: &[f32],
    reference: &mut [[f32; 2]],
    simd: SimdLevel,
) -> bool {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` is constructed only after `is_available` has found its features.
        Avx2 | Avx512 => unsafe {
            avx2::aim(blocks, bodies, radius, reference)
        },
        _ => simd.run(AimBlocks { blocks, bodies, radius, reference }),
    })
}

/// A pass over some blocks.
struct Solve<'a> {
    blocks: &'a mut [PairBlock],
    bodies: &'a mut [[f32; 4]],
    pass: SoftPass,
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { blocks, bodies, pass } = self;
        for block in blocks {
            let [mut ax, mut ay, adx, ady] = load(bodies, &block.i);
            let [mut bx, mut by, bdx, bdy] = load(bodies, &block.j);
            for lane in 0..LANES {
                let (nx, ny) = (block.nx[lane], block.ny[lane]);
                let gap =
                    block.gap[lane] + ((bdx[lane] - adx[lane]) * nx + (bdy[lane] - ady[lane]) * ny);
                let speed = (bx[lane] - ax[lane]) * nx + (by[lane] - ay[lane]) * ny;
                let open = gap > 0.0;
                let bias = gap * if open { pass.rate } else { pass.bias };
                let mass = if open { 1.0 } else { pass.mass };
                let soft = if open { 0.0 } else { pass.impulse };
                let before = block.impulse[lane];
                let sum = before - mass * (speed + bias) - soft * before;
                let after = if sum > 0.0 { sum } else { 0.0 };
                block.impulse[lane] = after;
                let change = after - before;
                let one = block.share[lane] * change;
                let other = change - one;
                ax[lane] -= one * nx;
                ay[lane] -= one * ny;
                bx[lane] += other * nx;
                by[lane] += other * ny;
            }
            store(bodies, &block.i, [ax, ay]);
            store(bodies, &block.j, [bx, by]);
        }
    }
}

/// Runs a pass over some blocks.
///
/// # Panics
/// If a block contains a body that is not there.
pub(crate) fn solve(
    blocks: &mut [PairBlock],
    bodies: &mut [[f32; 4]],
    pass: SoftPass,
    simd: SimdLevel,
) {
    by_level!(simd, {
        // SAFETY: a `SimdLevel` is constructed only after `is_available` has found its features.
        Avx2 | Avx512 => unsafe {
            avx2::solve(blocks, bodies, pass);
        },
        _ => simd.run(Solve { blocks, bodies, pass }),
    })
}

/// The same with AVX2, operation by operation: 16 lanes of AVX-512 would need gathers, which cost
/// more than they save.
#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_GT_OQ, _CMP_NEQ_UQ, _mm_loadu_ps, _mm_storeu_ps, _mm256_add_ps,
        _mm256_and_ps, _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castps128_ps256,
        _mm256_castps256_ps128, _mm256_cmp_ps, _mm256_cmpeq_epi32, _mm256_div_ps,
        _mm256_extractf128_ps, _mm256_i32gather_ps, _mm256_insertf128_ps, _mm256_load_ps,
        _mm256_load_si256, _mm256_max_epu32, _mm256_movemask_epi8, _mm256_movemask_ps,
        _mm256_mul_ps, _mm256_or_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
        _mm256_shuffle_ps, _mm256_sqrt_ps, _mm256_store_ps, _mm256_sub_ps, _mm256_unpackhi_ps,
        _mm256_unpacklo_ps,
    };

    use super::{LANES, PairBlock, SoftPass, take_out};

    /// The bodies of the lanes, two in each register: lanes 0 and 4, 1 and 5, …
    ///
    /// # Safety
    /// Every index is that of a body.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn rows(bodies: *const [f32; 4], index: &[u32; LANES]) -> [__m256; 4] {
        // SAFETY: the caller's.
        let row = |lane: usize| unsafe { _mm_loadu_ps(bodies.add(index[lane] as usize).cast()) };
        let two = |lane: usize| {
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(row(lane)), row(lane + 4))
        };
        [two(0), two(1), two(2), two(3)]
    }

    /// The columns vx, vy, dx and dy of all lanes.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn columns(rows: [__m256; 4]) -> [__m256; 4] {
        let [v01, v23] =
            [_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpacklo_ps(rows[2], rows[3])];
        let [d01, d23] =
            [_mm256_unpackhi_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[2], rows[3])];
        [
            _mm256_shuffle_ps::<0x44>(v01, v23),
            _mm256_shuffle_ps::<0xee>(v01, v23),
            _mm256_shuffle_ps::<0x44>(d01, d23),
            _mm256_shuffle_ps::<0xee>(d01, d23),
        ]
    }

    /// Stores bodies with new velocities, the first lane last.
    ///
    /// # Safety
    /// Every index is that of a body.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn store(
        bodies: *mut [f32; 4],
        index: &[u32; LANES],
        rows: [__m256; 4],
        [vx, vy]: [__m256; 2],
    ) {
        let (v01, v23) = (_mm256_unpacklo_ps(vx, vy), _mm256_unpackhi_ps(vx, vy));
        let rows = [
            _mm256_shuffle_ps::<0xe4>(v01, rows[0]),
            _mm256_shuffle_ps::<0xee>(v01, rows[1]),
            _mm256_shuffle_ps::<0xe4>(v23, rows[2]),
            _mm256_shuffle_ps::<0xee>(v23, rows[3]),
        ];
        for lane in (0..4).rev() {
            // SAFETY: the caller's; a body is four numbers.
            unsafe {
                let to = bodies.add(index[lane + 4] as usize).cast();
                _mm_storeu_ps(to, _mm256_extractf128_ps::<1>(rows[lane]));
            }
        }
        for lane in (0..4).rev() {
            // SAFETY: as above.
            unsafe {
                let to = bodies.add(index[lane] as usize).cast();
                _mm_storeu_ps(to, _mm256_castps256_ps128(rows[lane]));
            }
        }
    }

    /// The number of bodies as the last index in all lanes; none if there are no bodies.
    ///
    /// # Panics
    /// If there are blocks, but no bodies.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn last(blocks: &[PairBlock], bodies: usize) -> Option<__m256i> {
        let last = (bodies as u32).checked_sub(1);
        assert!(last.is_some() || blocks.is_empty(), "a block contains a body that is not there");
        last.map(|last| _mm256_set1_epi32(last.cast_signed()))
    }

    /// Checks that all bodies of a block are there, and returns their indices.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn checked(block: &PairBlock, last: __m256i) -> [__m256i; 2] {
        // SAFETY: eight numbers, aligned as the block is.
        let slots = |column: &[u32; LANES]| unsafe { _mm256_load_si256(column.as_ptr().cast()) };
        let (i, j) = (slots(&block.i), slots(&block.j));
        let most = _mm256_max_epu32(_mm256_max_epu32(i, j), last);
        let inside = _mm256_movemask_epi8(_mm256_cmpeq_epi32(most, last)) == -1;
        assert!(inside, "a block contains a body that is not there");
        [i, j]
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub(super) fn aim(
        blocks: &mut [PairBlock],
        bodies: &[[f32; 4]],
        radius: &[f32],
        reference: &mut [[f32; 2]],
    ) -> bool {
        assert_eq!(bodies.len(), radius.len(), "a radius per body");
        let Some(last) = last(blocks, bodies.len()) else { return false };
        let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
        let (bodies, radius) = (bodies.as_ptr(), radius.as_ptr());
        // SAFETY: eight numbers, aligned as the block is.
        let load = |column: &[f32; LANES]| unsafe { _mm256_load_ps(column.as_ptr()) };
        // SAFETY: as above.
        let put = |column: &mut [f32; LANES], lanes| unsafe {
            _mm256_store_ps(column.as_mut_ptr(), lanes);
        };
        let mut coincide = zero;
        for block in blocks {
            let [i, j] = checked(block, last);
            // SAFETY: all indices were compared with the last one; there is a radius per body.
            let (a, b, ra, rb) = unsafe {
                let [ra, rb] = [i, j].map(|index| _mm256_i32gather_ps::<4>(radius, index));
                (rows(bodies, &block.i), rows(bodies, &block.j), ra, rb)
            };
            let ([avx, avy, ax, ay], [bvx, bvy, bx, by]) = (columns(a), columns(b));
            let share = load(&block.share);
            let real = _mm256_cmp_ps::<_CMP_NEQ_UQ>(share, zero);
            let (dx, dy) = (_mm256_sub_ps(bx, ax), _mm256_sub_ps(by, ay));
            let square = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let distance = _mm256_sqrt_ps(square);
            let apart = _mm256_cmp_ps::<_CMP_GT_OQ>(distance, zero);
            coincide = _mm256_or_ps(coincide, _mm256_andnot_ps(apart, real));
            let inverse = _mm256_div_ps(one, distance);
            let normal = |d| _mm256_and_ps(_mm256_mul_ps(d, inverse), _mm256_and_ps(apart, real));
            let (nx, ny) = (normal(dx), normal(dy));
            let approach = _mm256_add_ps(
                _mm256_mul_ps(_mm256_sub_ps(avx, bvx), nx),
                _mm256_mul_ps(_mm256_sub_ps(avy, bvy), ny),
            );
            let approaching = _mm256_cmp_ps::<_CMP_GT_OQ>(approach, zero);
            let gap = _mm256_sub_ps(distance, _mm256_add_ps(ra, rb));
            put(&mut block.nx, nx);
            put(&mut block.ny, ny);
            put(&mut block.gap, _mm256_blendv_ps(one, gap, real));
            put(&mut block.approach, _mm256_and_ps(approach, approaching));
            let impulse = load(&block.impulse);
            if _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(impulse, zero)) != 0 {
                take_out(block, reference);
            }
        }
        _mm256_movemask_ps(coincide) != 0
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub(super) fn solve(blocks: &mut [PairBlock], bodies: &mut [[f32; 4]], pass: SoftPass) {
        let Some(last) = last(blocks, bodies.len()) else { return };
        let [rate, bias, mass, impulse] =
            [pass.rate, pass.bias, pass.mass, pass.impulse].map(|number| _mm256_set1_ps(number));
        let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
        let bodies = bodies.as_mut_ptr();
        // SAFETY: eight numbers, aligned as the block is.
        let load = |column: &[f32; LANES]| unsafe { _mm256_load_ps(column.as_ptr()) };
        for block in blocks {
            checked(block, last);
            // SAFETY: all indices were compared with the last one.
            let [a, b] = unsafe { [rows(bodies, &block.i), rows(bodies, &block.j)] };
            let ([ax, ay, adx, ady], [bx, by, bdx, bdy]) = (columns(a), columns(b));
            let (nx, ny) = (load(&block.nx), load(&block.ny));
            let dot = |x, y| _mm256_add_ps(_mm256_mul_ps(x, nx), _mm256_mul_ps(y, ny));
            let moved = dot(_mm256_sub_ps(bdx, adx), _mm256_sub_ps(bdy, ady));
            let gap = _mm256_add_ps(load(&block.gap), moved);
            let speed = dot(_mm256_sub_ps(bx, ax), _mm256_sub_ps(by, ay));
            let open = _mm256_cmp_ps::<_CMP_GT_OQ>(gap, zero);
            let bias = _mm256_mul_ps(gap, _mm256_blendv_ps(bias, rate, open));
            let mass = _mm256_blendv_ps(mass, one, open);
            let soft = _mm256_andnot_ps(open, impulse);
            let before = load(&block.impulse);
            let hard = _mm256_mul_ps(mass, _mm256_add_ps(speed, bias));
            let sum = _mm256_sub_ps(_mm256_sub_ps(before, hard), _mm256_mul_ps(soft, before));
            let after = _mm256_and_ps(sum, _mm256_cmp_ps::<_CMP_GT_OQ>(sum, zero));
            // SAFETY: eight numbers, aligned as the block is.
            unsafe { _mm256_store_ps(block.impulse.as_mut_ptr(), after) };
            let change = _mm256_sub_ps(after, before);
            let first = _mm256_mul_ps(load(&block.share), change);
            let other = _mm256_sub_ps(change, first);
            let push = |speed, normal| _mm256_sub_ps(speed, _mm256_mul_ps(first, normal));
            let pull = |speed, normal| _mm256_add_ps(speed, _mm256_mul_ps(other, normal));
            // SAFETY: as for the rows.
            unsafe {
                store(bodies, &block.i, a, [push(ax, nx), push(ay, ny)]);
                store(bodies, &block.j, b, [pull(bx, nx), pull(by, ny)]);
            }
        }
    }
}
