//! jostle: half a million discs bouncing off each other, every step, through a loose/tight double
//! grid in preallocated flat arrays.
//!
//! ```text
//! scene ─► Agents ─► step ─► LooseTightGrid ─► raster ─► Frame ─► window | PNG
//!          (flat SoA)  │        (flat CSR)      (bands)  (RGBA8)
//!                      └─ contacts ─ resolve ─ integrate ─ regrid ─┘
//! ```

pub mod agents;
#[cfg(feature = "window")]
pub mod app;
pub mod camera;
mod claim;
pub mod error;
pub mod estimate;
pub mod grid;
pub mod hash;
pub mod limits;
pub mod par;
pub mod raster;
pub mod rect;
pub mod rng;
pub mod scene;
pub mod sim;
pub mod simd;
pub mod step;

pub use agents::{Agent, Agents};
pub use camera::Camera;
pub use error::{Error, Result};
pub use glam::Vec2;
pub use grid::{GridConfig, LooseTightGrid};
pub use rect::Rect;
pub use scene::{Scene, Setup};
pub use sim::Sim;
