//! The program from outside: flags in; status, stdout, stderr and files out.

mod bad_input;
mod bench;
mod display;
mod export;
mod files;
mod harness;
mod help;
mod json;
mod memory;
mod signals;
mod summary;
