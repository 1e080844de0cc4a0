//! The slabs: which rank owns which bands.

use std::ops::Range;

/// The bands of all ranks: a range for each, in their order, and none empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slabs {
    /// The first band of each rank, and the number of bands.
    first: Vec<usize>,
}

impl Slabs {
    /// Gives each rank about the same number of agents, by the number in each band.
    ///
    /// # Panics
    /// If there are fewer bands than ranks.
    pub(super) fn new(agents: &[u64], ranks: usize) -> Self {
        let bands = agents.len();
        assert!(ranks <= bands, "a rank has at least one band");
        let all: u64 = agents.iter().sum();
        let mut first = vec![0];
        let (mut band, mut below) = (0, 0);
        for rank in 1..ranks {
            // Each of the ranks that are left needs a band.
            let most = bands - (ranks - rank);
            let wanted = all * rank as u64 / ranks as u64;
            let least = band + 1;
            while band < most && (band < least || below + agents[band] / 2 < wanted) {
                below += agents[band];
                band += 1;
            }
            first.push(band);
        }
        first.push(bands);
        Self { first }
    }

    /// The bands of a rank.
    pub(super) fn bands(&self, rank: usize) -> Range<usize> {
        self.first[rank]..self.first[rank + 1]
    }

    /// The rank that owns a band.
    pub(super) fn owner(&self, band: usize) -> usize {
        self.first.partition_point(|&first| first <= band) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_band_has_one_owner_and_agents_are_shared() {
        let uniform = vec![100; 61];
        let mut burst = vec![0; 64];
        burst[30..34].fill(1_000);
        let front = [[5_000].as_slice(), &[1; 40]].concat();
        for agents in [uniform, burst, front, vec![0; 9], vec![7]] {
            for ranks in 1..=agents.len().min(9) {
                let slabs = Slabs::new(&agents, ranks);
                let mut next = 0;
                for rank in 0..ranks {
                    let bands = slabs.bands(rank);
                    assert!(bands.start == next && !bands.is_empty(), "{slabs:?}");
                    assert!(bands.clone().all(|band| slabs.owner(band) == rank));
                    next = bands.end;
                }
                assert_eq!(next, agents.len());
            }
        }
        let slabs = Slabs::new(&vec![100; 64], 4);
        assert!((0..4).all(|rank| slabs.bands(rank).len() == 16), "{slabs:?}");
    }
}
