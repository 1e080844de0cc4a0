//! Memory claimed at construction, and refused in a sentence instead of an abort.

use crate::error::{Error, Result};

/// A vector of `length` times `value`.
///
/// # Errors
/// If the allocator has no room for it; `what` names it in the message.
pub(crate) fn filled<T: Clone>(length: usize, value: T, what: &str) -> Result<Vec<T>> {
    let mut claimed = with_capacity(length, what)?;
    claimed.resize(length, value);
    Ok(claimed)
}

/// Brings a vector to `length`, filled up with `value`; one that has the room does not allocate.
///
/// # Errors
/// If the allocator has no room for it; `what` names it in the message.
pub(crate) fn grow_to<T: Clone>(
    claimed: &mut Vec<T>,
    length: usize,
    value: T,
    what: &str,
) -> Result<()> {
    if length > claimed.capacity() {
        // A quarter more than is asked for: what has grown once will grow again.
        reserve(claimed, length + length / 4 - claimed.len(), what)?;
    }
    claimed.resize(length, value);
    Ok(())
}

/// Appends to a vector, which takes as much again if it is full.
///
/// # Errors
/// If the allocator has no room for that; `what` names it in the message.
#[inline]
pub(crate) fn push<T>(claimed: &mut Vec<T>, value: T, what: &str) -> Result<()> {
    if claimed.len() == claimed.capacity() {
        reserve(claimed, claimed.len() + 1_024, what)?;
    }
    claimed.push(value);
    Ok(())
}

/// An empty vector with room for `capacity` elements.
///
/// # Errors
/// If the allocator has no room for them; `what` names them in the message.
pub(crate) fn with_capacity<T>(capacity: usize, what: &str) -> Result<Vec<T>> {
    let mut claimed = Vec::new();
    reserve(&mut claimed, capacity, what)?;
    Ok(claimed)
}

/// Room for so many elements more in a vector; none is claimed if it has that.
///
/// # Errors
/// If the allocator has no room for them; `what` names them in the message.
pub(crate) fn reserve<T>(claimed: &mut Vec<T>, additional: usize, what: &str) -> Result<()> {
    claimed.try_reserve_exact(additional).map_err(|_| Error::Memory {
        what: what.to_owned(),
        needed: megabytes(additional.saturating_mul(size_of::<T>())),
        available: "less".to_owned(),
        remedy: "try fewer agents or larger cells".to_owned(),
    })
}

/// What was claimed, or that remedy if it could not be: for who takes memory for something else than agents and
/// cells.
pub(crate) fn with_remedy<T>(claimed: Result<T>, fitting: &str) -> Result<T> {
    claimed.map_err(|mut error| {
        if let Error::Memory { remedy, .. } = &mut error {
            fitting.clone_into(remedy);
        }
        error
    })
}

/// Bytes as people read them.
fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_refused_is_told_a_remedy_that_fits() {
        let refused = || with_capacity::<u64>(usize::MAX, "the statics");
        let said = refused().unwrap_err().to_string();
        assert!(said.starts_with("the statics would take "), "{said}");
        assert!(said.ends_with("; try fewer agents or larger cells"), "{said}");
        let said = with_remedy(refused(), "try fewer statics").unwrap_err().to_string();
        assert!(said.ends_with(" can be had here; try fewer statics"), "{said}");
        let other = with_remedy::<()>(Err(Error::invalid("no")), "try fewer").unwrap_err();
        assert_eq!(other.to_string(), "no");
    }
}
