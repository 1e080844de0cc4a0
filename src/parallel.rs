//! Loops over pieces of arrays, on all threads of the rayon pool that the caller is in.
//!
//! A loop runs in parallel only if its caller runs on a worker of a pool: a run enters the pool
//! once (`ThreadPool::install`), since entering it for each loop would allocate. Outside of a pool,
//! and in a pool of one thread, a loop runs on the calling thread. Pieces never depend on the
//! number of threads, and neither do results.
//!
//! A piece owns its part of the data: arrays are split before they are handed out ([`Split`]), so
//! that no lock, no atomic and no unsafe code is needed.

#[cfg(feature = "cli")]
use crate::{
    error::{Error, Field, Limit, Result, Value},
    limits::THREADS_MAX,
    trace,
};

/// Creates a rayon pool of `threads` workers, named `jostle-0`, `jostle-1`, …
///
/// # Errors
/// If `threads` is out of range, or the system refuses a thread.
#[cfg(any(test, feature = "cli"))]
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    if !(1..=THREADS_MAX).contains(&threads) {
        let limit = Limit::Counts(1..=THREADS_MAX as u64);
        return Err(Error::invalid(Field::Threads, Value::Count(threads as u64), limit));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("jostle-{index}"))
        .build()
        .map_err(|error| Error::Threads { threads, reason: error.to_string() })
}

/// Number of threads that a loop of the caller runs on.
pub(crate) fn threads() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

/// Calls both, at the same time if the caller is in a pool.
pub(crate) fn join<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if threads() > 1 { rayon::join(one, other) } else { (one(), other()) }
}

/// An array, or several of one length, that can be split in two.
pub(crate) trait Split: Sized + Send {
    /// Number of entries.
    fn len(&self) -> usize;
    /// The entries before `at`, and the others.
    fn split_at(self, at: usize) -> (Self, Self);
}

impl<T: Sync> Split for &[T] {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

impl<T: Send> Split for &mut [T] {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<A: Split, B: Split> Split for (A, B) {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let ((a, a2), (b, b2)) = (self.0.split_at(at), self.1.split_at(at));
        ((a, b), (a2, b2))
    }
}

impl<A: Split, B: Split, C: Split> Split for (A, B, C) {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let ((ab, ab2), (c, c2)) = ((self.0, self.1).split_at(at), self.2.split_at(at));
        ((ab.0, ab.1, c), (ab2.0, ab2.1, c2))
    }
}

/// Splits `data` into pieces of `size` entries, calls `work` with the index of each piece's first
/// entry and the piece, on all threads of the pool, and combines the results of neighbors by
/// `merge`.
pub(crate) fn pieces<S: Split, R: Send>(
    data: S,
    size: usize,
    work: &(impl Fn(usize, S) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    from(0, data, size, work, merge)
}

fn from<S: Split, R: Send>(
    first: usize,
    data: S,
    size: usize,
    work: &(impl Fn(usize, S) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    if data.len() <= size {
        #[cfg(feature = "cli")]
        let _piece = trace::piece();
        return work(first, data);
    }
    let middle = (data.len() / 2).next_multiple_of(size);
    let (lower, upper) = data.split_at(middle);
    let (one, other) = join(
        || from(first, lower, size, work, merge),
        || from(first + middle, upper, size, work, merge),
    );
    merge(one, other)
}

/// Calls `work` with each part and its own range of `data`, on all threads of the pool. `data`
/// begins with the range of the first part. `split` takes data that begins with the range of the
/// part in its second argument, and splits it where the range of the part in its third argument
/// begins.
pub(crate) fn parts<P: Send, S: Send>(
    parts: &mut [P],
    data: S,
    split: &(impl Fn(S, &P, &P) -> (S, S) + Sync),
    work: &(impl Fn(&mut P, S) + Sync),
) {
    match parts {
        [] => {}
        [part] => {
            #[cfg(feature = "cli")]
            let _piece = trace::piece();
            work(part, data);
        }
        _ => {
            let (lower, upper) = parts.split_at_mut(parts.len() / 2);
            let (below, above) = split(data, &lower[0], &upper[0]);
            join(
                || self::parts(lower, below, split, work),
                || self::parts(upper, above, split, work),
            );
        }
    }
}

/// Does the same with every second part: the even ones if `parity` is 0, the odd ones if it is 1.
/// The data of a part are followed by the data of the part behind it.
pub(crate) fn every_second<P: Send, S: Send>(
    parts: &mut [P],
    parity: usize,
    data: S,
    split: &(impl Fn(S, &P, &P) -> (S, S) + Sync),
    work: &(impl Fn(&mut P, S) + Sync),
) {
    match parts {
        [first, others @ ..] if parity == 1 => {
            if let Some(second) = others.first() {
                let (_, data) = split(data, first, second);
                every_second(others, 0, data, split, work);
            }
        }
        [] => {}
        [part] | [part, _] => {
            #[cfg(feature = "cli")]
            let _piece = trace::piece();
            work(part, data);
        }
        _ => {
            let middle = (parts.len() / 2).next_multiple_of(2);
            let (lower, upper) = parts.split_at_mut(middle);
            let (below, above) = split(data, &lower[0], &upper[0]);
            join(
                || every_second(lower, 0, below, split, work),
                || every_second(upper, 0, above, split, work),
            );
        }
    }
}

/// Calls `work` with every second item on all threads of the pool, then with the others: for items
/// that use data of their neighbors, but of no others.
pub(crate) fn in_turns<T: Send>(items: &mut [T], work: &(impl Fn(&mut T) + Sync)) {
    for parity in 0..2 {
        every_second(items, parity, (), &|(), _, _| ((), ()), &|item, ()| work(item));
    }
}
