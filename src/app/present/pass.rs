//! The one pass that the GPU makes: `shaders/present.wgsl`, from the frame's texture to the window.

use pixels::wgpu;

/// A pipeline, and the frame that it is bound to.
#[derive(Debug)]
pub(super) struct Pass {
    pipeline: wgpu::RenderPipeline,
    frame: wgpu::BindGroup,
}

impl Pass {
    /// From `frame` to a window of that format.
    pub(super) fn new(
        device: &wgpu::Device,
        frame: &wgpu::Texture,
        format: wgpu::TextureFormat,
    ) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("jostle present"),
            source: wgpu::ShaderSource::Wgsl(include_str!("../../../shaders/present.wgsl").into()),
        });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("jostle present"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("cover"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("present"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let frame = bind(device, &pipeline, frame);
        Self { pipeline, frame }
    }

    /// From another texture: a resized frame is a new one.
    pub(super) fn rebind(&mut self, device: &wgpu::Device, frame: &wgpu::Texture) {
        self.frame = bind(device, &self.pipeline, frame);
    }

    /// Covers `target` with the frame, and hands the pass on for what else is to be painted over it.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
    ) -> wgpu::RenderPass<'static> {
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("jostle present"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: None,
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        let mut pass = pass.forget_lifetime();
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.frame, &[]);
        pass.draw(0..3, 0..1);
        pass
    }
}

fn bind(
    device: &wgpu::Device,
    pipeline: &wgpu::RenderPipeline,
    frame: &wgpu::Texture,
) -> wgpu::BindGroup {
    let view = frame.create_view(&wgpu::TextureViewDescriptor::default());
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("jostle frame"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(&view),
        }],
    })
}
