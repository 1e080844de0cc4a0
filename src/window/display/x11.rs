//! The state of a window as the X server's window manager reports it.
//!
//! winit remembers the state that it has requested, and requests none twice. A window manager may
//! drop a request, so the state is read from the server and requested there once more.

use winit::{
    raw_window_handle::{HasWindowHandle, RawWindowHandle},
    window::Window,
};
use x11rb::{
    connection::Connection,
    errors::ReplyError,
    protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt, EventMask},
    rust_connection::RustConnection,
};

/// A window, its own connection to the server, and the atoms of the protocol.
struct Server {
    connection: RustConnection,
    root: u32,
    window: u32,
    state: u32,
    full_screen: u32,
}

/// True if the window manager reports full screen; `None` without an X server that answers.
pub(super) fn is_full_screen(window: &Window) -> Option<bool> {
    Server::connect(window)?.is_full_screen().ok()
}

/// Requests full screen or a window from the window manager; false without an X server that
/// answers.
pub(super) fn request_full_screen(window: &Window, full: bool) -> bool {
    Server::connect(window).is_some_and(|server| server.request(full).is_ok())
}

impl Server {
    /// Connects to the server of an X11 window, if it answers.
    fn connect(window: &Window) -> Option<Self> {
        let window = match window.window_handle().ok()?.as_raw() {
            RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok()?,
            RawWindowHandle::Xcb(handle) => handle.window.get(),
            _ => return None,
        };
        let (connection, screen) = x11rb::connect(None).ok()?;
        let root = connection.setup().roots[screen].root;
        let atom = |name: &str| {
            Some(connection.intern_atom(false, name.as_bytes()).ok()?.reply().ok()?.atom)
        };
        let (state, full_screen) = (atom("_NET_WM_STATE")?, atom("_NET_WM_STATE_FULLSCREEN")?);
        Some(Self { connection, root, window, state, full_screen })
    }

    fn is_full_screen(&self) -> Result<bool, ReplyError> {
        let (window, name) = (self.window, self.state);
        let states =
            self.connection.get_property(false, window, name, AtomEnum::ATOM, 0, 64)?.reply()?;
        Ok(states.value32().is_some_and(|mut states| states.any(|atom| atom == self.full_screen)))
    }

    /// Returns once the server has the request, so that it comes before any later one of winit.
    fn request(&self, full: bool) -> Result<(), ReplyError> {
        let data = [u32::from(full), self.full_screen, 0, 1, 0];
        let message = ClientMessageEvent::new(32, self.window, self.state, data);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, mask, message)?.check()
    }
}
