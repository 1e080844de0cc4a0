//! Contacts: the pairs of discs that overlap, found on the double grid.
//!
//! The discs lie in the grid's cell order, so that the candidates of a disc are two contiguous
//! windows of slots. The grid's rows are cut into bands, which are searched in parallel. The number
//! of bands depends on the grid and never on the number of threads, so the pairs and their order
//! are the same on any machine.
//!
//! Read in this order: `bands` (how rows and slots are divided), `search` (the pairs of one band),
//! `narrow` (pairs that are dropped at once), `rooms` (how a list is divided between the bands), `list` (the
//! pairs of all bands in canonical order),
//! `halo` and `seam` (the pairs across the border of a world that repeats), `log` (contacts with their
//! impulses, for callers that ask for them), `close_pairs` (the pairs of data in any order),
//! `sorted_pairs` (the pairs of data that a caller keeps in cell order).

mod bands;
mod close_pairs;
mod halo;
mod list;
mod log;
mod narrow;
mod rooms;
mod seam;
mod search;
mod sorted_pairs;

pub(crate) use self::{
    bands::{Band, Pair, assign, bands},
    halo::Halo,
    list::{ContactList, PARITIES, list_max},
    log::{ContactLog, ContactSink, merge},
    narrow::{KeptPairs, Narrow, Narrowing, Sought},
    rooms::Rooms,
    seam::Seam,
};
pub use self::{close_pairs::ClosePairs, log::RecordedContact, sorted_pairs::SortedPairs};
