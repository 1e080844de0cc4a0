//! Impulses of a substep, added up by bands: the total is the same for any split of the bands among
//! threads or ranks.

use super::pair_contact::Exchange;
use crate::limits::BANDS_MAX;

/// Impulses of the pairs of each band, and of those across the seam. The impulse solver sets them, and the
/// rounds of swept collisions add to them.
#[derive(Clone, Debug)]
pub(crate) struct BandSums {
    /// Of the near pairs of each band.
    pub(crate) near: [Exchange; BANDS_MAX as usize],
    /// Of the pairs that the outliers of each band found.
    pub(crate) late: [Exchange; BANDS_MAX as usize],
    pub(crate) across: Exchange,
}

impl BandSums {
    /// All impulses of a world with that many bands.
    pub(crate) fn total(&self, bands: usize) -> Exchange {
        let Self { near, late, across } = self;
        let mut total = Exchange::default();
        late[..bands].iter().for_each(|&sum| total += sum);
        total += *across;
        near[..bands].iter().for_each(|&sum| total += sum);
        total
    }
}

impl Default for BandSums {
    fn default() -> Self {
        let none = [Exchange::default(); BANDS_MAX as usize];
        Self { near: none, late: none, across: Exchange::default() }
    }
}
