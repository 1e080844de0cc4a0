//! Blocks of pairs, and the hot loop of the contact solver: one pass over all blocks.
//!
//! The compiler does not find the transposition of eight bodies into columns by itself: the same
//! loop in plain Rust, which is the twin for other instruction sets, takes three times as long.

use super::{InstructionSet, Kernel, SimdLevel};

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
    /// The share of a change of their relative velocity that i takes.
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

/// A pass over some blocks.
pub(crate) struct Solve<'a> {
    pub(crate) blocks: &'a mut [PairBlock],
    pub(crate) bodies: &'a mut [[f32; 4]],
    pub(crate) pass: SoftPass,
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
    match simd.0 {
        InstructionSet::Scalar | InstructionSet::Neon => simd.run(Solve { blocks, bodies, pass }),
        // SAFETY: a `SimdLevel` is constructed only after `is_available` has found its features.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe {
            avx2::solve(blocks, bodies, pass);
        },
        #[cfg(not(target_arch = "x86_64"))]
        InstructionSet::Avx2 | InstructionSet::Avx512 => simd.run(Solve { blocks, bodies, pass }),
    }
}

/// The same with AVX2, operation by operation: 16 lanes of AVX-512 would need gathers, which cost
/// more than they save.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, _CMP_GT_OQ, _mm_loadu_ps, _mm_storeu_ps, _mm256_add_ps, _mm256_and_ps,
        _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castps128_ps256, _mm256_castps256_ps128,
        _mm256_cmp_ps, _mm256_cmpeq_epi32, _mm256_extractf128_ps, _mm256_insertf128_ps,
        _mm256_load_ps, _mm256_load_si256, _mm256_max_epu32, _mm256_movemask_epi8, _mm256_mul_ps,
        _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_store_ps,
        _mm256_sub_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
    };

    use super::{LANES, PairBlock, SoftPass};

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

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub(super) fn solve(blocks: &mut [PairBlock], bodies: &mut [[f32; 4]], pass: SoftPass) {
        let Some(last) = (bodies.len() as u32).checked_sub(1) else {
            assert!(blocks.is_empty(), "a block contains a body that is not there");
            return;
        };
        let last = _mm256_set1_epi32(last.cast_signed());
        let [rate, bias, mass, impulse] =
            [pass.rate, pass.bias, pass.mass, pass.impulse].map(|number| _mm256_set1_ps(number));
        let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
        let bodies = bodies.as_mut_ptr();
        // SAFETY: eight numbers, aligned as the block is.
        let load = |column: &[f32; LANES]| unsafe { _mm256_load_ps(column.as_ptr()) };
        // SAFETY: as above.
        let slots = |column: &[u32; LANES]| unsafe { _mm256_load_si256(column.as_ptr().cast()) };
        for block in blocks {
            let most = _mm256_max_epu32(_mm256_max_epu32(slots(&block.i), slots(&block.j)), last);
            let inside = _mm256_movemask_epi8(_mm256_cmpeq_epi32(most, last)) == -1;
            assert!(inside, "a block contains a body that is not there");
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
