//! Every limit in one place, each with its unit and its reason.

/// Agents: slots, ids and cell offsets are `u32`, with room left for tags.
pub const AGENTS_MAX: u32 = 1_000_000_000;

/// Side of a frame in pixels: the largest texture that every GPU takes, and a PNG of a gigabyte.
pub const FRAME_SIDE_MAX: u32 = 16_384;

/// Cells a side of either grid: a row and a column share a word, with a bit left for a tag. A cell index
/// is computed in f32, whose rounding at this many columns moves a border by 0.006 of a cell: less than
/// what [`NEAR`] leaves for it.
pub const CELLS_PER_SIDE_MAX: u32 = 32_767;

/// Share of a cell's shorter side that a near element may stand out of it. Two of them that touch are then
/// in the same cell or in adjacent ones: 0.5 in exact arithmetic, less a margin for rounding.
pub const NEAR: f32 = 0.48;

/// Coordinates of a grid's world, world units: their squares, and sums of these, stay below the end of f32.
pub const COORDINATE_MAX: f32 = 1e18;

/// Side of a cell, world units: its square does not vanish in f32.
pub const CELL_SIDE_MIN: f32 = 1e-18;

/// Bands that the grid's rows are cut into, at most: enough to keep many threads busy to the end.
pub const BANDS_MAX: u32 = 64;

/// Agents on the area of a loose cell that discs leave free, on average: what the automatic cell size
/// aims at. In `gas` that is a cell for 1.7: with fewer, agents soon leave it, and with more, windows
/// grow longer than what is searched at once.
pub const AGENTS_PER_FREE_CELL: f32 = 2.4;

/// Median radii that a loose cell is wide, at least: an agent stays near its cell for some steps then,
/// however closely agents lie.
pub const MEDIAN_RADII_PER_CELL: f32 = 4.1;

/// Large radii (one agent in 32 has such) that a loose cell is wide, at least: below two, these are far
/// wherever they are.
pub const LARGE_RADII_PER_CELL: f32 = 2.1;

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

/// Speed along x or y that an agent comes with, world units a second: its square, and the way of a step, stay
/// far from the end of f32.
pub const SPEED_MAX: f32 = 1e9;

/// Mean speed, world units a second: an agent's is up to half as much again, and so within [`SPEED_MAX`].
pub const MEAN_SPEED_MAX: f32 = 5e8;

/// Gravity up or down, world units a second squared: see [`SPEED_MAX`].
pub const GRAVITY_MAX: f32 = 1e9;

/// Statics that room is claimed for beside a scene's own: 640 MB at the most, and all of them are listed anew
/// whenever one comes or goes.
pub const STATICS_MAX: u32 = 10_000_000;

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
const _: () = assert!(1.5 * MEAN_SPEED_MAX < SPEED_MAX, "whom a scene starts with may come again");
const _: () = assert!(NEAR < 0.5, "two near elements that touch are in adjacent cells");
const _: () = assert!(
    CELLS_PER_SIDE_MAX as f32 * 3.0 * f32::EPSILON / 2.0 < 0.5 - NEAR,
    "the margin of NEAR covers the rounding of a cell index"
);
