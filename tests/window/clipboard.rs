//! The clipboard: what the window copies is read back, and the test copies what the window opens.

use std::{
    fs,
    io::Cursor,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
            SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use crate::{
    capture::pixels,
    desk::{Desk, keysym, wait_for},
    program::open,
    snapshots::pause,
};

/// A program that has copied something, until it is dropped.
struct CopiedElsewhere {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl CopiedElsewhere {
    /// Owns the clipboard, with contents of one kind.
    fn new(desk: &Desk, kind: &'static str, contents: &str) -> Self {
        Self::that(desk, kind, contents, true)
    }

    /// Owns the clipboard, and never answers.
    fn frozen(desk: &Desk) -> Self {
        Self::that(desk, "UTF8_STRING", "", false)
    }

    fn that(desk: &Desk, kind: &'static str, contents: &str, answers: bool) -> Self {
        let (name, contents) = (desk.name.clone(), contents.as_bytes().to_vec());
        let ended = Arc::<AtomicBool>::default();
        let (ready, is_ready) = mpsc::channel();
        let until = Arc::clone(&ended);
        let thread = thread::spawn(move || {
            let (connection, screen) = x11rb::connect(Some(&name)).expect("the server answers");
            let atom = |name: &str| {
                let cookie = connection.intern_atom(false, name.as_bytes()).expect("sent");
                cookie.reply().expect("an atom").atom
            };
            let (own, root) =
                (connection.generate_id().expect("an id"), connection.setup().roots[screen].root);
            let (class, look) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
            let cookie = connection.create_window(0, own, root, 0, 0, 1, 1, 0, class, 0, &look);
            cookie.expect("sent").check().expect("a window");
            let (clipboard, kind) = (atom("CLIPBOARD"), atom(kind));
            let cookie = connection.set_selection_owner(own, clipboard, x11rb::CURRENT_TIME);
            cookie.expect("sent").check().expect("the selection");
            ready.send(()).expect("the test waits");
            while !until.load(Ordering::Relaxed) {
                match connection.poll_for_event() {
                    Ok(Some(Event::SelectionRequest(request))) if answers => {
                        answer(
                            &connection,
                            &request,
                            (request.target == kind).then_some(&contents[..]),
                        );
                    }
                    Ok(_) => thread::sleep(Duration::from_millis(2)),
                    // The server has ended before this.
                    Err(_) => break,
                }
            }
        });
        is_ready.recv().expect("it owns the clipboard");
        Self { ended, thread: Some(thread) }
    }
}

impl Drop for CopiedElsewhere {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Gives the contents to a program that asks for them, or says that there are none of that kind.
pub(crate) fn answer(
    connection: &RustConnection,
    request: &SelectionRequestEvent,
    contents: Option<&[u8]>,
) {
    let &SelectionRequestEvent { time, requestor, selection, target, property, .. } = request;
    if let Some(contents) = contents {
        let mode = PropMode::REPLACE;
        let cookie = connection.change_property8(mode, requestor, property, target, contents);
        cookie.expect("sent").check().expect("the program has properties");
    }
    let notice = SelectionNotifyEvent {
        response_type: SELECTION_NOTIFY_EVENT,
        sequence: 0,
        time,
        requestor,
        selection,
        target,
        property: contents.map_or(AtomEnum::NONE.into(), |_| property),
    };
    let cookie = connection.send_event(false, requestor, EventMask::NO_EVENT, notice);
    cookie.expect("sent").check().expect("the program gets it");
}

/// What the clipboard has of that kind.
fn copied(desk: &Desk, kind: &str) -> Vec<u8> {
    let connection = &desk.connection;
    let own = connection.generate_id().expect("an id");
    let (class, look) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
    let cookie = connection.create_window(0, own, desk.root, 0, 0, 1, 1, 0, class, 0, &look);
    cookie.expect("sent").check().expect("a window");
    let (clipboard, kind, to) = (desk.atom("CLIPBOARD"), desk.atom(kind), desk.atom("COPIED"));
    // The window reports before the server knows who owns the clipboard, and the server serves its
    // clients in any order.
    wait_for("an owner of the clipboard", || {
        let cookie = connection.get_selection_owner(clipboard).expect("sent");
        (cookie.reply().expect("an answer").owner != x11rb::NONE).then_some(())
    });
    let cookie = connection.convert_selection(own, clipboard, kind, to, x11rb::CURRENT_TIME);
    cookie.expect("sent").check().expect("the server asks the window");
    let property = wait_for("the contents", || {
        match connection.poll_for_event().expect("the server is there") {
            Some(Event::SelectionNotify(notice)) => Some(notice.property),
            _ => None,
        }
    });
    assert_eq!(property, to, "the clipboard has nothing of that kind");
    let cookie = connection.get_property(false, own, to, kind, 0, u32::MAX / 4).expect("sent");
    cookie.reply().expect("a property").value
}

#[test]
fn the_copied_picture_is_the_saved_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "700"]);
    pause(&desk, &mut program);
    desk.key(keysym::F2);
    program.wait_line("jostle: saved jostle.png");
    desk.ctrl_key(keysym::C);
    program.wait_line("jostle: copied a picture of 1260x720 pixels");
    let saved = fs::read(folder.path().join("jostle.png")).expect("a picture");
    let [saved, copied] = [saved, copied(&desk, "image/png")].map(|png| pixels(Cursor::new(png)));
    assert!(saved == copied, "another picture: {} and {} bytes", saved.len(), copied.len());
}

#[test]
fn a_copied_run_is_opened_where_it_is_pasted() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "700", "--scene", "pile", "--seed", "12"];
    let (desk, mut program) = open(folder.path(), &flags);
    desk.ctrl_key(keysym::UPPER_C);
    program.wait_line(
        "jostle: copied pile as the text of a world file; it begins as pile does: Ctrl-S saves the agents themselves",
    );
    let text = String::from_utf8(copied(&desk, "UTF8_STRING")).expect("UTF-8");
    assert!(text.contains("agents = 700") && text.contains("seed = 12"), "{text}");
    // The window's own, then that of another program.
    desk.ctrl_key(keysym::V);
    program.wait_line("run world 700");
    program.wait("the run", |line| {
        line.starts_with("jostle: opened the text of the clipboard after step 0").then_some(())
    });
    let _other = CopiedElsewhere::new(&desk, "UTF8_STRING", &text.replace("700", "600"));
    desk.ctrl_key(keysym::V);
    program.wait_line("run world 600");
    let _wrong = CopiedElsewhere::new(&desk, "UTF8_STRING", &text.replace("agents =", "agent ="));
    desk.ctrl_key(keysym::V);
    program.wait("a refusal", |line| line.starts_with("jostle: world:").then_some(()));
    let steps = program.wait_frame().steps;
    program.wait_past(steps);
}

#[test]
fn a_copied_file_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("three discs.csv");
    fs::write(&path, "x,y,radius\n1,1,0.5\n3,4,0.5\n6,2,0.5\n").expect("a file");
    let (desk, mut program) = open(folder.path(), &["--agents", "700"]);
    let opened = |line: &str| line.contains("three discs.csv after step 0").then_some(());
    let uri = format!("file://{}\r\n", path.display()).replace(' ', "%20");
    let files = CopiedElsewhere::new(&desk, "text/uri-list", &uri);
    desk.ctrl_key(keysym::V);
    program.wait_line("run gas 3");
    program.wait("the run", opened);
    drop(files);
    desk.key(keysym::TWO);
    program.wait("another run", |line| line.starts_with("run mixed ").then_some(()));
    let path = path.display().to_string();
    let _text = CopiedElsewhere::new(&desk, "UTF8_STRING", &path);
    desk.ctrl_key(keysym::V);
    program.wait_line("run gas 3");
    program.wait("the run", opened);
    let _missing = CopiedElsewhere::new(&desk, "UTF8_STRING", &path.replace("three", "two"));
    desk.ctrl_key(keysym::V);
    program.wait("a refusal", |line| {
        (line.contains("two discs.csv") && line.contains("there is no such file")).then_some(())
    });
}

#[test]
fn a_clipboard_without_anything_to_open_is_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "700"]);
    desk.ctrl_key(keysym::V);
    let sentence = "jostle: the clipboard has nothing to open: expected a file or the text of a \
                    world file; Ctrl-Shift-C copies one";
    program.wait_line(sentence);
    let _picture = CopiedElsewhere::new(&desk, "image/png", "no text");
    desk.ctrl_key(keysym::V);
    program.wait_line(sentence);
    let steps = program.wait_frame().steps;
    program.wait_past(steps);
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
}

#[test]
fn the_keys_of_the_clipboard_belong_to_a_text_field_that_has_the_keyboard() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "700"]);
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    desk.click(program.beside("seed"));
    // The click has selected the number.
    desk.ctrl_key(keysym::C);
    let clipboard = desk.atom("CLIPBOARD");
    wait_for("the number", || {
        let cookie = desk.connection.get_selection_owner(clipboard).expect("sent");
        (cookie.reply().expect("an answer").owner != x11rb::NONE).then_some(())
    });
    assert_eq!(copied(&desk, "UTF8_STRING"), b"0");
    let _number = CopiedElsewhere::new(&desk, "UTF8_STRING", "4711");
    desk.ctrl_key(keysym::V);
    program.text("4711");
    desk.key(keysym::RETURN);
    program.wait("another run", |line| line.starts_with("run gas 700").then_some(()));
    desk.ctrl_key(keysym::UPPER_C);
    program.wait_line(
        "jostle: copied gas as the text of a world file; it begins as gas does: Ctrl-S saves the agents themselves",
    );
    let text = String::from_utf8(copied(&desk, "UTF8_STRING")).expect("UTF-8");
    assert!(text.contains("seed = 4711"), "{text}");
    let others = ["jostle: copied a picture", "jostle: opened "];
    assert_eq!(program.count(|line| others.iter().any(|other| line.starts_with(other))), 0);
}

/// X11 has no word for a program that is busy: what asks it waits for some seconds, format by format.
#[test]
fn a_program_that_does_not_answer_holds_neither_the_window_nor_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "700"]);
    let _frozen = CopiedElsewhere::frozen(&desk);
    desk.ctrl_key(keysym::V);
    let steps = program.wait_frame().steps;
    program.wait_past(steps + 30);
    desk.ctrl_key(keysym::V);
    program.wait("a sentence", |line| line.contains("does not answer; copy it").then_some(()));
    // Nor does what is saved wait for it.
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    desk.key(keysym::TAB);
    program.wait_line("panel on");
    desk.click(program.beside("seed"));
    desk.ctrl_key(keysym::V);
    desk.type_text("12");
    desk.key(keysym::RETURN);
    program.wait("another run", |line| line.starts_with("run gas 700").then_some(()));
    let begin = Instant::now();
    desk.ctrl_key(keysym::Q);
    let (status, lines) = program.end();
    assert_eq!(status.code(), Some(0), "{lines:#?}");
    // One format alone is waited for longer.
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
}
