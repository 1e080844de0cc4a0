//! The window and the frames expected of it, which the library draws in the test.

use jostle::{
    Scene, Setup, Sim,
    raster::{self, Renderer, Style, View},
};
use tempfile::TempDir;
use x11rb::protocol::xproto::Window;

use crate::{
    Path,
    desk::{Desk, keysym, wait_for},
    program::{Frame, Program, command_on},
};

/// Few enough for fast frames, and enough that no two frames look the same.
const AGENTS: u32 = 2_000;

/// The program in its window, and the same run in the test.
pub(crate) struct Stage {
    pub(crate) desk: Desk,
    pub(crate) program: Program,
    pub(crate) window: Window,
    pub(crate) path: Path,
    pub(crate) style: Style,
    pub(crate) setup: Setup,
    /// The same run; a test changes it as it changes the one in the window.
    pub(crate) sim: Sim,
    renderer: Renderer,
    /// Working folder of the program, with its pictures and films.
    pub(crate) folder: TempDir,
}

impl Stage {
    /// A window that has the keyboard and has shown its first frames.
    pub(crate) fn new(path: Path) -> Self {
        Self::of(path, AGENTS)
    }

    /// The same with another number of agents.
    pub(crate) fn of(path: Path, agents: u32) -> Self {
        Self::on(Desk::new(), path, agents)
    }

    /// The same with a window manager.
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
            Path::Gpu => "pixels",
            Path::Softbuffer | Path::SoftwareDriver => "softbuffer",
        };
        assert_eq!(presenter, expected);
        program.wait_past(0);
        let window = desk.window();
        desk.focus(window);
        // The tools need room in this run, too.
        let setup =
            Setup { agents, spare_agents: 2_000, spare_statics: 4_096, ..Setup::new(Scene::Gas) };
        let sim = Sim::new(&setup).expect("a simulation");
        let style = Style::from_setup(&setup);
        let mut renderer = Renderer::new(1, 1, style.clone()).unwrap();
        renderer.record_starts(&View::from_sim(&sim));
        Self { desk, program, window, path, style, setup, sim, renderer, folder }
    }

    /// A window with a paused simulation, and its frame.
    pub(crate) fn paused(path: Path) -> (Self, Frame) {
        let mut stage = Self::new(path);
        let frame = stage.pause();
        (stage, frame)
    }

    /// Pauses the simulation; returns the frame that shows it.
    pub(crate) fn pause(&mut self) -> Frame {
        self.desk.key(keysym::SPACE);
        self.program.wait_line("paused");
        self.program.wait_frame()
    }

    /// Takes one step. Its frame shows that all earlier input was handled, too.
    pub(crate) fn step(&mut self, from: &Frame) -> Frame {
        self.desk.key(keysym::PERIOD);
        self.program.wait_steps(from.steps + 1)
    }

    /// Expects another run from now on, with this number of agents.
    pub(crate) fn become_run(&mut self, agents: u32) {
        self.become_other(|setup| setup.agents = agents);
    }

    /// Expects a run with another set-up from now on.
    pub(crate) fn become_other(&mut self, change: impl FnOnce(&mut Setup)) {
        change(&mut self.setup);
        self.sim = Sim::new(&self.setup).expect("a simulation");
        self.style = Style::from_setup(&self.setup);
        self.renderer = Renderer::new(1, 1, self.style.clone()).unwrap();
        self.renderer.record_starts(&View::from_sim(&self.sim));
    }

    /// Waits until the window shows exactly this frame.
    pub(crate) fn expect(&mut self, frame: &Frame) {
        self.expect_beside(frame, 0);
    }

    /// The same, ignoring columns at the left.
    pub(crate) fn expect_beside(&mut self, frame: &Frame, left: usize) {
        let expected = self.draw(frame);
        wait_for("the frame that the library draws", || {
            let shown = self.desk.pixels(self.window, frame.size)?;
            (differences_beside(&shown, &expected, frame, left) == 0).then_some(())
        });
    }

    /// The frame that the window should show, without text.
    pub(crate) fn draw(&mut self, frame: &Frame) -> Vec<[u8; 3]> {
        if frame.steps < self.sim.steps() {
            self.sim = Sim::new(&self.setup).expect("a simulation");
        }
        while self.sim.steps() < frame.steps {
            self.sim.step().expect("a step");
        }
        self.renderer.set_style(self.style.clone());
        let mut image = raster::Frame::new(frame.size[0], frame.size[1]).unwrap();
        self.renderer.draw(&mut image, &frame.camera, &View::from_sim(&self.sim));
        image.pixels.iter().map(|&[red, green, blue, _]| [red, green, blue]).collect()
    }
}

/// Number of pixels that differ, except where the frame has a part of the HUD.
pub(crate) fn differences(one: &[[u8; 3]], other: &[[u8; 3]], frame: &Frame) -> usize {
    differences_beside(one, other, frame, 0)
}

/// The same, ignoring columns at the left, too.
fn differences_beside(one: &[[u8; 3]], other: &[[u8; 3]], frame: &Frame, left: usize) -> usize {
    let width = frame.size[0] as usize;
    let own = |index: usize| {
        let (x, y) = (index % width, index / width);
        x < left || frame.hud.covers([x, y])
    };
    let pairs = one.iter().zip(other).enumerate();
    pairs.filter(|(index, (a, b))| a != b && !own(*index)).count()
}
