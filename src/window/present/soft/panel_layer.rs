//! The panel over the frame: painted when it changes, and blended over every frame.
//!
//! ```text
//! triangles ─ triangle ─► words of the panel's rectangle ─ word::over ─► a row of the window
//!             a few times a second                          in every frame
//! ```

use std::collections::HashMap;

use egui::{
    ClippedPrimitive, Color32, ColorImage, ImageData, Mesh, Rect, TextureId, TexturesDelta,
    epaint::{ImageDelta, Primitive},
};

use super::{
    triangle::{Corner, PanelCanvas},
    word,
};
use crate::window::present::painting::Painting;

/// The panel that is shown, if one is.
#[derive(Default)]
pub(super) struct PanelLayer {
    /// egui's textures, most of which hold letters.
    textures: HashMap<TextureId, ColorImage>,
    /// The pixels of the rectangle, premultiplied by alpha; empty if no panel is shown.
    words: Vec<u32>,
    /// Left, top, width and height of the rectangle in the frame.
    bounds: [u32; 4],
    /// Size of the frame that the panel was laid out for.
    size: [u32; 2],
}

impl PanelLayer {
    /// Paints this panel and shows it from now on over frames of `size` pixels.
    pub(super) fn paint(&mut self, size: [u32; 2], painting: &Painting) {
        let TexturesDelta { set, free } = &painting.textures;
        for (id, delta) in set {
            update(&mut self.textures, *id, delta);
        }
        self.size = size;
        self.bounds = painting.bounds(size);
        let [_, _, width, height] = self.bounds;
        self.words.clear();
        self.words.resize(width as usize * height as usize, 0);
        for ClippedPrimitive { clip_rect, primitive } in &painting.triangles {
            if let Primitive::Mesh(mesh) = primitive {
                self.paint_mesh(mesh, *clip_rect, painting.pixels_per_point);
            }
        }
        for id in free {
            self.textures.remove(id);
        }
    }

    /// Shows no panel from now on.
    pub(super) fn hide(&mut self) {
        self.words.clear();
        self.bounds = [0; 4];
    }

    /// Blends the panel over row `y` of a frame of `size` pixels, if it was laid out for that size.
    /// During a resize it may not be.
    pub(super) fn cover(&self, y: usize, size: [u32; 2], words: &mut [u32]) {
        let [left, top, width, height] = self.bounds.map(|side| side as usize);
        if size != self.size || !(top..top + height).contains(&y) {
            return;
        }
        let panel = &self.words[(y - top) * width..][..width];
        for (word, &above) in words[left..left + width].iter_mut().zip(panel) {
            *word = word::over(*word, above) & 0x00ff_ffff;
        }
    }

    /// Paints the part of a mesh that is in the rectangle `clip`, in points.
    fn paint_mesh(&mut self, mesh: &Mesh, clip: Rect, scale: f32) {
        let Some(texture) = self.textures.get(&mesh.texture_id) else { return };
        let [left, top, width, height] = self.bounds.map(|side| side as f32);
        let clip = clip * scale;
        let within =
            |edge: f32, first: f32, sides: f32| (edge.round() - first).clamp(0.0, sides) as usize;
        let mut canvas = PanelCanvas {
            words: &mut self.words,
            width: width as usize,
            clip: [
                within(clip.min.x, left, width),
                within(clip.min.y, top, height),
                within(clip.max.x, left, width),
                within(clip.max.y, top, height),
            ],
        };
        let texels = texture.size.map(|side| side as f32);
        let corner = |index: u32| {
            let vertex = &mesh.vertices[index as usize];
            Corner {
                at: vertex.pos * scale - egui::vec2(left, top),
                texel: egui::pos2(vertex.uv.x * texels[0], vertex.uv.y * texels[1]),
                color: vertex.color,
            }
        };
        let (triangles, _) = mesh.indices.as_chunks::<3>();
        for triangle in triangles {
            canvas.triangle(triangle.map(corner), texture);
        }
    }
}

/// Replaces a texture, or a part of it.
fn update(textures: &mut HashMap<TextureId, ColorImage>, id: TextureId, delta: &ImageDelta) {
    let ImageData::Color(image) = &delta.image;
    let Some([left, top]) = delta.pos else {
        textures.insert(id, ColorImage::clone(image));
        return;
    };
    let Some(texture) = textures.get_mut(&id) else { return };
    let (width, columns) = (texture.size[0], image.size[0]);
    let rows: std::slice::ChunksExact<'_, Color32> = image.pixels.chunks_exact(columns.max(1));
    for (row, from) in (top..).zip(rows) {
        texture.pixels[row * width + left..][..columns].copy_from_slice(from);
    }
}
