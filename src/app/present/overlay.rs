//! The panel over the frame: egui's triangles, painted in the same pass.
//!
//! Triangles stay on the GPU until the panel is laid out anew, which is far less often than frames come.

use egui::{ClippedPrimitive, TexturesDelta};
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};
use pixels::wgpu;

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

/// What is painted over the frame.
pub(super) struct Overlay {
    renderer: Renderer,
    triangles: Vec<ClippedPrimitive>,
    screen: ScreenDescriptor,
    /// True if the GPU has not got the triangles yet.
    stale: bool,
}

impl Overlay {
    /// Paints nothing, on windows of that format.
    pub(super) fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        // Dithering hides bands in gradients, and the panel has none.
        let options = RendererOptions { dithering: false, ..RendererOptions::default() };
        Self {
            renderer: Renderer::new(device, format, options),
            triangles: Vec::new(),
            screen: ScreenDescriptor { size_in_pixels: [1, 1], pixels_per_point: 1.0 },
            stale: false,
        }
    }

    /// Paints this from now on.
    pub(super) fn show(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, painting: Painting) {
        let Painting { textures, triangles, pixels_per_point, size } = painting;
        for (id, delta) in &textures.set {
            self.renderer.update_texture(device, queue, *id, delta);
        }
        for id in &textures.free {
            self.renderer.free_texture(id);
        }
        self.screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        self.triangles = triangles;
        self.stale = true;
    }

    /// Paints nothing from now on.
    pub(super) fn hide(&mut self) {
        self.triangles.clear();
    }

    /// Sends the GPU what it hasn't got.
    pub(super) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        if std::mem::take(&mut self.stale) {
            let (triangles, screen) = (&self.triangles, &self.screen);
            // Only paint callbacks have commands of their own, and there are none.
            self.renderer.update_buffers(device, queue, encoder, triangles, screen);
        }
    }

    /// Paints, if the target has the size that the panel was laid out for: while a window is being
    /// resized, it may not.
    pub(super) fn record(&self, pass: &mut wgpu::RenderPass<'static>, target: [u32; 2]) {
        if !self.triangles.is_empty() && target == self.screen.size_in_pixels {
            self.renderer.render(pass, &self.triangles, &self.screen);
        }
    }
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay").field("triangles", &self.triangles.len()).finish_non_exhaustive()
    }
}
