//! Frames through `pixels`: its buffer takes the frame, and one pass draws it onto the surface.
//!
//! ```text
//! bytes ─ compose ─► buffer ─ render_with ─► texture ─ present.wgsl ─► surface ─► window
//!         panel ──►
//! ```
//!
//! [`Gpu::present`] never waits for a surface: `render_with` asks for it, configures it once if that
//! fails, and asks once more. A window that is being resized may refuse its surface for a while; the
//! caller then tries again with the next frame, and handles the events in between.

use std::sync::{
    Arc,
    mpsc::{Receiver, channel},
};

use pixels::{
    Pixels, PixelsBuilder, SurfaceTexture,
    wgpu::{self, SurfaceError},
};
use rayon::ThreadPool;
use winit::window::Window;

use super::{PresentError, Presented, panel_layer::PanelLayer};

/// Plain 8-bit values on both sides, so that the window shows the frame's bytes exactly.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Bgra8Unorm;

/// Frames in a row that find the surface lost before the GPU counts as lost.
const LOST_MAX: u32 = 3;

/// A driver for the surface of a window.
pub(super) struct Driver {
    backends: wgpu::Backends,
    info: wgpu::AdapterInfo,
}

impl Driver {
    /// The driver that `pixels` will choose for the window. Where `pixels` would panic because it
    /// finds none, this is an error.
    pub(super) fn find(window: &Arc<Window>) -> Result<Self, PresentError> {
        let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::VULKAN);
        let descriptor = wgpu::InstanceDescriptor { backends, ..Default::default() };
        let instance = wgpu::Instance::new(&descriptor);
        let surface =
            instance.create_surface(Arc::clone(window)).map_err(|_| "no driver".to_owned())?;
        let adapter = adapter(&instance, &surface)?;
        if !surface.get_capabilities(&adapter).formats.contains(&FORMAT) {
            return Err("no surface of 8-bit values".to_owned());
        }
        Ok(Self { backends, info: adapter.get_info() })
    }

    /// True if it draws on the CPU.
    pub(super) fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Its name for the user.
    fn name(&self) -> String {
        let name = &self.info.name;
        if self.is_software() { format!("{name}, in software") } else { name.clone() }
    }
}

/// A surface on a GPU, real or in software.
pub(super) struct Gpu {
    /// Name of the driver.
    pub(super) name: String,
    window: Arc<Window>,
    /// Width and height of frames.
    size: [u32; 2],
    pixels: Pixels<'static>,
    /// Draws the buffer onto the surface.
    pipeline: wgpu::RenderPipeline,
    /// The texture of the buffer, for the pipeline.
    bound: wgpu::BindGroup,
    /// True if the surface must take the window's size before it is used again.
    outdated: bool,
    /// Frames in a row that found the surface lost.
    lost: u32,
    /// Errors that wgpu reported outside of the result of a call.
    errors: Receiver<String>,
}

impl Gpu {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side.
    pub(super) fn new(
        window: &Arc<Window>,
        driver: &Driver,
        size: [u32; 2],
    ) -> Result<Self, PresentError> {
        let [width, height] = size;
        let surface = SurfaceTexture::new(width, height, Arc::clone(window));
        let pixels = PixelsBuilder::new(width, rows(size), surface)
            .wgpu_backend(driver.backends)
            .texture_format(FORMAT)
            .surface_texture_format(FORMAT)
            .build()
            .map_err(|error| one_line(&error.to_string()))?;
        let (report, errors) = channel();
        // Without a handler wgpu panics.
        pixels.device().on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let _ = report.send(one_line(&error.to_string()));
        }));
        let pipeline = pipeline(pixels.device());
        let bound = bind(&pixels, &pipeline);
        let gpu = Self {
            name: driver.name(),
            window: Arc::clone(window),
            size,
            pixels,
            pipeline,
            bound,
            outdated: false,
            lost: 0,
            errors,
        };
        gpu.check()?;
        Ok(gpu)
    }

    /// Sets the size of frames in pixels, at least 1 per side.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        self.size = size;
        self.fit_surface(size)?;
        let resized = self.pixels.resize_buffer(size[0], rows(size));
        resized.map_err(|error| error.to_string())?;
        self.bound = bind(&self.pixels, &self.pipeline);
        self.check()
    }

    /// Writes the frame with the panel over it into the buffer, on the threads of `pool`.
    pub(super) fn compose(&mut self, bytes: &[u8], panel: &PanelLayer, pool: &ThreadPool) {
        let (buffer, _) = self.pixels.frame_mut().as_chunks_mut::<4>();
        panel.compose(bytes, self.size, buffer, u32::to_le_bytes, pool);
    }

    /// Hands the buffer to the window.
    ///
    /// An outdated surface takes the window's present size, which an event may not have announced
    /// yet. Only then is the window asked for it: winit panics if the X server is gone.
    pub(super) fn present(&mut self) -> Result<Presented, PresentError> {
        if std::mem::take(&mut self.outdated) {
            self.fit_surface(self.window.inner_size().into())?;
        }
        let Self { pixels, pipeline, bound, .. } = self;
        let rendered = pixels.render_with(|encoder, target, _| {
            draw(encoder, target, pipeline, bound);
            Ok(())
        });
        self.check()?;
        let Err(error) = rendered else {
            self.lost = 0;
            return Ok(Presented::Shown);
        };
        self.outdated = true;
        let passes =
            matches!(error, pixels::Error::Surface(SurfaceError::Timeout | SurfaceError::Outdated));
        self.lost = if passes { 0 } else { self.lost + 1 };
        if self.lost < LOST_MAX { Ok(Presented::Skipped) } else { Err(surface_lost(&error)) }
    }

    /// Configures the surface for a window of `size` pixels; a side of 0 leaves it as it is.
    fn fit_surface(&mut self, [width, height]: [u32; 2]) -> Result<(), PresentError> {
        if width > 0 && height > 0 {
            let resized = self.pixels.resize_surface(width, height);
            resized.map_err(|error| error.to_string())?;
        }
        self.check()
    }

    /// Fails if wgpu has reported an error.
    fn check(&self) -> Result<(), PresentError> {
        self.errors.try_recv().map_or(Ok(()), Err)
    }
}

/// The adapter that `WGPU_ADAPTER_NAME` names a part of, or else the one that wgpu prefers.
fn adapter(
    instance: &wgpu::Instance,
    surface: &wgpu::Surface<'_>,
) -> Result<wgpu::Adapter, PresentError> {
    let Ok(name) = std::env::var("WGPU_ADAPTER_NAME") else {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::from_env().unwrap_or_default(),
            force_fallback_adapter: false,
            compatible_surface: Some(surface),
        };
        let adapter = pollster::block_on(instance.request_adapter(&options));
        return adapter.map_err(|_| "no adapter".to_owned());
    };
    let part = name.to_lowercase();
    let adapters = instance.enumerate_adapters(wgpu::Backends::all());
    adapters
        .into_iter()
        .filter(|adapter| adapter.is_surface_supported(surface))
        .find(|adapter| adapter.get_info().name.to_lowercase().contains(&part))
        .ok_or_else(|| format!("WGPU_ADAPTER_NAME: no adapter matches {name:?}"))
}

/// Rows of the buffer for frames of `size` pixels. `pixels` computes the buffer's length in `f32`,
/// which may round the product of two sides down if it is larger than 2^24.
fn rows([width, height]: [u32; 2]) -> u32 {
    const EXACT: u64 = 1 << f32::MANTISSA_DIGITS;
    let pixels = u64::from(width) * u64::from(height);
    if pixels <= EXACT { height } else { height.next_multiple_of(64) }
}

/// Creates the pipeline of `shaders/present.wgsl`.
fn pipeline(device: &wgpu::Device) -> wgpu::RenderPipeline {
    let source = include_str!("../../../shaders/present.wgsl");
    let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("jostle present"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("jostle present"),
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
            entry_point: Some("present"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(FORMAT.into())],
        }),
        multiview: None,
        cache: None,
    })
}

/// Binds the texture of the buffer, which a resize replaces.
fn bind(pixels: &Pixels<'static>, pipeline: &wgpu::RenderPipeline) -> wgpu::BindGroup {
    let view = pixels.texture().create_view(&wgpu::TextureViewDescriptor::default());
    pixels.device().create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("jostle present"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(&view),
        }],
    })
}

/// Records the pass that draws the buffer onto a texture of the surface.
fn draw(
    encoder: &mut wgpu::CommandEncoder,
    target: &wgpu::TextureView,
    pipeline: &wgpu::RenderPipeline,
    bound: &wgpu::BindGroup,
) {
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
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
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, bound, &[]);
    pass.draw(0..3, 0..1);
}

/// Why a surface that is lost can't be used: the cause, without the end of the sentence.
fn surface_lost(error: &pixels::Error) -> PresentError {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    one_line(&cause.unwrap_or_else(|| error.to_string()))
}

/// The last line of an error of wgpu, which tells the cause; the lines above it tell the context.
fn one_line(text: &str) -> String {
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    line.trim().trim_end_matches(['.', '!']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::rows;

    /// The length of the buffer as `pixels` computes it.
    fn length([width, height]: [u32; 2]) -> usize {
        ((width * height) as f32 * 4.0) as usize
    }

    #[test]
    fn the_buffer_holds_the_frame_at_every_size() {
        for size in [[1, 1], [1280, 720], [3839, 2161], [5121, 4097], [7681, 4321], [16383, 16383]]
        {
            let rows = rows(size);
            let buffer = length([size[0], rows]);
            assert_eq!(buffer, size[0] as usize * rows as usize * 4, "{size:?}");
            assert!(rows >= size[1]);
        }
        assert!(length([5121, 4097]) < 5121 * 4097 * 4, "why there are more rows");
        assert_eq!(rows([1919, 1079]), 1079);
    }
}
