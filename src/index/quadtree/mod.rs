//! Two quadtrees, as the author of the double grid describes its predecessors.
//!
//! Both split a leaf with more than 8 elements, down to depth 8. Nodes are a few bytes each in one
//! flat array. Children come in blocks of four, so that a branch stores its first child only. A
//! free list runs through the blocks that are not in use. No node stores its quarter of the world:
//! a descent computes it.
//!
//! ```text
//! nodes [ root | a0 a1 a2 a3 | b0 b1 b2 b3 | … │ 2 3    child 1 is to the right, child 2 above
//!         └─first──┘  └─first──┘               │ 0 1
//! ```
//!
//! - [`Quadtree`] stores an element in every leaf that its box touches.
//! - [`LooseQuadtree`] stores an element once, by its center, and boxes grow around the elements.
//!
//! Source: the user "Dragon Energy" on Stack Overflow, 2018, "Efficient (and well explained)
//! implementation of a Quadtree for 2D collision detection".

mod loose;
mod quarter;
mod tight;

pub(super) use self::{loose::LooseQuadtree, tight::Quadtree};
