//! One render pass: a shader that computes every pixel of a target from bound textures.

/// A pipeline and its bound resources.
#[derive(Debug)]
pub(super) struct Pass {
    pipeline: wgpu::RenderPipeline,
    bound: wgpu::BindGroup,
}

impl Pass {
    /// Creates the pass of `shaders/present.wgsl`, which copies `frame` to a target of `format`.
    pub(super) fn present(
        device: &wgpu::Device,
        frame: &wgpu::Texture,
        format: wgpu::TextureFormat,
    ) -> Self {
        let source = include_str!("../../../../shaders/present.wgsl");
        let module = module(device, "jostle present", source);
        let frame = view(frame);
        let frame = wgpu::BindingResource::TextureView(&frame);
        Self::new(device, &module, "present", format, &[frame])
    }

    /// Creates a pass of a module's fragment entry point. `resources` are bindings 0, 1, … of group
    /// 0.
    pub(super) fn new(
        device: &wgpu::Device,
        module: &wgpu::ShaderModule,
        entry: &str,
        target: impl Into<wgpu::ColorTargetState>,
        resources: &[wgpu::BindingResource<'_>],
    ) -> Self {
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(entry),
            layout: None,
            vertex: wgpu::VertexState {
                module,
                entry_point: Some("cover"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(target.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let entries = (0..).zip(resources);
        let entries: Vec<wgpu::BindGroupEntry<'_>> = entries
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        let bound = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(entry),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Self { pipeline, bound }
    }

    /// Records a pass over all of `target`.
    pub(super) fn record(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView) {
        self.draw(&mut begin(encoder, target, wgpu::Color::BLACK));
    }

    /// Draws within a render pass that has begun.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'static>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bound, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// Begins a render pass over a target, which it clears first.
pub(super) fn begin(
    encoder: &mut wgpu::CommandEncoder,
    target: &wgpu::TextureView,
    clear: wgpu::Color,
) -> wgpu::RenderPass<'static> {
    let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("jostle"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store },
        })],
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.forget_lifetime()
}

/// Creates a texture that shaders can read, with these other uses.
pub(super) fn texture(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    [width, height]: [u32; 2],
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("jostle"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: usage | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

/// Creates a texture that one pass draws and another one reads.
pub(super) fn target(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    size: [u32; 2],
) -> wgpu::TextureView {
    view(&texture(device, format, size, wgpu::TextureUsages::RENDER_ATTACHMENT))
}

/// Compiles a shader together with the vertex stage that all shaders share.
pub(super) fn module(device: &wgpu::Device, label: &str, source: &str) -> wgpu::ShaderModule {
    let source = [source, include_str!("../../../../shaders/screen.wgsl")].concat();
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    })
}

/// A view of the whole texture.
pub(super) fn view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
