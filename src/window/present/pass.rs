//! One render pass: a shader that computes every pixel of a target from bound textures.

use crate::window::hud::PixelRect;

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
        let source = include_str!("../../../shaders/present.wgsl");
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

    /// Draws all of a target of `size` pixels except a hole.
    pub(super) fn draw_around(
        &self,
        pass: &mut wgpu::RenderPass<'static>,
        size: [u32; 2],
        hole: Option<PixelRect>,
    ) {
        for PixelRect { x, y, width, height } in around(size, hole) {
            if width > 0 && height > 0 {
                pass.set_scissor_rect(x, y, width, height);
                self.draw(pass);
            }
        }
    }
}

/// The parts of a frame around a hole: above, below, left, right.
fn around([width, height]: [u32; 2], hole: Option<PixelRect>) -> [PixelRect; 4] {
    let hole = hole.unwrap_or(PixelRect { x: 0, y: height, width, height: 0 });
    let (right, bottom) = (hole.x + hole.width, hole.y + hole.height);
    [
        PixelRect { x: 0, y: 0, width, height: hole.y },
        PixelRect { x: 0, y: bottom, width, height: height - bottom },
        PixelRect { x: 0, y: hole.y, width: hole.x, height: hole.height },
        PixelRect { x: right, y: hole.y, width: width - right, height: hole.height },
    ]
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
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    pass.forget_lifetime()
}

/// Creates a texture that one pass draws and another one reads.
pub(super) fn target(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    [width, height]: [u32; 2],
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("jostle"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

/// Compiles a shader together with the vertex stage that all shaders share.
pub(super) fn module(device: &wgpu::Device, label: &str, source: &str) -> wgpu::ShaderModule {
    let source = [source, include_str!("../../../shaders/screen.wgsl")].concat();
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    })
}

/// A view of the whole texture.
pub(super) fn view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_is_in_one_part_or_in_the_hole() {
        let size = [7, 5];
        for hole in [
            None,
            Some(PixelRect { x: 2, y: 1, width: 3, height: 2 }),
            Some(PixelRect { x: 0, y: 0, width: 7, height: 5 }),
            Some(PixelRect { x: 0, y: 4, width: 1, height: 1 }),
        ] {
            let inside = |x, y, area: &PixelRect| {
                (area.x..area.x + area.width).contains(&x)
                    && (area.y..area.y + area.height).contains(&y)
            };
            for (x, y) in (0..7).flat_map(|x| (0..5).map(move |y| (x, y))) {
                let times = around(size, hole).iter().filter(|area| inside(x, y, area)).count();
                let in_hole = hole.is_some_and(|hole| inside(x, y, &hole));
                assert_eq!(times, usize::from(!in_hole), "{x} {y} {hole:?}");
            }
        }
    }
}
