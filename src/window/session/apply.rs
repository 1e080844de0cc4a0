//! The one place where commands change a session.

use std::fmt::Display;

use super::{NAIVE_MAX, Session};
use crate::{
    error::{Error, Result},
    index::{IndexKind, Naive},
    parallel::pool,
    raster::Style,
    window::{
        command::{Choice, Command},
        event::{Event, ViewCause},
        terms::sentence,
        tool::{Tool, ToolSize, faction_name},
    },
};

impl Session {
    /// Applies a command. The event says what it changed; without one, nothing happened, as with
    /// commands that only the window can carry out. A refused command changes nothing and gives
    /// [`Event::Refused`].
    ///
    /// # Errors
    /// If memory runs out while agents are added or removed: such a run can't go on.
    pub(in crate::window) fn apply(&mut self, command: Command) -> Result<Option<Event>> {
        match command {
            Command::PressTool => self.press(),
            Command::ReleaseButton => self.release(),
            Command::Undo => self.undo().map(Some),
            _ => Ok(self.change(command).unwrap_or_else(|error| Some(refused(&error)))),
        }
    }

    /// Carries out a command whose errors are refusals.
    fn change(&mut self, command: Command) -> Result<Option<Event>> {
        Ok(Some(match command {
            Command::Start { scene, agents } => self.start(scene, agents)?,
            Command::Restart => self.restart(),
            Command::TogglePause => {
                self.timestep.toggle_pause();
                self.skip_time();
                if self.timestep.is_paused() { Event::Paused } else { Event::Running }
            }
            Command::SingleStep => {
                self.timestep.step_once();
                Event::Paused
            }
            Command::TimeScale(scale) => self.set_time_scale(scale),
            Command::MultiplyTimeScale(factor) => {
                self.set_time_scale(self.timestep.time_scale() * factor)
            }
            Command::LatePolicy(policy) => {
                self.timestep.late_policy = policy;
                set("late", format!("{policy:?}"))
            }
            Command::MeanSpeed(speed) => {
                self.set_mean_speed(speed)?;
                set("speed", speed)
            }
            Command::Restitution(restitution) => {
                self.sim.set_restitution(restitution)?;
                set("restitution", restitution)
            }
            Command::Gravity(gravity) => {
                self.sim.set_gravity(gravity)?;
                set("gravity", gravity)
            }
            Command::Threads(threads) => {
                self.pool = pool(threads)?;
                set("threads", threads)
            }
            Command::Index(Choice::Next) => self.next_index(),
            Command::Index(Choice::Value(kind)) => self.set_index(kind)?,
            Command::ColorBy(choice) => {
                let scene = self.setup().scene;
                self.restyle(|style| {
                    style.color_by = choice.or_next(|| style.color_by.next_in(scene));
                })
            }
            Command::Palette(choice) => self.restyle(|style| {
                style.palette = choice.or_next(|| style.palette.next());
            }),
            Command::Overlay(choice) => {
                self.restyle(|style| style.overlay = choice.or_next(|| style.overlay.next()));
                Event::Overlay(self.look().overlay.name())
            }
            Command::Glow(glow) => {
                self.glow = glow;
                set("glow", if glow { "on" } else { "off" })
            }
            Command::FitView => {
                self.view.fit();
                self.stop_following();
                Event::View(ViewCause::Fitted)
            }
            Command::Zoom(notches) => return Ok(self.zoom(notches)),
            Command::Tool(tool) => self.take(tool),
            Command::LargerTool => self.resize_tool(ToolSize::larger),
            Command::SmallerTool => self.resize_tool(ToolSize::smaller),
            Command::Faction(faction) => {
                self.tool_state.faction = faction;
                set("side", faction_name(faction))
            }
            Command::MovePointer(to) => return Ok(self.move_pointer(to)),
            Command::GrabView => {
                self.grab();
                return Ok(None);
            }
            Command::NextHelpPage => self.turn_page(),
            Command::Cancel => return Ok(self.cancel()),
            Command::PressTool
            | Command::ReleaseButton
            | Command::Undo
            | Command::TogglePanel
            | Command::ToggleFullScreen
            | Command::Screenshot
            | Command::ToggleFilm
            | Command::Quit => return Ok(None),
        }))
    }

    fn set_time_scale(&mut self, scale: f64) -> Event {
        self.timestep.set_time_scale(scale);
        Event::Speed(self.timestep.time_scale())
    }

    /// Scales all velocities to another mean speed. Agents at rest have no direction to move in, so
    /// neither can a run at rest be made faster nor may one be brought to rest.
    fn set_mean_speed(&mut self, speed: f32) -> Result<()> {
        let now = self.sim.setup().speed;
        if now <= 0.0 {
            return Err(Error::refused(
                "agents at rest have no direction to become faster in; choose a scene whose agents \
                 move at the start",
            ));
        }
        if speed == 0.0 {
            return Err(Error::refused(
                "a speed of 0 would stop the agents permanently; choose one above 0, or pause",
            ));
        }
        self.sim.scale_speeds(speed / now)
    }

    fn set_index(&mut self, kind: IndexKind) -> Result<Event> {
        check_index(kind, self.sim.agents().len())?;
        let Self { pool, sim, .. } = self;
        pool.install(|| sim.set_index(kind))?;
        self.frame_stats.reset_figures();
        Ok(Event::Index(kind.name))
    }

    /// Sets the next index that accepts these agents.
    fn next_index(&mut self) -> Event {
        let now = self.sim.index();
        let following = IndexKind::all().skip_while(|kind| *kind != now).skip(1);
        let chosen = following.chain(IndexKind::all()).find_map(|kind| self.set_index(kind).ok());
        chosen.unwrap_or(Event::Index(now.name))
    }

    fn restyle(&mut self, change: impl FnOnce(&mut Style)) -> Event {
        let mut style = self.look().clone();
        change(&mut style);
        let (color_by, palette) = (style.color_by.name(), style.palette.name());
        self.renderer.set_style(style);
        Event::Colors { color_by, palette }
    }

    fn resize_tool(&mut self, change: fn(ToolSize) -> ToolSize) -> Event {
        self.tool_state.size = change(self.tool_state.size);
        Event::Reach(self.tool_state.size.radius())
    }

    /// Hides the keys, else takes the hand; `None` if neither is left to do.
    fn cancel(&mut self) -> Option<Event> {
        if self.help > 0 {
            self.help = 0;
            return Some(Event::Help(false));
        }
        (self.tool_state.tool != Tool::Hand).then(|| self.take(Tool::Hand))
    }
}

fn set(what: &'static str, value: impl Display) -> Event {
    Event::Set { what, value: format!("{value}") }
}

/// The event of a refused command.
pub(super) fn refused(error: &Error) -> Event {
    Event::Refused(sentence(error))
}

/// Rejects an index that would block the window with this many agents.
pub(super) fn check_index(kind: IndexKind, agents: usize) -> Result<()> {
    if kind == Naive::KIND && agents > NAIVE_MAX {
        return Err(Error::refused(format!(
            "{} would block the window with {agents} agents, at most {NAIVE_MAX}; choose another \
             index",
            kind.name
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        raster::{ColorBy, Palette},
        scene::Scene,
        window::session::fixture::{apply, session},
    };

    #[test]
    fn commands_set_values_that_a_restart_keeps() {
        let mut session = session(Scene::Gas);
        let unit_grid = IndexKind::find("unit-grid").unwrap();
        for (command, event) in [
            (Command::Restitution(0.5), "set restitution 0.5"),
            (Command::Gravity(-3.0), "set gravity -3"),
            (Command::MeanSpeed(12.0), "set speed 12"),
            (Command::MeanSpeed(0.5), "set speed 0.5"),
            (Command::Threads(2), "set threads 2"),
            (Command::TimeScale(4.0), "speed 4"),
            (Command::MultiplyTimeScale(0.5), "speed 2"),
            (Command::Index(Choice::Value(unit_grid)), "index unit-grid"),
            (Command::ColorBy(Choice::Value(ColorBy::Cell)), "colors cell plasma"),
            (Command::Palette(Choice::Value(Palette::Magma)), "colors cell magma"),
            (Command::LargerTool, "reach 60"),
        ] {
            assert_eq!(apply(&mut session, command), event);
        }
        assert_eq!(session.threads(), 2);
        apply(&mut session, Command::Restart);
        session.wait_placed();
        let setup = session.setup();
        assert_eq!((setup.restitution, setup.gravity, setup.speed), (0.5, -3.0, 0.5));
    }

    #[test]
    fn refused_commands_change_nothing() {
        let mut session = session(Scene::Gas);
        apply(&mut session, Command::Index(Choice::Value(Naive::KIND)));
        let state = |session: &Session| {
            (session.sim().state_hash(), session.setup().clone(), session.look().clone())
        };
        let before = state(&session);
        for (command, reason) in [
            (Command::Restitution(2.0), "restitution"),
            (Command::Gravity(f32::NAN), "gravity"),
            (Command::MeanSpeed(-1.0), ""),
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
    fn every_index_continues_the_same_run() {
        let mut session = session(Scene::Gas);
        let mut names = Vec::new();
        for _ in IndexKind::all() {
            session.sim.step().unwrap();
            apply(&mut session, Command::Index(Choice::Next));
            names.push(session.sim().index().name);
        }
        assert!(names.contains(&"naive") && names.contains(&"quadtree"), "{names:?}");
        let mut sim = crate::Sim::new(session.setup()).unwrap();
        (0..session.sim().steps()).for_each(|_| sim.step().unwrap());
        assert_eq!(sim.state_hash(), session.sim().state_hash());
        let index = session.sim().index();
        apply(&mut session, Command::Restart);
        assert_eq!(session.wait_placed(), "restarted");
        assert_eq!(session.sim().index(), index);
    }
}
