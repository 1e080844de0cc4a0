//! What was met already: a number an element, written when it is met, and compared with the number of the
//! search. Beginning a search costs nothing.

use crate::{alloc, error::Result};

/// Marks that are wiped by counting on.
#[derive(Debug)]
pub(super) struct Stamps {
    marks: Vec<u32>,
    search: u32,
}

impl Stamps {
    /// Nobody of `capacity` elements is met.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(capacity: usize) -> Result<Self> {
        Ok(Self { marks: alloc::filled(capacity, 0, "the marks of a search")?, search: 0 })
    }

    /// A new search: nobody is met.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            // After four thousand million searches, once: old marks must not look like new ones.
            self.marks.fill(0);
            self.search = 1;
        }
    }

    /// True the first time in this search.
    #[inline]
    pub(super) fn meet(&mut self, element: u32) -> bool {
        let mark = &mut self.marks[element as usize];
        std::mem::replace(mark, self.search) != self.search
    }

    pub(super) fn memory(&self) -> usize {
        self.marks.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::Stamps;

    #[test]
    fn a_search_meets_everybody_once_after_the_count_has_wrapped_too() {
        let mut stamps = Stamps::new(2).expect("there is memory");
        for start in [0, u32::MAX - 1] {
            stamps.search = start;
            for _ in 0..3 {
                stamps.begin();
                assert!(stamps.meet(0) && !stamps.meet(0) && stamps.meet(1));
            }
        }
    }
}
