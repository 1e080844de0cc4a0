//! Every limit in one place, each with its unit and its reason.

/// Agents: slots, ids and cell offsets are `u32`, with room left for tags.
pub const AGENTS_MAX: u32 = 1_000_000_000;

/// Side of a frame in pixels: the largest texture that every GPU takes, and a PNG of a gigabyte.
pub const FRAME_SIDE_MAX: u32 = 16_384;

/// Loose cells a side. A cell index is computed in f32, whose rounding at this many columns moves a
/// border by 0.012 of a cell: less than what [`NARROW`] leaves for it.
pub const CELLS_A_SIDE_MAX: u32 = 65_536;

/// Share of a cell's shorter side that a narrow element's radius and the slack may reach. Two narrow
/// elements that touch are then in adjacent cells: 0.5 in exact arithmetic, less a margin for rounding.
pub const NARROW: f32 = 0.48;

/// Agents a loose cell, on average, that the automatic cell size aims at. In `gas`, 2.5 to 4 are
/// fastest: fewer and the offsets cost more than they save, more and the windows grow long.
pub const AGENTS_A_CELL: f32 = 3.0;

/// Share of the smallest radius that one f32 step of the largest coordinate may be: above it, discs
/// would jump over the gaps between them.
pub const COORDINATE_STEP_MAX: f32 = 0.01;

/// Radii, world units: squares and sums of squares stay far from the ends of f32.
pub const RADIUS_MIN: f32 = 1e-6;

/// Radii, world units: see [`RADIUS_MIN`].
pub const RADIUS_MAX: f32 = 1e6;

/// Share of the world that discs may cover: the densest packing of equal discs has 0.9069, and a
/// little is needed to move.
pub const DENSITY_MAX: f32 = 0.9;

/// Mean speed, world units a second: its square, and the way of a step, stay far from the end of f32.
pub const SPEED_MAX: f32 = 1e9;

/// Gravity up or down, world units a second squared: see [`SPEED_MAX`].
pub const GRAVITY_MAX: f32 = 1e9;

/// Steps a second of simulated time, at least: a step is a quarter of an hour then.
pub const HZ_MIN: f32 = 0.001;

/// Times a simulation second is cut into steps, at most.
pub const HZ_MAX: f32 = 100_000.0;

/// Substeps a step, at most.
pub const SUBSTEPS_MAX: u32 = 1_000;

/// Steps of a run, at most: half a million years at 60 a second.
pub const STEPS_MAX: u64 = 1_000_000_000_000_000;

/// Worker threads, at most: no machine of today has more.
pub const THREADS_MAX: usize = 1_024;

const _: () = assert!(AGENTS_MAX < u32::MAX / 2, "ids and slots keep a bit for tags");
const _: () = assert!(NARROW < 0.5, "two narrow elements that touch are in adjacent cells");
const _: () = assert!(
    CELLS_A_SIDE_MAX as f32 * 3.0 * f32::EPSILON / 2.0 < 0.5 - NARROW,
    "the margin of NARROW covers the rounding of a cell index"
);
