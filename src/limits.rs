//! All limits, each with its unit and its reason.

/// Agents: slots, ids and cell offsets are `u32`, with room left for tags.
pub const AGENTS_MAX: u32 = 1_000_000_000;

/// Side of a frame in pixels: the largest texture that every GPU takes, and a PNG of a gigabyte.
pub const FRAME_SIDE_MAX: u32 = 16_384;

/// Cells per side of either grid: a row and a column share a word, with a bit left for a tag. A
/// cell index is computed in f32: rounding at this many columns moves a border by 0.006 of a cell:
/// less than the margin by which near elements are limited.
pub const CELLS_PER_SIDE_MAX: u32 = 32_767;

/// Share of a cell's shorter side by which a near element may extend beyond the cell. Two near
/// elements that touch are then in the same cell or in adjacent ones: 0.5 in exact arithmetic, less
/// a margin for rounding.
pub(crate) const NEAR: f32 = 0.48;

/// Coordinates of a grid's world, world units: their squares, and sums of squares, stay below the
/// largest f32.
pub const COORDINATE_MAX: f32 = 1e18;

/// Side of a cell, world units: its square does not vanish in f32.
pub const CELL_SIDE_MIN: f32 = 1e-18;

/// Number of bands that the grid's rows are cut into, as long as a band is no higher than
/// [`BAND_ROWS_MAX`]: enough to keep many threads busy to the end.
pub(crate) const BANDS: u32 = 64;

/// Largest height of a band, rows of loose cells: the bands of a larger world are as high, and more.
pub(crate) const BAND_ROWS_MAX: u32 = 64;

/// Largest number of bands.
pub(crate) const BANDS_MAX: u32 = CELLS_PER_SIDE_MAX.div_ceil(BAND_ROWS_MAX);

/// Mean number of agents per area of a loose cell that discs leave free: the target of the
/// automatic cell size. In `gas` that gives 1.7 agents per cell. With fewer, agents soon leave
/// their cell; with more, windows grow longer than what is searched at once.
pub(crate) const AGENTS_PER_FREE_CELL: f32 = 2.4;

/// Least width of a loose cell, in median radii: an agent then stays near its cell for some steps
/// at any density.
pub(crate) const MEDIAN_RADII_PER_CELL: f32 = 4.1;

/// Least width of a loose cell, in large radii. One agent in 32 has a large radius or exceeds it.
/// With less than two radii, such agents would be outliers at any position.
pub(crate) const LARGE_RADII_PER_CELL: f32 = 2.1;

/// Largest f32 step of a coordinate, as a share of the smallest radius: with longer steps, discs
/// would jump over the gaps between them.
pub(crate) const COORDINATE_STEP_MAX: f32 = 0.01;

/// Exposure, stops in either direction: a million times the area of a disc.
pub const EXPOSURE_STOPS_MAX: f32 = 20.0;

/// Smallest radius, world units: squares and sums of squares stay far from the ends of f32.
pub const RADIUS_MIN: f32 = 1e-6;

/// Largest radius, world units: see [`RADIUS_MIN`].
pub const RADIUS_MAX: f32 = 1e6;

/// Share of the world that discs may cover: the densest packing of equal discs has 0.9069, and a
/// little is needed to move.
pub const DENSITY_MAX: f32 = 0.9;

/// Speed along x or y of a new agent, world units per second: its square, and the distance of a
/// step, stay far from the end of f32.
pub const SPEED_MAX: f32 = 1e9;

/// Mean speed, world units per second. An agent has up to 1.5 times the mean speed, which stays
/// within [`SPEED_MAX`].
pub const MEAN_SPEED_MAX: f32 = 5e8;

/// Gravity up or down, world units per second squared: see [`SPEED_MAX`].
pub const GRAVITY_MAX: f32 = 1e9;

/// Capacity for statics beside a scene's own: they take at most 640 MB, and each edit lists all of
/// them again.
pub const STATICS_MAX: u32 = 10_000_000;

/// Least number of steps per simulated second: a step then spans a quarter of an hour.
pub const HZ_MIN: f32 = 0.001;

/// Largest number of steps per simulated second.
pub const HZ_MAX: f32 = 100_000.0;

/// Largest coefficient of friction, and of rolling resistance.
pub const FRICTION_MAX: f32 = 10.0;

/// Largest number of substeps per step.
pub const SUBSTEPS_MAX: u32 = 1_000;

/// Columns of numbers of a caller's own: 64 bytes per agent.
pub(crate) const OWN_COLUMNS_MAX: usize = 16;

/// Characters of the name of a column of a caller's own.
pub(crate) const OWN_NAME_MAX: usize = 32;

/// Pair rules of a run: an agent rule reads the sums of all of them.
pub(crate) const RULE_PAIRS_MAX: usize = 8;

/// Kinds of births of an agent: a byte per agent each.
pub(crate) const BIRTHS_MAX: usize = 8;

/// Births of a kind per agent and step: four bits.
pub(crate) const BORN_MAX: u8 = 15;

/// Steps and events that a snapshot may have counted: far more than any run, and far from overflow.
pub(crate) const COUNTS_MAX: u64 = 1 << 56;

/// Largest number of steps of a run: half a million years at 60 per second.
#[cfg(feature = "cli")]
pub(crate) const STEPS_MAX: u64 = 1_000_000_000_000_000;

/// Largest number of worker threads: more than machines have today.
#[cfg(feature = "cli")]
pub(crate) const THREADS_MAX: usize = 1_024;

const _: () = assert!(AGENTS_MAX < u32::MAX / 2, "ids and slots keep a bit for tags");
const _: () = assert!(
    1.5 * MEAN_SPEED_MAX < SPEED_MAX,
    "every agent that a scene places may be spawned again"
);
const _: () = assert!(NEAR < 0.5, "two near elements that touch are in adjacent cells");
const _: () = assert!(
    CELLS_PER_SIDE_MAX as f32 * 3.0 * f32::EPSILON / 2.0 < 0.5 - NEAR,
    "the margin of NEAR covers the rounding of a cell index"
);
