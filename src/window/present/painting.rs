//! A panel as triangles, which each presenter paints in its own way.

use egui::{ClippedPrimitive, Rect, TexturesDelta, epaint::Primitive};

/// A panel as triangles.
pub(in crate::window) struct Painting {
    /// Changes of egui's textures, most of which hold letters.
    pub(in crate::window) textures: TexturesDelta,
    /// The triangles to paint.
    pub(in crate::window) triangles: Vec<ClippedPrimitive>,
    /// Physical pixels per point of egui.
    pub(in crate::window) pixels_per_point: f32,
}

impl Painting {
    /// Left, top, width and height of the pixels of a frame that the triangles touch.
    pub(super) fn bounds(&self, size: [u32; 2]) -> [u32; 4] {
        let rects =
            self.triangles.iter().map(
                |ClippedPrimitive { clip_rect, primitive }| match primitive {
                    Primitive::Mesh(mesh) => mesh.calc_bounds().intersect(*clip_rect),
                    Primitive::Callback(_) => *clip_rect,
                },
            );
        let points = rects.filter(Rect::is_positive).fold(Rect::NOTHING, Rect::union);
        let frame = Rect::from_min_size(egui::Pos2::ZERO, size.map(|side| side as f32).into());
        let touched = (points * self.pixels_per_point).intersect(frame);
        if !touched.is_positive() {
            return [0; 4];
        }
        let [left, top] = [touched.min.x, touched.min.y].map(|side| side.floor() as u32);
        let [right, bottom] = [touched.max.x, touched.max.y].map(|side| side.ceil() as u32);
        [left, top, right - left, bottom - top]
    }
}
