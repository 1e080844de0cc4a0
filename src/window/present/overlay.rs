//! The panel over the frame: painted by egui's renderer when it changes, and laid over every frame.
//!
//! ```text
//! triangles ─ egui's renderer ─► a texture of the frame's size ─ panel.wgsl, in the frame's pass ─► window
//!             a few times a second                               in the panel's rectangle
//! ```
//!
//! Letters and curves are hundreds of small triangles; to lay a texture over is the same for any of them.

use egui::{ClippedPrimitive, Rect, TextureId, TexturesDelta, epaint::Primitive};
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};

use crate::window::{
    hud::PixelRect,
    present::pass::{self, Pass},
};

/// The panel's pixels are plain 8-bit values, like the frame's.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A panel that was laid out, in triangles.
pub(in crate::window) struct Painting {
    /// What changed in the textures; most of it is letters.
    pub(in crate::window) textures: TexturesDelta,
    /// What is painted.
    pub(in crate::window) triangles: Vec<ClippedPrimitive>,
    /// Physical pixels for one of egui's points.
    pub(in crate::window) pixels_per_point: f32,
    /// Physical pixels of the frame that it is laid out for.
    pub(in crate::window) size: [u32; 2],
    /// Where nothing shows through: what is below need not be drawn. Points.
    pub(in crate::window) opaque: Rect,
}

/// What is laid over the frame.
pub(super) struct Overlay {
    renderer: Renderer,
    module: wgpu::ShaderModule,
    /// Of the window.
    format: wgpu::TextureFormat,
    panel: Option<Panel>,
    /// Textures that nothing needs once the panel is painted.
    unneeded: Vec<TextureId>,
}

/// A panel on show.
struct Panel {
    triangles: Vec<ClippedPrimitive>,
    screen: ScreenDescriptor,
    texture: wgpu::TextureView,
    pass: Pass,
    /// Where there is anything of it.
    bounds: PixelRect,
    /// Where nothing shows through.
    hole: PixelRect,
    /// True if the triangles are not in the texture yet.
    stale: bool,
}

impl Overlay {
    /// Nothing, on windows of that format.
    pub(super) fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        // Dithering hides bands in gradients, and the panel has none.
        let options = RendererOptions { dithering: false, ..RendererOptions::default() };
        let source = include_str!("../../../shaders/panel.wgsl");
        let module = pass::module(device, "jostle panel", source);
        let renderer = Renderer::new(device, FORMAT, options);
        Self { renderer, module, format, panel: None, unneeded: Vec::new() }
    }

    /// This panel from now on.
    pub(super) fn show(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, painting: Painting) {
        let Painting { textures, triangles, pixels_per_point, size, opaque } = painting;
        for (id, delta) in &textures.set {
            self.renderer.update_texture(device, queue, *id, delta);
        }
        self.unneeded.extend(textures.free);
        let bounds = pixels_of(bounds(&triangles), pixels_per_point, size);
        let hole = pixels_of(opaque, pixels_per_point, size);
        let before = self.panel.take().filter(|panel| panel.screen.size_in_pixels == size);
        let (texture, pass) = match before {
            Some(Panel { texture, pass, .. }) => (texture, pass),
            None => self.canvas(device, size),
        };
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        self.panel = Some(Panel { triangles, screen, texture, pass, bounds, hole, stale: true });
    }

    /// Nothing from now on.
    pub(super) fn hide(&mut self) {
        self.panel = None;
    }

    /// Paints what isn't painted yet.
    pub(super) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let Some(panel) = &mut self.panel else { return };
        if std::mem::take(&mut panel.stale) {
            let Panel { triangles, screen, .. } = panel;
            // Only paint callbacks have commands of their own, and there are none.
            self.renderer.update_buffers(device, queue, encoder, triangles, screen);
            let mut pass = pass::begin(encoder, &panel.texture, wgpu::Color::TRANSPARENT);
            self.renderer.render(&mut pass, triangles, screen);
            for id in self.unneeded.drain(..) {
                self.renderer.free_texture(&id);
            }
        }
    }

    /// Where it hides what is below in a target of that size.
    pub(super) fn hole(&self, target: [u32; 2]) -> Option<PixelRect> {
        self.fitting(target).map(|panel| panel.hole)
    }

    /// Lays it over.
    pub(super) fn record(&self, pass: &mut wgpu::RenderPass<'static>, target: [u32; 2]) {
        let Some(panel) = self.fitting(target) else { return };
        let PixelRect { x, y, width, height } = panel.bounds;
        pass.set_scissor_rect(x, y, width, height);
        panel.pass.draw(pass);
    }

    /// The panel, if the target has the size that it was laid out for: while a window is being resized, it
    /// may not.
    fn fitting(&self, target: [u32; 2]) -> Option<&Panel> {
        let fits = |panel: &&Panel| target == panel.screen.size_in_pixels;
        self.panel.as_ref().filter(fits).filter(|panel| panel.bounds.width > 0)
    }

    /// A texture of that size, and the pass that lays it over.
    fn canvas(&self, device: &wgpu::Device, size: [u32; 2]) -> (wgpu::TextureView, Pass) {
        let texture = pass::view(&pass::target(device, FORMAT, size));
        let blend = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;
        let target = wgpu::ColorTargetState { blend: Some(blend), ..self.format.into() };
        let resource = wgpu::BindingResource::TextureView(&texture);
        let pass = Pass::of(device, &self.module, "lay_over", target, &[resource]);
        (texture, pass)
    }
}

/// The rectangle that all triangles are in, points.
fn bounds(triangles: &[ClippedPrimitive]) -> Rect {
    let rects = triangles.iter().map(|ClippedPrimitive { clip_rect, primitive }| match primitive {
        Primitive::Mesh(mesh) => mesh.calc_bounds().intersect(*clip_rect),
        Primitive::Callback(_) => *clip_rect,
    });
    rects.filter(Rect::is_positive).fold(Rect::NOTHING, Rect::union)
}

/// The pixels that a rectangle of points touches in a frame of that size.
fn pixels_of(rect: Rect, scale: f32, [width, height]: [u32; 2]) -> PixelRect {
    if !rect.is_positive() {
        return PixelRect { x: 0, y: 0, width: 0, height: 0 };
    }
    let pixel = |point: f32, most: u32| (point * scale).clamp(0.0, most as f32);
    let (x, y) = (pixel(rect.min.x, width).floor(), pixel(rect.min.y, height).floor());
    let (right, bottom) = (pixel(rect.max.x, width).ceil(), pixel(rect.max.y, height).ceil());
    let [x, y, width, height] = [x, y, right - x, bottom - y].map(|side| side as u32);
    PixelRect { x, y, width, height }
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bounds = self.panel.as_ref().map(|panel| panel.bounds);
        f.debug_struct("Overlay").field("bounds", &bounds).finish_non_exhaustive()
    }
}
