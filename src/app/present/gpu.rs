//! Frames through `pixels`: its buffer is the frame, its texture and its surface are wgpu's, and our
//! own pass goes from one to the other.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, PoisonError},
};

use pixels::{Error, Pixels, PixelsBuilder, SurfaceTexture, wgpu};
use winit::window::Window;

use crate::app::present::{
    Refusal,
    glow::Glow,
    overlay::{Overlay, Painting},
    pass::{self, Pass},
};

/// Plain 8-bit values on both sides, so that what is drawn is what is seen, to the bit.
const FRAME: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const SURFACE: wgpu::TextureFormat = wgpu::TextureFormat::Bgra8Unorm;

/// Thrown to leave a loop that isn't ours.
struct GiveUp;

/// A surface on a GPU, real or in software.
#[derive(Debug)]
pub(in crate::app) struct Gpu {
    window: Arc<Window>,
    pixels: Pixels<'static>,
    /// Of the surface, physical pixels.
    size: [u32; 2],
    pass: Pass,
    /// What is around bright places, if that is wanted; then it takes the pass's place.
    glow: Option<Glow>,
    /// The panel; none until it was shown.
    overlay: Option<Overlay>,
    /// What wgpu reported outside of any call; it would panic if nobody listened.
    trouble: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// Frames of that many pixels, at least 1 a side.
    pub(super) fn new(window: &Arc<Window>, size: [u32; 2]) -> Result<Self, Refusal> {
        let pixels = quietly(|| build(window, size))??;
        let trouble = Arc::<Mutex<Option<String>>>::default();
        let heard = Arc::clone(&trouble);
        pixels.device().on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            if heard.is_none() {
                *heard = Some(one_line(&error.to_string()));
                return;
            }
            drop(heard);
            // `pixels` sets a lost surface up again and again, for ever: this is the way out of there.
            panic::resume_unwind(Box::new(GiveUp));
        }));
        let pass = Pass::present(pixels.device(), pixels.texture(), SURFACE);
        let window = Arc::clone(window);
        let gpu = Self { window, pixels, size, pass, glow: None, overlay: None, trouble };
        gpu.check()?;
        Ok(gpu)
    }

    /// Frames of another size.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), Refusal> {
        self.resize_surface(size)?;
        let [width, height] = size;
        self.pixels.resize_buffer(width, height).map_err(|error| one_line(&error.to_string()))?;
        // A resized frame is another texture.
        let (device, frame) = (self.pixels.device(), self.pixels.texture());
        self.pass = Pass::present(device, frame, SURFACE);
        self.glow = self.glow.as_ref().map(|_| Glow::new(device, frame, SURFACE));
        self.check()
    }

    fn resize_surface(&mut self, size: [u32; 2]) -> Result<(), Refusal> {
        let [width, height] = size;
        self.size = size;
        self.pixels.resize_surface(width, height).map_err(|error| one_line(&error.to_string()))
    }

    /// Has bright places glow, or not.
    pub(super) fn set_glow(&mut self, glows: bool) {
        let (device, frame) = (self.pixels.device(), self.pixels.texture());
        self.glow = glows.then(|| Glow::new(device, frame, SURFACE));
    }

    /// Paints the panel over frames from now on.
    pub(super) fn show_panel(&mut self, painting: Painting) {
        let (device, queue) = (self.pixels.device(), self.pixels.queue());
        let overlay = self.overlay.get_or_insert_with(|| Overlay::new(device, SURFACE));
        overlay.show(device, queue, painting);
    }

    /// Paints no panel from now on.
    pub(super) fn hide_panel(&mut self) {
        self.overlay.iter_mut().for_each(Overlay::hide);
    }

    /// The next frame.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.pixels.frame_mut()
    }

    /// Hands the frame over.
    pub(super) fn present(&mut self) -> Result<(), Refusal> {
        // `pixels` would set a surface of the wrong size up again and again: the window may have
        // another one by now, of which the event has yet to come.
        let now: [u32; 2] = self.window.inner_size().into();
        if now != self.size && !now.contains(&0) {
            self.resize_surface(now)?;
        }
        let Self { pixels, size, pass, glow, overlay, .. } = self;
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            pixels.render_with(|encoder, target, context| {
                if let Some(overlay) = overlay {
                    overlay.prepare(&context.device, &context.queue, encoder);
                }
                if let Some(glow) = glow {
                    glow.gather(encoder);
                }
                let frame = glow.as_ref().map_or(&*pass, Glow::shine);
                let hole = overlay.as_ref().and_then(|overlay| overlay.hole(*size));
                let mut pass = pass::begin(encoder, target, wgpu::Color::BLACK);
                frame.draw_around(&mut pass, *size, hole);
                if let Some(overlay) = overlay {
                    overlay.record(&mut pass, *size);
                }
                Ok(())
            })
        }));
        self.check()?;
        match result {
            Ok(result) => result.map_err(refusal),
            Err(payload) if payload.is::<GiveUp>() => Err("the surface is lost".to_owned()),
            Err(payload) => panic::resume_unwind(payload),
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.take().map_or(Ok(()), Err)
    }
}

fn build(window: &Arc<Window>, [width, height]: [u32; 2]) -> Result<Pixels<'static>, Refusal> {
    let surface = SurfaceTexture::new(width, height, Arc::clone(window));
    // `pixels` opens no display for OpenGL, so that looking for it would only make the driver complain.
    let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY);
    PixelsBuilder::new(width, height, surface)
        .wgpu_backend(backends)
        .texture_format(FRAME)
        .surface_texture_format(SURFACE)
        .build()
        .map_err(refusal)
}

/// Calls what may panic in wgpu or a driver - a `WGPU_ADAPTER_NAME` that nothing matches does - and
/// makes a refusal of it, with nothing printed: there is another way to the screen.
fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, Refusal> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(hook);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        one_line(text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it panicked"))
    })
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::AdapterNotFound => "no adapter".to_owned(),
        Error::DeviceNotFound(error) => one_line(&error.to_string()),
        Error::CreateSurface(_) => "no driver".to_owned(),
        error => one_line(&error.to_string()),
    }
}

/// Errors of wgpu are paragraphs, from where it happened down to what happened.
fn one_line(text: &str) -> String {
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    line.trim().trim_end_matches(['.', '!']).to_owned()
}
