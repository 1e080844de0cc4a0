//! The table of keys over the picture, in pages where the window is too small for all of it.

use super::{
    canvas::Canvas,
    text::{self, ACCENT, PLAIN, QUIET, TextBlock, wrap},
};
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
        let [letters, most] = text::room(size, scale);
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

/// Number of pages of the table in a frame of `size`, with `scale` pixels per font pixel.
pub(in crate::window) fn pages(size: [u32; 2], scale: u32) -> u32 {
    TableLayout::new(size, scale).pages
}

/// Draws a page of the table into the middle of the canvas; pages count from 1, and a page beyond the
/// last is the last.
pub(in crate::window) fn draw(canvas: &mut Canvas<'_>, scale: u32, page: u32) {
    let size = canvas.size();
    let TableLayout { columns: [keys, description], lines, pages } = TableLayout::new(size, scale);
    let page = page.clamp(1, pages);
    let shown = lines + u32::from(pages > 1);
    let [width, height] = text::block_size(keys + description, shown, scale);
    let corner = [size[0].saturating_sub(width) / 2, size[1].saturating_sub(height) / 2];
    let mut block = TextBlock::new(canvas, scale, corner, [width, height], 2);
    let rows = rows(description).skip(((page - 1) * lines) as usize).take(lines as usize);
    for (line, (name, what)) in (0..).zip(rows) {
        block.write(0, line, ACCENT, name);
        block.write(keys, line, PLAIN, what);
    }
    if pages > 1 {
        block.write(0, lines, QUIET, if page < pages { "H: next page" } else { "H: hide" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_window_shows_the_whole_table() {
        let layout = TableLayout::new([1280, 720], 1);
        assert_eq!((layout.pages, layout.lines as usize), (1, keys::lines().count()));
        assert!(rows(layout.columns[1]).eq(keys::lines()));
        assert_eq!(pages([2560, 1440], 2), 1);
    }

    #[test]
    fn the_pages_of_a_small_window_show_the_whole_table() {
        for (size, scale) in [([500, 300], 1), ([320, 200], 1), ([800, 600], 2), ([240, 60], 1)] {
            let TableLayout { columns: [keys, what], lines, pages } = TableLayout::new(size, scale);
            // Without spaces, since the longest words may be cut.
            let letters = |text: &str| text.replace(' ', "");
            let shown: String = rows(what).map(|(_, what)| letters(what)).collect();
            let all: String = keys::lines().map(|(_, what)| letters(what)).collect();
            assert_eq!(shown, all, "{size:?}");
            assert!(pages > 1 && (pages * lines) as usize >= rows(what).count(), "{size:?}");
            // A page and its last line fit into the window.
            let block = text::block_size(keys + what, lines + 1, scale);
            assert!(block[0] <= size[0] && block[1] <= size[1], "{block:?} in {size:?}");
        }
    }

    #[test]
    fn pages_differ_and_a_page_beyond_the_last_is_the_last() {
        let size = [500, 300];
        let drawn = |page| {
            let mut bytes = vec![255; (size[0] * size[1] * 4) as usize];
            draw(&mut Canvas::new(size, &mut bytes), 1, page);
            bytes
        };
        let last = pages(size, 1);
        assert!(drawn(1) != drawn(2));
        assert!(drawn(last) == drawn(last + 5));
    }

    #[test]
    fn any_canvas_is_large_enough() {
        for size in [[0, 0], [1, 1], [13, 7], [200, 100]] {
            for scale in [1, 2, 8] {
                let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
                draw(&mut Canvas::new(size, &mut bytes), scale, 1);
            }
        }
    }
}
