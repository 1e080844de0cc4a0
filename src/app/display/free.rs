//! Linux and the BSDs: a Wayland compositor, an X server, both or neither.

use std::{env, ffi::OsString, os::unix::net::UnixStream, path::PathBuf};

use winit::{
    event_loop::{EventLoop, EventLoopBuilder},
    platform::{
        wayland::EventLoopBuilderExtWayland,
        x11::{EventLoopBuilderExtX11, WindowAttributesExtX11},
    },
    window::WindowAttributes,
};

use crate::app::display::Trouble;

/// What to do if the window can't be opened although somebody answers.
pub(in crate::app) const REMEDY: &str = "on Debian and Ubuntu: \
    apt-get install libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0";

/// What a server said.
enum Answer {
    Yes,
    No(String),
    NotAsked,
}

/// The way to the display of this session. Wayland comes first, as an X server is often beside it.
pub(in crate::app) fn find() -> Result<EventLoopBuilder<()>, Trouble> {
    let mut builder = EventLoop::builder();
    // Either can be served from any thread, so the caller has the choice.
    EventLoopBuilderExtX11::with_any_thread(&mut builder, true);
    let wayland = ask_wayland();
    if matches!(wayland, Answer::Yes) {
        require("libxkbcommon.so.0", "libxkbcommon0", xkbcommon_dl::xkbcommon_option().is_some())?;
        builder.with_wayland();
        return Ok(builder);
    }
    let reason = match (wayland, ask_x11()) {
        (_, Answer::Yes) => {
            let x11 = xkbcommon_dl::xkbcommon_option().is_some()
                && xkbcommon_dl::x11::xkbcommon_x11_option().is_some();
            require("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", x11)?;
            builder.with_x11();
            return Ok(builder);
        }
        (Answer::No(wayland), Answer::No(x11)) => format!("{wayland}, {x11}"),
        (Answer::No(reason), _) | (_, Answer::No(reason)) => reason,
        _ => "neither WAYLAND_DISPLAY nor DISPLAY is set".to_owned(),
    };
    Err(Trouble::NoDisplay(format!("no display: {reason}")))
}

/// What window managers and docks know the program by; Wayland takes it as its app id.
pub(in crate::app) fn named(attributes: WindowAttributes) -> WindowAttributes {
    WindowAttributesExtX11::with_name(attributes, "jostle", "jostle")
}

fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn ask_wayland() -> Answer {
    if set("WAYLAND_SOCKET").is_some() {
        // An open connection that the compositor handed down: whoever asks it uses it up.
        return Answer::Yes;
    }
    let Some(name) = set("WAYLAND_DISPLAY") else { return Answer::NotAsked };
    let socket = PathBuf::from(set("XDG_RUNTIME_DIR").unwrap_or_default()).join(&name);
    match UnixStream::connect(socket) {
        Ok(_) => Answer::Yes,
        Err(error) => {
            Answer::No(format!("WAYLAND_DISPLAY={} does not answer ({error})", name.display()))
        }
    }
}

fn ask_x11() -> Answer {
    let Some(name) = set("DISPLAY") else { return Answer::NotAsked };
    match x11rb::connect(None) {
        Ok(_) => Answer::Yes,
        Err(error) => Answer::No(format!("DISPLAY={} does not answer ({error})", name.display())),
    }
}

/// A library that winit panics without, found the way winit finds it.
fn require(library: &str, package: &str, found: bool) -> Result<(), Trouble> {
    if found {
        return Ok(());
    }
    Err(Trouble::Unusable(format!(
        "the window needs {library}, which is not there; on Debian and Ubuntu: \
         apt-get install {package} (`jostle run` needs no window)"
    )))
}
