//! A set of pairs as two numbers, whatever the order in which they come.

/// How many pairs, and a sum of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) pairs: u64,
    sum: u64,
}

impl Digest {
    /// One pair more, in either order.
    #[inline]
    pub(super) fn add(&mut self, a: u32, b: u32) {
        // The mixer of SplitMix64: one bit of a pair turns half of the bits of its hash.
        let mut z = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.pairs += 1;
        self.sum = self.sum.wrapping_add(z ^ (z >> 31));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(u32, u32)]) -> Digest {
        let mut digest = Digest::default();
        for &(a, b) in pairs {
            digest.add(a, b);
        }
        digest
    }

    #[test]
    fn order_does_not_matter_and_pairs_do() {
        let digest = of(&[(1, 2), (3, 4)]);
        assert_eq!(digest, of(&[(4, 3), (2, 1)]));
        for other in [&[(1, 2)][..], &[(1, 3), (2, 4)], &[(1, 2), (3, 5)], &[(1, 2), (1, 2)]] {
            assert_ne!(digest, of(other), "{other:?}");
        }
    }
}
