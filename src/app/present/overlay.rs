//! The panel over the frame: painted by egui's renderer when it changes, and laid over every frame.
//!
//! ```text
//! triangles ─ egui's renderer ─► a texture of the frame's size ─ panel.wgsl, in the frame's pass ─► window
//!             a few times a second                               in the panel's rectangle
//! ```
//!
//! Letters and curves are hundreds of small triangles; to lay a texture over is the same for any of them.

use egui::{ClippedPrimitive, TexturesDelta, epaint::Primitive};
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};
use pixels::wgpu;

use crate::app::present::pass::{self, Pass};

/// The panel's pixels are plain 8-bit values, like the frame's.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A panel that was laid out, in triangles.
pub(in crate::app) struct Painting {
    /// What changed in the textures; most of it is letters.
    pub(in crate::app) textures: TexturesDelta,
    /// What is painted.
    pub(in crate::app) triangles: Vec<ClippedPrimitive>,
    /// Physical pixels for one of egui's points.
    pub(in crate::app) pixels_per_point: f32,
    /// Physical pixels of the frame that it is laid out for.
    pub(in crate::app) size: [u32; 2],
}

/// What is laid over the frame.
pub(super) struct Overlay {
    renderer: Renderer,
    module: wgpu::ShaderModule,
    /// Of the window.
    format: wgpu::TextureFormat,
    panel: Option<Panel>,
}

/// A panel on show.
struct Panel {
    triangles: Vec<ClippedPrimitive>,
    screen: ScreenDescriptor,
    texture: wgpu::TextureView,
    pass: Pass,
    /// Where there is anything of it: left, top, width and height.
    bounds: [u32; 4],
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
        Self { renderer: Renderer::new(device, FORMAT, options), module, format, panel: None }
    }

    /// This panel from now on.
    pub(super) fn show(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, painting: Painting) {
        let Painting { textures, triangles, pixels_per_point, size } = painting;
        for (id, delta) in &textures.set {
            self.renderer.update_texture(device, queue, *id, delta);
        }
        for id in &textures.free {
            self.renderer.free_texture(id);
        }
        let bounds = bounds(&triangles, pixels_per_point, size);
        let before = self.panel.take().filter(|panel| panel.screen.size_in_pixels == size);
        let (texture, pass) = match before {
            Some(Panel { texture, pass, .. }) => (texture, pass),
            None => self.canvas(device, size),
        };
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        self.panel = Some(Panel { triangles, screen, texture, pass, bounds, stale: true });
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
        }
    }

    /// Lays it over, if the target has the size that it was laid out for: while a window is being resized,
    /// it may not.
    pub(super) fn record(&self, pass: &mut wgpu::RenderPass<'static>, target: [u32; 2]) {
        let Some(panel) = &self.panel else { return };
        let [x, y, width, height] = panel.bounds;
        if target == panel.screen.size_in_pixels && width > 0 && height > 0 {
            pass.set_viewport(0.0, 0.0, target[0] as f32, target[1] as f32, 0.0, 1.0);
            pass.set_scissor_rect(x, y, width, height);
            panel.pass.draw(pass);
        }
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

/// The rectangle that all triangles are in, physical pixels: left, top, width and height.
fn bounds(triangles: &[ClippedPrimitive], scale: f32, [width, height]: [u32; 2]) -> [u32; 4] {
    let rects = triangles.iter().map(|ClippedPrimitive { clip_rect, primitive }| match primitive {
        Primitive::Mesh(mesh) => mesh.calc_bounds().intersect(*clip_rect),
        Primitive::Callback(_) => *clip_rect,
    });
    let all = rects.filter(egui::Rect::is_positive).fold(egui::Rect::NOTHING, egui::Rect::union);
    if !all.is_positive() {
        return [0; 4];
    }
    let pixel = |point: f32, most: u32| (point * scale).clamp(0.0, most as f32);
    let (left, top) = (pixel(all.min.x, width).floor(), pixel(all.min.y, height).floor());
    let (right, bottom) = (pixel(all.max.x, width).ceil(), pixel(all.max.y, height).ceil());
    [left, top, right - left, bottom - top].map(|side| side as u32)
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bounds = self.panel.as_ref().map(|panel| panel.bounds);
        f.debug_struct("Overlay").field("bounds", &bounds).finish_non_exhaustive()
    }
}
