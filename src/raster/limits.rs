//! Sizes that several files of the rasterizer agree on.
//!
//! ```text
//! radius in pixels   0             0.1875      0.25        1.5          32
//!                    ├─ density only ─┼── both ──┼─ sprites ─┼─ analytic ─┼─ spans ─►
//! ```

/// Agents per batch. A batch fits into the L1 cache several times over.
pub(crate) const BATCH_LEN: usize = 64;

/// Radius below which an agent is drawn as density, at least in part; pixels.
pub(crate) const DENSITY_RADIUS_MAX: f32 = 0.25;

/// Radius up to which an agent is drawn as density alone; pixels.
pub(crate) const DENSITY_ONLY_RADIUS_MAX: f32 = 0.1875;

/// Largest radius of a sprite, pixels: such a disc meets four pixels per row.
pub(crate) const SPRITE_RADIUS_MAX: f32 = 1.5;

/// Largest radius of an analytic disc, pixels. In `f32`, the areas of larger discs have too few digits
/// left for a single pixel.
pub(crate) const ANALYTIC_RADIUS_MAX: f32 = 32.0;
