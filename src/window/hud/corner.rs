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

use super::{HudCanvas, MARGIN, legend, scale_bar::ScaleBar};
use crate::{
    geometry::Rect,
    raster::{Camera, Renderer},
};

/// A picture of fewer rows, in heights of a legend, has none.
const SHARE: u32 = 4;

/// Draws the scale bar and the legends of a renderer's style into a picture of `world`, beside columns at
/// the left, and above rows at the bottom.
pub(in crate::window) fn draw(
    canvas: &mut HudCanvas<'_>,
    camera: &Camera,
    world: &Rect,
    renderer: &Renderer,
    [beside, _, above]: [u32; 3],
) {
    let (margin, style) = (canvas.pixels(MARGIN), renderer.style());
    let bar = ScaleBar::new(canvas, camera.scale);
    let legends = [style.legend()].into_iter().chain(style.overlay_legend());
    let legends = legends.map(|legend| (legend::size(&legend, canvas.scale), legend));
    let legends: Vec<_> =
        legends.filter(|([_, height], _)| canvas.size[1] >= SHARE * height).collect();
    let sizes: Vec<_> =
        [bar.size].into_iter().chain(legends.iter().map(|(size, _)| *size)).collect();
    let corner = [beside + margin, canvas.size[1].saturating_sub(above + margin)];
    let world = camera.to_pixel(world.min).to_array();
    let frame = canvas.size[0];
    let Some(places) = places(&sizes, corner, (world, frame), margin) else { return };
    bar.draw(canvas, places[0]);
    for ((_, legend), place) in legends.iter().zip(&places[1..]) {
        legend::draw(canvas, legend, renderer.color_table(), *place);
    }
}

/// The upper left corners of blocks of these sizes, with a margin between two. They begin in the lower
/// left corner of a frame and lie above each other, or side by side if only that keeps them off the
/// world and fits the width `frame`. The lower left corner of the world is at the pixel `world`. `None`
/// without room above each other.
fn places(
    sizes: &[[u32; 2]],
    [left, bottom]: [u32; 2],
    (world, frame): ([f32; 2], u32),
    margin: u32,
) -> Option<Vec<[u32; 2]>> {
    let largest = |axis: usize| sizes.iter().map(|size| size[axis]).max().unwrap_or(0);
    let sum = |axis: usize| sizes.iter().map(|size| size[axis] + margin).sum::<u32>() - margin;
    let covers = |width: u32, height: u32| {
        (left + width) as f32 > world[0] && (bottom as f32 - height as f32) < world[1]
    };
    let fits = left + sum(0) <= frame;
    let is_row = fits && covers(largest(0), sum(1)) && !covers(sum(0), largest(1));
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
    sizes.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_beside_the_world_where_there_is_room() {
        let sizes = [[100, 30], [150, 50]];
        let above = Some(vec![[8, 470], [8, 412]]);
        let in_row = Some(vec![[8, 470], [116, 450]]);
        for (world, places_of_blocks) in [
            // There is room left of the world for one, and below it for the higher one.
            ([158.0, 490.0], &above),
            ([157.0, 450.0], &in_row),
            ([10.0, 450.0], &in_row),
            // There is room for neither.
            ([157.0, 451.0], &above),
            ([-500.0, 900.0], &above),
        ] {
            assert_eq!(&places(&sizes, [8, 500], (world, 300), 8), places_of_blocks, "{world:?}");
        }
        // A row would end beyond the frame.
        assert_eq!(places(&sizes, [8, 500], ([10.0, 450.0], 200), 8), above);
        assert_eq!(places(&sizes, [8, 60], ([0.0, 900.0], 300), 8), None);
    }
}
