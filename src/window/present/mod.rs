//! Presenters, which hand frames to the window: through a GPU if there is one, else through the
//! CPU.
//!
//! ```text
//! Presenter ─┬─ gpu    wgpu: frame, glow and panel are three shaders
//!            └─ soft   softbuffer: the same three, on the threads that draw
//! ```
//!
//! A presenter owns the bytes of the frame, and the rasterizer draws into them. Glow and panel are
//! added on the way to the window. Pictures and films have the glow, computed on the CPU for them, and
//! no panel. Without glow and panel the window shows the same bits with either presenter.
//!
//! A GPU may keep a frame waiting for its driver or for the screen. In a running simulation the
//! next frame is drawn meanwhile, into a second buffer ([`Presenter::present_ahead`]). [`soft`]
//! never waits: the window system copies a frame from shared memory while the next one is drawn.
//!
//! A Vulkan driver in software draws a frame on the CPU, too, and takes ten times as long for it
//! as [`soft`]. It is used only if the user asks for it.

mod gpu;
mod painting;
mod soft;

pub(super) use painting::Painting;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rayon::ThreadPool;
use winit::window::Window;

use crate::parallel;

use gpu::{Driver, Gpu};
use soft::{STRIPE, Soft, SoftGlow};

/// Why a presenter can't be created or can't present: a clause for the user.
pub(super) type PresentError = String;

/// What presents frames, as the user chooses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PresenterChoice {
    /// A GPU; the CPU without one, and instead of a driver in software.
    #[default]
    Auto,
    /// A GPU or a driver in software; the CPU without either.
    Gpu,
    /// The CPU.
    Cpu,
}

/// Outcome of handing a frame to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// The window shows it.
    Shown,
    /// The window took no frame or has changed meanwhile. The frame must be presented again.
    Skipped,
}

/// Hands frames to the window.
pub(super) struct Presenter {
    /// The frame to present, and after that the one on the screen: RGBA8, top row first.
    pub(super) bytes: Vec<u8>,
    /// The frame that is drawn ahead, while `bytes` is presented; empty without a GPU.
    next: Vec<u8>,
    /// The glow of frames that are captured; `None` without glow.
    glow: Option<CapturedGlow>,
    surface: Surface,
}

/// A frame with glow, for pictures and films.
struct CapturedGlow {
    light: SoftGlow,
    bytes: Vec<u8>,
}

/// Takes the frames.
enum Surface {
    /// `wgpu`: Vulkan.
    Gpu(Box<Gpu>),
    /// `softbuffer`: shared memory of the window system.
    Soft(Soft),
}

impl Presenter {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side. If the user wants a
    /// GPU and there is none, the reason comes with the presenter.
    pub(super) fn new(
        window: &Arc<Window>,
        size: [u32; 2],
        choice: PresenterChoice,
    ) -> Result<(Self, Option<PresentError>), PresentError> {
        let (surface, reason) = match gpu(window, size, choice) {
            Ok(Some(gpu)) => (Surface::Gpu(Box::new(gpu)), None),
            Ok(None) => (Surface::Soft(Soft::new(window, size)?), None),
            Err(reason) => (Surface::Soft(Soft::new(window, size)?), Some(reason)),
        };
        Ok((Self::of(surface, size), reason))
    }

    /// Replaces the presenter of a GPU that is lost.
    pub(super) fn fall_back(
        self,
        window: &Arc<Window>,
        size: [u32; 2],
    ) -> Result<Self, PresentError> {
        let Surface::Gpu(gpu) = self.surface else {
            return Err("there is no other presenter".to_owned());
        };
        // A window can have only one surface at a time.
        drop(gpu);
        let surface = Surface::Soft(Soft::new(window, size)?);
        Ok(Self::of(surface, size))
    }

    fn of(surface: Surface, size: [u32; 2]) -> Self {
        let mut presenter = Self { bytes: Vec::new(), next: Vec::new(), glow: None, surface };
        presenter.set_buffers(size);
        presenter
    }

    fn set_buffers(&mut self, size: [u32; 2]) {
        self.bytes = frame_bytes(size);
        if self.waits() {
            self.next = frame_bytes(size);
        }
        self.glow = self.glow.is_some().then(|| CapturedGlow::new(size));
    }

    /// The frame on the screen without the panel, computed on the threads of `pool`.
    pub(super) fn captured(&mut self, size: [u32; 2], pool: &ThreadPool) -> &[u8] {
        let Self { bytes, glow, .. } = self;
        let Some(CapturedGlow { light, bytes: shone }) = glow else { return bytes };
        let (pixels, _) = bytes.as_chunks::<4>();
        let (to, _) = shone.as_chunks_mut::<4>();
        let width = size[0] as usize;
        pool.install(|| {
            light.gather(pixels);
            let stripe = |first: usize, (to, pixels): (&mut [[u8; 4]], &[[u8; 4]])| {
                let rows = to.chunks_mut(width).zip(pixels.chunks(width));
                for (y, (to, pixels)) in (first / width..).zip(rows) {
                    light.shine(y, pixels, to, |red, green, blue| [red, green, blue, 255]);
                }
            };
            parallel::pieces((to, pixels), STRIPE * width, &stripe, &|(), ()| ());
        });
        shone
    }

    /// True if presenting may wait for something else than the CPU.
    pub(super) fn waits(&self) -> bool {
        matches!(self.surface, Surface::Gpu(_))
    }

    /// Name of the library that presents.
    pub(super) fn name(&self) -> &'static str {
        match self.surface {
            Surface::Gpu(_) => "wgpu",
            Surface::Soft(_) => "softbuffer",
        }
    }

    /// Name of what draws on the screen, for the user.
    pub(super) fn driver(&self) -> String {
        match &self.surface {
            Surface::Gpu(gpu) => gpu.name.clone(),
            Surface::Soft(_) => "CPU, in software".to_owned(),
        }
    }

    /// Turns the glow of bright places on or off.
    pub(super) fn set_glow(&mut self, size: [u32; 2], glows: bool) {
        self.glow = glows.then(|| CapturedGlow::new(size));
        match &mut self.surface {
            Surface::Gpu(gpu) => gpu.set_glow(glows),
            Surface::Soft(soft) => soft.set_glow(glows),
        }
    }

    /// Shows this panel over the following frames.
    pub(super) fn show_panel(&mut self, painting: Painting) {
        match &mut self.surface {
            Surface::Gpu(gpu) => gpu.show_panel(painting),
            Surface::Soft(soft) => soft.show_panel(&painting),
        }
    }

    /// Shows no panel over the following frames.
    pub(super) fn hide_panel(&mut self) {
        match &mut self.surface {
            Surface::Gpu(gpu) => gpu.hide_panel(),
            Surface::Soft(soft) => soft.hide_panel(),
        }
    }

    /// Sets the size of frames in pixels, at least 1 per side.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        match &mut self.surface {
            Surface::Gpu(gpu) => gpu.resize(size)?,
            Surface::Soft(soft) => soft.resize(size)?,
        }
        self.set_buffers(size);
        Ok(())
    }

    /// Hands the frame to the window; the CPU does its part of it on the threads of `pool`.
    pub(super) fn present(&mut self, pool: &ThreadPool) -> Result<Presented, PresentError> {
        self.surface.present(&self.bytes, pool)
    }

    /// Draws the next frame, which the next call of [`Self::present_ahead`] presents.
    pub(super) fn draw_ahead(&mut self, draw: impl FnOnce(&mut [u8])) {
        draw(&mut self.next);
    }

    /// Hands the frame that was drawn ahead to the window while `draw` draws the next one on the
    /// threads of `pool`. Returns how long the first took.
    pub(super) fn present_ahead(
        &mut self,
        pool: &ThreadPool,
        draw: impl FnOnce(&mut [u8]) + Send,
    ) -> Result<(Presented, Duration), PresentError> {
        let Self { bytes, next, surface, .. } = self;
        std::mem::swap(bytes, next);
        pool.in_place_scope(|scope| {
            scope.spawn(|_| draw(next));
            let begin = Instant::now();
            surface.present(bytes, pool).map(|presented| (presented, begin.elapsed()))
        })
    }
}

impl CapturedGlow {
    fn new(size: [u32; 2]) -> Self {
        Self { light: SoftGlow::new(size), bytes: frame_bytes(size) }
    }
}

impl Surface {
    /// Hands a frame to the window. Not inlined, so that profiles name it.
    #[inline(never)]
    fn present(&mut self, bytes: &[u8], pool: &ThreadPool) -> Result<Presented, PresentError> {
        match self {
            Self::Gpu(gpu) => gpu.present(bytes),
            Self::Soft(soft) => soft.present(bytes, pool).map(|()| Presented::Shown),
        }
    }
}

/// The GPU, if it is to present.
fn gpu(
    window: &Arc<Window>,
    size: [u32; 2],
    choice: PresenterChoice,
) -> Result<Option<Gpu>, PresentError> {
    if choice == PresenterChoice::Cpu {
        return Ok(None);
    }
    let driver = Driver::find(window)?;
    if choice == PresenterChoice::Auto && driver.is_software() {
        return Ok(None);
    }
    Gpu::new(window, driver, size).map(Some)
}

/// Black pixels for a frame of that size.
fn frame_bytes([width, height]: [u32; 2]) -> Vec<u8> {
    vec![0; width as usize * height as usize * 4]
}
