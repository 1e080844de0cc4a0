//! Columns of numbers of agents, as ranks tell them to each other.

/// A column with some numbers for each agent.
#[derive(Debug)]
pub(crate) struct NumberColumn<'a> {
    pub(crate) numbers: &'a mut [f32],
    /// From an agent to the next.
    pub(crate) stride: usize,
    /// How many of an agent's numbers are meant, from its first on.
    pub(crate) width: usize,
}

impl<'a> NumberColumn<'a> {
    /// All numbers of a column with `stride` of them for each agent.
    pub(crate) fn all(numbers: &'a mut [f32], stride: usize) -> Self {
        Self { numbers, stride, width: stride }
    }
}
