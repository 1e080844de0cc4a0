//! What the window should show, drawn by the library; and everything a test needs, in one place.

use jostle::{
    Scene, Setup, Sim,
    raster::{self, Renderer, Style, View},
    window,
};
use tempfile::TempDir;
use x11rb::protocol::xproto::Window;

use crate::{
    Path,
    desk::{Desk, keysym, wait_for},
    program::{Frame, Program, command_on},
};

/// Few enough that a frame is nothing, and enough that no two frames look the same.
const AGENTS: u32 = 2_000;

/// Rows at the top that the status line may take, whose figures nobody can foretell.
const STATUS: usize = 96;

/// What the ruler in the lower left corner and the mini-map in the lower right one take at most, pixels.
const RULER: [usize; 2] = [180, 60];
const MAP: [usize; 2] = [230, 150];

/// The program in its window, and the same run beside it.
pub(crate) struct Stage {
    pub(crate) desk: Desk,
    pub(crate) program: Program,
    pub(crate) window: Window,
    pub(crate) path: Path,
    pub(crate) look: Style,
    setup: Setup,
    /// The same run; what a test does to the one in the window it does to this one, too.
    pub(crate) sim: Sim,
    renderer: Renderer,
    /// Where it was started: its pictures and films are there.
    pub(crate) folder: TempDir,
}

impl Stage {
    /// The window, with its first frames shown and the keyboard on it.
    pub(crate) fn new(path: Path) -> Self {
        Self::of(path, AGENTS)
    }

    /// The same with so many agents.
    pub(crate) fn of(path: Path, agents: u32) -> Self {
        Self::on(Desk::new(), path, agents)
    }

    /// The same where there is a window manager.
    pub(crate) fn managed(path: Path) -> Self {
        Self::on(Desk::managed(), path, AGENTS)
    }

    fn on(desk: Desk, path: Path, agents: u32) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = command_on(&desk, folder.path(), path);
        let mut program = Program::start(command.args(["--agents", &agents.to_string()]));
        let presenter = program.wait("ready", |line| {
            let words: Vec<&str> = line.split(' ').collect();
            (words[0] == "ready").then(|| words[2].to_owned())
        });
        let expected = match path {
            Path::Gpu => "wgpu",
            Path::Softbuffer => "softbuffer",
        };
        assert_eq!(presenter, expected);
        program.wait_past(0);
        let window = desk.window();
        desk.focus(window);
        let setup = window::with_room_for_tools(&Setup { agents, ..Setup::new(Scene::Gas) });
        let sim = Sim::new(&setup).expect("a simulation");
        let look = Style::from_setup(&setup);
        let mut renderer = Renderer::new(1, 1, look.clone()).unwrap();
        renderer.record_starts(&View::from_sim(&sim));
        Self { desk, program, window, path, look, setup, sim, renderer, folder }
    }

    /// A window whose simulation stands still, and the frame that it shows.
    pub(crate) fn paused(path: Path) -> (Self, Frame) {
        let mut stage = Self::new(path);
        let frame = stage.pause();
        (stage, frame)
    }

    /// Makes the simulation stand still; the frame that shows it.
    pub(crate) fn pause(&mut self) -> Frame {
        self.desk.key(keysym::SPACE);
        self.program.wait_line("paused");
        self.program.wait_frame()
    }

    /// One step further, which is also proof that everything sent before it has been dealt with.
    pub(crate) fn step(&mut self, from: &Frame) -> Frame {
        self.desk.key(keysym::PERIOD);
        self.program.wait_steps(from.steps + 1)
    }

    /// Expects another run of the same kind from now on, of so many agents.
    pub(crate) fn become_run(&mut self, agents: u32) {
        self.setup.agents = agents;
        self.sim = Sim::new(&self.setup).expect("a simulation");
        self.look = Style::from_setup(&self.setup);
        self.renderer = Renderer::new(1, 1, self.look.clone()).unwrap();
        self.renderer.record_starts(&View::from_sim(&self.sim));
    }

    /// Waits until the window shows that frame, to the bit.
    pub(crate) fn expect(&mut self, frame: &Frame) {
        self.expect_beside(frame, 0);
    }

    /// The same but for so many columns at the left.
    pub(crate) fn expect_beside(&mut self, frame: &Frame, left: usize) {
        let expected = self.draw(frame);
        wait_for("the frame that the library draws", || {
            let shown = self.desk.pixels(self.window, frame.size)?;
            (differences_beside(&shown, &expected, frame.size, left) == 0).then_some(())
        });
    }

    /// What the window should show, but for the letters on it.
    pub(crate) fn draw(&mut self, frame: &Frame) -> Vec<[u8; 3]> {
        if frame.steps < self.sim.steps() {
            self.sim = Sim::new(&self.setup).expect("a simulation");
        }
        while self.sim.steps() < frame.steps {
            self.sim.step().expect("a step");
        }
        self.renderer.set_style(self.look.clone());
        let mut image = raster::Frame::new(frame.size[0], frame.size[1]).unwrap();
        self.renderer.draw(&mut image, &frame.camera, &View::from_sim(&self.sim));
        image.pixels.iter().map(|&[red, green, blue, _]| [red, green, blue]).collect()
    }
}

/// Pixels in which two frames differ, those left out that letters, ruler and mini-map may be on.
pub(crate) fn differences(one: &[[u8; 3]], other: &[[u8; 3]], size: [u32; 2]) -> usize {
    differences_beside(one, other, size, 0)
}

/// The same with so many columns at the left left out, too.
fn differences_beside(one: &[[u8; 3]], other: &[[u8; 3]], size: [u32; 2], left: usize) -> usize {
    let [width, height] = size.map(|side| side as usize);
    let own = |index: usize| {
        let (x, below) = (index % width, height - index / width);
        let ruler = x < RULER[0] && below <= RULER[1];
        let map = x + MAP[0] >= width && below <= MAP[1];
        index / width < STATUS || x < left || ruler || map
    };
    let pairs = one.iter().zip(other).enumerate();
    pairs.filter(|(index, (a, b))| a != b && !own(*index)).count()
}
