//! The glow: `shaders/glow.wgsl`, from the frame's texture through two small ones to the window.

use crate::window::present::pass::{self, Pass};

/// Pixels of the frame a side of a field that light is gathered from: as in the shader.
const FIELD: u32 = 4;

/// Light is kept as plain 8-bit values, like the frame.
const LIGHT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The four stages, and what each of them reads and writes.
#[derive(Debug)]
pub(super) struct Glow {
    stages: [Pass; 4],
    targets: [wgpu::TextureView; 2],
}

impl Glow {
    /// Around what is in `frame`, on a window of that format. Another frame asks for another glow.
    pub(super) fn new(
        device: &wgpu::Device,
        frame: &wgpu::Texture,
        format: wgpu::TextureFormat,
    ) -> Self {
        let source = include_str!("../../../shaders/glow.wgsl");
        let module = pass::module(device, "jostle glow", source);
        let frame_view = pass::view(frame);
        let size = [frame.width(), frame.height()].map(|side| side.div_ceil(FIELD));
        let targets = [(); 2].map(|()| pass::view(&pass::target(device, LIGHT, size)));
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
            Pass::of(device, &module, "gather", LIGHT, &[view(&frame_view)]),
            Pass::of(device, &module, "blur_across", LIGHT, &[view(one)]),
            Pass::of(device, &module, "blur_down", LIGHT, &[view(other)]),
            Pass::of(device, &module, "shine", format, &[view(&frame_view), view(one), smooth]),
        ];
        Self { stages, targets }
    }

    /// Gathers the light of the frame; [`Self::shine`] then puts it over the frame.
    pub(super) fn gather(&self, encoder: &mut wgpu::CommandEncoder) {
        let [gather, across, down, _] = &self.stages;
        let [one, other] = &self.targets;
        gather.record(encoder, one);
        across.record(encoder, other);
        down.record(encoder, one);
    }

    /// The last stage, to the window.
    pub(super) fn shine(&self) -> &Pass {
        &self.stages[3]
    }
}
