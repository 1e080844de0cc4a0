//! Vectors whose allocation can fail with an error that says how much was needed, instead of an
//! abort. Where no error can be returned, a panic carries it ([`demanded`]).

use std::panic;

use bytemuck::Zeroable;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator, repeat_n,
};

use crate::{
    error::{Adjust, Error, Field, Purpose, Remedy, Result},
    parallel,
};

/// Smallest number of bytes that are filled on all threads. Most of the time goes into pages, which
/// the system maps when they are first written; it maps pages of several threads at the same time.
const PARALLEL: usize = 1 << 20;

/// The remedies for agents and cells that take too much memory.
const FEWER_AGENTS: &[Adjust] = &[Adjust::Lower(Field::Agents), Adjust::Raise(Field::Cell)];

/// The value of a result, for functions that can't return an error, such as a draw. Unlike the
/// abort of a refused allocation, a panic lets the program complete its files and name them.
///
/// # Panics
/// If the result is an error, with the error as payload.
pub(crate) fn demanded<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| panic::panic_any(error))
}

/// A vector of `length` times `value`.
///
/// # Errors
/// [`Error::Memory`] with `part` as its purpose, as in all functions here.
pub(crate) fn filled<T: Clone + Send>(
    length: usize,
    value: T,
    part: &'static str,
) -> Result<Vec<T>> {
    let mut vec = with_capacity(length, part)?;
    resize(&mut vec, length, value);
    Ok(vec)
}

/// A vector of `length` zeros, which the system maps when they are first used.
///
/// # Errors
/// As [`filled`].
pub(crate) fn zeroed<T: Zeroable>(length: usize, part: &'static str) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(length).map_err(|()| refused::<T>(length, part))
}

/// Resizes a vector to `length`, filled up with `value`. Allocates only beyond its capacity.
///
/// # Errors
/// As [`filled`].
pub(crate) fn grow_to<T: Clone + Send>(
    vec: &mut Vec<T>,
    length: usize,
    value: T,
    part: &'static str,
) -> Result<()> {
    if length > vec.capacity() {
        // A quarter more than is needed: a vector that has grown once will grow again.
        let more = if vec.capacity() > 0 { length / 4 } else { 0 };
        reserve(vec, length + more - vec.len(), part)?;
    }
    resize(vec, length, value);
    Ok(())
}

/// Resizes a vector that has the capacity.
pub(crate) fn resize<T: Clone + Send>(vec: &mut Vec<T>, length: usize, value: T) {
    let more = length.saturating_sub(vec.len());
    if more * size_of::<T>() < PARALLEL || parallel::threads() == 1 {
        vec.resize(length, value);
    } else {
        let values = repeat_n(value, more).with_min_len(PARALLEL / 4 / size_of::<T>().max(1));
        vec.par_extend(values);
    }
}

/// Appends `more` values to a vector, each computed from its number, on all threads.
///
/// # Errors
/// As [`filled`].
pub(crate) fn extend_by<T: Send>(
    vec: &mut Vec<T>,
    more: usize,
    value: &(impl Fn(usize) -> T + Sync),
    part: &'static str,
) -> Result<()> {
    reserve(vec, more, part)?;
    if more * size_of::<T>() < PARALLEL || parallel::threads() == 1 {
        vec.extend((0..more).map(value));
    } else {
        let at_once = PARALLEL / 4 / size_of::<T>().max(1);
        vec.par_extend((0..more).into_par_iter().map(value).with_min_len(at_once));
    }
    Ok(())
}

/// Appends to a vector, and doubles its capacity if it is full.
///
/// # Errors
/// As [`filled`].
#[inline]
pub(crate) fn push<T>(vec: &mut Vec<T>, value: T, part: &'static str) -> Result<()> {
    if vec.len() == vec.capacity() {
        reserve(vec, vec.len() + 1_024, part)?;
    }
    vec.push(value);
    Ok(())
}

/// A vector of the values of an iterator.
///
/// # Errors
/// As [`filled`].
pub(crate) fn collected<T>(
    values: impl IntoIterator<Item = T>,
    part: &'static str,
) -> Result<Vec<T>> {
    let values = values.into_iter();
    let mut vec = with_capacity(values.size_hint().0, part)?;
    append(&mut vec, values, part)?;
    Ok(vec)
}

/// Appends the values of an iterator to a vector.
///
/// # Errors
/// As [`filled`].
pub(crate) fn append<T>(
    vec: &mut Vec<T>,
    values: impl IntoIterator<Item = T>,
    part: &'static str,
) -> Result<()> {
    values.into_iter().try_for_each(|value| push(vec, value, part))
}

/// An empty vector with that capacity.
///
/// # Errors
/// As [`filled`].
pub(crate) fn with_capacity<T>(capacity: usize, part: &'static str) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    reserve(&mut vec, capacity, part)?;
    Ok(vec)
}

/// Capacity for `additional` more elements. Allocates only if the vector lacks it.
///
/// # Errors
/// As [`filled`].
pub(crate) fn reserve<T>(vec: &mut Vec<T>, additional: usize, part: &'static str) -> Result<()> {
    vec.try_reserve_exact(additional).map_err(|_| refused::<T>(additional, part))
}

/// Capacity for `additional` more bytes of text.
///
/// # Errors
/// As [`filled`].
#[cfg(feature = "window")]
pub(crate) fn reserve_text(text: &mut String, additional: usize, part: &'static str) -> Result<()> {
    text.try_reserve(additional).map_err(|_| refused::<u8>(additional, part))
}

/// The error for `count` elements.
fn refused<T>(count: usize, part: &'static str) -> Error {
    Error::Memory {
        purpose: Purpose::Part(part),
        needed: (count as u64).saturating_mul(size_of::<T>() as u64),
        available: None,
        remedy: Remedy::Adjust(FEWER_AGENTS),
    }
}

/// The length of a list whose entries are counted by `u32`.
///
/// # Errors
/// [`Error::Memory`] with `part` and this remedy if the length does not fit into `u32`.
pub(crate) fn list_length(
    length: u64,
    part: &'static str,
    remedy: &'static [Adjust],
) -> Result<usize> {
    if u32::try_from(length).is_ok() {
        return Ok(length as usize);
    }
    Err(Error::Memory {
        purpose: Purpose::Part(part),
        needed: length.saturating_mul(4),
        available: Some(u64::from(u32::MAX) * 4),
        remedy: Remedy::Adjust(remedy),
    })
}

/// The result, with this remedy if memory ran out: for memory that does not depend on agents and
/// cells.
pub(crate) fn with_remedy<T>(result: Result<T>, remedy: &'static [Adjust]) -> Result<T> {
    result.map_err(|error| match error {
        Error::Memory { .. } => error.with_remedy(Remedy::Adjust(remedy)),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_allocation_names_bytes_and_a_remedy() {
        const FEWER: &[Adjust] = &[Adjust::Lower(Field::Statics)];
        let refused = || with_capacity::<u64>(usize::MAX, "the statics");
        let Err(Error::Memory { purpose, needed, remedy, .. }) = refused() else { panic!() };
        assert_eq!((purpose, needed), (Purpose::Part("the statics"), u64::MAX));
        assert_eq!(remedy, Remedy::Adjust(FEWER_AGENTS));
        let message = with_remedy(refused(), FEWER).unwrap_err().to_string();
        assert!(message.ends_with(" is available; try fewer statics"), "{message}");
        let other = with_remedy::<()>(Err(Error::Canceled), FEWER).unwrap_err();
        assert!(matches!(other, Error::Canceled));
    }
}
