//! Presenters, which hand frames to the window: through a GPU if there is one, else through the
//! CPU.
//!
//! ```text
//! Presenter ─┬─ gpu    pixels: Vulkan, and a shader
//!            └─ soft   softbuffer: memory shared with the window system
//! ```
//!
//! A presenter owns the bytes of the frame, and the rasterizer draws into them. The panel is added
//! on the way to the window, on the threads that draw ([`panel_layer`]). Pictures and films have no
//! panel. The window shows the same bits with either presenter.
//!
//! A GPU may keep a frame waiting for its driver or for the screen. In a running simulation the
//! next frame is drawn meanwhile, into a second buffer ([`Presenter::present_ahead`]). [`soft`]
//! never waits: the window system copies a frame from shared memory while the next one is drawn.
//!
//! A Vulkan driver in software draws a frame on the CPU, too, and takes ten times as long for it
//! as [`soft`]. It is used only if the user asks for it.
//!
//! Read in this order: [`triangle`], [`panel_layer`], [`soft`], [`gpu`].

mod gpu;
mod panel_layer;
mod soft;
mod triangle;

pub(super) use panel_layer::Painting;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rayon::ThreadPool;
use winit::window::Window;

use gpu::{Driver, Gpu};
use panel_layer::PanelLayer;
use soft::Soft;

use crate::names::names;

/// Why a presenter can't be created or can't present: a clause for the user.
pub(super) type PresentError = String;

/// The user's choice of a presenter.
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

names!(pub(crate) PresenterChoice: Auto = "auto", Gpu = "gpu", Cpu = "cpu");

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
    size: [u32; 2],
    panel: PanelLayer,
    surface: Surface,
}

/// Takes the frames.
enum Surface {
    /// `pixels`: Vulkan.
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
        let (bytes, next, panel) = (Vec::new(), Vec::new(), PanelLayer::default());
        let mut presenter = Self { bytes, next, size, panel, surface };
        presenter.set_buffers(size);
        presenter
    }

    fn set_buffers(&mut self, size: [u32; 2]) {
        self.size = size;
        self.bytes = frame_bytes(size);
        if self.waits() {
            self.next = frame_bytes(size);
        }
    }

    /// True if presenting may wait for something else than the CPU.
    pub(super) fn waits(&self) -> bool {
        matches!(self.surface, Surface::Gpu(_))
    }

    /// Name of the library that presents.
    pub(super) fn name(&self) -> &'static str {
        match self.surface {
            Surface::Gpu(_) => "pixels",
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

    /// Shows this panel over the following frames.
    pub(super) fn show_panel(&mut self, painting: &Painting) {
        self.panel.paint(self.size, painting);
    }

    /// Shows no panel over the following frames.
    pub(super) fn hide_panel(&mut self) {
        self.panel.hide();
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
        let Self { bytes, panel, surface, .. } = self;
        surface.compose(bytes, panel, pool);
        surface.present(bytes, panel, pool)
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
        let Self { bytes, next, panel, surface, .. } = self;
        std::mem::swap(bytes, next);
        let begin = Instant::now();
        // Before the threads begin to draw, which would keep it waiting.
        surface.compose(bytes, panel, pool);
        pool.in_place_scope(|scope| {
            scope.spawn(|_| draw(next));
            let presented = surface.present(bytes, panel, pool);
            presented.map(|presented| (presented, begin.elapsed()))
        })
    }
}

impl Surface {
    /// Puts the picture together ahead of [`Self::present`], if that only hands it over.
    fn compose(&mut self, bytes: &[u8], panel: &PanelLayer, pool: &ThreadPool) {
        if let Self::Gpu(gpu) = self {
            gpu.compose(bytes, panel, pool);
        }
    }

    /// Hands a frame to the window. Not inlined, so that profiles name it.
    #[inline(never)]
    fn present(
        &mut self,
        bytes: &[u8],
        panel: &PanelLayer,
        pool: &ThreadPool,
    ) -> Result<Presented, PresentError> {
        match self {
            Self::Gpu(gpu) => gpu.present(),
            Self::Soft(soft) => soft.present(bytes, panel, pool).map(|()| Presented::Shown),
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
    Gpu::new(window, &driver, size).map(Some)
}

/// Black pixels for a frame of that size.
fn frame_bytes([width, height]: [u32; 2]) -> Vec<u8> {
    vec![0; width as usize * height as usize * 4]
}
