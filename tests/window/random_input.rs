//! Random input from a seed: keys, clicks, drags, the wheel, texts, sizes, full screen, hiding.
//!
//! One test runs a few rounds. Another one, `soak`, runs rounds for some minutes and prints the
//! memory of the program after each:
//!
//! ```text
//! JOSTLE_SOAK_MINUTES=10 JOSTLE_SOAK_SEED=7 cargo test --features peers --test window soak \
//!     -- --ignored --nocapture
//! ```
//!
//! A round ends with the same scene in a window of the same size, so that its memory can be
//! compared with the memory of other rounds.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsStr,
    fs,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use x11rb::protocol::xproto::Window;

use crate::{
    Path,
    desk::{Busy, Desk, SCREEN, keysym, wait_for},
    journals::replay,
    program::{Program, command_on},
};

crate::on_both_paths! {
    random_input_harms_nothing
    #[ignore = "takes as long as JOSTLE_SOAK_MINUTES says"]
    soak
}

/// Seed of the test, and its rounds.
const SEED: u64 = 17;
const ROUNDS: u32 = 3;

/// Inputs of a round, and how many of them may be under way: the program answers in between.
const INPUTS: u32 = 100;
const UNDER_WAY: u32 = 10;

/// Size and number of agents at the end of a round. All of the panel fits.
const SIZE: [u32; 2] = [1000, 860];
const AGENTS: &str = "5000";

/// Share by which the memory of the last third of a soak may exceed the memory of the third before
/// it. The test compares medians: a leak raises every round, and single rounds differ by more,
/// because of the memory that the allocator keeps.
const GROWTH: f64 = 0.05;

/// The journal of all rounds.
const JOURNAL: &str = "journal.jostle";

/// A place in the panel where the wheel scrolls.
const IN_THE_PANEL: [i16; 2] = [130, 140];

/// First words of the lines that report events, and of notices that the input causes.
const EVENTS: [&str; 65] = [
    "Ctrl-Z",
    "Esc",
    "K,",
    "at",
    "attract:",
    "branch",
    "closed",
    "colors",
    "erase:",
    "exposure",
    "figures",
    "filming",
    "films",
    "fitted",
    "frame",
    "friction",
    "full",
    "glow",
    "going",
    "gravity",
    "help",
    "index",
    "inspect",
    "interface",
    "keep",
    "mapped",
    "mean",
    "menu",
    "nothing",
    "number",
    "overlay",
    "panel",
    "panned",
    "paused",
    "placing",
    "plot",
    "plots",
    "poke:",
    "ready",
    "redone:",
    "refused:",
    "rescaled",
    "resized",
    "restarted",
    "restitution",
    "rolling",
    "run",
    "running",
    "side",
    "skip",
    "spawn:",
    "split",
    "threads",
    "time",
    "texts",
    "texts;",
    "times",
    "tool",
    "tour",
    "undone:",
    "wall:",
    "warning:",
    "warnings",
    "zoomed",
    "no",
];
const NOTICES: [&str; 18] = [
    "a minute of this film takes ",
    "all of the run goes to ",
    "saved ",
    "opened ",
    "copied ",
    "the clipboard ",
    "the program that has copied ",
    "branch ",
    "world:",
    "world has ",
    "no snapshot ",
    "jostle",
    "spawn: ",
    "the split has ended: ",
    "undo can't bring the run ",
    "undo does not take back ",
    "wall: ",
    "no room for ",
];

/// Keys that don't end the program, without the one that is waited for.
const KEYS: [u32; 53] = [
    0x61,
    0x62,
    0x63,
    0x64,
    0x65,
    0x66,
    0x67,
    0x68,
    0x69,
    0x6a,
    0x6b,
    0x6c,
    0x6d,
    0x6e,
    0x6f,
    0x70,
    0x72,
    0x73,
    0x74,
    0x75,
    0x76,
    0x77,
    0x78,
    0x79,
    0x7a,
    0x30,
    0x31,
    0x32,
    0x33,
    0x34,
    0x35,
    0x36,
    0x37,
    0x38,
    0x39,
    keysym::SPACE,
    keysym::PERIOD,
    keysym::PLUS,
    keysym::MINUS,
    keysym::EQUAL,
    keysym::QUESTION,
    keysym::BRACKET_LEFT,
    keysym::BRACKET_RIGHT,
    keysym::BACKSPACE,
    keysym::RETURN,
    keysym::HOME,
    keysym::END,
    keysym::LEFT,
    keysym::RIGHT,
    keysym::UP,
    keysym::DOWN,
    keysym::COMMA,
    keysym::F2,
];

/// Texts for the field of the agents; some are no numbers.
const TEXTS: [&str; 8] = ["0", "1", "700", "30k", "-5", "1e9", "99999999999", "2g x"];

fn random_input_harms_nothing(path: Path) {
    let mut user = RandomUser::new(path, SEED);
    for _ in 0..ROUNDS {
        user.round();
    }
    let notices = user.leave();
    assert!(notices.is_empty(), "{notices:#?}");
}

fn soak(path: Path) {
    let number = |name: &str, usual| {
        env::var(name).map_or(usual, |text| text.parse::<u64>().expect("a whole number"))
    };
    let minutes = Duration::from_mins(number("JOSTLE_SOAK_MINUTES", 1));
    let seed = number("JOSTLE_SOAK_SEED", SEED);
    let (begin, mut user, mut memory) = (Instant::now(), RandomUser::new(path, seed), Vec::new());
    while begin.elapsed() < minutes || memory.len() < 7 {
        // Every other round meets a busy machine.
        let _busy = (memory.len() % 2 == 1).then(Busy::new);
        user.round();
        memory.push(user.program.memory());
        println!(
            "{path:?} seed {seed} round {}: {} KiB after {:.0?}",
            memory.len(),
            memory[memory.len() - 1],
            begin.elapsed()
        );
    }
    let notices = user.leave();
    assert!(notices.is_empty(), "{notices:#?}");
    let third = memory.len().div_ceil(3);
    let median = |of: &mut [u64]| *of.select_nth_unstable(of.len() / 2).1;
    let (before, last) = memory[third..].split_at_mut(third);
    let [before, last] = [median(before), median(last)];
    let growth = last as f64 / before as f64 - 1.0;
    println!("{path:?} seed {seed}: {before} KiB, then {last} KiB, {:+.1} %", growth * 100.0);
    assert!(growth <= GROWTH, "memory grew by {:.1} %", growth * 100.0);
}

/// A user who presses everything, and the window.
struct RandomUser {
    desk: Desk,
    program: Program,
    window: Window,
    folder: TempDir,
    path: Path,
    state: u64,
}

impl RandomUser {
    fn new(path: Path, seed: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let desk = Desk::managed_in(folder.path());
        let mut command = command_on(&desk, folder.path(), path);
        let flags = ["--agents", AGENTS, "--journal", JOURNAL, "--history", "16MiB"];
        let mut program = Program::start(command.args(flags));
        program.wait_past(0);
        let window = desk.window();
        desk.focus(window);
        Self { desk, program, window, folder, path, state: seed }
    }

    /// A number below `end` (`SplitMix64`).
    fn below(&mut self, end: u32) -> u32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % u64::from(end)) as u32
    }

    fn any<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    /// Sends random input, then shows the same scene in a window of the same size as after any
    /// round.
    fn round(&mut self) {
        for input in 1..=INPUTS {
            self.input();
            if input % UNDER_WAY == 0 {
                self.wait_for_answer();
            }
        }
        self.tidy_up();
    }

    fn input(&mut self) {
        match self.below(20) {
            0..=6 => {
                let key = self.any(&KEYS);
                self.desk.key(key);
            }
            7 => {
                let key = self.any(&[
                    keysym::Z,
                    keysym::Z,
                    keysym::S,
                    keysym::O,
                    keysym::Y,
                    keysym::E,
                    keysym::C,
                    keysym::UPPER_C,
                    keysym::V,
                ]);
                self.desk.ctrl_key(key);
            }
            8..=10 => {
                let (at, button) = (self.anywhere(), self.any(&[1, 1, 1, 2, 3]));
                // The bar with the branches is low.
                let at = if self.below(4) == 0 { self.in_the_bar() } else { at };
                self.desk.point(at);
                self.click(button, 1);
            }
            11..=13 => self.drag(),
            14..=15 => {
                let (at, wheel, notches) = (self.anywhere(), self.any(&[4, 5]), self.below(6));
                self.desk.point(at);
                self.click(wheel, notches);
            }
            16 => {
                let size = SCREEN.map(|side| 1 + self.below(side));
                self.desk.resize(self.window, size);
            }
            17 => self.desk.key(keysym::F11),
            18 => {
                self.desk.show(self.window, false);
                self.desk.show(self.window, true);
                self.window = self.desk.window();
                wait_for("the keyboard", || self.desk.try_focus(self.window).then_some(()));
            }
            _ => {
                let text = self.any(&TEXTS);
                let field = self.program.seen_beside("agents");
                let at = match field {
                    Some(field) => self.on_screen(field),
                    None => self.anywhere(),
                };
                self.type_into(at, text);
            }
        }
    }

    fn drag(&mut self) {
        let (from, button, moves) = (self.anywhere(), self.any(&[1, 1, 3]), 1 + self.below(4));
        self.desk.point(from);
        self.desk.press(button);
        for _ in 0..moves {
            let to = self.anywhere();
            self.desk.point(to);
        }
        self.desk.release(button);
    }

    fn click(&self, button: u8, times: u32) {
        for _ in 0..times {
            self.desk.press(button);
            self.desk.release(button);
        }
    }

    /// A pixel of the window, more often of the panel than its share.
    fn anywhere(&mut self) -> [i16; 2] {
        let size = self.desk.size(self.window);
        let width = if self.below(3) == 0 { size[0].min(300) } else { size[0] };
        let [x, y] = [width, size[1]].map(|side| self.below(side) as i16);
        self.on_screen([x, y])
    }

    /// A pixel near the bottom of the window.
    fn in_the_bar(&mut self) -> [i16; 2] {
        let size = self.desk.size(self.window);
        let (x, above) = (self.below(size[0]), self.below(size[1].min(60)));
        self.on_screen([x as i16, (size[1] - 1 - above) as i16])
    }

    fn on_screen(&self, at: [i16; 2]) -> [i16; 2] {
        let place = self.desk.place(self.window);
        [place[0] + at[0], place[1] + at[1]]
    }

    fn type_into(&self, field: [i16; 2], text: &str) {
        // Where the pointer has rested since the window was elsewhere, a click brings no motion.
        self.desk.point([field[0], field[1] + 1]);
        self.desk.click(field);
        self.desk.key(keysym::END);
        (0..12).for_each(|_| self.desk.key(keysym::BACKSPACE));
        self.desk.type_text(text);
        self.desk.key(keysym::RETURN);
    }

    /// Waits until everything so far was handled: Tab has an answer whatever has the keyboard. It ends a number
    /// that is typed; then, and if this is refused, another Tab shows or hides the panel.
    fn wait_for_answer(&mut self) -> bool {
        loop {
            wait_for("the keyboard", || self.desk.try_focus(self.window).then_some(()));
            self.desk.key(keysym::TAB);
            let panel = self.program.wait("an answer", |line| {
                let is_typed = line == "number typed";
                is_typed
                    .then_some(None)
                    .or_else(|| line.strip_prefix("panel ").map(|it| Some(it == "on")))
            });
            if let Some(is_open) = panel {
                return is_open;
            }
        }
    }

    /// Leaves full screen; true if the window was in it.
    fn leave_full_screen(&mut self) -> bool {
        let is_on = |program: &Program| {
            program.last("full screen ").is_some_and(|line| line.ends_with(" on"))
        };
        let was_on = is_on(&self.program);
        // A window that was hidden may have left it: the first F11 then begins it again.
        while is_on(&self.program) {
            self.desk.key(keysym::F11);
            self.program.wait("an answer", |line| line.starts_with("full screen ").then_some(()));
        }
        was_on
    }

    fn tidy_up(&mut self) {
        // Tab takes the keyboard from the panel.
        self.wait_for_answer();
        self.leave_full_screen();
        // A film ends with a frame of another size.
        for size in [[900, 600], SIZE] {
            loop {
                wait_for("another size", || {
                    self.desk.resize(self.window, size);
                    (self.desk.size(self.window) == size).then_some(())
                });
                while !self.wait_for_answer() {}
                // The desktop may have begun it late.
                if !self.leave_full_screen() {
                    break;
                }
            }
            let shown = format!(" size {}x{} ", size[0], size[1]);
            self.program.wait("a frame", |line| line.contains(&shown).then_some(()));
        }
        let is_film = |line: &str| line.starts_with("jostle: ") && line.contains(".apng");
        let begun = self.program.count(|line| line.starts_with("filming "));
        while self.program.count(is_film) < begun {
            self.program.wait("a film", |line| is_film(line).then_some(()));
        }
        self.desk.key(keysym::ONE);
        let number = |line: &str| Some(line.strip_prefix("run gas ")?.to_owned());
        let agents = self.program.wait("gas", number);
        self.program.wait("the panel", |line| line.starts_with("figures ").then_some(()));
        self.program.wait_frame();
        // A panel with more rows, such as the rows of the glow, may be taller than the window.
        self.desk.point(self.on_screen(IN_THE_PANEL));
        self.click(4, 20);
        // The number that is shown already begins no run.
        if agents != AGENTS {
            let field = self.program.beside("agents");
            self.type_into(self.on_screen(field), AGENTS);
            self.program.wait_line(&format!("run gas {AGENTS}"));
            self.program.wait_frame();
        }
        for file in fs::read_dir(self.folder.path()).expect("a folder") {
            let file = file.expect("a file").path();
            let extension = file.extension().and_then(OsStr::to_str);
            if file.ends_with(JOURNAL) {
                continue;
            }
            if extension.is_some_and(|it| ["png", "apng", "jostle", "toml"].contains(&it)) {
                fs::remove_file(file).expect("a picture");
            }
        }
    }

    /// Closes the window and replays its journal; returns the unexpected lines.
    fn leave(self) -> BTreeSet<String> {
        self.desk.key(keysym::K);
        self.desk.key(keysym::ESCAPE);
        self.desk.ctrl_key(keysym::Q);
        let (status, lines) = self.program.end();
        assert_eq!(status.code(), Some(0), "{:#?}", lines.iter().rev().take(20));
        assert_eq!(lines.last().map(String::as_str), Some("closed"));
        let replayed = replay(self.folder.path(), JOURNAL);
        println!("{replayed}");
        let is_expected = |line: &&String| match line.strip_prefix("jostle: ") {
            Some(notice) => {
                let fallback = self.path == Path::Softbuffer && notice.starts_with("no GPU ");
                // A film may end before a frame is due.
                let no_film = notice.contains(".apng can't be written: no frame was shown");
                fallback || no_film || NOTICES.iter().any(|known| notice.starts_with(known))
            }
            None => EVENTS.contains(&line.split(' ').next().unwrap_or("")),
        };
        lines.iter().filter(|line| !is_expected(line)).cloned().collect()
    }
}
