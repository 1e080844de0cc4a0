//! Files that are dropped on the window: the test is the file manager, and speaks XDND, version 5.

use std::{fs, path::Path};

use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask,
            SelectionRequestEvent, Window, WindowClass,
        },
    },
};

use crate::{
    clipboard::answer,
    desk::{Desk, keysym, wait_for},
    program::open,
};

/// A file manager, which owns the selection of a drag and tells the window of it.
struct FileManager<'a> {
    desk: &'a Desk,
    own: Window,
    target: Window,
}

impl<'a> FileManager<'a> {
    fn new(desk: &'a Desk, target: Window) -> Self {
        let connection = &desk.connection;
        let own = connection.generate_id().expect("an id");
        let (class, look) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        let cookie = connection.create_window(0, own, desk.root, 0, 0, 1, 1, 0, class, 0, &look);
        cookie.expect("sent").check().expect("a window");
        let selection = desk.atom("XdndSelection");
        let cookie = connection.set_selection_owner(own, selection, x11rb::CURRENT_TIME);
        cookie.expect("sent").check().expect("the selection");
        Self { desk, own, target }
    }

    /// Sends one of the messages of the protocol.
    fn send(&self, name: &str, [one, two, three, four]: [u32; 4]) {
        let data = [self.own, one, two, three, four];
        let message = ClientMessageEvent::new(32, self.target, self.desk.atom(name), data);
        let to = self.target;
        let cookie = self.desk.connection.send_event(false, to, EventMask::NO_EVENT, message);
        cookie.expect("sent").check().expect("the window gets it");
    }

    /// Answers the window, which asks what is dragged.
    fn answer(&self, request: &SelectionRequestEvent, text: &str) {
        answer(&self.desk.connection, request, Some(text.as_bytes()));
    }

    /// The next event of the server.
    fn event(&self, what: &str) -> Event {
        wait_for(what, || self.desk.connection.poll_for_event().expect("the server is there"))
    }

    /// Drags a file over the window and drops it.
    fn drop_file(&self, path: &Path) {
        const VERSION: u32 = 5 << 24;
        let path = path.to_str().expect("a name in UTF-8").replace(' ', "%20");
        let text = format!("file://{path}\r\n");
        let list = self.desk.atom("text/uri-list");
        self.send("XdndEnter", [VERSION, list, AtomEnum::NONE.into(), AtomEnum::NONE.into()]);
        let [x, y] = self.desk.place(self.target).map(|at| at as u32 + 100);
        let copy = self.desk.atom("XdndActionCopy");
        self.send("XdndPosition", [0, x << 16 | y, x11rb::CURRENT_TIME, copy]);
        let (status, mut accepted, mut asked) = (self.desk.atom("XdndStatus"), false, false);
        while !(accepted && asked) {
            match self.event("the answer of the window") {
                Event::SelectionRequest(request) => {
                    self.answer(&request, &text);
                    asked = true;
                }
                Event::ClientMessage(message) if message.type_ == status => {
                    accepted = message.data.as_data32()[1] & 1 == 1;
                }
                _ => {}
            }
        }
        self.send("XdndDrop", [0, x11rb::CURRENT_TIME, 0, 0]);
        let finished = self.desk.atom("XdndFinished");
        while !matches!(self.event("the end of the drop"), Event::ClientMessage(message)
            if message.type_ == finished)
        {}
    }
}

#[test]
fn a_world_file_that_is_dropped_on_the_window_is_opened_and_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("my life.toml");
    let text = include_str!("../../worlds/particle-life.toml").replace("30_000", "700");
    fs::write(&path, &text).expect("a file");
    let (desk, mut program) = open(folder.path(), &["--agents", "500", "--scene", "gas"]);
    FileManager::new(&desk, desk.window()).drop_file(&path);
    program.wait_line("run my life 700");
    program.wait("the run", |line| line.contains("my life.toml after step 0").then_some(()));
    fs::write(&path, text.replace("value = 40", "value = 20")).expect("a file");
    program.wait("a change", |line| line.contains("my life.toml has changed").then_some(()));
}

#[test]
fn a_table_and_a_journal_that_are_dropped_on_the_window_are_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--agents", "500", "--scene", "pile", "--journal", "a.jostle"];
    let (desk, mut program) = open(folder.path(), &flags);
    program.wait_past(30);
    let table = folder.path().join("three.csv");
    fs::write(&table, "x,y,radius\n1,1,0.5\n3,4,0.5\n6,2,0.5\n").expect("a file");
    let manager = FileManager::new(&desk, desk.window());
    manager.drop_file(&table);
    program.wait_line("run gas 3");
    program.wait_past(5);
    // This window records a journal itself.
    let journal = folder.path().join("a.jostle");
    manager.drop_file(&journal);
    program
        .wait("a refusal", |line| line.contains("while --journal records another").then_some(()));
    desk.ctrl_key(keysym::Q);
    program.end();
    // From the command line, it opens alike.
    let (desk, mut program) = open(folder.path(), &["--start", "three.csv"]);
    program.wait_past(5);
    desk.ctrl_key(keysym::Q);
    program.end();

    let (desk, mut program) = open(folder.path(), &["--agents", "700"]);
    FileManager::new(&desk, desk.window()).drop_file(&journal);
    program.wait_line("run pile 500");
    program.wait("the end", |line| {
        let replayed = line.strip_prefix("jostle: replayed 2 runs, ");
        replayed?.ends_with(": all the same").then_some(())
    });
}

#[test]
fn a_snapshot_that_is_dropped_on_the_window_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let (desk, mut program) = open(folder.path(), &["--agents", "2000", "--scene", "pile"]);
    program.wait_past(20);
    desk.ctrl_key(keysym::S);
    program.wait_line("jostle: saved jostle.jostle");
    let moved = folder.path().join("another name.jostle");
    fs::rename(folder.path().join("jostle.jostle"), &moved).expect("a name");
    desk.key(keysym::ONE);
    program.wait_line("run gas 2000");

    let manager = FileManager::new(&desk, desk.window());
    manager.drop_file(&moved);
    program.wait_line("run pile 2000");
    program.wait("the run", |line| line.contains("another name.jostle after step ").then_some(()));

    let text = folder.path().join("a text");
    fs::write(&text, "not a run").expect("a file");
    manager.drop_file(&text);
    program.wait("a refusal", |line| line.contains("a text can't be loaded: ").then_some(()));
    let steps = program.wait_frame().steps;
    program.wait_past(steps);
}
