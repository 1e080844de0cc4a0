//! Blocks of text over the picture: lines of letters on a darkened backing.
//!
//! ```text
//! ┌───────────────────────┐  PADDING
//! │ letters of LETTER × LETTER font pixels, `scale` pixels each
//! │                          LEADING
//! │ the next line
//! └───────────────────────┘  PADDING
//! ```

use super::canvas::{Canvas, LETTER, PixelRect};

/// Colors of usual text, of secondary text, and of what needs attention; their grays differ, too.
pub(super) const PLAIN: [u8; 3] = [222, 226, 235];
pub(super) const QUIET: [u8; 3] = [150, 158, 176];
pub(super) const ACCENT: [u8; 3] = [255, 196, 64];

/// Font pixels around a block, and between its lines.
pub(super) const PADDING: u32 = 6;
const LEADING: u32 = 5;

/// Font pixels between a block and the border of the frame.
pub(super) const MARGIN: u32 = 12;

/// Pixels per font pixel for a display's scale factor.
pub(in crate::window) fn text_scale(scale_factor: f64) -> u32 {
    (scale_factor.round() as u32).clamp(1, 8)
}

/// Letters per line, and lines, that fit into a frame.
pub(super) fn room([width, height]: [u32; 2], scale: u32) -> [u32; 2] {
    let [width, height] = [width, height].map(|side| (side / scale).saturating_sub(2 * PADDING));
    [width / LETTER, (height + LEADING) / (LETTER + LEADING)]
}

/// Width and height of a block, in pixels.
pub(super) fn block_size(letters: u32, lines: u32, scale: u32) -> [u32; 2] {
    let height = lines * (LETTER + LEADING) - LEADING.min(lines * LEADING);
    [letters * LETTER + 2 * PADDING, height + 2 * PADDING].map(|side| side * scale)
}

/// A block of text in a canvas.
#[derive(Debug)]
pub(super) struct TextBlock<'c, 'p> {
    canvas: &'c mut Canvas<'p>,
    corner: [u32; 2],
    scale: u32,
}

impl<'c, 'p> TextBlock<'c, 'p> {
    /// Darkens the backing of a block and returns the block, still empty.
    ///
    /// `corner` is its upper left corner and `size` its extent, both in pixels. A block that is read
    /// for longer is darkened several times.
    pub(super) fn new(
        canvas: &'c mut Canvas<'p>,
        scale: u32,
        corner: [u32; 2],
        size: [u32; 2],
        darkness: u32,
    ) -> Self {
        let [[x, y], [width, height]] = [corner, size];
        (0..darkness).for_each(|_| canvas.darken(PixelRect { x, y, width, height }));
        Self { canvas, corner, scale }
    }

    /// Writes text that begins at a column of a line.
    pub(super) fn write(&mut self, column: u32, line: u32, color: [u8; 3], text: &str) {
        let x = self.corner[0] + (PADDING + column * LETTER) * self.scale;
        let y = self.corner[1] + (PADDING + line * (LETTER + LEADING)) * self.scale;
        self.canvas.write(x, y, self.scale, color, text);
    }
}

/// The lines of a text, each with as many whole words as fit into `letters`, at least one letter.
///
/// A word longer than a line is cut. A text without words has no lines.
pub(super) fn wrap(text: &str, letters: u32) -> impl Iterator<Item = &str> + Clone {
    let letters = letters.max(1) as usize;
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(letters).map_or(rest.len(), |(end, _)| end);
        let whole = end == rest.len() || rest[end..].starts_with(' ');
        let end = if whole { end } else { rest[..end].rfind(' ').unwrap_or(end) };
        let (line, beyond) = rest.split_at(end);
        rest = beyond.trim_start();
        (!line.is_empty()).then(|| line.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, letters: u32) -> Vec<&str> {
        wrap(text, letters).collect()
    }

    #[test]
    fn lines_hold_whole_words_where_they_fit() {
        assert_eq!(lines("one two three", 20), ["one two three"]);
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 6), ["one", "two", "three"]);
        assert_eq!(lines("one  two", 4), ["one", "two"]);
    }

    #[test]
    fn a_long_word_is_cut_and_an_empty_text_has_no_lines() {
        assert_eq!(lines("an endless word", 3), ["an", "end", "les", "s", "wor", "d"]);
        assert_eq!(lines("éèü", 2), ["éè", "ü"]);
        assert_eq!(lines("ab", 0), ["a", "b"]);
        assert!(lines(" ", 5).is_empty() && lines("", 5).is_empty());
    }

    #[test]
    fn what_fits_into_a_frame_is_not_larger_than_it() {
        for size in [[100, 60], [640, 360], [1921, 1081]] {
            for scale in [1, 2, 3] {
                let [letters, lines] = room(size, scale);
                let block = block_size(letters, lines, scale);
                assert!(block[0] <= size[0] && block[1] <= size[1], "{block:?} in {size:?}");
                let larger = block_size(letters + 1, lines + 1, scale);
                assert!(larger[0] > size[0] && larger[1] > size[1], "{larger:?} in {size:?}");
            }
        }
    }
}
