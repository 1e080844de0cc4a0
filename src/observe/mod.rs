//! Observables: values that a physicist measures in a run. Nothing here changes a run.
//!
//! Units are world units and seconds; the mass of an agent is radius², and
//! temperature is k·T. Everything is computed in `f64` from the agents in the order of their slots or
//! ids, on the calling thread; these functions allocate.
//!
//! ```text
//! meter      between two moments: temperature, pressure, collision rate, mean free path
//! motion     since a moment: mean square displacement, velocity autocorrelation
//! radial     at a moment: the radial distribution g(r) and its value at contact
//! order      at a moment: the order ψ6 of hexagons
//! profile    at a moment: density and stream along x or y
//! theory     what is expected of a gas of equal discs
//! mixture    and of one with several radii
//! observable the list of all of these, for columns and plots
//! warning    a run that does not do what its set-up asks for
//! ```
//!
//! ```
//! use jostle::{Scene, Setup, Sim, observe::Meter};
//!
//! let mut sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) })?;
//! let mut meter = Meter::new(&sim);
//! for _ in 0..60 {
//!     sim.step()?;
//! }
//! let reading = meter.read(&sim);
//! assert!((reading.seconds - 1.0).abs() < 1e-6);
//! assert!(reading.pressure_virial.is_some_and(|pressure| pressure > 0.0));
//! # Ok::<(), jostle::Error>(())
//! ```

mod meter;
mod mixture;
mod motion;
mod near;
#[cfg(feature = "cli")]
mod observable;
mod order;
mod profile;
mod radial;
// Public for the Python package.
#[doc(hidden)]
pub mod theory;
#[cfg(feature = "cli")]
mod warning;

// Theory, with which the program compares runs. Public for the tests.
#[doc(hidden)]
pub use self::mixture::Mixture;
pub use self::{
    meter::{Meter, Reading},
    motion::{Motions, MotionsSince},
    order::hexagonal_order,
    profile::{Axis, ProfileBin, profile},
    radial::RadialDistribution,
};
#[cfg(feature = "window")]
pub(crate) use self::{observable::ObservableEntry, profile::profile_of};
#[cfg(feature = "cli")]
pub(crate) use self::{
    observable::{Observable, RunSample, ValueSource, is_gas, mean_diameter, rotation_of},
    warning::{DEEP, Warning},
};
