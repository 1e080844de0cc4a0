//! Tests that drive a session by commands, without a window.

mod blocks;
mod branches;
mod former;
mod menu;
mod rewind;
mod saved;
mod seam;
mod split;
mod strokes;
mod tour;
mod undo;
mod undo_all;
mod views;
mod walls;
mod worlds;

use std::time::Duration;

use glam::Vec2;

use super::*;
use crate::{
    index::{DoubleGrid, Naive},
    raster::{ColorBy, Palette},
    scene::Scene,
    sim::Edit,
    statics::Static,
    window::{
        command::{Choice, Command, Jump},
        hud::{PLAIN, QUIET},
        tool::{Tool, UndoTurn},
    },
};

/// A frame of the tests.
const SIZE: [u32; 2] = [640, 360];

/// Time of a frame.
const FRAME: Duration = Duration::from_millis(17);

/// 500 agents with room for 200 more and for 8 statics, and the pointer over the center.
fn session(scene: Scene) -> Session {
    session_of(Setup { agents: 500, spare_agents: 200, spare_statics: 8, ..Setup::new(scene) })
}

/// The run of a set-up, with the pointer over the center.
pub(super) fn session_of(setup: Setup) -> Session {
    session_with(setup, 0)
}

/// The same, with that many bytes for the way back.
fn session_with(setup: Setup, history: usize) -> Session {
    session_in(setup, history, None)
}

/// The same, with a journal.
fn session_in(setup: Setup, history: usize, journal: Option<JournalWriter>) -> Session {
    let options = SessionOptions {
        snapshot: None,
        follow: None,
        journal,
        replay: None,
        history,
        style: Style::from_setup(&setup),
        setup,
        threads: 1,
        simd: SimdLevel::best(),
        index: DoubleGrid::KIND,
        admit: |_, _, _, _| Ok(()),
    };
    let mut session = Session::new(options, || ()).unwrap();
    session.screen.resize(SIZE, 1.0);
    session.apply(Command::MovePointer(Vec2::new(320.0, 180.0))).unwrap();
    session
}

/// Applies a command; the text of its event, empty without one.
fn apply(session: &mut Session, command: Command) -> String {
    session.apply(command).unwrap().map_or(String::new(), |event| event.to_string())
}

/// Uses a tool once at the pointer; the texts of the events, one per line.
fn stroke(session: &mut Session, tool: Tool) -> String {
    apply(session, Command::Tool(tool));
    let events = [Command::PressTool, Command::ReleaseButton].map(|it| apply(session, it));
    events.join("\n").trim_start().to_owned()
}

/// Uses the held tool once.
fn work(session: &mut Session) -> Result<()> {
    let Session { host, screen, tools, .. } = session;
    tools.work(host, screen)
}

fn undo(session: &mut Session) -> String {
    apply(session, Command::Turn(UndoTurn::Undo))
}

/// Waits for the run that was ordered last; the text of its event.
fn wait_placed(session: &mut Session) -> String {
    loop {
        if let Some(event) = session.placed() {
            return event.to_string();
        }
        std::thread::yield_now();
    }
}

/// Starts another run and waits for it; the text of its event.
fn started(session: &mut Session, scene: Scene, agents: impl Into<Option<u32>>) -> String {
    apply(session, Command::Start { scene, agents: agents.into() });
    wait_placed(session)
}

/// Runs as if this much time had passed since the last call.
fn run(session: &mut Session, elapsed: Duration) -> u32 {
    let now = session.host.last_run + elapsed;
    session.run(now).unwrap()
}

/// The lower half of the frame: agents without text.
fn drawn(session: &mut Session) -> Vec<u8> {
    let mut bytes = vec![0; (session.screen.size[0] * session.screen.size[1] * 4) as usize];
    session.draw(&mut bytes);
    bytes.split_off(bytes.len() / 2)
}

fn unit_grid() -> Command {
    Command::Index(Choice::Value(IndexKind::find("unit-grid").unwrap()))
}

#[test]
fn the_interface_does_not_glow() {
    let mut session = session(Scene::Gas);
    // The strokes of larger letters cover whole pixels.
    session.screen.resize(SIZE, 2.0);
    let [plain, glowing] = [false, true].map(|glow| {
        session.screen.glow = glow;
        let mut bytes = vec![0; (SIZE[0] * SIZE[1] * 4) as usize];
        session.draw(&mut bytes);
        bytes
    });
    let is_letter = |pixel: &[u8]| [PLAIN, QUIET].iter().any(|color| pixel[..3] == *color);
    let pairs = plain.chunks(4).zip(glowing.chunks(4));
    let letters: Vec<_> = pairs.filter(|(plain, _)| is_letter(plain)).collect();
    assert!(letters.len() > 200, "{} pixels", letters.len());
    assert!(letters.iter().all(|(plain, glowing)| plain == glowing), "letters glow");
    assert!(plain != glowing, "no glow");
}

/// Numbers of agents and of statics.
fn counts(session: &Session) -> [usize; 2] {
    [session.host.sim.agents().len(), session.host.sim.statics().len()]
}

/// Adds a wall near a corner of the world; returns its id.
fn add_wall(session: &mut Session) -> u32 {
    let corner = session.host.sim.world().min + 3.0;
    let wall = Edit::AddStatics(vec![Static::disc(corner, 1.0)]);
    session.host.sim.apply(wall).unwrap().ids().start
}

#[test]
fn steps_with_any_index_equal_those_without_window() {
    let mut session = session(Scene::Gas);
    for _ in 0..20 {
        run(&mut session, FRAME);
    }
    apply(&mut session, Command::TogglePause);
    let steps = session.host.sim.steps();
    assert!((20..=21).contains(&steps), "{steps}");
    assert_eq!(run(&mut session, FRAME * 100), 0);
    let mut names = Vec::new();
    for _ in IndexKind::all() {
        apply(&mut session, Command::SingleStep);
        assert_eq!(run(&mut session, FRAME), 1);
        names.push(session.host.sim.index().name);
        apply(&mut session, Command::Index(Choice::Next));
    }
    assert!(IndexKind::all().all(|kind| names.contains(&kind.name)), "{names:?}");
    let mut sim = Sim::new(session.setup()).unwrap();
    (0..session.host.sim.steps()).for_each(|_| sim.step().unwrap());
    assert_eq!(sim.state_hash(), session.host.sim.state_hash());
}

/// The steps of a way back say nothing about the pace of the run.
#[test]
fn a_way_back_counts_no_steps() {
    let mut session = session_with(Setup::with_agents(Scene::Gas, 500), 1 << 26);
    for _ in 0..130 {
        run(&mut session, FRAME);
    }
    for _ in 0..4 {
        apply(&mut session, Command::Jump(Jump::Seconds(-0.5)));
        for _ in 0..40 {
            run(&mut session, FRAME);
        }
        let rate = session.reports.frame_stats.figures().steps_per_s.expect("a rate");
        assert!((50.0..62.0).contains(&rate), "{rate}");
    }
}

#[test]
fn frames_between_two_steps_are_interpolated() {
    let mut session = session(Scene::Gas);
    session.host.timestep.set_refresh(240.0);
    run(&mut session, FRAME);
    let first = drawn(&mut session);
    assert!(first == drawn(&mut session));
    assert_eq!(run(&mut session, FRAME / 4), 0);
    assert!(first != drawn(&mut session));
}

#[test]
fn frames_of_any_size_are_drawn() {
    let mut session = session(Scene::Gas);
    session.reports.message = "a sentence that is long ".repeat(20);
    apply(&mut session, Command::Tool(Tool::Wall));
    for size in [[1, 1], [0, 0], [3, 500], [640, 2], SIZE] {
        for scale in [0.5, 1.0, 2.0, 8.0] {
            session.screen.resize(size, scale);
            apply(&mut session, Command::Zoom(1.0));
            apply(&mut session, Command::NextHelpPage);
            drawn(&mut session);
        }
    }
}

#[test]
fn the_status_shows_unusual_states() {
    let mut session = session(Scene::Gas);
    let texts = |session: &Session| -> Vec<String> {
        hud::status(session).into_iter().map(|field| field.text).collect()
    };
    let usual = ["gas: 500 agents", "step 0, 0.00 s", "- frames/s", "- steps/s"];
    assert_eq!(texts(&session)[..4], usual);
    let times = ["step - ms", "draw - ms", "present - ms"];
    assert_eq!(texts(&session)[4..7], times);
    assert_eq!(texts(&session)[7..], ["color: speed plasma", "H: keys"]);
    for (command, text) in [
        (Command::TogglePause, "paused"),
        (Command::TimeScale(4.0), "time x4"),
        (Command::TimeScale(0.37), "time x0.37"),
        (Command::TimeScale(0.5), "time x1/2"),
        (Command::Tool(Tool::Poke), "tool: poke, [ ] size, M hand"),
        (unit_grid(), "index: unit-grid"),
        (Command::Overlay(Choice::Next), "overlay: loose"),
        (Command::Start { scene: Scene::Gas, agents: Some(5_000) }, "placing 5,000 agents"),
    ] {
        apply(&mut session, command);
        let texts = texts(&session);
        assert!(texts.iter().any(|shown| shown.starts_with(text)), "{text}: {texts:?}");
    }
}

#[test]
fn commands_set_values_that_restarts_keep() {
    let mut session = session(Scene::Gas);
    for (command, event) in [
        (Command::Restitution(0.5), "restitution 0.5"),
        (Command::Friction(0.5), "friction 0.5"),
        (Command::Rolling(0.1), "rolling 0.1"),
        (Command::Gravity(-3.0), "gravity -3"),
        (Command::MeanSpeed(12.0), "mean speed 12"),
        (Command::MeanSpeed(0.5), "mean speed 0.5"),
        (Command::Threads(2), "threads 2"),
        (Command::TimeScale(4.0), "time scale 4"),
        (Command::MultiplyTimeScale(0.5), "time scale 2"),
        (unit_grid(), "index unit-grid"),
        (Command::ColorBy(Choice::Value(ColorBy::Cell)), "colors cell plasma"),
        (Command::Palette(Choice::Value(Palette::Magma)), "colors cell magma"),
        (Command::ColorBy(Choice::Value(ColorBy::Flow)), "colors flow"),
        (
            Command::Palette(Choice::Value(Palette::Viridis)),
            "colors flow, the same in every palette: viridis is for others",
        ),
        (Command::ResizeTool(1), "tool size 60"),
    ] {
        assert_eq!(apply(&mut session, command), event);
    }
    assert_eq!(session.host.threads(), 2);
    apply(&mut session, Command::Restart);
    assert_eq!(wait_placed(&mut session), "restarted");
    let &Setup { restitution, friction, gravity, speed, .. } = session.setup();
    assert_eq!([restitution, friction, gravity, speed], [0.5, 0.5, -3.0, 0.5]);
    assert_eq!((session.host.sim.steps(), session.host.sim.index().name), (0, "unit-grid"));
}

#[test]
fn refused_commands_change_nothing() {
    let mut session = session(Scene::Gas);
    apply(&mut session, Command::Index(Choice::Value(Naive::KIND)));
    let state = |session: &Session| {
        (session.host.sim.state_hash(), session.setup().clone(), session.style().clone())
    };
    let before = state(&session);
    for (command, reason) in [
        (Command::Restitution(2.0), "restitution"),
        (Command::Friction(-0.1), "friction"),
        (Command::Rolling(11.0), "rolling"),
        (Command::Gravity(f32::NAN), "gravity"),
        (Command::MeanSpeed(-1.0), "speed -1"),
        (Command::MeanSpeed(0.0), "permanently"),
        (Command::Threads(0), "threads"),
        (Command::Start { scene: Scene::Gas, agents: Some(0) }, "agents"),
        (Command::Start { scene: Scene::Gas, agents: Some(50_000) }, "another index"),
    ] {
        let event = apply(&mut session, command);
        let refusal = event.strip_prefix("refused: ").expect("a refusal");
        assert!(refusal.contains(reason) && !refusal.contains('\n'), "{refusal}");
    }
    assert!(before == state(&session));
}

#[test]
fn another_run_keeps_style_and_index_but_has_the_numbers_of_its_scene() {
    let mut session = session(Scene::Gas);
    for command in [Command::Palette(Choice::Value(Palette::Magma)), unit_grid()] {
        apply(&mut session, command);
    }
    // The newest order is taken, and cancels the one before it.
    apply(&mut session, Command::Start { scene: Scene::Gas, agents: Some(10_000_000) });
    apply(&mut session, Command::Start { scene: Scene::Pile, agents: Some(300) });
    apply(&mut session, Command::Gravity(3.0));
    // A restart does not replace the run that is being placed.
    assert_eq!(apply(&mut session, Command::Restart), "placing 300");
    assert_eq!(wait_placed(&mut session), "run pile 300");
    assert_eq!(session.host.sim.agents().len(), 300);
    let Setup { scene, gravity, .. } = *session.setup();
    assert_eq!((scene, gravity), (Scene::Pile, Setup::new(Scene::Pile).gravity));
    assert_eq!(session.style().palette, Palette::Magma);
    assert_eq!(session.host.sim.index().name, "unit-grid");
}

#[test]
fn the_color_of_spins_comes_with_friction_and_goes_with_it() {
    let mut session = session(Scene::Pile);
    let modes = |session: &mut Session| {
        let next = |_| {
            apply(session, Command::ColorBy(Choice::Next));
            session.style().color_by
        };
        (0..ColorBy::ALL.len()).map(next).collect::<Vec<_>>()
    };
    assert!(!modes(&mut session).contains(&ColorBy::Spin));
    apply(&mut session, Command::Friction(0.5));
    assert!(modes(&mut session).contains(&ColorBy::Spin));
    let colors = apply(&mut session, Command::ColorBy(Choice::Value(ColorBy::Spin)));
    assert_eq!(colors, "colors spin");
    started(&mut session, Scene::Dam, 300);
    assert_eq!(session.style().color_by, ColorBy::best_in(Scene::Dam), "nothing spins there");
}

#[test]
fn scenes_start_with_their_own_number_or_with_the_one_chosen_last() {
    let mut session = session(Scene::Gas);
    for (scene, agents, run) in [
        (Scene::Mixed, None, "run mixed 500"),
        (Scene::Cannon, None, "run cannon 100"),
        (Scene::Cannon, None, "run cannon 100"),
        (Scene::Gas, None, "run gas 500"),
        (Scene::Pile, Some(300), "run pile 300"),
        (Scene::Pile, None, "run pile 300"),
        (Scene::Melee, None, "run melee 300"),
    ] {
        assert_eq!(started(&mut session, scene, agents), run);
    }
}

#[test]
fn changes_while_placing_hold_for_the_new_run() {
    let other = Command::Start { scene: Scene::Gas, agents: Some(700) };
    for start in [Command::Restart, other] {
        let mut session = session(Scene::Gas);
        apply(&mut session, start);
        for command in [
            Command::Gravity(-3.0),
            Command::Friction(0.5),
            Command::Rolling(0.1),
            Command::Restitution(0.5),
            Command::MeanSpeed(12.0),
            unit_grid(),
        ] {
            apply(&mut session, command);
        }
        wait_placed(&mut session);
        let now = session.setup();
        assert_eq!([now.gravity, now.friction, now.restitution], [-3.0, 0.5, 0.5]);
        assert_eq!(now.rolling, 0.1);
        assert!((now.speed - 12.0).abs() < 1e-3, "{}", now.speed);
        assert_eq!(session.host.sim.index().name, "unit-grid");
    }
}

#[test]
fn defaults_follow_the_number_of_agents_and_values_of_the_user_stay() {
    let mut session = session(Scene::Gas);
    for agents in [100, 1_600, 400] {
        started(&mut session, Scene::Cannon, agents);
        let defaults = with_room_for_tools(&Setup::with_agents(Scene::Cannon, agents));
        assert_eq!(*session.setup(), defaults);
        assert_eq!(session.host.timestep.rate(), f64::from(defaults.hz));
    }
    let defaults = Setup::with_agents(Scene::Cannon, 100);
    let mut session = session_of(Setup { hz: 75.0, radius: [0.05; 2], ..defaults });
    started(&mut session, Scene::Cannon, 200);
    let Setup { hz, radius, .. } = *session.setup();
    assert_eq!((hz, radius), (75.0, [0.05; 2]));
}
