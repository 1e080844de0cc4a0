//! Swept collisions: each pair that touches within a step collides at the moment when it does.
//!
//! Overlap that is found after a step is a collision that happened earlier, at another place; pairs
//! that only graze each other are missed. Here the paths of the agents are searched instead of
//! their positions. A column of positions and one of velocities are a path as long as nothing
//! happens: `x + v·t`. An agent that collides at time `t` gets another velocity, and the position
//! from which the new path leads through the point of the collision. So a path is always two
//! vectors, and integration ends all of them as it ends a step without collisions.
//!
//! ```text
//! cover     a disc around each path; the grid is made exact for these
//! find      pairs of such discs that overlap                               by any index
//! first     the time of each agent's first hit                             bands
//! collide   pairs for which it is the first hit of both                    bands
//!           again, until no pair is left that touches, a few times at most
//! ```
//!
//! In nine of ten collisions of a gas, the two agents meet nothing else within the step. Pairs that
//! do not touch on their first paths are dropped, so what an agent meets on its path after a
//! collision is found in the next step, if the two still overlap then: their paths lead back to the
//! moment when they touched, and they collide there, late but in the right place. What happens in
//! the meantime is wrong, and a pair that grazes within the rest of the step is missed: errors of
//! second order in the length of the step.
//!
//! Walls and statics that a path reaches before its agent collides are hit at their own time, too.
//! What an agent reaches after its last collision is left to integration, which follows its path
//! from there. Agents that overlap without a moment of contact in the last step, because they were
//! put there, are separated at once.
//!
//! No agent passes a static. Where there are any, paths after a collision are tested against them
//! in the next round, and an agent that is moved, to be separated or back to where it touched
//! another, gets no farther than to a static.

mod cover;
mod fixed;
mod notes;
mod path;
mod paths;
mod rounds;
mod touch;

pub(crate) use self::{
    notes::{LastHits, NoteColumns, ROUNDS},
    paths::Swept,
    rounds::{PASSES, collide_across_seam, collide_if_next, note_touch},
    touch::FirstTouches,
};
