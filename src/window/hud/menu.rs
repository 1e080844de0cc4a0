//! The menu of all scenes and worlds: their pictures in rows over the frame, each above its name. Where
//! not all have room, a page of them.

use glam::Vec2;

use super::{ACCENT, DARK_BACKING, HudCanvas, LINE, PADDING, PLAIN, PixelRect, QUIET, pixels};
use crate::raster::Stroke;

/// Points of the longest name that is shown whole.
const NAME: u32 = 76;

/// Lines below the pictures: two of a sentence about the selected one, and the keys.
const FOOT: u32 = 3;

/// Color where a picture is not drawn yet.
const GROUND: [u8; 3] = [18, 21, 31];

const HINT: &str = "Enter or a click starts it; arrows select; Esc closes";

/// An entry of the menu.
#[derive(Clone, Copy, Debug)]
pub(in crate::window) struct MenuTile<'a> {
    pub(in crate::window) name: &'a str,
    /// The pixels; `None` until they are drawn.
    pub(in crate::window) picture: Option<&'a [[u8; 4]]>,
}

/// Where the entries of the menu are in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::window) struct MenuPlace {
    area: PixelRect,
    /// By which factor pictures are smaller than they were drawn.
    pub(in crate::window) shrink: u32,
    /// Width and height of a picture, pixels.
    picture: [u32; 2],
    /// Width and height of a picture with its name and the gaps, pixels.
    tile: [u32; 2],
    pub(in crate::window) columns: usize,
    /// Entries per page, and all of them.
    page: usize,
    entries: usize,
    /// Pixels around the entries.
    gap: u32,
}

impl MenuPlace {
    /// The largest pictures of which all have room, or else the smallest, in a frame of which the
    /// interface takes columns at the left, and rows at the top and at the bottom. Pictures were
    /// drawn in the size `drawn`.
    pub(in crate::window) fn new(
        [width, height]: [u32; 2],
        [left, top, bottom]: [u32; 3],
        scale: f32,
        entries: usize,
        drawn: [u32; 2],
    ) -> Self {
        const SHRINK_MAX: u32 = 4;
        let (gap, line) = (pixels(PADDING, scale), pixels(LINE, scale));
        let size = [width.saturating_sub(left), height.saturating_sub(top + bottom)];
        let foot = FOOT * line + gap;
        let [across, down] = [size[0].saturating_sub(gap), size[1].saturating_sub(gap + foot)];
        let mut shrink = 1;
        loop {
            let picture = drawn.map(|side| side / shrink);
            let name = [pixels(NAME, scale), line];
            let tile = [picture[0].max(name[0]) + gap, picture[1] + name[1] + gap];
            let fits = [across / tile[0], down / tile[1]].map(|count| count.max(1) as usize);
            let rows = entries.div_ceil(fits[0]);
            if rows <= fits[1] || shrink == SHRINK_MAX {
                // The rows are as even as can be.
                let columns = if rows <= fits[1] { entries.div_ceil(rows.max(1)) } else { fits[0] };
                let rows = rows.min(fits[1]);
                let [width, height] = [columns, rows].map(|count| count as u32);
                let [width, height] = [width * tile[0] + gap, height * tile[1] + gap + foot];
                let x = left + size[0].saturating_sub(width) / 2;
                let y = top + size[1].saturating_sub(height) / 2;
                let area = PixelRect { x, y, width, height };
                return Self {
                    area,
                    shrink,
                    picture,
                    tile,
                    columns,
                    page: columns * rows,
                    entries,
                    gap,
                };
            }
            shrink += 1;
        }
    }

    /// The entries of the page with that one.
    fn shown(&self, selected: usize) -> std::ops::Range<usize> {
        let first = selected / self.page.max(1) * self.page;
        first..(first + self.page).min(self.entries)
    }

    /// The entry in the same place of another page, or the last one; `None` if there is no such page.
    pub(in crate::window) fn on_page(&self, selected: usize, pages: isize) -> Option<usize> {
        let page = self.page.max(1);
        let to = (selected / page).checked_add_signed(pages)?;
        let is_there = to * page < self.entries;
        is_there.then(|| (to * page + selected % page).min(self.entries - 1))
    }

    /// Upper left corner of the picture in that position of a page.
    pub(in crate::window) fn corner(&self, position: usize) -> [u32; 2] {
        let [column, row] = [position % self.columns, position / self.columns].map(|at| at as u32);
        let [width, height] = self.tile;
        [self.area.x + self.gap + column * width, self.area.y + self.gap + row * height]
    }

    /// The entry under a pixel, on the page with the selected one.
    pub(in crate::window) fn entry_at(&self, pixel: Vec2, selected: usize) -> Option<usize> {
        let [width, height] = self.tile.map(|side| (side - self.gap) as f32);
        self.shown(selected).zip(0..).find_map(|(entry, position)| {
            let by = pixel - Vec2::from(self.corner(position).map(|side| side as f32));
            let is_there = (0.0..width).contains(&by.x) && (0.0..height).contains(&by.y);
            is_there.then_some(entry)
        })
    }

    /// Draws the page with the selected entry, and the sentence about that one.
    pub(in crate::window) fn draw(
        &self,
        canvas: &mut HudCanvas<'_>,
        tiles: &[MenuTile<'_>],
        selected: usize,
        sentence: &str,
    ) {
        let (scale, pen) = (canvas.scale, canvas.pen());
        canvas.begin_block("menu", self.area, DARK_BACKING);
        let [width, height] = self.picture;
        for (entry, position) in self.shown(selected).zip(0..) {
            let MenuTile { name, picture } = tiles[entry];
            let [x, y] = self.corner(position);
            let min = Vec2::new(x as f32, y as f32);
            let rect = [min, min + Vec2::new(width as f32, height as f32)];
            match picture {
                Some(pixels) => canvas.shapes.copy([x, y], width, pixels),
                None => canvas.shapes.fill(rect, Stroke::new(GROUND)),
            }
            let is_selected = entry == selected;
            if is_selected {
                canvas.shapes.outline(rect, 2.0 * pen, Stroke::new(ACCENT));
            }
            let color = if is_selected { ACCENT } else { PLAIN };
            canvas.write([x, y + height], color, name);
        }
        let foot = self.area.y + self.area.height - FOOT * pixels(LINE, scale) - self.gap;
        let line = |line: u32| [self.area.x + self.gap, foot + line * pixels(LINE, scale)];
        let width = (self.area.width.saturating_sub(2 * self.gap) as f32 / scale) as u32;
        let sentence = canvas.text.lines(sentence, width, scale);
        for (number, row) in (0..FOOT - 1).zip(&sentence.rows) {
            canvas.write_row(line(number), PLAIN, row);
        }
        let (page, pages) =
            (selected / self.page.max(1) + 1, self.entries.div_ceil(self.page.max(1)));
        let mut keys = if pages > 1 {
            format!("page {page} of {pages} (PgUp, PgDn); {HINT}")
        } else {
            HINT.to_owned()
        };
        let mut text = canvas.text.lines(&keys, width, scale);
        // A narrow window leaves out whole hints.
        while let (2.., Some(end)) = (text.rows.len(), keys.rfind("; ")) {
            keys.truncate(end);
            text = canvas.text.lines(&keys, width, scale);
        }
        if let Some(row) = text.rows.first() {
            canvas.write_row(line(FOOT - 1), QUIET, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::hud::HudText;

    const DRAWN: [u32; 2] = [320, 180];
    const ENTRIES: usize = 28;

    fn place(size: [u32; 2], scale: f32) -> MenuPlace {
        let [top, bottom] = [20, 28].map(|side| pixels(side, scale));
        MenuPlace::new(size, [0, top, bottom], scale, ENTRIES, DRAWN)
    }

    #[test]
    fn usual_windows_show_all_entries_and_small_ones_pages() {
        for (size, scale, expected) in [
            ([800, 600], 1.0, (3, 7, ENTRIES)),
            ([1280, 720], 1.0, (2, 7, ENTRIES)),
            ([3840, 2160], 2.0, (1, 10, 30)),
            ([640, 360], 1.0, (4, 7, 21)),
            ([240, 60], 1.0, (4, 2, 2)),
            ([1, 1], 8.0, (4, 1, 1)),
        ] {
            let place = place(size, scale);
            assert_eq!((place.shrink, place.columns, place.page), expected, "{size:?}");
            if size[0] >= 640 {
                let PixelRect { x, y, width, height } = place.area;
                assert!(x + width <= size[0] && y + height <= size[1], "{place:?}");
            }
        }
    }

    #[test]
    fn another_page_has_an_entry_in_the_same_place_or_its_last_one() {
        let place = place([640, 360], 1.0);
        for (entry, pages, expected) in [
            (5, 1, Some(26)),
            (26, -1, Some(5)),
            (20, 1, Some(27)),
            (26, 1, None),
            (5, -1, None),
            (5, 0, Some(5)),
        ] {
            assert_eq!(place.on_page(entry, pages), expected, "{entry} {pages}");
        }
    }

    #[test]
    fn each_entry_is_under_its_pixels_on_its_page() {
        for (size, scale) in [([800, 600], 1.0), ([1280, 720], 1.5), ([640, 360], 1.0)] {
            let place = place(size, scale);
            for entry in 0..ENTRIES {
                let [x, y] = place.corner(entry - place.shown(entry).start).map(|side| side as f32);
                let at = |dx: f32, dy: f32| place.entry_at(Vec2::new(x + dx, y + dy), entry);
                assert_eq!((at(0.0, 0.0), at(60.0, 50.0)), (Some(entry), Some(entry)), "{size:?}");
                assert_ne!(at(-1.0, 0.0), Some(entry));
                assert_ne!(at(0.0, -1.0), Some(entry));
            }
        }
    }

    #[test]
    fn the_menu_of_any_frame_is_drawn_within_it() {
        let (picture, mut text) = (vec![[9; 4]; 320 * 180], HudText::new());
        for size in [[1, 1], [50, 400], [240, 60], [800, 600]] {
            let place = place(size, 1.0);
            let pixels = &picture[..(place.picture[0] * place.picture[1]) as usize];
            let tiles = [MenuTile { name: "gas", picture: Some(pixels) }; ENTRIES];
            let mut bytes = vec![255; (size[0] * size[1] * 4) as usize];
            for selected in [0, ENTRIES - 1] {
                let canvas = &mut HudCanvas::new(size, 1.0, &mut text, &mut bytes);
                place.draw(canvas, &tiles, selected, "a sentence");
            }
        }
    }
}
