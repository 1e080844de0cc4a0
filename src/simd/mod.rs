//! SIMD levels: the instruction set that the hot loops run with, chosen once, in one place.
//!
//! A `Kernel` is a loop in plain Rust. `SimdLevel::run` inlines it into a function that may use
//! wider registers, and the compiler vectorizes it there. One source serves every level. All levels
//! give the same bits, because every lane does the same IEEE operations and nothing is ever fused.
//!
//! ```text
//! Kernel::run (inlined) ──► SimdLevel::run ─┬─► scalar    the target's baseline: SSE2 on x86-64
//!                                           ├─► neon      128 bits, part of the AArch64 baseline
//!                                           ├─► avx2      256 bits
//!                                           └─► avx512    512 bits, masks
//! ```
//!
//! This folder holds all of the crate's `unsafe` code. Calling a function that uses more features
//! than the program was built for is sound only on a machine that has them, and a [`SimdLevel`]
//! exists only for features that were detected.
#![allow(unsafe_code)]

/// Chooses the code for a level: the code for its instruction set, or else the plain code. Programs for
/// other processors than x86-64 contain the plain code alone. So do programs that are compiled with
/// `--cfg jostle_portable`, by which a machine without another target checks that code.
macro_rules! by_level {
    ($level:expr, {
        $($($set:ident)|+ $(if $condition:expr)? => $code:expr,)+
        _ => $plain:expr,
    }) => {
        match $level.0 {
            $(
                #[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
                $(crate::simd::InstructionSet::$set)|+ $(if $condition)? => $code,
            )+
            _ => $plain,
        }
    };
}

pub(crate) mod bonds;
pub(crate) mod compact;
pub(crate) mod corners;
pub(crate) mod fields;
pub(crate) mod masks;
pub(crate) mod pairs;
pub(crate) mod pixels;
pub(crate) mod sprites;
pub(crate) mod tone;
pub(crate) mod vectors;

/// An instruction set that this machine has, for the hot loops of a step and a draw.
///
/// A value can only be had for a detected instruction set, so it proves that its instructions may
/// run. Every level computes the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimdLevel(InstructionSet);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InstructionSet {
    Scalar,
    Neon,
    Avx2,
    Avx512,
}

impl InstructionSet {
    /// All instruction sets by name, the narrowest first.
    const ALL: [(Self, &str); 4] = [
        (Self::Scalar, "scalar"),
        (Self::Neon, "neon"),
        (Self::Avx2, "avx2"),
        (Self::Avx512, "avx512"),
    ];

    fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("bmi1")
                    && std::arch::is_x86_feature_detected!("bmi2")
                    && std::arch::is_x86_feature_detected!("popcnt")
            }
            #[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(all(target_arch = "x86_64", not(jostle_portable))))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }
}

impl SimdLevel {
    /// The target's baseline instructions, which every machine has.
    pub const SCALAR: Self = Self(InstructionSet::Scalar);

    /// The widest level of this machine.
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::SCALAR)
    }

    /// All levels of this machine, the narrowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        InstructionSet::ALL
            .into_iter()
            .filter(|(set, _)| set.is_available())
            .map(|(set, _)| Self(set))
    }

    /// The level of that [name](Self::name); none if this machine doesn't have it.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::available().find(|level| level.name() == name)
    }

    /// The name that `--simd` takes: `scalar`, `neon`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        InstructionSet::ALL[self.0 as usize].1
    }

    /// Runs a kernel with the instructions of this level.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        by_level!(self, {
            // SAFETY: a `SimdLevel` is constructed only after `is_available` has found its
            // features.
            Avx2 => unsafe { avx2(kernel) },
            // SAFETY: as above.
            Avx512 => unsafe { avx512(kernel) },
            _ => kernel.run(),
        })
    }
}

/// A hot loop and the data that it works on.
///
/// `run` and the functions that it calls need `#[inline(always)]`: a function that is called
/// instead of inlined runs with the target's baseline instructions.
pub(crate) trait Kernel {
    /// The result of the loop.
    type Output;
    /// The loop.
    fn run(self) -> Self::Output;
}

/// Bytes that the memory delivers at once.
pub(crate) const CACHE_LINE: usize = 64;

/// Prefetches memory that will soon be read. It affects only the time that the reading takes.
#[inline(always)]
pub(crate) fn prefetch<const LEN: usize>(items: &[f32; LEN]) {
    for line in items.chunks(16) {
        prefetch_line::<false>(line.as_ptr().cast());
    }
}

/// Prefetches the item with an index, which may lie beyond the end.
#[inline(always)]
pub(crate) fn prefetch_item<T>(items: &[T], index: usize) {
    prefetch_line::<false>(items.as_ptr().wrapping_add(index).cast());
}

/// Prefetches an item that is read much later, into the second level of the cache.
#[inline(always)]
pub(crate) fn prefetch_later<T>(items: &[T], index: usize) {
    prefetch_line::<true>(items.as_ptr().wrapping_add(index).cast());
}

/// Prefetches the cache line at an address, which need not be valid.
#[inline(always)]
fn prefetch_line<const LATER: bool>(at: *const i8) {
    #[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
    // SAFETY: a prefetch reads nothing, and every x86-64 has the instruction.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        if LATER { _mm_prefetch::<_MM_HINT_T1>(at) } else { _mm_prefetch::<_MM_HINT_T0>(at) }
    }
    #[cfg(not(all(target_arch = "x86_64", not(jostle_portable))))]
    let _ = at;
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(all(target_arch = "x86_64", not(jostle_portable)))]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
