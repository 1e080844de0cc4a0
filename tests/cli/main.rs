//! The program as users run it: flags in; status, stdout, stderr and files out.

mod bad_input;
mod bench;
mod check;
mod child;
mod cut;
mod display;
mod export;
mod files;
mod film;
mod harness;
mod hashes;
mod help;
mod json;
mod kept;
mod memory;
mod pages;
mod record;
mod series;
mod signals;
mod snapshots;
mod start;
mod summary;
mod sweep;
mod trace;
mod trajectory;
mod video;
