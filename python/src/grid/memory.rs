//! Memory for results that can be refused: the system would grant more than there is, and end the
//! process when it is used.

/// Bytes of a result: as it is found, and as it is returned.
const BYTES_PER_RESULT: usize = size_of::<u32>() + size_of::<i64>();

/// This many results are returned without a look at the memory of the machine.
const FEW: usize = 1 << 22;

/// Memory that there is not: the number of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused(pub(super) usize);

impl Refused {
    /// The memory of a number of results.
    pub(super) fn results(results: usize) -> Self {
        Self(results.saturating_mul(BYTES_PER_RESULT))
    }
}

/// The number of results that there is memory for, if there may be up to `most`.
pub(super) fn remaining_budget(most: usize) -> usize {
    if most <= FEW {
        return usize::MAX;
    }
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix(" kB")?.parse::<usize>().ok()
    });
    available.map_or(usize::MAX, |kilobytes| kilobytes * 1024 / 10 * 9 / BYTES_PER_RESULT)
}

/// Checks that there is memory for a number of results.
pub(super) fn check_budget(results: usize) -> Result<(), Refused> {
    if results > remaining_budget(results) { Err(Refused::results(results)) } else { Ok(()) }
}

/// A vector of zeros.
pub(super) fn zeroed<T: bytemuck::Zeroable>(length: usize) -> Result<Vec<T>, Refused> {
    bytemuck::allocation::try_zeroed_vec(length)
        .map_err(|()| Refused(length.saturating_mul(size_of::<T>())))
}
