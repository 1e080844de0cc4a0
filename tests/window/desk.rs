//! An X server for one test, with keys, a mouse and its pixels.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    path::Path as FilePath,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            self, AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConfigureWindowAux,
            ConnectionExt as _, EventMask, ImageFormat, InputFocus, MapState, PropMode, Window,
        },
        xtest::ConnectionExt as _,
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

/// Deadline of every wait, long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Calls `ready` until it answers.
pub(crate) fn wait_for<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ready() {
            return answer;
        }
        assert!(begin.elapsed() < PATIENCE, "{what}: not in {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Keeps two cores busy until it is dropped.
pub(crate) struct Busy(Arc<AtomicBool>);

impl Busy {
    pub(crate) fn new() -> Self {
        let ended = Arc::<AtomicBool>::default();
        for _ in 0..2 {
            let ended = Arc::clone(&ended);
            std::thread::spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(ended)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Size of the screen, pixels.
pub(crate) const SCREEN: [u32; 2] = [1400, 900];

/// A virtual screen, which ends with the test.
pub(crate) struct Desk {
    pub(crate) server: Child,
    manager: Option<Child>,
    pub(crate) name: String,
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
}

impl Desk {
    /// Starts a server that picks its display number, so that tests can run in parallel.
    pub(crate) fn new() -> Self {
        Self::sized(SCREEN)
    }

    /// The same with a screen of that size.
    pub(crate) fn sized(screen: [u32; 2]) -> Self {
        Self::with(&["-screen", "0", &format!("{}x{}x24", screen[0], screen[1])])
    }

    /// The same with these arguments of the server.
    pub(crate) fn with(args: &[&str]) -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is needed (apt-get install xvfb)");
        let mut number = String::new();
        let stdout = server.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut number).expect("a display number");
        let name = format!(":{}", number.trim());
        let (connection, screen) = x11rb::connect(Some(&name)).expect("the server answers");
        let root = connection.setup().roots[screen].root;
        Self { server, manager: None, name, connection, root }
    }

    /// The same with a window manager, which handles requests for full screen. It adds a frame to
    /// each window, so that a pixel of the window is elsewhere on the screen.
    pub(crate) fn managed() -> Self {
        Self::managed_with(&[])
    }

    /// The same with a manager that has no menus and no keys of its own; its settings are in
    /// `folder`.
    pub(crate) fn managed_in(folder: &FilePath) -> Self {
        let file = folder.join("openbox.xml");
        let nothing = "<openbox_config><keyboard/><mouse/></openbox_config>";
        fs::write(&file, nothing).expect("a file");
        Self::managed_with(&["--config-file".as_ref(), file.as_os_str()])
    }

    fn managed_with(settings: &[&OsStr]) -> Self {
        let mut desk = Self::new();
        let manager = Command::new("openbox")
            .arg("--sm-disable")
            .args(settings)
            .env("DISPLAY", &desk.name)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("openbox is needed (apt-get install openbox)");
        desk.manager = Some(manager);
        wait_for("the window manager", || {
            let [name, window] = [desk.atom("_NET_SUPPORTING_WM_CHECK"), AtomEnum::WINDOW.into()];
            let check = desk.connection.get_property(false, desk.root, name, window, 0, 1).ok()?;
            // It announces itself before it is ready; its list of clients comes last.
            let list = desk.atom("_NET_CLIENT_LIST");
            let clients =
                desk.connection.get_property(false, desk.root, list, window, 0, 0).ok()?;
            let ready = clients.reply().ok()?.type_ == window;
            (check.reply().ok()?.value_len == 1 && ready).then_some(())
        });
        desk
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.server.kill().expect("the server runs");
        self.server.wait().expect("the server ran");
    }

    /// Waits for the program's window.
    pub(crate) fn window(&self) -> Window {
        wait_for("a window", || self.find(self.root))
    }

    /// The program's window inside another, at any depth.
    fn find(&self, window: Window) -> Option<Window> {
        let tree = self.connection.query_tree(window).ok()?.reply().ok()?;
        tree.children
            .into_iter()
            .find_map(|child| if self.is_jostle(child) { Some(child) } else { self.find(child) })
    }

    fn is_jostle(&self, window: Window) -> bool {
        let class = self.connection.get_property(
            false,
            window,
            AtomEnum::WM_CLASS,
            AtomEnum::STRING,
            0,
            64,
        );
        let class = class.ok().and_then(|cookie| cookie.reply().ok());
        let state = self.connection.get_window_attributes(window);
        let state = state.ok().and_then(|cookie| cookie.reply().ok());
        class.is_some_and(|class| class.value.starts_with(b"jostle"))
            && state.is_some_and(|state| state.map_state == MapState::VIEWABLE)
    }

    /// Gives the keyboard to a window.
    pub(crate) fn focus(&self, window: Window) {
        assert!(self.try_focus(window), "the window takes the keyboard");
    }

    /// The same; false for a window that is not shown yet.
    pub(crate) fn try_focus(&self, window: Window) -> bool {
        let time = x11rb::CURRENT_TIME;
        let cookie = self.connection.set_input_focus(InputFocus::PARENT, window, time);
        cookie.expect("sent").check().is_ok()
    }

    /// Presses and releases the key that types `keysym`, with shift if it needs that.
    pub(crate) fn key(&self, keysym: u32) {
        let (keycode, shifted) = self.keycode(keysym);
        let (shift, _) = self.keycode(keysym::SHIFT);
        if shifted {
            self.fake(xproto::KEY_PRESS_EVENT, shift, [0, 0]);
        }
        self.fake(xproto::KEY_PRESS_EVENT, keycode, [0, 0]);
        self.fake(xproto::KEY_RELEASE_EVENT, keycode, [0, 0]);
        if shifted {
            self.fake(xproto::KEY_RELEASE_EVENT, shift, [0, 0]);
        }
    }

    /// The same with Ctrl.
    pub(crate) fn ctrl_key(&self, keysym: u32) {
        let (ctrl, _) = self.keycode(keysym::CONTROL);
        self.fake(xproto::KEY_PRESS_EVENT, ctrl, [0, 0]);
        self.key(keysym);
        self.fake(xproto::KEY_RELEASE_EVENT, ctrl, [0, 0]);
    }

    /// Presses and releases a key by its code, while other keys are held.
    pub(crate) fn keycode_with(&self, held: &[u32], keycode: u8) {
        let held: Vec<u8> = held.iter().map(|key| self.keycode(*key).0).collect();
        for key in &held {
            self.fake(xproto::KEY_PRESS_EVENT, *key, [0, 0]);
        }
        self.fake(xproto::KEY_PRESS_EVENT, keycode, [0, 0]);
        self.fake(xproto::KEY_RELEASE_EVENT, keycode, [0, 0]);
        for key in &held {
            self.fake(xproto::KEY_RELEASE_EVENT, *key, [0, 0]);
        }
    }

    /// Gives the keyboard another layout.
    pub(crate) fn set_layout(&self, layout: &str) {
        let status = Command::new("setxkbmap").args(["-display", &self.name, layout]).status();
        assert!(status.expect("setxkbmap is needed (apt-get install x11-xkb-utils)").success());
    }

    /// The code of the key that types `keysym`, and whether it needs Shift.
    pub(crate) fn keycode(&self, keysym: u32) -> (u8, bool) {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let map = self.connection.get_keyboard_mapping(first, last - first + 1);
        let map = map.expect("sent").reply().expect("a keyboard");
        let width = usize::from(map.keysyms_per_keycode);
        let at = map.keysyms.iter().position(|&sym| sym == keysym).expect("a key for it");
        (first + u8::try_from(at / width).expect("few keys"), at % width == 1)
    }

    /// Moves the mouse. The window is in the corner of the screen, so both have the same pixels.
    pub(crate) fn point(&self, at: [i16; 2]) {
        self.fake(xproto::MOTION_NOTIFY_EVENT, 0, at);
    }

    /// Types lower-case letters, digits and spaces.
    pub(crate) fn type_text(&self, text: &str) {
        text.bytes().for_each(|letter| self.key(u32::from(letter)));
    }

    /// Clicks at a pixel of the window.
    pub(crate) fn click(&self, at: [i16; 2]) {
        self.point(at);
        self.press(1);
        self.release(1);
    }

    /// Presses a mouse button: 1 is left, 4 turns the wheel away from the user, 5 towards.
    pub(crate) fn press(&self, button: u8) {
        self.fake(xproto::BUTTON_PRESS_EVENT, button, [0, 0]);
    }

    /// Releases a mouse button.
    pub(crate) fn release(&self, button: u8) {
        self.fake(xproto::BUTTON_RELEASE_EVENT, button, [0, 0]);
    }

    fn fake(&self, kind: u8, detail: u8, [x, y]: [i16; 2]) {
        let cookie = self.connection.xtest_fake_input(kind, detail, 0, self.root, x, y, 0);
        cookie.expect("sent").check().expect("the server has XTEST");
    }

    /// Resizes the window.
    pub(crate) fn resize(&self, window: Window, [width, height]: [u32; 2]) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        let cookie = self.connection.configure_window(window, &size);
        cookie.expect("sent").check().expect("the window takes another size");
    }

    /// Unmaps the window, as minimizing does, or maps it again.
    pub(crate) fn show(&self, window: Window, shown: bool) {
        let cookie = if shown {
            self.connection.map_window(window)
        } else {
            self.connection.unmap_window(window)
        };
        cookie.expect("sent").check().expect("the window comes and goes");
    }

    /// Makes this test receive the requests of windows to a window manager, on a desk without one.
    pub(crate) fn receive_requests(&self) {
        let mask = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
        let cookie = self.connection.change_window_attributes(self.root, &mask);
        cookie.expect("sent").check().expect("the root window has events");
    }

    /// The next request about full screen: true to begin it, false to end it.
    pub(crate) fn full_screen_request(&self) -> bool {
        let (state, full_screen) = self.full_screen_atoms();
        wait_for("a request", || {
            let event = self.connection.poll_for_event().expect("the server is there")?;
            let Event::ClientMessage(message) = event else { return None };
            let [action, what, ..] = message.data.as_data32();
            (message.type_ == state && what == full_screen).then_some(action == 1)
        })
    }

    /// Reports full screen, or its end, as a window manager does.
    pub(crate) fn report_full_screen(&self, window: Window, full: bool) {
        let (state, full_screen) = self.full_screen_atoms();
        let states: &[u32] = if full { &[full_screen] } else { &[] };
        let (mode, kind) = (PropMode::REPLACE, AtomEnum::ATOM);
        let cookie = self.connection.change_property32(mode, window, state, kind, states);
        cookie.expect("sent").check().expect("the window has properties");
    }

    fn full_screen_atoms(&self) -> (u32, u32) {
        (self.atom("_NET_WM_STATE"), self.atom("_NET_WM_STATE_FULLSCREEN"))
    }

    /// Waits until the window manager has done what it was asked for before, as it does one thing
    /// after the other: until the window is above others, which is asked for now.
    pub(crate) fn wait_managed(&self, window: Window) {
        let [state, above] = ["_NET_WM_STATE", "_NET_WM_STATE_ABOVE"].map(|name| self.atom(name));
        let message = ClientMessageEvent::new(32, window, state, [1, above, 0, 1, 0]);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        let sent = self.connection.send_event(false, self.root, mask, message);
        sent.expect("sent").check().expect("the server has it");
        wait_for("the window above others", || {
            let kind = AtomEnum::ATOM;
            let states = self.connection.get_property(false, window, state, kind, 0, 64);
            let states = states.expect("sent").reply().expect("the window has properties");
            states.value32()?.any(|state| state == above).then_some(())
        });
    }

    /// Waits until the server has done what it was asked for.
    pub(crate) fn wait_served(&self) {
        self.connection.sync().expect("the server answers");
    }

    /// Sends the message of a window manager's close button.
    pub(crate) fn ask_to_close(&self, window: Window) {
        let message = ClientMessageEvent::new(
            32,
            window,
            self.atom("WM_PROTOCOLS"),
            [self.atom("WM_DELETE_WINDOW"), x11rb::CURRENT_TIME, 0, 0, 0],
        );
        let cookie = self.connection.send_event(false, window, EventMask::NO_EVENT, message);
        cookie.expect("sent").check().expect("the window gets it");
    }

    /// Makes pixels smaller: 96 dots per inch are a scale factor of 1. winit reads the value from
    /// the screen, but notices a change on its own window only, or a settings daemon, or a new
    /// monitor.
    pub(crate) fn set_dots_per_inch(&self, window: Window, dots: u32) {
        let text = format!("Xft.dpi:\t{dots}\n");
        let (mode, name, kind) = (PropMode::REPLACE, AtomEnum::RESOURCE_MANAGER, AtomEnum::STRING);
        for target in [self.root, window] {
            let cookie =
                self.connection.change_property8(mode, target, name, kind, text.as_bytes());
            cookie.expect("sent").check().expect("the screen gets it");
        }
    }

    pub(crate) fn atom(&self, name: &str) -> u32 {
        let cookie = self.connection.intern_atom(false, name.as_bytes()).expect("sent");
        cookie.reply().expect("an atom").atom
    }

    /// The title of the window.
    pub(crate) fn title(&self, window: Window) -> String {
        let [name, text] = ["_NET_WM_NAME", "UTF8_STRING"].map(|name| self.atom(name));
        let title = self.connection.get_property(false, window, name, text, 0, 64).expect("sent");
        String::from_utf8(title.reply().expect("a title").value).expect("UTF-8")
    }

    /// The window's size.
    pub(crate) fn size(&self, window: Window) -> [u32; 2] {
        let geometry =
            self.connection.get_geometry(window).expect("sent").reply().expect("a window");
        [u32::from(geometry.width), u32::from(geometry.height)]
    }

    /// The window's position on the screen.
    pub(crate) fn place(&self, window: Window) -> [i16; 2] {
        let place = self.connection.translate_coordinates(window, self.root, 0, 0);
        let place = place.expect("sent").reply().expect("a window");
        [place.dst_x, place.dst_y]
    }

    /// The pixels of the window: red, green and blue, top row first; nothing if it is off the
    /// screen.
    pub(crate) fn pixels(&self, window: Window, [width, height]: [u32; 2]) -> Option<Vec<[u8; 3]>> {
        let side = |side| u16::try_from(side).expect("a window's side");
        let (width, height) = (side(width), side(height));
        let format = ImageFormat::Z_PIXMAP;
        let cookie = self.connection.get_image(format, window, 0, 0, width, height, !0).ok()?;
        let image = cookie.reply().ok()?;
        assert_eq!(image.depth, 24, "four bytes per pixel: blue, green, red, nothing");
        Some(image.data.chunks_exact(4).map(|bytes| [bytes[2], bytes[1], bytes[0]]).collect())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        for child in self.manager.iter_mut().chain([&mut self.server]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The names of keys, as X11's keysymdef.h has them.
pub(crate) mod keysym {
    pub(crate) const BACKSPACE: u32 = 0xff08;
    pub(crate) const RETURN: u32 = 0xff0d;
    pub(crate) const TAB: u32 = 0xff09;
    pub(crate) const SPACE: u32 = 0x20;
    pub(crate) const PLUS: u32 = 0x2b;
    pub(crate) const MINUS: u32 = 0x2d;
    pub(crate) const PERIOD: u32 = 0x2e;
    pub(crate) const EQUAL: u32 = 0x3d;
    pub(crate) const QUESTION: u32 = 0x3f;
    pub(crate) const ZERO: u32 = 0x30;
    pub(crate) const ONE: u32 = 0x31;
    pub(crate) const TWO: u32 = 0x32;
    pub(crate) const EIGHT: u32 = 0x38;
    pub(crate) const BRACKET_LEFT: u32 = 0x5b;
    pub(crate) const BRACKET_RIGHT: u32 = 0x5d;
    pub(crate) const A: u32 = 0x61;
    pub(crate) const B: u32 = 0x62;
    pub(crate) const C: u32 = 0x63;
    pub(crate) const E: u32 = 0x65;
    pub(crate) const F: u32 = 0x66;
    pub(crate) const G: u32 = 0x67;
    pub(crate) const H: u32 = 0x68;
    pub(crate) const K: u32 = 0x6b;
    pub(crate) const L: u32 = 0x6c;
    pub(crate) const M: u32 = 0x6d;
    pub(crate) const N: u32 = 0x6e;
    pub(crate) const O: u32 = 0x6f;
    pub(crate) const P: u32 = 0x70;
    pub(crate) const Q: u32 = 0x71;
    pub(crate) const R: u32 = 0x72;
    pub(crate) const S: u32 = 0x73;
    pub(crate) const T: u32 = 0x74;
    pub(crate) const U: u32 = 0x75;
    pub(crate) const V: u32 = 0x76;
    pub(crate) const W: u32 = 0x77;
    pub(crate) const Y: u32 = 0x79;
    pub(crate) const Z: u32 = 0x7a;
    pub(crate) const UPPER_C: u32 = 0x43;
    pub(crate) const UPPER_Z: u32 = 0x5a;
    pub(crate) const F2: u32 = 0xffbf;
    pub(crate) const F11: u32 = 0xffc8;
    pub(crate) const CONTROL: u32 = 0xffe3;
    pub(crate) const ESCAPE: u32 = 0xff1b;
    pub(crate) const HOME: u32 = 0xff50;
    pub(crate) const END: u32 = 0xff57;
    pub(crate) const PAGE_UP: u32 = 0xff55;
    pub(crate) const PAGE_DOWN: u32 = 0xff56;
    pub(crate) const LEFT: u32 = 0xff51;
    pub(crate) const RIGHT: u32 = 0xff53;
    pub(crate) const UP: u32 = 0xff52;
    pub(crate) const DOWN: u32 = 0xff54;
    pub(crate) const COMMA: u32 = 0x2c;
    pub(crate) const KEYPAD_PLUS: u32 = 0xffab;
    pub(crate) const KEYPAD_MINUS: u32 = 0xffad;
    pub(crate) const SHIFT: u32 = 0xffe1;
    pub(crate) const ALT: u32 = 0xffe9;
    pub(crate) const SUPER: u32 = 0xffeb;
}
