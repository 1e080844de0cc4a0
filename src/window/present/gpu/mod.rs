//! Frames through wgpu: a texture takes the frame's bytes, and one pass draws it onto the surface.
//!
//! ```text
//! bytes ─ write_texture ─► frame texture ─ pass ─► surface texture ─► window
//! ```
//!
//! Each call of [`Gpu::present`] asks the surface for one texture and never waits for a better
//! answer. A window that is being resized may refuse its surface for a while; the caller then
//! tries again with the next frame, and handles the events in between.
//!
//! Read in this order: `pass`, what all passes share; `glow`, `shaders/glow.wgsl`;
//! `panel_overlay`, `shaders/panel.wgsl`.

mod glow;
mod panel_overlay;
mod pass;

use std::sync::{
    Arc,
    mpsc::{Receiver, channel},
};

use wgpu::CurrentSurfaceTexture as Acquired;
use winit::window::Window;

use self::{glow::Glow, panel_overlay::PanelOverlay, pass::Pass};
use crate::window::present::{PresentError, Presented, painting::Painting};

/// Plain 8-bit values on both sides, so that the window shows the frame's bytes exactly.
const FRAME: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const SURFACE: wgpu::TextureFormat = wgpu::TextureFormat::Bgra8Unorm;

/// A driver for the surface of a window.
pub(super) struct Driver {
    surface: wgpu::Surface<'static>,
    adapter: wgpu::Adapter,
}

impl Driver {
    /// The driver that wgpu prefers for the window.
    pub(super) fn find(window: &Arc<Window>) -> Result<Self, PresentError> {
        let instance = wgpu::Instance::new(
            wgpu::InstanceDescriptor {
                backends: wgpu::Backends::VULKAN,
                ..wgpu::InstanceDescriptor::new_without_display_handle()
            }
            .with_env(),
        );
        let surface =
            instance.create_surface(Arc::clone(window)).map_err(|_| "no driver".to_owned())?;
        let adapter = pollster::block_on(adapter(&instance, &surface))?;
        Ok(Self { surface, adapter })
    }

    /// True if it draws on the CPU.
    pub(super) fn is_software(&self) -> bool {
        self.adapter.get_info().device_type == wgpu::DeviceType::Cpu
    }

    /// Its name for the user.
    fn name(&self) -> String {
        let name = self.adapter.get_info().name;
        if self.is_software() { format!("{name}, in software") } else { name }
    }
}

/// A surface on a GPU, real or in software.
pub(super) struct Gpu {
    /// Name of the driver.
    pub(super) name: String,
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Configuration of the surface; its size is the window's size at the last frame.
    config: wgpu::SurfaceConfiguration,
    /// True if the surface must be configured before it is used again.
    outdated: bool,
    /// The frame.
    texture: wgpu::Texture,
    /// Draws the frame without glow.
    pass: Pass,
    /// Draws the frame with glow; `None` without glow.
    glow: Option<Glow>,
    /// The panel; `None` until it is shown for the first time.
    overlay: Option<PanelOverlay>,
    /// Errors that wgpu reported outside of the result of a call.
    errors: Receiver<String>,
}

impl Gpu {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side.
    pub(super) fn new(
        window: &Arc<Window>,
        driver: Driver,
        size: [u32; 2],
    ) -> Result<Self, PresentError> {
        let name = driver.name();
        let Driver { surface, adapter } = driver;
        let limits = adapter.limits();
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: limits, ..wgpu::DeviceDescriptor::default() };
        let device = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = device.map_err(|error| one_line(&error.to_string()))?;
        let (report, errors) = channel();
        // Without a handler wgpu panics.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let _ = report.send(one_line(&error.to_string()));
        }));
        let [width, height] = size;
        let config = wgpu::SurfaceConfiguration {
            format: SURFACE,
            present_mode: wgpu::PresentMode::AutoVsync,
            ..surface.get_default_config(&adapter, width, height).ok_or("no surface")?
        };
        let texture = frame_texture(&device, size);
        let pass = Pass::present(&device, &texture, SURFACE);
        let mut gpu = Self {
            name,
            window: Arc::clone(window),
            surface,
            device,
            queue,
            config,
            outdated: false,
            texture,
            pass,
            glow: None,
            overlay: None,
            errors,
        };
        gpu.configure(size);
        gpu.check()?;
        Ok(gpu)
    }

    /// Sets the size of frames in pixels, at least 1 per side.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        let texture = frame_texture(&self.device, size);
        self.configure(size);
        self.pass = Pass::present(&self.device, &texture, SURFACE);
        self.glow = self.glow.as_ref().map(|_| Glow::new(&self.device, &texture, SURFACE));
        self.texture = texture;
        self.check()
    }

    /// Turns the glow of bright places on or off.
    pub(super) fn set_glow(&mut self, glows: bool) {
        self.glow = glows.then(|| Glow::new(&self.device, &self.texture, SURFACE));
    }

    /// Draws this panel over the following frames.
    pub(super) fn show_panel(&mut self, painting: Painting) {
        let Self { device, queue, texture, overlay, .. } = self;
        let overlay = overlay.get_or_insert_with(|| PanelOverlay::new(device, SURFACE));
        overlay.show(device, queue, [texture.width(), texture.height()], painting);
    }

    /// Draws no panel over the following frames.
    pub(super) fn hide_panel(&mut self) {
        self.overlay.iter_mut().for_each(PanelOverlay::hide);
    }

    /// Hands the frame to the window, in one attempt.
    ///
    /// An outdated surface takes the window's present size, which an event may not have announced
    /// yet. Only then is the window asked for it: winit panics if the X server is gone.
    pub(super) fn present(&mut self, bytes: &[u8]) -> Result<Presented, PresentError> {
        let retries = self.outdated;
        if retries {
            self.configure(self.window.inner_size().into());
            self.check()?;
        }
        let (target, presented) = match self.surface.get_current_texture() {
            Acquired::Success(target) => (target, Presented::Shown),
            Acquired::Suboptimal(target) => {
                // It can be shown, but the window has changed. Some drivers never find a surface
                // optimal: a second frame is as good as it gets.
                self.outdated = true;
                (target, if retries { Presented::Shown } else { Presented::Skipped })
            }
            Acquired::Timeout | Acquired::Occluded => return Ok(Presented::Skipped),
            Acquired::Outdated => {
                self.outdated = true;
                return Ok(Presented::Skipped);
            }
            Acquired::Lost | Acquired::Validation => {
                self.check()?;
                return Err("the surface can't be used".to_owned());
            }
        };
        self.draw(bytes, &target.texture);
        target.present();
        self.check()?;
        Ok(presented)
    }

    /// Draws the frame, its glow and the panel onto a texture of the surface.
    fn draw(&self, bytes: &[u8], target: &wgpu::Texture) {
        let size = [self.config.width, self.config.height];
        self.queue.write_texture(
            self.texture.as_image_copy(),
            bytes,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(self.texture.width() * 4),
                rows_per_image: None,
            },
            self.texture.size(),
        );
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("jostle") };
        let mut encoder = self.device.create_command_encoder(&descriptor);
        if let Some(glow) = &self.glow {
            glow.gather(&mut encoder);
        }
        let frame = self.glow.as_ref().map_or(&self.pass, Glow::shine);
        let mut pass = pass::begin(&mut encoder, &pass::view(target), wgpu::Color::BLACK);
        frame.draw(&mut pass);
        if let Some(overlay) = &self.overlay {
            overlay.record(&mut pass, size);
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }

    /// Configures the surface for a window of `size` pixels; a side of 0 leaves it as it is.
    fn configure(&mut self, size: [u32; 2]) {
        let [width, height] = size;
        if width > 0 && height > 0 {
            (self.config.width, self.config.height) = (width, height);
        }
        self.surface.configure(&self.device, &self.config);
        self.outdated = false;
    }

    /// Fails if wgpu has reported an error.
    fn check(&self) -> Result<(), PresentError> {
        self.errors.try_recv().map_or(Ok(()), Err)
    }
}

/// The adapter that `WGPU_ADAPTER_NAME` names a part of, or else the one that wgpu prefers.
async fn adapter(
    instance: &wgpu::Instance,
    surface: &wgpu::Surface<'_>,
) -> Result<wgpu::Adapter, PresentError> {
    let Ok(name) = std::env::var("WGPU_ADAPTER_NAME") else {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::from_env().unwrap_or_default(),
            force_fallback_adapter: false,
            compatible_surface: Some(surface),
        };
        return instance.request_adapter(&options).await.map_err(|_| "no adapter".to_owned());
    };
    let part = name.to_lowercase();
    let adapters = instance.enumerate_adapters(wgpu::Backends::all()).await;
    adapters
        .into_iter()
        .filter(|adapter| adapter.is_surface_supported(surface))
        .find(|adapter| adapter.get_info().name.to_lowercase().contains(&part))
        .ok_or_else(|| format!("WGPU_ADAPTER_NAME: no adapter matches {name:?}"))
}

/// The texture for frames of `size` pixels. Too large a size is an error that [`Gpu::check`] finds.
fn frame_texture(device: &wgpu::Device, size: [u32; 2]) -> wgpu::Texture {
    pass::texture(device, FRAME, size, wgpu::TextureUsages::COPY_DST)
}

/// The last line of an error of wgpu, which tells the cause; the lines above it tell the context.
fn one_line(text: &str) -> String {
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    line.trim().trim_end_matches(['.', '!']).to_owned()
}
