//! What changed between two frames: the rectangle around it, which is all that a film needs to hold.

/// A part of a frame, pixels; at least one of them, since no format knows an empty frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Area {
    /// The smallest that holds every pixel in which the frames differ; the first pixel if none does.
    pub(super) fn of_change<T: PartialEq>(old: &[T], new: &[T], width: u32) -> Self {
        let row = width as usize;
        let (mut left, mut right) = (row, 0);
        let (mut top, mut bottom) = (None, 0);
        for (y, (old, new)) in (0..).zip(old.chunks_exact(row).zip(new.chunks_exact(row))) {
            let differs = |x: &usize| old[*x] != new[*x];
            if let Some(first) = (0..row).find(differs) {
                left = left.min(first);
                right = (right.max(first)..row).rev().find(differs).unwrap_or(right).max(right);
                top = top.or(Some(y));
                bottom = y;
            }
        }
        let Some(top) = top else { return Self { left: 0, top: 0, width: 1, height: 1 } };
        Self { left: left as u32, top, width: (right + 1 - left) as u32, height: bottom + 1 - top }
    }

    /// The range of each of its rows in a frame that is so wide.
    pub(super) fn rows(self, width: u32) -> impl Iterator<Item = std::ops::Range<usize>> {
        (self.top..self.top + self.height).map(move |y| {
            let start = y as usize * width as usize + self.left as usize;
            start..start + self.width as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_around_all_that_changed() {
        let old = [0; 12];
        for (changed, area) in [
            (&[][..], [0, 0, 1, 1]),
            (&[0], [0, 0, 1, 1]),
            (&[11], [3, 2, 1, 1]),
            (&[1, 6], [1, 0, 2, 2]),
            (&[3, 4], [0, 0, 4, 2]),
            (&[5, 6, 10], [1, 1, 2, 2]),
        ] {
            let mut new = old;
            for &index in changed {
                new[index] = 1;
            }
            let [left, top, width, height] = area;
            let area = Area { left, top, width, height };
            assert_eq!(Area::of_change(&old, &new, 4), area, "{changed:?}");
        }
    }

    #[test]
    fn rows_are_ranges_of_the_frame() {
        let area = Area { left: 1, top: 1, width: 2, height: 2 };
        assert!(area.rows(4).eq([5..7, 9..11]));
    }
}
