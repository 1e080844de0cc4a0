//! The panel over the frame: egui's renderer paints it when it changes, and every frame blends it
//! in.
//!
//! ```text
//! triangles ─ egui's renderer ─► texture of the frame's size ─ panel.wgsl, in its pass ─► window
//!             a few times a second                               in the panel's rectangle
//! ```
//!
//! Letters and curves are hundreds of small triangles, but blending a texture always costs the
//! same.

use egui::{ClippedPrimitive, Rect, TextureId, TexturesDelta, epaint::Primitive};
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};

use crate::window::{
    hud::PixelRect,
    present::pass::{self, Pass},
};

/// The panel's pixels are plain 8-bit values, like the frame's.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A panel as triangles.
pub(in crate::window) struct Painting {
    /// Changes of egui's textures, most of which hold letters.
    pub(in crate::window) textures: TexturesDelta,
    /// The triangles to paint.
    pub(in crate::window) triangles: Vec<ClippedPrimitive>,
    /// Physical pixels per point of egui.
    pub(in crate::window) pixels_per_point: f32,
    /// Size of the frame in physical pixels.
    pub(in crate::window) size: [u32; 2],
    /// Opaque rectangle in points, below which the frame need not be drawn.
    pub(in crate::window) opaque: Rect,
}

/// Blends the panel over the frame.
pub(super) struct PanelOverlay {
    renderer: Renderer,
    module: wgpu::ShaderModule,
    /// Format of the window's surface.
    format: wgpu::TextureFormat,
    panel: Option<PaintedPanel>,
    /// Textures to free once the panel is painted.
    unneeded: Vec<TextureId>,
}

/// The panel that is shown.
struct PaintedPanel {
    triangles: Vec<ClippedPrimitive>,
    screen: ScreenDescriptor,
    texture: wgpu::TextureView,
    pass: Pass,
    /// Pixels that the panel touches.
    bounds: PixelRect,
    /// Pixels that the panel hides completely.
    hole: PixelRect,
    /// True if the triangles are not painted into the texture yet.
    stale: bool,
}

impl PanelOverlay {
    /// Creates an overlay without a panel, for surfaces of `format`.
    pub(super) fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        // Dithering hides bands in gradients, and the panel has none.
        let options = RendererOptions { dithering: false, ..RendererOptions::default() };
        let source = include_str!("../../../shaders/panel.wgsl");
        let module = pass::module(device, "jostle panel", source);
        let renderer = Renderer::new(device, FORMAT, options);
        Self { renderer, module, format, panel: None, unneeded: Vec::new() }
    }

    /// Shows this panel from now on.
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
            Some(PaintedPanel { texture, pass, .. }) => (texture, pass),
            None => self.canvas(device, size),
        };
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        self.panel =
            Some(PaintedPanel { triangles, screen, texture, pass, bounds, hole, stale: true });
    }

    /// Shows no panel from now on.
    pub(super) fn hide(&mut self) {
        self.panel = None;
    }

    /// Paints the panel into its texture if it has changed.
    pub(super) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let Some(panel) = &mut self.panel else { return };
        if std::mem::take(&mut panel.stale) {
            let PaintedPanel { triangles, screen, .. } = panel;
            // The result is empty: only paint callbacks have commands of their own.
            self.renderer.update_buffers(device, queue, encoder, triangles, screen);
            let mut pass = pass::begin(encoder, &panel.texture, wgpu::Color::TRANSPARENT);
            self.renderer.render(&mut pass, triangles, screen);
            for id in self.unneeded.drain(..) {
                self.renderer.free_texture(&id);
            }
        }
    }

    /// Pixels of a target of this size that the panel hides completely.
    pub(super) fn hole(&self, target: [u32; 2]) -> Option<PixelRect> {
        self.fitting(target).map(|panel| panel.hole)
    }

    /// Blends the panel over a target of this size.
    pub(super) fn record(&self, pass: &mut wgpu::RenderPass<'static>, target: [u32; 2]) {
        let Some(panel) = self.fitting(target) else { return };
        let PixelRect { x, y, width, height } = panel.bounds;
        pass.set_scissor_rect(x, y, width, height);
        panel.pass.draw(pass);
    }

    /// The panel, if it was laid out for the target's size. During a resize it may not be.
    fn fitting(&self, target: [u32; 2]) -> Option<&PaintedPanel> {
        let fits = |panel: &&PaintedPanel| target == panel.screen.size_in_pixels;
        self.panel.as_ref().filter(fits).filter(|panel| panel.bounds.width > 0)
    }

    /// Creates a texture for the panel, and the pass that blends it over the frame.
    fn canvas(&self, device: &wgpu::Device, size: [u32; 2]) -> (wgpu::TextureView, Pass) {
        let texture = pass::view(&pass::target(device, FORMAT, size));
        let blend = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;
        let target = wgpu::ColorTargetState { blend: Some(blend), ..self.format.into() };
        let resource = wgpu::BindingResource::TextureView(&texture);
        let pass = Pass::new(device, &self.module, "blend_panel", target, &[resource]);
        (texture, pass)
    }
}

/// Bounding rectangle of triangles, in points.
fn bounds(triangles: &[ClippedPrimitive]) -> Rect {
    let rects = triangles.iter().map(|ClippedPrimitive { clip_rect, primitive }| match primitive {
        Primitive::Mesh(mesh) => mesh.calc_bounds().intersect(*clip_rect),
        Primitive::Callback(_) => *clip_rect,
    });
    rects.filter(Rect::is_positive).fold(Rect::NOTHING, Rect::union)
}

/// The pixels of a frame that a rectangle in points touches.
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

impl std::fmt::Debug for PanelOverlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bounds = self.panel.as_ref().map(|panel| panel.bounds);
        f.debug_struct("PanelOverlay").field("bounds", &bounds).finish_non_exhaustive()
    }
}
