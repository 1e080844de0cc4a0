//! Tests of a run from outside: starts of the caller's own, changes of parameters, tools,
//! clones and memory.

mod clones;
mod controls;
mod interact;
mod memory;
mod one_agent;
mod own_columns;
mod recorded;
mod start;
