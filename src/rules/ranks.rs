//! The other ranks of a cluster, which share a run: what they tell each other while rules run.

/// The other ranks.
pub(crate) trait OtherRanks {
    /// Sets what the agents of other ranks have picked, in the column of all agents here.
    fn exchange_picks(&mut self, picked: &mut [u32]);

    /// Replaces counts of this rank by those of all ranks. Returns the first count of the lower ranks, whose
    /// slots come before those of this one.
    fn add_up(&mut self, counts: &mut [u64]) -> u64;
}

/// None: the run is that of one process.
impl OtherRanks for () {
    fn exchange_picks(&mut self, _: &mut [u32]) {}

    fn add_up(&mut self, _: &mut [u64]) -> u64 {
        0
    }
}
