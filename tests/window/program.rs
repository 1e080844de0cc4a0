//! The program under test: its arguments, its environment and its lines.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path as FilePath,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use jostle::{Vec2, raster::Camera};

use crate::{
    Path,
    desk::{Desk, PATIENCE, wait_for},
};

/// The question before the window closes.
pub(crate) const QUESTION: &str = "Esc or Q again closes the window; Ctrl-S saves the run";

/// A frame that the program reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) number: u64,
    pub(crate) steps: u64,
    pub(crate) size: [u32; 2],
    pub(crate) camera: Camera,
    pub(crate) hud: Hud,
}

/// Most parts of a HUD.
const PARTS: usize = 12;

/// Columns and rows that a part of the HUD covers, pixels.
type PixelBlock = [[usize; 2]; 2];

/// The parts of the HUD in a frame, as the program reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Hud {
    blocks: [PixelBlock; PARTS],
    pub(crate) timeline: PixelBlock,
    pub(crate) map: PixelBlock,
    pub(crate) tools: PixelBlock,
    pub(crate) menu: PixelBlock,
    pub(crate) legend: PixelBlock,
}

impl Hud {
    /// Reads `status 0,0 640x24; timeline 0,460 640x20`.
    fn read(text: &str) -> Option<Self> {
        let mut hud = Self::default();
        for (index, part) in text.split("; ").enumerate() {
            let (rest, size) = part.rsplit_once(' ')?;
            let (name, corner) = rest.rsplit_once(' ')?;
            let ((x, y), (width, height)) = (corner.split_once(',')?, size.split_once('x')?);
            let [x, y, width, height] =
                [x, y, width, height].map(|side| side.parse().unwrap_or(usize::MAX));
            let block = [[x, x + width], [y, y + height]];
            hud.blocks[index] = block;
            match name {
                "timeline" => hud.timeline = block,
                "map" => hud.map = block,
                "tools" => hud.tools = block,
                "menu" => hud.menu = block,
                "legend" => hud.legend = block,
                _ => {}
            }
        }
        Some(hud)
    }

    /// Whether a pixel belongs to the HUD, whose lines are a bit wider than its parts.
    pub(crate) fn covers(&self, pixel: [usize; 2]) -> bool {
        const LINE: usize = 2;
        let within = |(at, [from, to]): (usize, [usize; 2])| {
            from < to + LINE && at + LINE >= from && at < to + LINE
        };
        self.blocks.iter().any(|block| block[0][1] > 0 && pixel.into_iter().zip(*block).all(within))
    }
}

/// The program, running.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
    printed: Vec<String>,
}

/// The program without any display or driver of this machine.
pub(crate) fn command(folder: &FilePath) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jostle"));
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "WGPU_ADAPTER_NAME"] {
        command.env_remove(name);
    }
    let settings = folder.join("settings");
    command.env("XDG_RUNTIME_DIR", folder).env("XDG_CONFIG_HOME", settings);
    command.env("JOSTLE_EVENTS", "1");
    command.current_dir(folder).stdout(Stdio::null());
    command
}

/// `jostle watch` on a test's screen, with the presenter and the driver of a path.
pub(crate) fn command_on(desk: &Desk, folder: &FilePath, path: Path) -> Command {
    let mut command = command(folder);
    let (driver, presenter) = match path {
        Path::Gpu => (lavapipe(), "gpu"),
        Path::Softbuffer => ("/nowhere/driver.json".to_owned(), "auto"),
        Path::SoftwareDriver => (lavapipe(), "auto"),
    };
    command
        .args(["watch", "--present", presenter])
        .env("DISPLAY", &desk.name)
        .env("WGPU_BACKEND", "vulkan")
        .env("VK_ICD_FILENAMES", &driver)
        .env("VK_DRIVER_FILES", &driver);
    command
}

/// A window with these flags, which has the keyboard.
pub(crate) fn open(folder: &FilePath, flags: &[&str]) -> (Desk, Program) {
    let desk = Desk::new();
    let mut command = command_on(&desk, folder, Path::SoftwareDriver);
    let mut program = Program::start(command.args(flags));
    program.wait_past(0);
    desk.focus(desk.window());
    (desk, program)
}

/// The manifest of the Vulkan driver in software, so that tests don't depend on a GPU.
fn lavapipe() -> String {
    let folder = "/usr/share/vulkan/icd.d";
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.path().into_os_string().into_string().ok())
        .find(|path| path.contains("lvp_icd"))
        .expect("lavapipe is needed (apt-get install mesa-vulkan-drivers)")
}

impl Program {
    /// Starts the program, with `gas` unless the flags say what it begins with, and reads its lines.
    pub(crate) fn start(command: &mut Command) -> Self {
        let given = ["--scene", "--start", "--load", "--replay", "--tour"];
        if !command.get_args().any(|flag| given.iter().any(|given| flag == *given)) {
            command.args(["--scene", "gas"]);
        }
        Self::start_as_given(command)
    }

    /// Starts the program and reads its lines.
    pub(crate) fn start_as_given(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let stderr = child.stderr.take().expect("a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines, printed: Vec::new() }
    }

    /// Waits for the first line for which `wanted` has an answer.
    pub(crate) fn wait<T>(&mut self, what: &str, wanted: impl Fn(&str) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Other lines don't extend the deadline.
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let answer = wanted(&line);
                    self.printed.push(line);
                    if let Some(answer) = answer {
                        return answer;
                    }
                }
                Err(reason) => panic!("{what}: {reason} after\n  {}", self.recent_lines()),
            }
        }
    }

    /// Its lines, without most of the frames.
    fn recent_lines(&self) -> String {
        let last = self.printed.len().saturating_sub(20);
        let (early, late) = self.printed.split_at(last);
        let early = early.iter().filter(|line| !line.starts_with("frame "));
        let lines: Vec<&str> = early.chain(late).map(String::as_str).collect();
        lines.join("\n  ")
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
    }

    /// Limits its addresses to those that it has and a few: the system refuses it more memory.
    ///
    /// The few are for small allocations, of a text or a line. Without them, one of those may be
    /// refused before a large one, and Rust ends a program then.
    pub(crate) fn refuse_memory(&self) {
        const SPARE: u64 = 8 << 20;
        let id = self.child.id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("a size");
        let kib: u64 = size.trim().trim_end_matches(" kB").parse().expect("a number");
        let limit = format!("--as={0}:{0}", kib * 1024 + SPARE);
        let status = Command::new("prlimit").args(["--pid", &id.to_string(), &limit]).status();
        assert!(status.expect("prlimit is needed (util-linux)").success());
    }

    /// Whether exactly this line was among those read so far.
    pub(crate) fn has_printed(&self, line: &str) -> bool {
        self.printed.iter().any(|printed| printed == line)
    }

    /// The last line so far that begins with these words.
    pub(crate) fn last(&self, words: &str) -> Option<&str> {
        self.last_of(&[words])
    }

    /// The last line so far that begins with one of these.
    pub(crate) fn last_of(&self, beginnings: &[&str]) -> Option<&str> {
        let begins = |line: &&String| beginnings.iter().any(|words| line.starts_with(words));
        self.printed.iter().rev().find(begins).map(String::as_str)
    }

    /// Number of lines so far for which this holds.
    pub(crate) fn count(&self, is_counted: impl Fn(&str) -> bool) -> usize {
        self.printed.iter().filter(|line| is_counted(line)).count()
    }

    /// Resident memory of the process, KiB.
    pub(crate) fn memory(&self) -> u64 {
        let file = format!("/proc/{}/status", self.child.id());
        let text = fs::read_to_string(file).expect("a process");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Environment of the process, as it began.
    pub(crate) fn environment(&self) -> String {
        let bytes = fs::read(format!("/proc/{}/environ", self.child.id())).expect("a process");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// CPU time of the process.
    pub(crate) fn cpu_time(&self) -> Duration {
        let file = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(file).expect("a process");
        // After the name, which may contain anything, fields 12 and 13 are hundredths of a second.
        let (_, fields) = text.rsplit_once(')').expect("a name");
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: u64 = ticks.map(|field| field.parse::<u64>().expect("a count")).sum();
        Duration::from_millis(ticks * 10)
    }

    /// Waits until all threads of the program and of its X server sleep and nothing that is under
    /// way wakes one.
    ///
    /// The main thread alone would not do: it also sleeps while others draw what it presents, and
    /// all sleep while a busy server owes them an answer.
    pub(crate) fn wait_asleep(&self, desk: &Desk) {
        let processes = [self.child.id(), desk.server.id()];
        let state = |task: fs::DirEntry| {
            // A thread may end in between.
            let text = fs::read_to_string(task.path().join("status")).ok()?;
            let field = |name| text.lines().find(|line| line.starts_with(name)).map(str::to_owned);
            Some([field("State:")?, field("voluntary_ctxt_switches:")?])
        };
        let read = || -> Option<Vec<_>> {
            let tasks = |id| fs::read_dir(format!("/proc/{id}/task")).expect("a process");
            processes.iter().flat_map(tasks).map(|task| state(task.expect("a thread"))).collect()
        };
        let sleeps = |thread: &[String; 2]| thread[0].contains("S (sleeping)");
        wait_for("a program that sleeps", || {
            let before = read()?;
            std::thread::sleep(Duration::from_millis(200));
            (before.iter().all(sleeps) && read()? == before).then_some(())
        });
    }

    /// Waits for exactly this line.
    pub(crate) fn wait_line(&mut self, wanted: &str) {
        self.wait(wanted, |line| (line == wanted).then_some(()));
    }

    /// Waits for the next frame.
    pub(crate) fn wait_frame(&mut self) -> Frame {
        self.wait("a frame", frame)
    }

    /// Waits for the frame after this number of steps.
    pub(crate) fn wait_steps(&mut self, steps: u64) -> Frame {
        self.wait("a frame", |line| frame(line).filter(|frame| frame.steps == steps))
    }

    /// Waits for a frame after more steps than these: under load a frame may take several.
    pub(crate) fn wait_past(&mut self, steps: u64) -> Frame {
        self.wait("a later frame", |line| frame(line).filter(|frame| frame.steps > steps))
    }

    /// The middle of a text of the panel, pixels of the window.
    pub(crate) fn text(&mut self, wanted: &str) -> [i16; 2] {
        self.place(wanted, |all| all.iter().find(|(_, text)| text == wanted).map(|(at, _)| *at))
    }

    /// The middle of the text that stands beside a label of the panel.
    pub(crate) fn beside(&mut self, label: &str) -> [i16; 2] {
        self.place(label, |all| behind(all, label))
    }

    /// The same as far as the panel has been shown, without waiting.
    pub(crate) fn seen_beside(&self, label: &str) -> Option<[i16; 2]> {
        behind(&texts(self.last("texts; ")?)?, label)
    }

    /// A place among the texts of the panel that were reported last, or are next when they moved.
    fn place(
        &mut self,
        what: &str,
        find: impl Fn(&[([i16; 2], String)]) -> Option<[i16; 2]>,
    ) -> [i16; 2] {
        let place = |line: &str| find(&texts(line)?);
        match self.last_of(&["texts move", "texts; "]).and_then(place) {
            Some(place) => place,
            None => self.wait(what, place),
        }
    }

    /// Waits for the end; returns the exit status and all lines.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<String>) {
        let status = wait_for("the end", || self.child.try_wait().expect("a child"));
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.printed.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("stderr outlives the program"),
            }
        }
        (status, std::mem::take(&mut self.printed))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads `frame 3 steps 5 size 640x480 center 1,2 scale 3; status 0,0 640x24`.
fn frame(line: &str) -> Option<Frame> {
    let (line, hud) = line.split_once("; ")?;
    let words: Vec<&str> = line.split([' ', 'x', ',']).collect();
    let ["frame", number, "steps", steps, "size", width, height, "center", x, y, "scale", scale] =
        words[..]
    else {
        return None;
    };
    let size: [u32; 2] = [width.parse().ok()?, height.parse().ok()?];
    let camera = Camera {
        center: Vec2::new(x.parse().ok()?, y.parse().ok()?),
        scale: scale.parse().ok()?,
        size: Vec2::new(size[0] as f32, size[1] as f32),
    };
    let (number, steps) = (number.parse().ok()?, steps.parse().ok()?);
    Some(Frame { number, steps, size, camera, hud: Hud::read(hud)? })
}

/// Reads `texts; 12,30 seed; 80,30 next`. A text may have a semicolon itself.
fn texts(line: &str) -> Option<Vec<([i16; 2], String)>> {
    let text = |part: &str| {
        let (at, text) = part.split_once(' ')?;
        let (x, y) = at.split_once(',')?;
        Some(([x.parse().ok()?, y.parse().ok()?], text.to_owned()))
    };
    Some(line.strip_prefix("texts; ")?.split("; ").filter_map(text).collect())
}

/// The middle of the text after a label.
fn behind(texts: &[([i16; 2], String)], label: &str) -> Option<[i16; 2]> {
    let first = texts.iter().position(|(_, text)| text == label)?;
    Some(texts.get(first + 1)?.0)
}
