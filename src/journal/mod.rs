//! Journals: what a user did to a run, and when, so that the run can be replayed bit for bit.
//!
//! ```text
//! setup     or snapshot: the state that a run begins with
//! lines     120 gravity -3                    after step 120
//!           121 steer 40.5 22 6 12.5
//!           121 velocity 17 3 -1.5          of the agent with that id; also position and force
//!           180 state 8c1f0f2b5d0e7a91        the hash of the state; a replay has the same
//!           150 rewound 2                   back to step 150, with the first 2 changes made
//!           195 reached                       the run reached this step
//!           195 view 40 22.5 30               what the window shows from here on; or `view whole`
//!           150 branch branch%201             what the line before has left is the branch "branch 1"
//!           150 line branch%202               the line has that name; or goes on as that branch
//!           195 renamed branch%202 gentle     the line or a branch has another name
//!           195 dropped branch%201            a branch is given up
//! lines     …
//! setup     the next run in the same window
//! lines     …  30 closed
//! ```
//!
//! A journal is a [series](crate::snapshot): sections are appended while the run goes on, so a kill
//! loses the last of them at most. A journal keeps no commands but what they did to the run, each as
//! an [`Edit`](crate::sim::Edit): a replay needs no window and no random numbers. What the window showed
//! is beside that: films of the journal follow it, and states don't depend on it. Numbers
//! are written as Rust writes them, with the shortest digits that read back as the same number. Where
//! the user went back and changed something, the lines of the future that was left stay in the file
//! and are passed over: they are a [branch](branches), with a name. Where the run goes on as a branch, its
//! changes follow again, so that a replay needs no other lines than those of the line at the end.
//!
//! Journals of earlier versions have `hash` in place of `state`, with a hash of another definition, which
//! is not compared.
//!
//! To read: `edit` (changes as lines), `view` (what was shown), `branches` (other futures), `reader` (bytes
//! become entries), `replay` (entries drive a run), `writer`.

mod branches;
mod edit;
mod reader;
mod replay;
#[cfg(all(test, feature = "window"))]
mod tests;
mod view;
#[cfg(feature = "window")]
mod writer;

#[cfg(all(test, feature = "window"))]
pub(crate) use self::tests::MemoryFile;
#[cfg(feature = "window")]
pub(crate) use self::{
    branches::{BRANCHES_MAX, Branch, BranchName, BranchTree, Position},
    writer::JournalWriter,
};
pub(crate) use self::{
    reader::{FORMER_HASHES, Journal, JournalSummary, RunOrigin},
    replay::{Difference, Due, Replay},
    view::JournalView,
};

/// Tags of the sections.
const SETUP: &str = "setup";
const SNAPSHOT: &str = "snapshot";
const LINES: &str = "lines";
