//! A run on several ranks: processes or threads that each have a part of the world, with the bits of
//! one process.
//!
//! The rows of cells are cut into bands, and a rank owns a range of whole bands, a *slab*. Pairs are
//! resolved one after another, in an order that depends on the grid and not on the rank. No forces are
//! summed, which would be rounded in another order, and the state is the same on any number of ranks.
//!
//! ```text
//! rows     band 0   band 1   band 2   band 3   band 4   band 5
//! rank 0 [........|........|█                                      █  ghosts: the first row of the next
//! rank 1                   [........|........|█                       slab, with all that its agents have
//! rank 2                                     [........|........]
//!
//! slots of rank 0   own agents, in the order of one process │ ghosts
//! ```
//!
//! A pair of near agents has both in one band or the second in the next row. The last band of a slab thus
//! needs nothing but the ghosts. A substep of the impulse solver (`swept` has that of swept collisions):
//!
//! ```text
//! find      own bands; outliers near or beyond the slab are told to all ranks          late
//! resolve   near pairs of even bands, then odd ones; after each, what has changed in   border
//!           the row of a border goes to the rank that has not worked on it
//!           pairs with an outlier: those that other ranks know are resolved by all     late
//! move      own agents and ghosts alike
//! regrid    all ranks decide alike which bands are sorted, or all                      regrid, migrate
//! ```
//!
//! `link` says what ranks need of a network. `threads` has one within a process, and `mpi` one of
//! processes on any machines.
//!
//! In a world that repeats, pairs across the seam come last, or first in every second substep: `seam`.
//!
//! `tally` has what all ranks count, and `gather` brings the whole run to rank 0.
//!
//! `shared` has the agents that all ranks resolve alike, `moving` what pairs change of an
//! agent, `differences` how that crosses a border, and `words` an agent as a message holds it.
//! `scene_rule` runs the rule of the scene, and `rules` those of a caller's own or of a world file, by which agents
//! may come and go. `around` has the neighbors that they look at.
//!
//! `contact` has the substep of the contact solver, `solver_link` what its passes tell other ranks, and
//! `remember` the impulses that go with agents.
//!
//! Not yet: an agreement of all ranks when one of them has an error, which is the caller's. Each rank places all agents and claims memory for all of them.

mod around;
mod border;
mod contact;
mod differences;
mod gather;
mod late;
mod link;
mod migrate;
mod moving;
#[cfg(feature = "mpi")]
mod mpi;
mod rank;
mod regrid;
mod remember;
mod rules;
mod scene_rule;
mod seam;
mod shared;
mod slab;
mod solver_link;
mod swept;
mod tally;
mod threads;
mod words;

#[cfg(feature = "mpi")]
pub use self::mpi::{MpiLink, MpiSession};
pub use self::{
    link::{Link, Traffic},
    rank::Rank,
    threads::{ThreadLink, in_threads},
};
