//! Presenters, which hand frames to the window: through the GPU if there is one, else through the
//! CPU.
//!
//! ```text
//! Presenter ─┬─ gpu ─┬─ pass           shaders/present.wgsl, and what all passes share
//!            │       ├─ glow           shaders/glow.wgsl
//!            │       └─ panel_overlay  shaders/panel.wgsl
//!            └─ soft
//! ```
//!
//! A presenter owns the bytes of the frame, and the rasterizer draws into them. The window shows
//! the same bits with either presenter. Only the GPU draws the panel and the glow.

mod glow;
mod gpu;
mod panel_overlay;
mod pass;
mod soft;

pub(super) use panel_overlay::Painting;

use std::sync::Arc;

use winit::window::Window;

/// Why a presenter can't be created or can't present: a clause for the user.
pub(super) type PresentError = String;

/// Outcome of handing a frame to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// The window shows it.
    Shown,
    /// The window took no frame or has changed meanwhile. The frame must be presented again.
    Skipped,
}

/// Hands frames to the window.
#[derive(Debug)]
pub(super) enum Presenter {
    /// `wgpu`: Vulkan, Metal or Direct3D.
    Gpu(Box<gpu::Gpu>),
    /// `softbuffer`: shared memory of the window system.
    Soft(soft::Soft),
}

impl Presenter {
    /// Creates a presenter for frames of `size` pixels, at least 1 per side. Without a GPU, the
    /// reason comes with the presenter.
    pub(super) fn new(
        window: &Arc<Window>,
        size: [u32; 2],
    ) -> Result<(Self, Option<PresentError>), PresentError> {
        match gpu::Gpu::new(window, size) {
            Ok(gpu) => Ok((Self::Gpu(Box::new(gpu)), None)),
            Err(reason) => Ok((Self::Soft(soft::Soft::new(window, size)?), Some(reason))),
        }
    }

    /// Replaces the presenter of a GPU that is lost.
    pub(super) fn fall_back(
        self,
        window: &Arc<Window>,
        size: [u32; 2],
    ) -> Result<Self, PresentError> {
        match self {
            Self::Gpu(gpu) => {
                // A window can have only one surface at a time.
                drop(gpu);
                soft::Soft::new(window, size).map(Self::Soft)
            }
            Self::Soft(_) => Err("there is no other presenter".to_owned()),
        }
    }

    /// Name of the library that presents.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Gpu(_) => "wgpu",
            Self::Soft(_) => "softbuffer",
        }
    }

    /// Sets the size of frames in pixels, at least 1 per side.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), PresentError> {
        match self {
            Self::Gpu(gpu) => gpu.resize(size),
            Self::Soft(soft) => soft.resize(size),
        }
    }

    /// True if the presenter can draw the panel.
    pub(super) fn has_panel(&self) -> bool {
        matches!(self, Self::Gpu(_))
    }

    /// Turns the glow of bright places on or off; has no effect without a GPU.
    pub(super) fn set_glow(&mut self, glows: bool) {
        if let Self::Gpu(gpu) = self {
            gpu.set_glow(glows);
        }
    }

    /// Draws this panel over the following frames; has no effect without a GPU.
    pub(super) fn show_panel(&mut self, painting: Painting) {
        if let Self::Gpu(gpu) = self {
            gpu.show_panel(painting);
        }
    }

    /// Draws no panel over the following frames.
    pub(super) fn hide_panel(&mut self) {
        if let Self::Gpu(gpu) = self {
            gpu.hide_panel();
        }
    }

    /// Bytes of the next frame: RGBA8, top row first.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Gpu(gpu) => gpu.bytes_mut(),
            Self::Soft(soft) => soft.bytes_mut(),
        }
    }

    /// Hands the frame to the window. Not inlined, so that profiles name it.
    #[inline(never)]
    pub(super) fn present(&mut self) -> Result<Presented, PresentError> {
        match self {
            Self::Gpu(gpu) => gpu.present(),
            Self::Soft(soft) => soft.present().map(|()| Presented::Shown),
        }
    }
}
