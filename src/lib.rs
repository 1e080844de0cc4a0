//! A spatial index for many moving discs and boxes, a simulation of half a million bouncing discs,
//! and a software renderer for it.
//!
//! | to | use |
//! |---|---|
//! | find nearby units of a game | [`Grid`], [`GridConfig`], [`grid::HasShape`], [`Disc`] |
//! | list all close pairs of discs or points | [`ClosePairs`], [`GridConfig`] |
//! | simulate discs that bounce off each other | [`Sim`], [`Setup`], [`Scene`] |
//! | give them rules: attraction, flocks, epidemics | [`rules::Rules`], [`rules::PairRule`], [`OwnColumns`] |
//! | draw them into a buffer | [`raster::Renderer`], [`raster::Camera`], [`raster::Style`] |
//! | compare spatial indexes | [`index::SpatialIndex`], [`index::IndexKind`] |
//!
//! # The grid in a game loop
//!
//! [`Grid`] is a loose/tight double grid. It holds indices and never the data: each call borrows
//! the units, which tell their shape by one method. Rebuild it once, update it after units have
//! moved, and query it as often as needed. [`grid`] explains the structure, the cost of each
//! operation, and how to choose the cell size.
//!
//! ```
//! use std::ops::ControlFlow;
//! use jostle::{Disc, Grid, GridConfig, Rect, Vec2, grid::HasShape};
//!
//! struct Unit { position: Vec2, velocity: Vec2, team: u8 }
//!
//! impl HasShape for Unit {
//!     type Shape = Disc;
//!     fn shape(&self) -> Disc {
//!         Disc::new(self.position, 0.5)
//!     }
//! }
//!
//! let unit = |x, team| Unit { position: Vec2::new(x, 4.0), velocity: Vec2::X, team };
//! let mut units = vec![unit(2.0, 0), unit(3.5, 1), unit(6.0, 0), unit(9.0, 1)];
//!
//! let world = Rect::from_size(16.0, 9.0);
//! let mut grid = Grid::new(GridConfig::new(world, 2.0, units.len()))?;
//! grid.rebuild(&units)?;
//!
//! for _frame in 0..10 {
//!     for unit in &mut units {
//!         unit.position += unit.velocity / 60.0;
//!     }
//!     grid.update(&units)?;
//!
//!     // Pairs that overlap.
//!     grid.visit_pairs(&units, 0.0, |a, b| println!("{a} touches {b}"));
//!
//!     // The nearest enemy of unit 0, and whether the line of fire to it is free.
//!     let me = &units[0];
//!     let enemy = grid.nearest(&units, me.position, |i| units[i as usize].team != me.team);
//!     let enemy = enemy.expect("there are enemies").element;
//!     let to = units[enemy as usize].position - me.position;
//!     let hit = grid.raycast(&units, me.position, to, f32::INFINITY, |i| i != 0);
//!     assert_eq!(hit.map(|hit| hit.element), Some(enemy));
//! }
//!
//! // The units around a point: as an iterator, or by a visitor that can stop.
//! let near: Vec<u32> = grid.in_disc(&units, Vec2::new(3.0, 4.0), 1.0).collect();
//! assert_eq!(near.len(), 2);
//! let first = grid.visit_rect(&units, &world, ControlFlow::Break);
//! assert!(first.is_break());
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! [`Vec2`] comes from the crate glam. The visitor of a search can't change the units, since the
//! search borrows them: collect the pairs, then move the units, then call [`Grid::update`]. More
//! units than the capacity need [`Grid::reserve`]; [`Grid::insert`] and [`Grid::remove`]
//! change single ones. Invalid units (a NaN center, a negative radius) are an [`Error`]. The
//! example `units` is a complete loop.
//!
//! # The simulation
//!
//! A [`Setup`] determines a run, bit for bit. [`Sim`] performs it, on the threads of the rayon pool
//! that the caller is in: nothing is allocated per step inside a pool. Outside of one, a step uses
//! one thread.
//!
//! ```
//! use jostle::{Scene, Setup, Sim};
//!
//! let setup = Setup { agents: 2_000, ..Setup::new(Scene::Gas) };
//! let run = |threads| {
//!     let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
//!     pool.install(|| {
//!         let mut sim = Sim::new(&setup)?;
//!         for _ in 0..60 {
//!             sim.step()?;
//!         }
//!         Ok::<Sim, jostle::Error>(sim)
//!     })
//! };
//! let (one, two) = (run(1)?, run(2)?);
//! assert_eq!(one.agents().len(), 2_000);
//! assert_eq!(one.state_hash(), two.state_hash());
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! # A game loop
//!
//! An agent keeps its id for as long as it lives; its slot, its place in the columns, holds until the
//! next step or edit. [`Sim::slot_of`] leads from the one to the other, [`Sim::apply_force`],
//! [`Sim::set_velocity`] and [`Sim::set_position`] act on one agent, and [`Sim::record_contacts`] lets
//! each step list which agents met, and how hard.
//!
//! ```
//! use jostle::{Scene, Setup, Sim, Vec2, sim::ContactRecording};
//!
//! let mut sim = Sim::new(&Setup { agents: 1_000, ..Setup::new(Scene::Gas) })?;
//! sim.record_contacts(ContactRecording::EveryStep);
//! let (hero, mut damage) = (42, 0.0);
//! for _frame in 0..120 {
//!     // The player pushes one unit to the right, with 50 world units per second squared.
//!     let Some(slot) = sim.slot_of(hero) else { break };
//!     let radius = sim.agents().get(slot).radius;
//!     sim.apply_force(hero, radius * radius * Vec2::new(50.0, 0.0))?;
//!     sim.step()?;
//!
//!     // Whoever bumps into it leaves a mark.
//!     for contact in sim.recorded_contacts() {
//!         if contact.ids.contains(&hero) {
//!             damage += contact.impulse;
//!         }
//!     }
//! }
//! assert!(damage > 0.0);
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! # Drawing
//!
//! A [`raster::Renderer`] draws into a [`raster::Frame`], or into any RGBA buffer (the example
//! `own_buffer`).
//!
//! ```
//! use jostle::raster::{Camera, Frame, Renderer, Style, View};
//! use jostle::{Scene, Setup, Sim};
//!
//! let setup = Setup { agents: 500, ..Setup::new(Scene::Mixed) };
//! let sim = Sim::new(&setup)?;
//! let mut frame = Frame::new(320, 180)?;
//! let mut renderer = Renderer::new(frame.width, frame.height, Style::from_setup(&setup))?;
//! let camera = Camera::fit(&sim.world(), frame.width, frame.height);
//! renderer.draw(&mut frame, &camera, &View::from_sim(&sim));
//! assert_eq!(frame.bytes().len(), 320 * 180 * 4);
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! # Features
//!
//! Without default features the library brings no crate for flags, files or displays. `cli` adds
//! the program, `window` the program with its live view, `peers` the indexes of other crates to
//! compare with. The library runs wherever Rust does. The program is for Linux and the BSDs, its
//! window for Wayland and X11; for macOS and Windows both are type-checked, and were not tested there.

// An item is `#[doc(hidden)]` if the program, its tests or its benches need it public, and callers
// don't. A comment says more where there is more to say.

mod agents;
mod alloc;
// Public for the program's three lines.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
// Public for tests: the program does not start ranks yet.
#[doc(hidden)]
pub mod cluster;
mod contacts;
pub mod error;
mod exact;
#[cfg(feature = "cli")]
mod format;
mod formula;
mod geometry;
pub mod grid;
pub mod index;
#[cfg(feature = "cli")]
mod journal;
// Errors name the limit that a value breaks. Public for the tests.
#[doc(hidden)]
pub mod limits;
mod names;
pub mod observe;
mod parallel;
#[cfg(feature = "cli")]
mod program;
pub mod raster;
// Public for tests and benches: a caller has a generator of its own.
#[doc(hidden)]
pub mod rng;
pub mod rules;
pub mod scene;
pub mod sim;
// All levels give the same bits, and a run has the best. Public for tests and benches.
#[doc(hidden)]
pub mod simd;
mod snapshot;
mod solver;
mod statics;
// Public for benches, which time the phases of a step.
#[doc(hidden)]
pub mod step;
#[cfg(feature = "cli")]
mod timing;
#[cfg(feature = "cli")]
mod trace;
// Only the command line opens the window.
#[cfg(feature = "window")]
mod window;
#[cfg(feature = "cli")]
mod world;

pub use agents::{Agent, Agents, OwnColumn, OwnColumns, Spawn, Units};
pub use contacts::ClosePairs;
// Public for the Python package, which keeps its points in cell order.
#[doc(hidden)]
pub use contacts::SortedPairs;
pub use error::{Error, Result};
pub use geometry::{Boundary, Disc, Rect, Space};
pub use glam::Vec2;
pub use grid::{Grid, GridConfig};
pub use scene::{Scene, Setup};
pub use sim::Sim;
pub use snapshot::{Section, Snapshot};
pub use statics::{Static, Statics};

/// The examples of README, so that they keep working.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/game.md")]
struct GuideToGames;
