//! Scenes: named starts of a run, which place agents and statics at time 0.
//!
//! A [`Setup`] holds everything that decides a run, bit for bit; [`place`] places its agents.
//! Scenes are part of the library, so that window, tests and benches show the same thing.
//!
//! ```text
//! Setup ─► radii ─────► clusters ────────► scatter, or lattice ─► velocities ─► Start
//!          by rank,     the world, or      without overlap,       by id
//!          largest 0    discs (clusters)   inside the region
//! ```
//!
//! - **Radii** are not drawn: the distribution is divided into n equal parts, and each agent gets the
//!   mean area of one part. So the discs cover the given share of the world for every seed, even with
//!   two agents.
//! - **Ids** are dealt to the radii at random, so that an id is unrelated to size and position.
//! - **Positions** are random and free; the largest disc comes first. Where the density is too high
//!   for that and the sizes are nearly equal, discs go on a perturbed lattice; in `crystal`, on many
//!   small lattices.
//! - **Velocities** have a random direction (in `burst`, turned away from the middle) and a speed of
//!   0.5 to 1.5 times the mean.
//!
//! All of it is + − × ÷ √ of numbers from `rng`, so that a seed gives the same start on
//! every machine. It runs once, on all threads of the pool that the caller is in, and allocates.
//! Tiles, ids and velocities have streams of random numbers of their own, so that no number of
//! threads decides anything.
//!
//! To read: `kind` and `setup` (the input), `radii` and `extent` (derived values), `galton`, `dam`,
//! `cannon` and `shock` (the statics of four scenes), `shear` (its streams), `clusters`, `scatter`,
//! `lattice` and `grains` over `packing`, `deal`, `tiles` and `region` (positions), `permutation`
//! (the order of ids), `feasibility`, `suggest` and
//! `validate` (which set-ups are accepted), `place` (all together), `partial` (agents of
//! a caller). `fields` is the table of the
//! fields of a run, and a set-up as text.

mod cannon;
mod clusters;
pub(crate) mod context;
mod dam;
mod deal;
mod extent;
mod feasibility;
mod fields;
mod galton;
mod grains;
mod kind;
mod lattice;
mod melee;
mod packing;
#[cfg(feature = "cli")]
mod partial;
mod permutation;
mod place;
mod progress;
mod radii;
mod region;
pub(crate) mod rule;
mod scatter;
mod setup;
mod shear;
mod shock;
mod suggest;
mod tiles;
mod validate;

pub(crate) use extent::coordinate_step;
#[cfg(feature = "cli")]
pub(crate) use fields::{FIELDS, FieldValue, RunField, exact};
pub use kind::Scene;
#[cfg(feature = "cli")]
pub(crate) use partial::PartialStart;
#[cfg(feature = "cli")]
pub(crate) use place::place_discs;
pub use place::{Start, place, place_while};
pub use progress::PlacementProgress;
pub use setup::{Collisions, Setup, Solver};
#[cfg(feature = "cli")]
pub(crate) use suggest::round_down;
