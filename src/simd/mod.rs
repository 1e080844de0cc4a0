//! SIMD: which instructions the hot loops run with, chosen once, in one place.
//!
//! A [`Kernel`] is one body in plain Rust. [`Usable::run`] inlines it into a function that may use wider
//! registers, and the compiler makes the most of them: one source, and the same bits from each level,
//! since every lane does the same IEEE operations and nothing is ever fused. Scalar is what the target
//! always has: SSE2 on x86-64. NEON is always there on `AArch64`, so that level and scalar are the same code.
//!
//! ```text
//! Kernel::run (inlined) ──► Usable::run ─┬─► scalar    the target's own
//!                                        ├─► neon      128 bits, the same code
//!                                        ├─► avx2      256 bits
//!                                        └─► avx512    512 bits, masks
//! ```
//!
//! The one home of `unsafe`: calling a function with more features than the program was built for is
//! sound only where the machine has them.
#![allow(unsafe_code)]

pub mod pixels;

use crate::error::{Error, Result};

/// A set of instructions that the hot loops may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// What the target always has.
    #[default]
    Scalar,
    /// NEON, 128 bits.
    Neon,
    /// AVX2, 256 bits.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Level {
    /// All of them, the plainest first.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512];

    /// The best that this machine has.
    pub fn detect() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or_default()
    }

    /// True if this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("bmi1")
                    && std::arch::is_x86_feature_detected!("bmi2")
                    && std::arch::is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Its name, as `--simd` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The level, if this machine has it.
    ///
    /// # Errors
    /// If it doesn't.
    pub fn check(self) -> Result<Usable> {
        if self.is_available() {
            return Ok(Usable(self));
        }
        let (name, best) = (self.name(), Self::detect().name());
        Err(Error::invalid(format!("this machine has no {name}; --simd {best} is the best it has")))
    }
}

/// A hot loop with what it works on. Mark `run`, and what it calls, `#[inline(always)]`: what is called
/// instead of inlined runs with what the target always has.
pub trait Kernel {
    /// What it comes to.
    type Output;
    /// The loop.
    fn run(self) -> Self::Output;
}

/// A level that this machine has: the proof that [`Usable::run`] asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usable(Level);

impl Usable {
    /// The best level of this machine.
    pub fn best() -> Self {
        Self(Level::detect())
    }

    /// Which level it is.
    pub fn level(self) -> Level {
        self.0
    }

    /// Runs a kernel with the instructions of this level.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Level::Scalar | Level::Neon => kernel.run(),
            // SAFETY: a `Usable` is made only for a level whose features `is_available` has found.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512(kernel) },
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => kernel.run(),
        }
    }
}

/// Asks for memory that will soon be read. It changes nothing but the time that reading takes.
#[inline(always)]
pub fn prefetch<const LEN: usize>(items: &[f32; LEN]) {
    #[cfg(target_arch = "x86_64")]
    for line in items.chunks(16) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: nothing is read, and every x86-64 has the instruction.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
