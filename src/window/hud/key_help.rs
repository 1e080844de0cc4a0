//! The table of keys over the picture, in pages where the window is too small for all of it.

use super::{ACCENT, DARK_BACKING, HudCanvas, PLAIN, PixelRect, QUIET, block_size, room, wrap};
use crate::window::keys;

/// Layout of the table in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TableLayout {
    /// Letters of the column of keys, and of the column of descriptions.
    columns: [u32; 2],
    /// Lines of the table per page.
    lines: u32,
    pages: u32,
}

impl TableLayout {
    fn new(size: [u32; 2], scale: u32) -> Self {
        let [letters, most] = room(size, scale);
        let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0) as u32;
        let keys = 2 + longest(&mut keys::lines().map(|(keys, _)| keys.len()));
        let description = longest(&mut keys::lines().map(|(_, what)| what.len()));
        let description = letters.saturating_sub(keys).clamp(1, description);
        let all = rows(description).count() as u32;
        // With several pages, one line of each tells how to turn it.
        let lines = if all <= most { all } else { most.saturating_sub(1).max(1) };
        Self { columns: [keys, description], lines, pages: all.div_ceil(lines) }
    }
}

/// The lines of the table, with descriptions of at most `letters` per line.
fn rows(letters: u32) -> impl Iterator<Item = (&'static str, &'static str)> {
    keys::lines().flat_map(move |(keys, what)| {
        let keys = std::iter::once(keys).chain(std::iter::repeat(""));
        keys.zip(wrap(what, letters))
    })
}

/// Letters that a line needs, so that the table can be read.
const LETTERS_LEAST: u32 = 40;

/// Number of pages of the table in a frame of which something else takes columns at the left, and rows
/// at the top and at the bottom. `scale` is the number of pixels per font pixel.
pub(in crate::window) fn pages(size: [u32; 2], taken: [u32; 3], scale: u32) -> u32 {
    TableLayout::new(left(size, taken), scale).pages
}

/// Whether the table has room beside that many columns.
pub(in crate::window) fn fits(size: [u32; 2], columns: u32, scale: u32) -> bool {
    room(left(size, [columns, 0, 0]), scale)[0] >= LETTERS_LEAST
}

/// The rest of a frame.
fn left([width, height]: [u32; 2], [columns, above, below]: [u32; 3]) -> [u32; 2] {
    [width.saturating_sub(columns), height.saturating_sub(above + below)]
}

/// Draws a page of the table into the middle of the rest of the canvas. Pages count from 1; a page
/// beyond the last is the last.
pub(in crate::window) fn draw(canvas: &mut HudCanvas<'_>, taken: [u32; 3], page: u32) {
    let (size, scale) = (left(canvas.size, taken), canvas.scale);
    let TableLayout { columns: [keys, description], lines, pages } = TableLayout::new(size, scale);
    let page = page.clamp(1, pages);
    let shown = lines + u32::from(pages > 1);
    let [width, height] = block_size(keys + description, shown, scale);
    let x = taken[0] + size[0].saturating_sub(width) / 2;
    let y = taken[1] + size[1].saturating_sub(height) / 2;
    let block = PixelRect { x, y, width, height };
    canvas.begin_block("keys", block, DARK_BACKING);
    let rows = rows(description).skip(((page - 1) * lines) as usize).take(lines as usize);
    for (line, (name, what)) in (0..).zip(rows) {
        canvas.write_in(block, [0, line], ACCENT, name);
        canvas.write_in(block, [keys, line], PLAIN, what);
    }
    if pages > 1 {
        let hint = if page < pages { "H: next page" } else { "H: hide" };
        canvas.write_in(block, [0, lines], QUIET, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_any_window_show_the_whole_table() {
        for (size, scale, one_page) in [
            ([1280, 720], 1, true),
            ([2560, 1440], 2, true),
            ([500, 300], 1, false),
            ([320, 200], 1, false),
            ([800, 600], 2, false),
            ([240, 60], 1, false),
        ] {
            let TableLayout { columns: [keys, what], lines, pages } = TableLayout::new(size, scale);
            // Without spaces, since the longest words may be cut.
            let letters = |text: &str| text.replace(' ', "");
            let shown: String = rows(what).map(|(_, what)| letters(what)).collect();
            let all: String = keys::lines().map(|(_, what)| letters(what)).collect();
            assert_eq!((shown, pages == 1), (all, one_page), "{size:?}");
            assert!((pages * lines) as usize >= rows(what).count(), "{size:?}");
            // A page and the line that tells how to turn it fit into the window.
            let block = block_size(keys + what, lines + u32::from(pages > 1), scale);
            assert!(block[0] <= size[0] && block[1] <= size[1], "{block:?} in {size:?}");
        }
    }

    #[test]
    fn pages_differ_and_a_page_beyond_the_last_is_the_last() {
        let size = [500, 300];
        let drawn = |page| {
            let mut bytes = vec![255; 500 * 300 * 4];
            draw(&mut HudCanvas::new(size, 1, &mut bytes), [0; 3], page);
            bytes
        };
        let last = pages(size, [0; 3], 1);
        assert!(drawn(1) != drawn(2));
        assert!(drawn(last) == drawn(last + 5));
    }
}
