//! Glow of bright places: `shaders/glow.wgsl`, from the frame through two small textures to the
//! surface.

use crate::window::present::gpu::pass::{self, Pass};

/// Pixels per side of a block of the frame that is averaged, as in the shader.
const BLOCK: u32 = 4;

/// Format of the light: plain 8-bit values, like the frame.
const LIGHT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The four stages, and the textures between them.
#[derive(Debug)]
pub(super) struct Glow {
    stages: [Pass; 4],
    targets: [wgpu::TextureView; 2],
}

impl Glow {
    /// Creates the stages for a frame and a surface of `format`. A new frame texture needs a new
    /// glow.
    pub(super) fn new(
        device: &wgpu::Device,
        frame: &wgpu::Texture,
        format: wgpu::TextureFormat,
    ) -> Self {
        let source = include_str!("../../../../shaders/glow.wgsl");
        let module = pass::module(device, "jostle glow", source);
        let frame_view = pass::view(frame);
        let size = [frame.width(), frame.height()].map(|side| side.div_ceil(BLOCK));
        let targets = [(); 2].map(|()| pass::target(device, LIGHT, size));
        let [one, other] = &targets;
        let smooth = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("jostle glow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        let view = wgpu::BindingResource::TextureView;
        let smooth = wgpu::BindingResource::Sampler(&smooth);
        let stages = [
            Pass::new(device, &module, "gather", LIGHT, &[view(&frame_view)]),
            Pass::new(device, &module, "blur_across", LIGHT, &[view(one)]),
            Pass::new(device, &module, "blur_down", LIGHT, &[view(other)]),
            Pass::new(device, &module, "shine", format, &[view(&frame_view), view(one), smooth]),
        ];
        Self { stages, targets }
    }

    /// Computes the light of the frame, which [`Self::shine`] adds to the frame.
    pub(super) fn gather(&self, encoder: &mut wgpu::CommandEncoder) {
        let [gather, across, down, _] = &self.stages;
        let [one, other] = &self.targets;
        gather.record(encoder, one);
        across.record(encoder, other);
        down.record(encoder, one);
    }

    /// The last stage, which draws frame and light onto the surface.
    pub(super) fn shine(&self) -> &Pass {
        &self.stages[3]
    }
}
