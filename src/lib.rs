//! jostle: half a million discs bouncing off each other, every step, through a loose/tight double
//! grid in preallocated flat arrays.
//!
//! ```text
//! scene ─► Agents ─► step ─► Grid ─► raster ─► Frame ─► window | PNG
//!          (flat SoA)  │        (flat CSR)      (bands)  (RGBA8)
//!                      └─ contacts ─ resolve ─ integrate ─ regrid ─┘
//! ```
//!
//! # The grid alone
//!
//! [`Grid`] finds what is near in elements of your own: discs, boxes, or any [`grid::Shape`]. It
//! never owns them. [`grid`] teaches the structure.
//!
//! ```
//! use jostle::{GridConfig, Grid, Rect, Vec2, grid::Disc};
//!
//! let mut discs = [(1.0, 1.0), (1.5, 1.0), (8.0, 3.0)]
//!     .map(|(x, y)| Disc { center: Vec2::new(x, y), radius: 0.5 });
//! let world = Rect::from_size(16.0, 9.0);
//! let mut grid = Grid::new(GridConfig::new(world, 2.0, discs.len()))?;
//! grid.rebuild(&discs[..])?;
//!
//! discs[2].center = Vec2::new(2.0, 1.5);
//! grid.relocate(&discs[..], 2);
//!
//! let mut near = Vec::new();
//! grid.visit_disc(&discs[..], Vec2::new(2.2, 1.2), 0.3, |disc| near.push(disc));
//! near.sort_unstable();
//! assert_eq!(near, [1, 2]);
//! # Ok::<(), jostle::Error>(())
//! ```
//!
//! # A run
//!
//! A [`Setup`] decides a run, bit for bit; [`Sim`] makes it, on as many threads as the
//! rayon pool that calls it.
//!
//! ```
//! use jostle::{Scene, Setup, Sim, parallel::pool};
//!
//! let setup = Setup { agents: 2_000, ..Setup::new(Scene::Gas) };
//! let run = |threads| {
//!     let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
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
//! # A picture
//!
//! ```
//! use jostle::raster::{Camera, Frame, View, Renderer, Style};
//! use jostle::{Scene, Setup, Sim};
//!
//! let setup = Setup { agents: 500, ..Setup::new(Scene::Mixed) };
//! let sim = Sim::new(&setup)?;
//! let mut frame = Frame::new(320, 180)?;
//! let mut renderer = Renderer::new(frame.width, frame.height, Style::from_setup(&setup))?;
//! let camera = Camera::fit(&sim.world(), frame.width, frame.height);
//! let picture = View::from_sim(&sim);
//! renderer.draw(&mut frame, &camera, &picture);
//! assert_eq!(frame.bytes().len(), 320 * 180 * 4);
//! # Ok::<(), jostle::Error>(())
//! ```

pub mod agents;
mod alloc;
#[cfg(feature = "cli")]
pub mod cli;
mod contacts;
pub mod error;
pub mod estimate;
#[cfg(any(feature = "cli", feature = "window"))]
mod format;
mod geometry;
pub mod grid;
pub mod index;
pub mod limits;
pub mod parallel;
pub mod raster;
pub mod rng;
pub mod scene;
pub mod sim;
pub mod simd;
pub mod statics;
pub mod step;
#[cfg(feature = "cli")]
mod timing;
// Only the command line opens the window.
#[cfg(all(feature = "cli", feature = "window"))]
mod window;

pub use agents::{Agent, Agents, Spawn, Units};
pub use error::{Error, Result};
pub use geometry::{Disc, Rect};
pub use glam::Vec2;
pub use grid::{Grid, GridConfig};
pub use scene::{Scene, Setup};
pub use sim::Sim;
pub use statics::{Static, Statics};

/// The examples of the README, so that they keep working.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
