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

use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};

use crate::window::present::{
    gpu::pass::{self, Pass},
    painting::Painting,
};

/// The panel's pixels are plain 8-bit values, like the frame's.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Blends the panel over the frame.
pub(super) struct PanelOverlay {
    renderer: Renderer,
    module: wgpu::ShaderModule,
    /// Format of the window's surface.
    format: wgpu::TextureFormat,
    panel: Option<PaintedPanel>,
}

/// The panel that is shown.
struct PaintedPanel {
    texture: wgpu::TextureView,
    /// Blends the texture over the frame.
    pass: Pass,
    /// Size of the texture.
    size: [u32; 2],
    /// Left, top, width and height of the pixels that the panel touches.
    bounds: [u32; 4],
}

impl PanelOverlay {
    /// Creates an overlay without a panel, for surfaces of `format`.
    pub(super) fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        // Dithering hides bands in gradients, and the panel has none.
        let options = RendererOptions { dithering: false, ..RendererOptions::default() };
        let source = include_str!("../../../../shaders/panel.wgsl");
        let module = pass::module(device, "jostle panel", source);
        Self { renderer: Renderer::new(device, FORMAT, options), module, format, panel: None }
    }

    /// Paints this panel and shows it from now on over frames of `size` pixels.
    pub(super) fn show(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        size: [u32; 2],
        painting: Painting,
    ) {
        let bounds = painting.bounds(size);
        let Painting { textures, triangles, pixels_per_point } = painting;
        for (id, delta) in &textures.set {
            self.renderer.update_texture(device, queue, *id, delta);
        }
        let former = self.panel.take().filter(|panel| panel.size == size);
        let (texture, pass) = match former {
            Some(PaintedPanel { texture, pass, .. }) => (texture, pass),
            None => self.canvas(device, size),
        };
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        // The result is empty: only paint callbacks have commands of their own.
        self.renderer.update_buffers(device, queue, &mut encoder, &triangles, &screen);
        let mut painted = pass::begin(&mut encoder, &texture, wgpu::Color::TRANSPARENT);
        self.renderer.render(&mut painted, &triangles, &screen);
        drop(painted);
        queue.submit([encoder.finish()]);
        for id in &textures.free {
            self.renderer.free_texture(id);
        }
        self.panel = Some(PaintedPanel { texture, pass, size, bounds });
    }

    /// Shows no panel from now on.
    pub(super) fn hide(&mut self) {
        self.panel = None;
    }

    /// Blends the panel over a target of this size, if it was laid out for that size. During a
    /// resize it may not be.
    pub(super) fn record(&self, pass: &mut wgpu::RenderPass<'static>, target: [u32; 2]) {
        let Some(panel) = self.panel.as_ref().filter(|panel| panel.size == target) else { return };
        let [x, y, width, height] = panel.bounds;
        if width > 0 && height > 0 {
            pass.set_scissor_rect(x, y, width, height);
            panel.pass.draw(pass);
        }
    }

    /// Creates a texture for the panel, and the pass that blends it over the frame.
    fn canvas(&self, device: &wgpu::Device, size: [u32; 2]) -> (wgpu::TextureView, Pass) {
        let texture = pass::target(device, FORMAT, size);
        let blend = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;
        let target = wgpu::ColorTargetState { blend: Some(blend), ..self.format.into() };
        let resource = wgpu::BindingResource::TextureView(&texture);
        let pass = Pass::new(device, &self.module, "blend_panel", target, &[resource]);
        (texture, pass)
    }
}
