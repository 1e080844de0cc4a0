//! What ranks need of a network: words from some ranks to others, and words of all ranks for all.

use std::time::{Duration, Instant};

/// The connection of a rank with the others. All ranks make the same calls in the same order. A call
/// panics or waits for ever if another rank has ended.
pub trait Link {
    /// The number of this rank, from 0 on.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Sends words to some ranks, and receives the words of some others, in their order. Returns when
    /// all are received.
    fn exchange(&mut self, to: &[(usize, &[u32])], from: &[usize]) -> Vec<Vec<u32>>;

    /// Sends each rank its words and receives the words from each, in the order of the ranks.
    fn all_to_all(&mut self, words: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let rank = self.rank();
        let others: Vec<_> = (0..self.ranks()).filter(|&other| other != rank).collect();
        let to: Vec<_> = others.iter().map(|&other| (other, &words[other][..])).collect();
        let mut received = self.exchange(&to, &others);
        received.insert(rank, words[rank].clone());
        received
    }

    /// The words of all ranks, in the order of the ranks.
    fn all_gather(&mut self, words: &[u32]) -> Vec<Vec<u32>> {
        let copies = vec![words.to_vec(); self.ranks()];
        self.all_to_all(&copies)
    }

    /// The sum of a number of each rank, modulo 2⁶⁴.
    fn sum(&mut self, number: u64) -> u64 {
        let all = self.all_gather(&words_of(number));
        all.iter().map(|words| number_of(words)).fold(0, u64::wrapping_add)
    }

    /// Ends all ranks at once, with that exit status.
    fn abort(&self, status: u8) -> !;
}

/// A number as two words, the lower one first.
pub(super) fn words_of(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The number of the first two words.
pub(super) fn number_of(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// What a rank has sent since the start, and how long it was busy with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages to other ranks; a word for all ranks counts as one for each of them.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Those of them that crossed a border to a neighbor.
    pub border_bytes: u64,
    /// Bytes of the agents in the row of the upper border, in all substeps.
    pub row_bytes: u64,
    /// Time until words were sent and received, with the time until the other rank was ready.
    pub time: Duration,
}

/// A link that counts what is sent through it.
#[derive(Debug)]
pub(super) struct MeteredLink<L> {
    link: L,
    pub(super) traffic: Traffic,
}

impl<L: Link> MeteredLink<L> {
    pub(super) fn new(link: L) -> Self {
        Self { link, traffic: Traffic::default() }
    }

    /// [`Link::exchange`] with neighbors, over the borders of the slab.
    pub(super) fn cross_borders(
        &mut self,
        to: &[(usize, &[u32])],
        from: &[usize],
    ) -> Vec<Vec<u32>> {
        let before = self.traffic.bytes;
        let received = self.exchange(to, from);
        self.traffic.border_bytes += self.traffic.bytes - before;
        received
    }

    fn timed<T>(&mut self, work: impl FnOnce(&mut L) -> T) -> T {
        let begun = Instant::now();
        let result = work(&mut self.link);
        self.traffic.time += begun.elapsed();
        result
    }

    fn count(&mut self, messages: usize, words: usize) {
        self.traffic.messages += messages as u64;
        self.traffic.bytes += 4 * words as u64;
    }
}

impl<L: Link> Link for MeteredLink<L> {
    fn rank(&self) -> usize {
        self.link.rank()
    }

    fn ranks(&self) -> usize {
        self.link.ranks()
    }

    fn exchange(&mut self, to: &[(usize, &[u32])], from: &[usize]) -> Vec<Vec<u32>> {
        let words = to.iter().map(|(_, words)| words.len()).sum();
        self.count(to.len(), words);
        self.timed(|link| link.exchange(to, from))
    }

    fn all_to_all(&mut self, words: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let own = words[self.rank()].len();
        self.count(words.len() - 1, words.iter().map(Vec::len).sum::<usize>() - own);
        self.timed(|link| link.all_to_all(words))
    }

    fn all_gather(&mut self, words: &[u32]) -> Vec<Vec<u32>> {
        let others = self.ranks() - 1;
        self.count(others, others * words.len());
        self.timed(|link| link.all_gather(words))
    }

    fn sum(&mut self, number: u64) -> u64 {
        let others = self.ranks() - 1;
        self.count(others, 2 * others);
        self.timed(|link| link.sum(number))
    }

    fn abort(&self, status: u8) -> ! {
        self.link.abort(status)
    }
}
