//! Memory that can be refused, with an error in place of an abort. Results are also compared with the
//! memory that is left: the system would grant more than there is, and end the process when it is used.

use pyo3::{
    PyErr,
    exceptions::{PyKeyboardInterrupt, PyMemoryError, PyValueError},
};

/// This many bytes are granted without a look at the memory of the machine.
const FEW: usize = 1 << 26;

/// Work that fails.
#[derive(Debug)]
pub(super) enum Failure {
    Library(jostle::Error),
    /// There is no memory for this many bytes.
    Memory(usize),
    /// A signal stopped it.
    Stopped,
}

pub(super) type Result<T> = std::result::Result<T, Failure>;

impl From<jostle::Error> for Failure {
    fn from(error: jostle::Error) -> Self {
        Self::Library(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Library(error @ jostle::Error::Memory { .. }) => {
                PyMemoryError::new_err(error.to_string())
            }
            Failure::Library(error) => PyValueError::new_err(error.to_string()),
            Failure::Memory(bytes) => PyMemoryError::new_err(format!(
                "the call would take at least {:.1} MB more, and less is available; try fewer \
                 points or searches per call, a smaller distance, or a smaller k",
                bytes as f64 / 1e6
            )),
            Failure::Stopped => PyKeyboardInterrupt::new_err(()),
        }
    }
}

/// The number of bytes that there is memory for, if up to `most` may be needed.
pub(super) fn budget(most: usize) -> usize {
    if most <= FEW {
        return usize::MAX;
    }
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix(" kB")?.parse::<usize>().ok()
    });
    available.map_or(usize::MAX, |kilobytes| kilobytes * 1024 / 10 * 9)
}

/// Checks that there is memory for a number of bytes.
pub(super) fn check_budget(bytes: usize) -> Result<()> {
    if bytes > budget(bytes) { Err(Failure::Memory(bytes)) } else { Ok(()) }
}

/// A vector of zeros, which the system maps when they are first used.
pub(super) fn zeroed<T: bytemuck::Zeroable>(length: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(length).map_err(|()| refused::<T>(length))
}

/// An empty vector with that capacity.
pub(super) fn with_capacity<T>(capacity: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    reserve(&mut vec, capacity)?;
    Ok(vec)
}

/// Capacity for `more` elements.
pub(super) fn reserve<T>(vec: &mut Vec<T>, more: usize) -> Result<()> {
    vec.try_reserve_exact(more).map_err(|_| refused::<T>(more))
}

/// Resizes a vector, filled up with `value`.
pub(super) fn resize<T: Clone>(vec: &mut Vec<T>, length: usize, value: T) -> Result<()> {
    reserve(vec, length.saturating_sub(vec.len()))?;
    vec.resize(length, value);
    Ok(())
}

/// Appends to a vector, and doubles its capacity if it is full.
#[inline(always)]
pub(super) fn push<T>(vec: &mut Vec<T>, value: T) -> Result<()> {
    if vec.len() == vec.capacity() {
        vec.try_reserve(1).map_err(|_| refused::<T>(vec.len()))?;
    }
    vec.push(value);
    Ok(())
}

/// A vector of the values of an iterator.
pub(super) fn collected<T>(values: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let values = values.into_iter();
    let mut vec = with_capacity(values.size_hint().0)?;
    values.into_iter().try_for_each(|value| push(&mut vec, value))?;
    Ok(vec)
}

fn refused<T>(count: usize) -> Failure {
    Failure::Memory(count.saturating_mul(size_of::<T>()))
}
