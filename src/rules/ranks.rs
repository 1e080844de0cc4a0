//! What the ranks of a cluster tell each other while rules run.

/// The other ranks.
pub(crate) trait OtherRanks {
    /// Sets what the agents of other ranks have picked, in the column of all agents here.
    fn exchange_picks(&mut self, picked: &mut [u32]);

    /// Replaces counts of this rank by their sums over all ranks.
    fn sum(&mut self, counts: &mut [u64]);

    /// The sum of a count over all ranks, and over the lower ones, which have the slots before those of this rank.
    fn sum_and_below(&mut self, count: u64) -> [u64; 2];
}

/// None: the run is that of one process.
impl OtherRanks for () {
    fn exchange_picks(&mut self, _: &mut [u32]) {}

    fn sum(&mut self, _: &mut [u64]) {}

    fn sum_and_below(&mut self, count: u64) -> [u64; 2] {
        [count, 0]
    }
}
