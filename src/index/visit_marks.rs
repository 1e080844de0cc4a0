//! Marks of the elements that a search has visited. Each element has the number of the last search
//! that visited it, so that a new search resets nothing.

use crate::{alloc, error::Result};

/// One mark per element.
#[derive(Debug)]
pub(super) struct VisitMarks {
    marks: Vec<u32>,
    search: u32,
}

impl VisitMarks {
    /// Marks for `capacity` elements, none of them visited.
    pub(super) fn new(capacity: usize) -> Result<Self> {
        Ok(Self { marks: alloc::filled(capacity, 0, "the marks of a search")?, search: 0 })
    }

    /// Starts a search, which has visited no element yet.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            // The count has wrapped: marks of old searches must not look like new ones.
            self.marks.fill(0);
            self.search = 1;
        }
    }

    /// Marks an element. True if this is its first visit in this search.
    #[inline]
    pub(super) fn visit(&mut self, element: u32) -> bool {
        let mark = &mut self.marks[element as usize];
        std::mem::replace(mark, self.search) != self.search
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.marks.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::VisitMarks;

    #[test]
    fn marks_each_element_once_per_search_before_and_after_the_count_wraps() {
        let mut marks = VisitMarks::new(2).expect("there is memory");
        for start in [0, u32::MAX - 1] {
            marks.search = start;
            for _ in 0..3 {
                marks.begin();
                assert!(marks.visit(0) && !marks.visit(0) && marks.visit(1));
            }
        }
    }
}
