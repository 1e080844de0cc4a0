//! Bonds between discs, for the sixfold order of a crowd.
//!
//! ```text
//!  windows of a disc ─► is it a bond? ─► [dx][dy] of bonds alone ─► cos 6θ, sin 6θ
//!  (candidates)         (16 at once)     (waiting)                  (16 bonds at once)
//! ```
//!
//! At most one of three candidates has a bond, and its terms take twice as long as finding it. Bond
//! `n` of a cell is added in lane `n % 16`, so the sums don't depend on the number of bonds that are
//! added at once.
//!
//! The loops for x86-64 are written with intrinsics: 16 lanes of AVX-512 have no twin in `vectors`.

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
mod x86;

use std::ops::Range;

use super::{SimdLevel, vectors::total};

/// Bonds that are added at once.
const LANES: usize = 16;

/// Bonds that wait before some are added.
const WAITING: usize = 256;

/// A disc, and the discs in two ranges of slots to which it may have bonds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DiscWindows {
    slot: u32,
    firsts: [u32; 2],
    lens: [u32; 2],
}

impl DiscWindows {
    /// The disc in a slot.
    #[inline(always)]
    pub(crate) fn new(slot: u32, windows: [Range<usize>; 2]) -> Self {
        let [along, below] = windows;
        let firsts = [along.start as u32, below.start as u32];
        Self { slot, firsts, lens: [along.len() as u32, below.len() as u32] }
    }

    /// The number of candidates, if all slots are below `end`.
    ///
    /// # Panics
    /// If one is not.
    #[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
    #[inline(always)]
    fn count(&self, end: usize) -> usize {
        let ends = |k: usize| self.firsts[k] as usize + self.lens[k] as usize;
        let inside = ends(0).max(ends(1)).max(self.slot as usize + 1) <= end;
        assert!(inside, "the columns end before the windows");
        self.lens[0] as usize + self.lens[1] as usize
    }
}

/// The bonds of a cell: sums in lanes of cos 6θ and sin 6θ, and the number of bonds.
#[derive(Clone, Debug)]
pub(crate) struct BondSums {
    sums: [[f32; LANES]; 2],
    /// Bonds in the sums.
    bonds: usize,
    /// Bonds that are not in the sums yet: distances along x and y. There is room for the
    /// candidates of one more block.
    #[cfg_attr(not(all(target_arch = "x86_64", not(jostle_portable))), expect(dead_code))]
    waiting: [[f32; WAITING + LANES]; 2],
    #[cfg_attr(not(all(target_arch = "x86_64", not(jostle_portable))), expect(dead_code))]
    len: usize,
}

impl Default for BondSums {
    fn default() -> Self {
        let waiting = [[0.0; WAITING + LANES]; 2];
        Self { sums: [[0.0; LANES]; 2], bonds: 0, waiting, len: 0 }
    }
}

impl BondSums {
    /// Adds the bonds of some discs to the discs in their windows. The columns are position and
    /// radius. A bond leads to a disc with another center, less than `longest` times as far away as
    /// if the two touched.
    ///
    /// # Panics
    /// If a column is shorter than slots and windows.
    #[inline(always)]
    pub(crate) fn add(
        &mut self,
        simd: SimdLevel,
        columns: [&[f32]; 3],
        discs: &[DiscWindows],
        longest: f32,
    ) {
        by_level!(simd, {
            // SAFETY: a `SimdLevel` of this set proves AVX-512 and BMI2.
            Avx512 => unsafe { x86::add_wide(self, columns, discs, longest) },
            // SAFETY: a `SimdLevel` of this set proves AVX2 and popcnt.
            Avx2 => unsafe { x86::add(self, columns, discs, longest) },
            _ => self.add_plain(columns, discs, longest),
        });
    }

    /// The sums of cos 6θ, sin 6θ and 1 over all bonds, and none are left.
    #[inline(always)]
    pub(crate) fn take(&mut self, simd: SimdLevel) -> [f32; 3] {
        by_level!(simd, {
            // SAFETY: a `SimdLevel` of this set proves AVX-512 and BMI2.
            Avx512 => unsafe { x86::add_waiting_wide(self, 1) },
            // SAFETY: a `SimdLevel` of this set proves AVX2.
            Avx2 => unsafe { x86::add_waiting(self, 1) },
            _ => {},
        });
        let [c, s] = std::mem::take(&mut self.sums)
            .map(|lanes| total(std::array::from_fn(|lane| lanes[lane] + lanes[lane + LANES / 2])));
        [c, s, std::mem::take(&mut self.bonds) as f32]
    }

    fn add_plain(&mut self, columns: [&[f32]; 3], discs: &[DiscWindows], longest: f32) {
        for &DiscWindows { slot, firsts, lens } in discs {
            let [x, y, radius] = columns.map(|column| column[slot as usize]);
            for (first, len) in firsts.into_iter().zip(lens) {
                let window = first as usize..first as usize + len as usize;
                let [xs, ys, radii] = columns.map(|column| &column[window.clone()]);
                for ((xs, ys), radii) in xs.iter().zip(ys).zip(radii) {
                    let (dx, dy) = (xs - x, ys - y);
                    let reach = (radii + radius) * longest;
                    let square = dx * dx + dy * dy;
                    if square < reach * reach && square > 0.0 {
                        for (sum, term) in self.sums.iter_mut().zip(sixfold(dx, dy)) {
                            sum[self.bonds % LANES] += term;
                        }
                        self.bonds += 1;
                    }
                }
            }
        }
    }

    /// Moves the bonds that wait behind the first `added` to the front, fewer than [`LANES`].
    #[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
    #[inline(always)]
    fn move_up(&mut self, added: usize) {
        for waiting in &mut self.waiting {
            waiting.copy_within(added..added + LANES, 0);
        }
        self.len -= added;
        self.bonds += added;
    }
}

/// cos 6θ and sin 6θ of a direction.
fn sixfold(dx: f32, dy: f32) -> [f32; 2] {
    // The square of the unit vector, as a complex number, and its third power.
    let (xx, yy) = (dx * dx, dy * dy);
    let scale = 1.0 / (xx + yy);
    let (c2, s2) = ((xx - yy) * scale, (dx * dy + dx * dy) * scale);
    let (c4, s4) = (c2 * c2 - s2 * s2, c2 * s2 + c2 * s2);
    [c4 * c2 - s4 * s2, c4 * s2 + s4 * c2]
}

#[cfg(test)]
mod tests {
    use super::{super::fields::tests::column, *};

    #[test]
    fn all_levels_give_the_same_bits() {
        let columns = [column(0x9e37_79b1), column(0x85eb_ca6b), column(0xc2b2_ae35)];
        let columns: [&[f32]; 3] = [&columns[0], &columns[1], &columns[2]];
        // Windows of any length, up to the end.
        let disc = |slot: usize| {
            let window = |first: usize, len: usize| first.min(199)..(first + len).min(199);
            let windows = [window(slot + 1, slot % 41), window(slot + 7, slot * 3 % 59)];
            DiscWindows::new(slot as u32, windows)
        };
        let all = |simd, longest| {
            let mut bonds = BondSums::default();
            let mut sums = Vec::new();
            for cell in [[3..3, 3..3], [5..12, 20..28], [100..140, 180..199], [0..0, 0..199]] {
                for row in cell {
                    let discs: Vec<_> = row.map(disc).collect();
                    bonds.add(simd, columns, &discs, longest);
                }
                sums.push(bonds.take(simd).map(f32::to_bits));
            }
            sums
        };
        for longest in [0.9, 50.0] {
            let plain = all(SimdLevel::SCALAR, longest);
            let bonds = plain.iter().map(|[.., bonds]| f32::from_bits(*bonds)).sum::<f32>();
            assert!(bonds > 5.0 * WAITING as f32, "{bonds}");
            for simd in SimdLevel::available() {
                assert_eq!(all(simd, longest), plain, "{}", simd.name());
            }
        }
    }

    #[test]
    fn a_hexagon_is_in_order() {
        let angles = (0..6).map(|k| (k as f32 * 60.0 + 10.0).to_radians());
        let (x, y): (Vec<_>, Vec<_>) = [(0.0, 0.0)]
            .into_iter()
            .chain(angles.map(|angle| (2.1 * angle.cos(), 2.1 * angle.sin())))
            .unzip();
        let columns: [&[f32]; 3] = [&x, &y, &[1.0; 7]];
        for simd in SimdLevel::available() {
            let bonds = |longest| {
                let mut sums = BondSums::default();
                sums.add(simd, columns, &[DiscWindows::new(0, [1..3, 3..7])], longest);
                sums.take(simd)
            };
            let [c, s, count] = bonds(1.5);
            assert_eq!(count, 6.0);
            assert!((c / count - 0.5).abs() < 1e-5 && (s / count - 0.75_f32.sqrt()).abs() < 1e-5);
            // Longer than the longest bond.
            assert_eq!(bonds(1.0), [0.0; 3]);
        }
    }
}
