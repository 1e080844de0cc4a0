//! The panel over the frame: painted when it changes, and blended over every frame.
//!
//! ```text
//! triangles ─ triangle ─► words of the panel's rectangle ─┐
//!             a few times a second                        ├─ compose ─► window
//! frame ──────────────────────────────────────────────────┘  in every frame
//! ```

use std::collections::HashMap;

use egui::{
    ClippedPrimitive, Color32, ColorImage, ImageData, Mesh, Rect, TextureId, TexturesDelta,
    epaint::{ImageDelta, Primitive},
};
use rayon::ThreadPool;

use super::triangle::{Corner, PanelCanvas, over};
use crate::parallel;

/// Rows that one thread composes at a time.
const STRIPE: usize = 32;

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
    fn bounds(&self, size: [u32; 2]) -> [u32; 4] {
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

    /// Writes a frame of `size` pixels with the panel over it, on the threads of `pool`. `pack`
    /// makes a pixel of a word 0x00RRGGBB.
    pub(super) fn compose<T: Send>(
        &self,
        bytes: &[u8],
        size: [u32; 2],
        to: &mut [T],
        pack: impl Fn(u32) -> T + Sync,
        pool: &ThreadPool,
    ) {
        let (pixels, _) = bytes.as_chunks::<4>();
        let width = size[0] as usize;
        let word = |&[red, green, blue, _]: &[u8; 4]| u32::from_be_bytes([0, red, green, blue]);
        let stripe = |first: usize, (to, pixels): (&mut [T], &[[u8; 4]])| {
            let rows = to.chunks_mut(width).zip(pixels.chunks(width));
            for (y, (to, pixels)) in (first / width..).zip(rows) {
                for (to, pixel) in to.iter_mut().zip(pixels) {
                    *to = pack(word(pixel));
                }
                let (left, panel) = self.row(y, size);
                let covered = to[left..].iter_mut().zip(&pixels[left..]).zip(panel);
                for ((to, pixel), &above) in covered {
                    *to = pack(over(word(pixel), above) & 0x00ff_ffff);
                }
            }
        };
        pool.install(|| parallel::pieces((to, pixels), STRIPE * width, &stripe, &|(), ()| ()));
    }

    /// The first column and the words of the panel in row `y` of a frame of `size` pixels. There
    /// are none if the panel was laid out for another size, as during a resize.
    fn row(&self, y: usize, size: [u32; 2]) -> (usize, &[u32]) {
        let [left, top, width, height] = self.bounds.map(|side| side as usize);
        if size != self.size || !(top..top + height).contains(&y) {
            return (0, &[]);
        }
        (left, &self.words[(y - top) * width..][..width])
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
