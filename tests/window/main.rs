//! The window, as a user meets it: the real program on a real X server (Xvfb), with real keys, a real
//! mouse, and the pixels read back.
//!
//! Nothing here sleeps and hopes: the program prints a line for each event (`JOSTLE_EVENTS=1`), and a
//! test waits for the line, or for the pixels, that it is about. What the pixels should be is known to
//! the bit, because the library draws the same frame in the test.
#![cfg(all(feature = "window", target_os = "linux"))]

mod capture;
mod controls;
mod desk;
mod display;
mod expected;
mod panel;
mod pictures;
mod program;
mod resize;
mod screen;
mod settings;
mod tools;

/// The presenter of the window. Tests of what depends on it run with both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    /// wgpu on lavapipe, a software Vulkan driver.
    Gpu,
    /// softbuffer, because there is no Vulkan driver.
    Softbuffer,
}

/// Makes a test of each function for each presenter.
macro_rules! on_both_paths {
    ($($(#[$doc:meta])* $name:ident)*) => {
        mod gpu {
            $($(#[$doc])* #[test] fn $name() { super::$name(crate::Path::Gpu); })*
        }
        mod softbuffer {
            $($(#[$doc])* #[test] fn $name() { super::$name(crate::Path::Softbuffer); })*
        }
    };
}
use on_both_paths;
