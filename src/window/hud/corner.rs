//! The lower left corner: the scale bar and the legends of a picture, beside the world where there is room.
//!
//! ```text
//! left of the world     below it            over its corner
//! ┌────────┬───────┐    ┌──────────────┐    ┌──────────────┐
//! │        │ world │    │    world     │    │ legend world │
//! │ legend │       │    ├──────────────┤    │ bar          │
//! │ bar    │       │    │ bar  legend  │    └──────────────┘
//! └────────┴───────┘    └──────────────┘
//! ```

use super::{
    HudCanvas, MARGIN, SPACE,
    legend::{LOW_HEIGHT, LegendBlock},
    pixels,
    scale_bar::ScaleBar,
};
use crate::{
    geometry::Rect,
    raster::{Camera, Renderer},
};

/// A picture of fewer rows, in heights of a legend, has none.
const SHARE: u32 = 4;

/// Rows that the scale bar and a legend take below the world, above rows at the bottom of which there
/// are `above`.
pub(in crate::window) fn height(scale: f32, above: u32) -> u32 {
    // A pixel is for the border of the world.
    pixels(LOW_HEIGHT, scale) + margin_below(scale, above) + 1
}

/// Pixels to what is below: the timeline has room of its own.
fn margin_below(scale: f32, above: u32) -> u32 {
    pixels(if above > 0 { SPACE } else { MARGIN }, scale)
}

/// Draws the scale bar and the legends of a renderer's style into a picture of `world` with these species,
/// beside columns at the left, and above rows at the bottom. What is wider than the picture beside the columns
/// is left out.
pub(in crate::window) fn draw(
    canvas: &mut HudCanvas<'_>,
    camera: &Camera,
    (world, species): (&Rect, &[String]),
    renderer: &Renderer,
    [beside, above]: [u32; 2],
) {
    let (margin, style) = (canvas.pixels(MARGIN), renderer.style());
    let bar = ScaleBar::new(canvas, camera.scale);
    let legends = [style.legend(species)].into_iter().chain(style.overlay_legend());
    let [width, rows] = canvas.size;
    let fits = |block: [u32; 2]| beside + margin + block[0] <= width && rows >= SHARE * block[1];
    let [high, low] = [false, true].map(|is_low| {
        let blocks = legends.clone().map(|legend| LegendBlock::new(canvas, legend, is_low));
        blocks.filter(|block| fits(block.size)).collect::<Vec<_>>()
    });
    let [column, row] = [&high, &low].map(|blocks| {
        let legends = blocks.iter().map(|block| block.size);
        [bar.size].into_iter().chain(legends).collect::<Vec<_>>()
    });
    let bottom = canvas.size[1].saturating_sub(above + margin_below(canvas.scale, above));
    let (corner, frame) = ([beside + margin, bottom], canvas.size[0]);
    let world = camera.to_pixel(world.min).to_array();
    let places = places([&column, &row], corner, (world, frame), margin);
    let Some((is_row, places)) = places else { return };
    let blocks = if is_row { low } else { high };
    if fits([bar.size[0], 0]) {
        bar.draw(canvas, places[0]);
    }
    for (legend, place) in blocks.iter().zip(&places[1..]) {
        legend.draw(canvas, renderer.color_table(), *place);
    }
}

/// The upper left corners of blocks, with a margin between two, and whether they are a row. They begin
/// in the lower left corner of a frame. They lie above each other, with the sizes `column`, or side by
/// side, with the sizes `row`, if only that keeps them off the world and fits the width `frame`. The
/// lower left corner of the world is at the pixel `world`. `None` without room above each other.
fn places(
    [column, row]: [&[[u32; 2]]; 2],
    [left, bottom]: [u32; 2],
    (world, frame): ([f32; 2], u32),
    margin: u32,
) -> Option<(bool, Vec<[u32; 2]>)> {
    let largest = |sizes: &[[u32; 2]], axis: usize| sizes.iter().map(|size| size[axis]).max();
    let sum = |sizes: &[[u32; 2]], axis: usize| {
        sizes.iter().map(|size| size[axis] + margin).sum::<u32>() - margin
    };
    let covers = |width: u32, height: u32| {
        (left + width) as f32 > world[0] && (bottom as f32 - height as f32) < world[1]
    };
    let is_row = left + sum(row, 0) <= frame
        && covers(largest(column, 0)?, sum(column, 1))
        && !covers(sum(row, 0), largest(row, 1)?);
    let mut at = [left, bottom];
    let place = |&[width, height]: &[u32; 2]| {
        let place = [at[0], at[1].checked_sub(height)?];
        if is_row {
            at[0] += width + margin;
        } else {
            at[1] = place[1].saturating_sub(margin);
        }
        Some(place)
    };
    let sizes = if is_row { row } else { column };
    Some((is_row, sizes.iter().map(place).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_beside_the_world_where_there_is_room() {
        let sizes: [&[_]; 2] = [&[[100, 30], [150, 50]], &[[100, 30], [180, 34]]];
        let above = Some((false, vec![[8, 470], [8, 412]]));
        let in_row = Some((true, vec![[8, 470], [116, 466]]));
        for (world, places_of_blocks) in [
            // There is room left of the world for one, and below it for the higher one.
            ([158.0, 490.0], &above),
            ([157.0, 466.0], &in_row),
            ([10.0, 466.0], &in_row),
            // There is room for neither.
            ([157.0, 467.0], &above),
            ([-500.0, 900.0], &above),
        ] {
            assert_eq!(&places(sizes, [8, 500], (world, 300), 8), places_of_blocks, "{world:?}");
        }
        // A row would end beyond the frame.
        assert_eq!(places(sizes, [8, 500], ([10.0, 450.0], 200), 8), above);
        assert_eq!(places(sizes, [8, 60], ([0.0, 900.0], 300), 8), None);
    }
}
