//! What ranks need of a network: words to one rank, and words of all ranks for all.

/// The connection of a rank with the others. All ranks make the same calls in the same order. A call
/// panics if another rank has ended.
pub trait Link {
    /// The number of this rank, from 0 on.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Sends words to another rank, and does not wait until they are received.
    fn send(&mut self, to: usize, words: &[u32]);

    /// Receives the words that another rank has sent first of those not yet received.
    fn receive(&mut self, from: usize) -> Vec<u32>;

    /// Sends each rank its words and receives the words from each, in the order of the ranks.
    fn all_to_all(&mut self, words: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        let rank = self.rank();
        let mut own = Vec::new();
        for (to, words) in words.into_iter().enumerate() {
            if to == rank {
                own = words;
            } else {
                self.send(to, &words);
            }
        }
        let mut own = Some(own);
        (0..self.ranks())
            .map(|from| match own.take_if(|_| from == rank) {
                Some(own) => own,
                None => self.receive(from),
            })
            .collect()
    }

    /// The words of all ranks, in the order of the ranks.
    fn all_gather(&mut self, words: &[u32]) -> Vec<Vec<u32>> {
        let copies = vec![words.to_vec(); self.ranks()];
        self.all_to_all(copies)
    }

    /// The sum of a number of each rank, modulo 2⁶⁴.
    fn sum(&mut self, number: u64) -> u64 {
        let all = self.all_gather(&[number as u32, (number >> 32) as u32]);
        let numbers = all.iter().map(|words| u64::from(words[0]) | u64::from(words[1]) << 32);
        numbers.fold(0, u64::wrapping_add)
    }
}
