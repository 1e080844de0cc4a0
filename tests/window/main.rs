//! The window as a user has it: the program on an X server (Xvfb), with keys, a mouse and the
//! pixels of the screen.
//!
//! No test sleeps for a fixed time: the program prints a line for each event (`JOSTLE_EVENTS=1`),
//! and a test waits for its line or for its pixels. The expected pixels are exact, as the library
//! draws the same frame in the test.
#![cfg(all(feature = "window", target_os = "linux"))]

mod capture;
mod clipboard;
mod controls;
mod desk;
mod display;
mod dropped;
mod expected;
mod figures;
mod frame_rates;
mod journals;
mod menu;
mod panel;
mod panel_start;
mod pictures;
mod plots;
mod presenters;
mod program;
mod random_input;
mod resize;
mod screen;
mod settings;
mod snapshots;
mod split;
mod timeline;
mod tools;
mod tour;
mod worlds;

/// The presenter of the window. Tests that depend on it run with both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    /// pixels on lavapipe, a software Vulkan driver.
    Gpu,
    /// softbuffer, because there is no Vulkan driver.
    Softbuffer,
    /// softbuffer, because the only Vulkan driver is software.
    SoftwareDriver,
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
