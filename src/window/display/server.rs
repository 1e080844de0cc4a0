//! The display of this session: a Wayland compositor, an X server, both or neither.

use std::{
    env,
    ffi::{OsStr, OsString},
    os::unix::net::UnixStream,
    path::PathBuf,
};

use winit::{
    error::EventLoopError,
    event_loop::{EventLoop, EventLoopBuilder},
    platform::{
        run_on_demand::EventLoopExtRunOnDemand,
        wayland::EventLoopBuilderExtWayland,
        x11::{EventLoopBuilderExtX11, WindowAttributesExtX11},
    },
    window::{Fullscreen, Window, WindowAttributes},
};

use x11rb::{
    connection::Connection,
    errors::ReplyError,
    protocol::{xinput::ConnectionExt as _, xproto::ConnectionExt as _},
    resource_manager,
    rust_connection::RustConnection,
};

use crate::{
    program::ProgramError,
    window::display::{
        Call, Handler, Trouble, Waker, guarded::run_guarded, inbox::Inbox, unopened, x11,
    },
};

/// The variable that gives a screen of X11 its scale.
const SCALE: &str = "WINIT_X11_SCALE_FACTOR";

/// Bits of a color that frames have.
const DEPTH_MIN: u8 = 24;

/// The display, with winit connected to it.
pub(in crate::window) struct Display {
    event_loop: EventLoop<Call>,
    guards: Option<[RustConnection; 2]>,
}

impl Display {
    /// Opens the display of this session. Wayland comes first, because it often has an X server
    /// beside it.
    pub(in crate::window) fn open() -> Result<Self, Trouble> {
        let mut reasons = Vec::new();
        match ask_wayland() {
            Some(Ok(())) => return Self::wayland(),
            Some(Err(reason)) => reasons.push(reason),
            None => {}
        }
        match ask_x11() {
            Some(Ok(server)) => return Self::x11(server),
            Some(Err(reason)) => reasons.push(reason),
            None => {}
        }
        if reasons.is_empty() {
            reasons.push("neither WAYLAND_DISPLAY nor DISPLAY is set".to_owned());
        }
        Err(Trouble::NoDisplay(format!("no display: {}", reasons.join(", "))))
    }

    fn wayland() -> Result<Self, Trouble> {
        let keyboard = xkbcommon_dl::xkbcommon_option().is_some();
        require("libxkbcommon.so.0", "libxkbcommon0", keyboard)?;
        let event_loop = connect(|builder| builder.with_wayland())?;
        Ok(Self { event_loop, guards: None })
    }

    fn x11((older, screen): (RustConnection, usize)) -> Result<Self, Trouble> {
        suits(&older, screen)?;
        let keyboard = xkbcommon_dl::xkbcommon_option().is_some()
            && xkbcommon_dl::x11::xkbcommon_x11_option().is_some();
        require("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", keyboard)?;
        let event_loop = connect(|builder| builder.with_x11())?;
        let (newer, _) =
            x11rb::connect(None).map_err(|error| Trouble::Unusable(unopened(error)))?;
        Ok(Self { event_loop, guards: Some([older, newer]) })
    }

    /// Returns a waker of the window.
    pub(in crate::window) fn waker(&self) -> Waker {
        Waker(self.event_loop.create_proxy())
    }

    /// Runs the event loop until it ends. The error is a clause that says why the display was lost.
    pub(in crate::window) fn run(&mut self, app: &mut impl Handler) -> Result<(), String> {
        if let Some(guards) = &self.guards {
            return run_guarded(guards, &mut self.event_loop, app);
        }
        let mut inbox = Inbox::nested(app);
        self.event_loop.run_app_on_demand(&mut inbox).map_err(|error| error.to_string())
    }
}

/// Adds the program's name for window managers and docks; Wayland takes it as app id.
pub(in crate::window) fn named(attributes: WindowAttributes) -> WindowAttributes {
    WindowAttributesExtX11::with_name(attributes, "jostle", "jostle")
}

/// True if the desktop reports the window as full screen.
pub(in crate::window) fn is_full_screen(window: &Window) -> bool {
    x11::is_full_screen(window).unwrap_or_else(|| window.fullscreen().is_some())
}

/// Requests full screen or a window from the desktop.
pub(in crate::window) fn request_full_screen(window: &Window, full: bool) {
    let repeated = window.fullscreen().is_some() == full;
    if !repeated || !x11::request_full_screen(window, full) {
        window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
    }
}

fn connect(
    choose: impl FnOnce(&mut EventLoopBuilder<Call>) -> &mut EventLoopBuilder<Call>,
) -> Result<EventLoop<Call>, Trouble> {
    let mut builder = EventLoop::with_user_event();
    // Both backends support any thread; which one to use is the caller's choice.
    EventLoopBuilderExtX11::with_any_thread(&mut builder, true);
    choose(&mut builder).build().map_err(|error| unconnected(&error))
}

/// The error of winit where the display has answered: it loads libraries of the desktop first.
fn unconnected(reason: &EventLoopError) -> Trouble {
    let sentence = format!(
        "can't open a window ({reason}); on Debian and Ubuntu: \
         apt-get install libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0"
    );
    Trouble::Unusable(ProgramError::Display(sentence))
}

fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Connects to the Wayland compositor, if the environment names one.
fn ask_wayland() -> Option<Result<(), String>> {
    if set("WAYLAND_SOCKET").is_some() {
        // The compositor passed an open connection, which a test connection would use up.
        return Some(Ok(()));
    }
    let name = set("WAYLAND_DISPLAY")?;
    let socket = PathBuf::from(set("XDG_RUNTIME_DIR").unwrap_or_default()).join(&name);
    let answer = UnixStream::connect(socket).map(drop);
    Some(answer.map_err(|error| no_answer("WAYLAND_DISPLAY", &name, &error)))
}

/// Connects to the X server, if the environment names one.
fn ask_x11() -> Option<Result<(RustConnection, usize), String>> {
    let name = set("DISPLAY")?;
    Some(x11rb::connect(None).map_err(|error| no_answer("DISPLAY", &name, &error)))
}

fn no_answer(variable: &str, name: &OsStr, error: &dyn std::error::Error) -> String {
    format!("{variable}={} does not answer ({error})", name.display())
}

/// Rejects a missing library, without which winit panics. `found` is determined as winit does it.
fn require(library: &str, package: &str, found: bool) -> Result<(), Trouble> {
    if found {
        return Ok(());
    }
    Err(Trouble::Unusable(ProgramError::Display(format!(
        "the window needs {library}, which is not installed; on Debian and Ubuntu: \
         apt-get install {package} (`jostle run` needs no window)"
    ))))
}

/// Rejects a server without what winit takes for granted, and scales that it panics at.
fn suits(server: &RustConnection, screen: usize) -> Result<(), Trouble> {
    let unusable = |why: String| {
        let sentence = format!("can't open a window: {why} (`jostle run` needs no window)");
        Err(Trouble::Unusable(ProgramError::Display(sentence)))
    };
    let scale = env::var(SCALE).unwrap_or_default();
    let is_scale = |scale: f64| scale.is_normal() && scale > 0.0;
    if !(scale.is_empty()
        || scale.eq_ignore_ascii_case("randr")
        || scale.parse().is_ok_and(is_scale))
    {
        return unusable(format!("{SCALE}={scale} is no scale; set it to a number such as 1.5"));
    }
    let depth = server.setup().roots[screen].root_depth;
    if depth < DEPTH_MIN {
        return unusable(format!(
            "the screen has colors of {depth} bits, and {DEPTH_MIN} are needed; set it to {DEPTH_MIN}"
        ));
    }
    for extension in ["RANDR", "XInputExtension", "XKEYBOARD"] {
        let answer = server.query_extension(extension.as_bytes());
        let has = answer.ok().and_then(|answer| answer.reply().ok());
        if has.is_some_and(|has| !has.present) {
            return unusable(format!(
                "the X server lacks the extension {extension}; start it with this extension"
            ));
        }
    }
    // Before version 2, a server does not know the question.
    let answer = server.xinput_xi_query_version(2, 3).ok();
    if answer.is_some_and(|answer| matches!(answer.reply(), Err(ReplyError::X11Error(_)))) {
        return unusable(
            "the X server has XInputExtension 1, and 2 is needed; use a server of 2009 or later"
                .to_owned(),
        );
    }
    let resources = resource_manager::new_from_default(server).ok();
    let dpi = resources.as_ref().and_then(|it| it.get_string("Xft.dpi", "")?.parse().ok());
    if let Some(dpi) = dpi
        && scale.is_empty()
        && !is_scale(dpi)
    {
        return unusable(format!(
            "the X resource Xft.dpi is {dpi}; set it to 96, or set {SCALE}=1"
        ));
    }
    Ok(())
}
