//! How a launcher of MPI has started this process, among others.

use std::env;

use super::{Failure, Outcome, args::RunArgs};

/// Variables in which launchers tell a process the number of processes, and its own number among them.
const LAUNCHERS: [[&str; 2]; 3] = [
    ["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"],
    ["PMI_SIZE", "PMI_RANK"],
    ["SLURM_STEP_NUM_TASKS", "SLURM_PROCID"],
];

/// How a launcher of MPI has started this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launched {
    /// Processes that it has started.
    pub(super) ranks: usize,
    /// The number of this one.
    rank: usize,
}

impl Launched {
    /// How this process was started; `None` if it is the only one.
    pub(super) fn get() -> Option<Self> {
        let number = |name: &str| env::var(name).ok()?.parse::<usize>().ok();
        let mut launchers = LAUNCHERS.iter();
        let [ranks, rank] =
            launchers.find_map(|names| Some([number(names[0])?, number(names[1])?]))?;
        (ranks > 1).then_some(Self { ranks, rank })
    }

    /// Refuses a run of a build that can't share it. One of the processes says why.
    #[cfg(not(feature = "mpi"))]
    pub(super) fn refuse_without_mpi(self, remedy: &str) -> Outcome<u8> {
        let ranks = self.ranks;
        self.refuse(format!(
            "this run was started {ranks} times by mpirun, but jostle was built without MPI: build it with \
             --features mpi, or {remedy}"
        ))
    }

    /// Refuses what the processes can't do. One of them says why. The others end without a failure, as
    /// the launcher kills all as soon as one fails, and perhaps before that one has said it.
    pub(super) fn refuse(self, sentence: impl Into<String>) -> Outcome<u8> {
        if self.rank == 0 { Err(Failure::usage(sentence)) } else { Ok(0) }
    }
}

/// The processes that share a run; `None` if this one has a run of its own.
pub(super) fn shared(args: &RunArgs) -> Option<Launched> {
    Launched::get().filter(|_| args.ranks.is_none())
}
