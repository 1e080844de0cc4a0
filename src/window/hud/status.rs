//! The status line at the top of the frame, and below it the last message and the warnings.

use std::sync::Arc;

use egui::Galley;

use super::{ACCENT, HudCanvas, PixelRect, block_size, place_in, room};

/// Points between two fields.
const GAP: u32 = 16;

/// The largest rank of a field.
const RANK_MAX: u8 = 13;

/// One field of the status line.
#[derive(Clone, Debug)]
pub(in crate::window) struct StatusField {
    /// 0 is shown in any window; the largest rank is dropped first.
    pub(in crate::window) rank: u8,
    pub(in crate::window) color: [u8; 3],
    pub(in crate::window) text: String,
    /// A text that would have room in its place, so that the fields behind it keep theirs.
    pub(in crate::window) widest: &'static str,
}

/// Draws the fields side by side at the top of the canvas, without the fields of the largest ranks
/// where not all of them fit. Below them are the sentences, beside that many pixels of the panel. The
/// picture behind them is darkened by `backing`, 0 to 1.
pub(in crate::window) fn draw<'a>(
    canvas: &mut HudCanvas<'_>,
    fields: &[StatusField],
    beside: u32,
    backing: f32,
    sentences: impl Iterator<Item = &'a str>,
) {
    let (size, scale) = (canvas.size, canvas.scale);
    let (sentences, height) = lines_of(canvas, beside, sentences);
    let block = PixelRect { x: 0, y: 0, width: size[0], height };
    canvas.begin_block("status", block, backing);
    let widths: Vec<_> = fields
        .iter()
        .map(|field| (field.rank, canvas.width(&field.text).max(canvas.width(field.widest))))
        .collect();
    let (rank, mut place) = (largest_rank(&widths, room(size, scale)[0]), 0);
    for (field, (_, width)) in fields.iter().zip(widths).filter(|(field, _)| field.rank <= rank) {
        canvas.write_in(block, [place, 0], field.color, &field.text);
        place += width + GAP;
    }
    let rows = sentences.iter().flat_map(|sentence| &sentence.rows);
    for (line, row) in (1..).zip(rows) {
        let [x, y] = place_in(block, [0, line], scale);
        canvas.write_row([x + beside, y], ACCENT, row);
    }
}

/// The sentences as lines beside that many pixels, and the height of the status with them.
fn lines_of<'a>(
    canvas: &mut HudCanvas<'_>,
    beside: u32,
    sentences: impl Iterator<Item = &'a str>,
) -> (Vec<Arc<Galley>>, u32) {
    let HudCanvas { size: [width, rows], scale, .. } = *canvas;
    let width = room([width.saturating_sub(beside), rows], scale)[0];
    let sentences = sentences.filter(|text| !text.is_empty());
    let sentences: Vec<_> = sentences.map(|text| canvas.text.lines(text, width, scale)).collect();
    let lines: usize = sentences.iter().map(|sentence| sentence.rows.len()).sum();
    (sentences, height(1 + lines as u32, scale))
}

/// Height of the status with these sentences, in pixels.
pub(in crate::window) fn height_with<'a>(
    canvas: &mut HudCanvas<'_>,
    beside: u32,
    sentences: impl Iterator<Item = &'a str>,
) -> u32 {
    lines_of(canvas, beside, sentences).1
}

/// Height of a status of that many lines, in pixels.
pub(in crate::window) fn height(lines: u32, scale: f32) -> u32 {
    block_size(0, lines, scale)[1]
}

/// The largest rank such that all fields up to it, of these ranks and widths, fit side by side into
/// `room`.
fn largest_rank(fields: &[(u8, u32)], room: u32) -> u8 {
    let width = |most| {
        let widths = fields.iter().filter(|(rank, _)| *rank <= most).map(|(_, width)| width + GAP);
        widths.sum::<u32>().saturating_sub(GAP)
    };
    (1..=RANK_MAX).rev().find(|&rank| width(rank) <= room).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_window_drops_the_largest_ranks() {
        let fields = [(0, 120), (3, 80), (11, 40), (1, 50)];
        for (room, shown) in [(0, 1), (120 + GAP + 50, 2), (250 + 2 * GAP, 3), (290 + 3 * GAP, 4)] {
            let up_to = |room| {
                let most = largest_rank(&fields, room);
                fields.iter().filter(|(rank, _)| *rank <= most).count()
            };
            assert_eq!(up_to(room), shown, "{room}");
            assert!(room == 0 || up_to(room - 1) < shown, "{room}");
        }
    }
}
