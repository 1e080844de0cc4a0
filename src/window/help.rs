//! The table of keys over the picture: page by page where a window is too small for all of it.

use crate::window::{
    canvas::{Area, Canvas, LETTER},
    keys,
    wrap::wrap,
};

/// Colors of the keys, of what they do, and of what is said of the pages.
const KEYS: [u8; 3] = [255, 196, 64];
const WHAT: [u8; 3] = [222, 226, 235];
const MORE: [u8; 3] = [150, 158, 176];

/// Font pixels around the table, and between lines.
const PADDING: u32 = 12;
const LEADING: u32 = 5;

/// How the table is laid out in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Letters of the column of keys, and of that of what they do.
    columns: [u32; 2],
    /// Lines of the table on a page, and pages.
    lines: u32,
    pages: u32,
}

impl Layout {
    fn of(size: [u32; 2], scale: u32) -> Self {
        let room = size.map(|side| (side / scale).saturating_sub(2 * PADDING));
        let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0) as u32;
        let keys = 2 + longest(&mut keys::lines().map(|(keys, _)| keys.len()));
        let what = longest(&mut keys::lines().map(|(_, what)| what.len()));
        let what = (room[0] / LETTER).saturating_sub(keys).clamp(1, what);
        let all = rows(what).count() as u32;
        let most = (room[1] + LEADING) / (LETTER + LEADING);
        // Where there are pages, a line of each says so.
        let lines = if all <= most { all } else { most.saturating_sub(1).max(1) };
        Self { columns: [keys, what], lines, pages: all.div_ceil(lines) }
    }
}

/// The lines of the table, where what a key does has so many letters a line.
fn rows(letters: u32) -> impl Iterator<Item = (&'static str, &'static str)> {
    keys::lines().flat_map(move |(keys, what)| {
        let keys = std::iter::once(keys).chain(std::iter::repeat(""));
        keys.zip(wrap(what, letters))
    })
}

/// Pages that the table has in a frame of that size; a font pixel is `scale` pixels wide.
pub(super) fn pages(size: [u32; 2], scale: u32) -> u32 {
    Layout::of(size, scale).pages
}

/// Writes a page of the table, counted from 1, into the middle of the canvas; the last one if there are not so
/// many.
pub(super) fn draw(canvas: &mut Canvas<'_>, scale: u32, page: u32) {
    let size = canvas.size();
    let Layout { columns: [keys, what], lines, pages } = Layout::of(size, scale);
    let page = page.clamp(1, pages);
    let shown = lines + u32::from(pages > 1);
    let width = ((keys + what) * LETTER + 2 * PADDING) * scale;
    let height = (shown * (LETTER + LEADING) - LEADING + 2 * PADDING) * scale;
    let x = size[0].saturating_sub(width) / 2;
    let y = size[1].saturating_sub(height) / 2;
    // Twice, as a list is read for longer than a line.
    canvas.darken(Area { x, y, width, height });
    canvas.darken(Area { x, y, width, height });
    let left = x + PADDING * scale;
    let top = |line: u32| y + (PADDING + line * (LETTER + LEADING)) * scale;
    let first = (page - 1) * lines;
    let rows = rows(what).skip(first as usize).take(lines as usize);
    for (line, (name, what)) in (0..).zip(rows) {
        canvas.write(left, top(line), scale, KEYS, name);
        canvas.write(left + keys * LETTER * scale, top(line), scale, WHAT, what);
    }
    if pages > 1 {
        let next = if page < pages { "H: the next page" } else { "H: hide" };
        canvas.write(left, top(lines), scale, MORE, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_window_shows_the_table_as_it_is() {
        let layout = Layout::of([1280, 720], 1);
        assert_eq!((layout.pages, layout.lines as usize), (1, keys::lines().count()));
        assert!(rows(layout.columns[1]).eq(keys::lines()));
        assert_eq!(pages([2560, 1440], 2), 1);
    }

    #[test]
    fn a_small_one_has_pages_that_show_all_of_it() {
        for (size, scale) in [([500, 300], 1), ([320, 200], 1), ([800, 600], 2), ([240, 60], 1)] {
            let Layout { columns: [keys, what], lines, pages } = Layout::of(size, scale);
            // Without spaces, as the longest words may be cut.
            let letters = |text: &str| text.replace(' ', "");
            let shown: String = rows(what).map(|(_, what)| letters(what)).collect();
            let all: String = keys::lines().map(|(_, what)| letters(what)).collect();
            assert_eq!(shown, all, "{size:?}");
            assert!(pages > 1 && (pages * lines) as usize >= rows(what).count(), "{size:?}");
            // A page and its last line are inside of the window.
            assert!(((keys + what) * LETTER + 2 * PADDING) * scale <= size[0], "{size:?}");
            let height = (lines + 1) * (LETTER + LEADING) - LEADING + 2 * PADDING;
            assert!(height * scale <= size[1], "{size:?}");
        }
    }

    #[test]
    fn pages_differ_and_those_that_are_not_there_are_the_last() {
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
    fn any_canvas_will_do() {
        for size in [[0, 0], [1, 1], [13, 7], [200, 100]] {
            for scale in [1, 2, 8] {
                let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
                draw(&mut Canvas::new(size, &mut bytes), scale, 1);
            }
        }
    }
}
