//! The sums of a pair rule: `width` numbers per agent, slot by slot.

/// The sums of all agents.
#[derive(Debug)]
pub(super) struct PairSums {
    /// Sums per agent.
    pub(super) width: usize,
    pub(super) numbers: Vec<f32>,
}

impl PairSums {
    /// The sums of the agent in a slot.
    #[inline(always)]
    pub(super) fn of(&self, slot: usize) -> &[f32] {
        &self.numbers[slot * self.width..][..self.width]
    }
}
