//! Windows and macOS: the display is part of the system.

use winit::{
    event_loop::{EventLoop, EventLoopBuilder},
    window::WindowAttributes,
};

use crate::app::display::Trouble;

/// What to do if the window can't be opened all the same.
pub(in crate::app) const REMEDY: &str = "`jostle run` needs none";

/// The way to the display.
pub(in crate::app) fn find() -> Result<EventLoopBuilder<()>, Trouble> {
    Ok(EventLoop::builder())
}

/// What the system knows the window by, beside its title.
pub(in crate::app) fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}
