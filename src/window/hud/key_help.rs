//! The table of keys over the picture, in pages where the window is too small for all of it.

use std::sync::Arc;

use egui::epaint::text::Galley;

use super::{
    ACCENT, DARK_BACKING, HudCanvas, HudText, PLAIN, PixelRect, QUIET, block_size, place_in, room,
};
use crate::window::keys;

/// Points between the keys and the descriptions.
const GAP: u32 = 14;

/// Points that a line needs, so that the table can be read.
const WIDTH_LEAST: u32 = 260;

/// Layout of the table in a frame.
struct TableLayout {
    /// Points from the keys to the descriptions, and of both.
    columns: [u32; 2],
    /// The keys, and the lines of their descriptions.
    rows: Vec<(&'static str, Arc<Galley>)>,
    /// Lines of the table per page.
    lines: usize,
    pages: usize,
}

impl TableLayout {
    fn new(size: [u32; 2], text: &mut HudText, scale: f32) -> Self {
        let [width, most] = room(size, scale);
        let mut widest = [0, 1];
        for (keys, what) in keys::lines() {
            widest[0] = widest[0].max(text.width(keys, scale) + GAP);
            widest[1] = widest[1].max(text.width(what, scale));
        }
        let [keys, description] = widest;
        let description = width.saturating_sub(keys).clamp(1, description);
        let rows = keys::lines().map(|(keys, what)| (keys, text.lines(what, description, scale)));
        let rows: Vec<_> = rows.collect();
        let (all, most) = (rows.iter().map(|(_, what)| what.rows.len()).sum(), most as usize);
        // With several pages, one line of each tells how to turn it.
        let lines = if all <= most { all } else { most.saturating_sub(1).max(1) };
        Self { columns: [keys, keys + description], rows, lines, pages: all.div_ceil(lines) }
    }
}

/// Number of pages of the table in a frame of which something else takes columns at the left, and rows
/// at the top and at the bottom. `scale` is the number of pixels per point.
pub(in crate::window) fn pages(
    size: [u32; 2],
    taken: [u32; 3],
    text: &mut HudText,
    scale: f32,
) -> u32 {
    TableLayout::new(left(size, taken), text, scale).pages as u32
}

/// Whether the table has room beside that many columns.
pub(in crate::window) fn fits(size: [u32; 2], columns: u32, scale: f32) -> bool {
    room(left(size, [columns, 0, 0]), scale)[0] >= WIDTH_LEAST
}

/// The rest of a frame.
fn left([width, height]: [u32; 2], [columns, above, below]: [u32; 3]) -> [u32; 2] {
    [width.saturating_sub(columns), height.saturating_sub(above + below)]
}

/// Draws a page of the table into the middle of the rest of the canvas. Pages count from 1; a page
/// beyond the last is the last.
pub(in crate::window) fn draw(canvas: &mut HudCanvas<'_>, taken: [u32; 3], page: u32) {
    let (size, scale) = (left(canvas.size, taken), canvas.scale);
    let TableLayout { columns: [keys, width], rows, lines, pages } =
        TableLayout::new(size, canvas.text, scale);
    let page = (page as usize).clamp(1, pages);
    // Each page begins at the same place, and the last may end above the others.
    let all: usize = rows.iter().map(|(_, what)| what.rows.len()).sum();
    let lines_here = lines.min(all - (page - 1) * lines);
    let [height, here] = [lines, lines_here].map(|lines| {
        let shown = lines + usize::from(pages > 1);
        block_size(width, shown as u32, scale)[1]
    });
    let [width, _] = block_size(width, 1, scale);
    let x = taken[0] + size[0].saturating_sub(width) / 2;
    let y = taken[1] + size[1].saturating_sub(height) / 2;
    let block = PixelRect { x, y, width, height: here };
    canvas.begin_block("keys", block, DARK_BACKING);
    let rows = rows.iter().flat_map(|(name, what)| {
        let names = std::iter::once(*name).chain(std::iter::repeat(""));
        names.zip(&what.rows)
    });
    for (line, (name, what)) in (0..).zip(rows.skip((page - 1) * lines).take(lines)) {
        canvas.write_in(block, [0, line], ACCENT, name);
        canvas.write_row(place_in(block, [keys, line], scale), PLAIN, what);
    }
    if pages > 1 {
        let hint = if page < pages { "H: next page" } else { "H: hide" };
        canvas.write_in(block, [0, lines_here as u32], QUIET, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_any_window_show_the_whole_table() {
        let text = &mut HudText::new();
        for (size, scale, one_page) in [
            ([1280, 720], 1.0, true),
            ([2560, 1440], 2.0, true),
            ([1600, 900], 1.25, true),
            ([500, 300], 1.0, false),
            ([320, 200], 1.0, false),
            ([800, 600], 1.5, false),
            ([240, 60], 1.0, false),
        ] {
            let TableLayout { columns: [_, width], rows, lines, pages } =
                TableLayout::new(size, text, scale);
            // Without spaces, since the longest words may be cut.
            let letters = |text: &str| text.replace(' ', "");
            let shown: String = rows
                .iter()
                .flat_map(|(_, what)| what.rows.iter().map(|row| letters(&row.text())))
                .collect();
            let all: String = keys::lines().map(|(_, what)| letters(what)).collect();
            assert_eq!((shown, pages == 1), (all, one_page), "{size:?}");
            let count: usize = rows.iter().map(|(_, what)| what.rows.len()).sum();
            assert!(pages * lines >= count, "{size:?}");
            // A page and the line that tells how to turn it fit into the window.
            let block = block_size(width, (lines + usize::from(pages > 1)) as u32, scale);
            assert!(block[0] <= size[0] && block[1] <= size[1], "{block:?} in {size:?}");
        }
    }

    #[test]
    fn pages_differ_and_a_page_beyond_the_last_is_the_last() {
        let size = [500, 300];
        let drawn = |page| {
            let mut bytes = vec![255; 500 * 300 * 4];
            draw(&mut HudCanvas::new(size, 1.0, &mut HudText::new(), &mut bytes), [0; 3], page);
            bytes
        };
        let last = pages(size, [0; 3], &mut HudText::new(), 1.0);
        assert!(drawn(1) != drawn(2));
        assert!(drawn(last) == drawn(last + 5));
    }
}
