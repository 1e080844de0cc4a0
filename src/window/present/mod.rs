//! Frames reach the window: through the GPU where there is one, else through the CPU.
//!
//! A presenter owns the frame's bytes; the rasterizer draws straight into them. Both show the same
//! bits, so that nobody has to know which one it is.

mod glow;
mod gpu;
mod overlay;
mod pass;
mod soft;

pub(super) use overlay::Painting;

use std::sync::Arc;

use winit::window::Window;

/// Why a presenter can't be made, or can't go on: a clause for the user.
pub(super) type Refusal = String;

/// What became of a frame that was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// The window shows it.
    Shown,
    /// The window took none, or changed meanwhile: the frame is due again.
    Skipped,
}

/// Whoever puts frames into the window.
#[derive(Debug)]
pub(super) enum Presenter {
    /// `wgpu`: Vulkan, Metal or Direct3D.
    Gpu(Box<gpu::Gpu>),
    /// `softbuffer`, which is the window system itself.
    Soft(soft::Soft),
}

impl Presenter {
    /// Frames of the window's size, at least 1 a side; by the GPU if that can be had, and if not, the
    /// reason comes along.
    pub(super) fn new(
        window: &Arc<Window>,
        size: [u32; 2],
    ) -> Result<(Self, Option<Refusal>), Refusal> {
        match gpu::Gpu::new(window, size) {
            Ok(gpu) => Ok((Self::Gpu(Box::new(gpu)), None)),
            Err(reason) => Ok((Self::Soft(soft::Soft::new(window, size)?), Some(reason))),
        }
    }

    /// Goes on without the GPU.
    pub(super) fn fall_back(self, window: &Arc<Window>, size: [u32; 2]) -> Result<Self, Refusal> {
        match self {
            Self::Gpu(gpu) => {
                // Two surfaces on one window would be in each other's way.
                drop(gpu);
                soft::Soft::new(window, size).map(Self::Soft)
            }
            Self::Soft(_) => Err("there is no other way to the screen".to_owned()),
        }
    }

    /// Its name, for those who want to know.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Gpu(_) => "wgpu",
            Self::Soft(_) => "softbuffer",
        }
    }

    /// Frames of another size, at least 1 a side.
    pub(super) fn resize(&mut self, size: [u32; 2]) -> Result<(), Refusal> {
        match self {
            Self::Gpu(gpu) => gpu.resize(size),
            Self::Soft(soft) => soft.resize(size),
        }
    }

    /// True if it can paint the panel.
    pub(super) fn has_panel(&self) -> bool {
        matches!(self, Self::Gpu(_))
    }

    /// Has bright places glow or not, if it can.
    pub(super) fn set_glow(&mut self, glows: bool) {
        if let Self::Gpu(gpu) = self {
            gpu.set_glow(glows);
        }
    }

    /// Paints the panel over frames from now on, if it can.
    pub(super) fn show_panel(&mut self, painting: Painting) {
        if let Self::Gpu(gpu) = self {
            gpu.show_panel(painting);
        }
    }

    /// Paints no panel from now on.
    pub(super) fn hide_panel(&mut self) {
        if let Self::Gpu(gpu) = self {
            gpu.hide_panel();
        }
    }

    /// The next frame: RGBA8, top row first.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Gpu(gpu) => gpu.bytes_mut(),
            Self::Soft(soft) => soft.bytes_mut(),
        }
    }

    /// Hands the frame to the screen. A profile shows it by name.
    #[inline(never)]
    pub(super) fn present(&mut self) -> Result<Presented, Refusal> {
        match self {
            Self::Gpu(gpu) => gpu.present(),
            Self::Soft(soft) => soft.present().map(|()| Presented::Shown),
        }
    }
}
