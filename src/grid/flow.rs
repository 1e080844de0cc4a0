//! Visitors that can stop a search.

use std::ops::ControlFlow;

/// The return value of a visitor: `()` to see every result, or a [`ControlFlow`] to be able to
/// stop. The search returns the value that stopped it. For a visitor that returns `()`, the choice
/// costs nothing.
///
/// ```
/// use std::ops::ControlFlow;
/// use jostle::{Disc, Grid, GridConfig, Rect, Vec2};
///
/// let discs = [1.0, 2.0, 3.0].map(|x| Disc::new(Vec2::new(x, 1.0), 0.5));
/// let world = Rect::from_size(16.0, 9.0);
/// let mut grid = Grid::new(GridConfig::new(world, 2.0, discs.len()))?;
/// grid.rebuild(&discs)?;
///
/// let mut count = 0;
/// grid.visit_rect(&discs, &world, |_| count += 1);
/// assert_eq!(count, 3);
///
/// let wide = |disc: u32| discs[disc as usize].center.x > 1.5;
/// let found = grid.visit_rect(&discs, &world, |disc| {
///     if wide(disc) { ControlFlow::Break(disc) } else { ControlFlow::Continue(()) }
/// });
/// assert_eq!(found, ControlFlow::Break(1));
/// # Ok::<(), jostle::Error>(())
/// ```
pub trait Flow {
    /// The value that lets a search go on.
    // A caller has `()` and `ControlFlow`, which say this themselves.
    #[doc(hidden)]
    const CONTINUE: Self;
    /// True if the search stops here.
    // As above.
    #[doc(hidden)]
    fn is_break(&self) -> bool;
}

impl Flow for () {
    const CONTINUE: Self = ();
    #[inline(always)]
    fn is_break(&self) -> bool {
        false
    }
}

impl<B> Flow for ControlFlow<B> {
    const CONTINUE: Self = Self::Continue(());
    #[inline(always)]
    fn is_break(&self) -> bool {
        self.is_break()
    }
}

/// Returns `$flow`, the result of a visitor, from a search if it stops that.
macro_rules! stop_if_break {
    ($flow:expr) => {
        let flow = $flow;
        if $crate::grid::Flow::is_break(&flow) {
            return flow;
        }
    };
}
pub(super) use stop_if_break;
