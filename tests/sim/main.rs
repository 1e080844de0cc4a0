//! Tests of a run from outside: starts of the caller's own, changes of parameters, tools and
//! clones.

mod clones;
mod controls;
mod interact;
mod start;
