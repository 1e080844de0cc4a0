//! The status line at the top of the frame, and below it the last message and the warnings.

use super::{ACCENT, HudCanvas, LETTER, LIGHT_BACKING, PixelRect, block_size, room, wrap};

/// Letters between two fields.
const GAP: u32 = 3;

/// The largest rank of a field.
const RANK_MAX: u8 = 13;

/// One field of the status line.
#[derive(Clone, Debug)]
pub(in crate::window) struct StatusField {
    /// 0 is shown in any window; the largest rank is dropped first.
    pub(in crate::window) rank: u8,
    pub(in crate::window) color: [u8; 3],
    pub(in crate::window) text: String,
}

/// Draws the fields side by side at the top of the canvas, without the fields of the largest ranks
/// where not all of them fit. Below them are the sentences, beside that many pixels of the panel.
pub(in crate::window) fn draw<'a>(
    canvas: &mut HudCanvas<'_>,
    fields: &[StatusField],
    beside: u32,
    sentences: impl Iterator<Item = &'a str> + Clone,
) {
    let (size, scale) = (canvas.size, canvas.scale);
    let [letters, _] = room(size, scale);
    let first = beside.div_ceil(LETTER * scale);
    let lines = sentences.flat_map(|text| wrap(text, letters.saturating_sub(first)));
    let count = 1 + lines.clone().count() as u32;
    let block = PixelRect { x: 0, y: 0, width: size[0], height: height(count, scale) };
    canvas.begin_block("status", block, LIGHT_BACKING);
    let mut column = 0;
    for field in fitting(fields, letters) {
        canvas.write_in(block, [column, 0], field.color, &field.text);
        column += field.text.len() as u32 + GAP;
    }
    for (line, text) in (1..).zip(lines) {
        canvas.write_in(block, [first, line], ACCENT, text);
    }
}

/// Height of a status of that many lines, in pixels.
pub(in crate::window) fn height(lines: u32, scale: u32) -> u32 {
    block_size(0, lines, scale)[1]
}

/// The fields that fit side by side into `letters`.
fn fitting(fields: &[StatusField], letters: u32) -> impl Iterator<Item = &StatusField> {
    let up_to = move |rank| fields.iter().filter(move |field| field.rank <= rank);
    let width = |rank| {
        let widths = up_to(rank).map(|field| field.text.len() as u32 + GAP);
        widths.sum::<u32>().saturating_sub(GAP)
    };
    up_to((1..=RANK_MAX).rev().find(|&rank| width(rank) <= letters).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::hud::PLAIN;

    #[test]
    fn a_narrow_window_drops_the_largest_ranks() {
        let fields =
            [(0, "gas: 500,000 agents"), (3, "60.0 steps/s"), (11, "present"), (1, "paused")]
                .map(|(rank, text)| StatusField { rank, color: PLAIN, text: text.to_owned() });
        for (letters, expected) in [
            (0, &["gas: 500,000 agents"][..]),
            (28, &["gas: 500,000 agents", "paused"]),
            (43, &["gas: 500,000 agents", "60.0 steps/s", "paused"]),
            (53, &["gas: 500,000 agents", "60.0 steps/s", "present", "paused"]),
        ] {
            let shown: Vec<&str> = fitting(&fields, letters).map(|field| &*field.text).collect();
            assert_eq!(shown, expected, "{letters}");
            let fewer = fitting(&fields, letters.saturating_sub(1)).count();
            assert!(letters == 0 || fewer < expected.len(), "{letters}");
        }
    }
}
