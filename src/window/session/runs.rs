//! Starts of other runs: placed in the background while the run in the window goes on.

use super::{
    Session,
    apply::{check_index, refused},
};
use crate::{
    error::{Error, Result},
    limits,
    raster::{ColorBy, Style, View},
    rng::Rng,
    scene::{Scene, Setup},
    sim::Sim,
    window::{
        background::PlacementJob, event::Event, frame_stats::FrameStats, terms::sentence,
        view_control::ViewControl,
    },
};

/// Agents that the tools can add, at least and at most; and discs of walls.
const SPARE_AGENTS: [u32; 2] = [2_000, 200_000];
const SPARE_STATICS: u32 = 4_096;

/// A set-up with spare room for what the tools add: an eighth more agents and 4,096 discs of walls.
#[must_use]
pub(crate) fn with_room_for_tools(setup: &Setup) -> Setup {
    let left = limits::AGENTS_MAX.saturating_sub(setup.agents);
    let [least, most] = SPARE_AGENTS;
    let spare_agents = (setup.agents / 8).clamp(least, most).min(left);
    Setup { spare_agents, spare_statics: SPARE_STATICS, ..setup.clone() }
}

impl Session {
    /// The set-up of another run. The same scene keeps its values, except defaults that depend on
    /// the number of agents; another scene has its own defaults.
    fn setup_for(&self, scene: Scene, agents: u32) -> Setup {
        let now = self.setup();
        with_room_for_tools(&if scene == now.scene {
            let [before, after] =
                [now.agents, agents].map(|agents| Setup::with_agents(scene, agents));
            Setup {
                agents,
                radius: if now.radius == before.radius { after.radius } else { now.radius },
                hz: if now.hz == before.hz { after.hz } else { now.hz },
                ..now.clone()
            }
        } else {
            Setup { seed: now.seed, ..Setup::with_agents(scene, agents) }
        })
    }

    /// The number of agents that another scene starts with: its own if it has one, else the number
    /// that the user chose last.
    fn agents_of(&self, scene: Scene) -> u32 {
        let [own, usual] = [scene, Scene::Gas].map(|scene| Setup::new(scene).agents);
        if scene == self.setup().scene {
            self.setup().agents
        } else if own == usual {
            self.asked.unwrap_or(usual)
        } else {
            own
        }
    }

    /// Starts to place another run; without a number of agents, of [`Self::agents_of`].
    ///
    /// # Errors
    /// If the set-up is invalid, or there is no memory for it beside the run in the window.
    pub(super) fn start(&mut self, scene: Scene, agents: Option<u32>) -> Result<Event> {
        let agents = agents.unwrap_or_else(|| self.agents_of(scene));
        let setup = self.setup_for(scene, agents);
        (self.admit)(&setup, self.sim.index(), self.threads())?;
        setup.validate()?;
        check_index(self.sim.index(), setup.agents as usize)?;
        Ok(self.place(setup, false))
    }

    /// Starts to place the same run again. A placement under way is a start already and goes on.
    pub(super) fn restart(&mut self) -> Event {
        if let Some(agents) = self.placement.agents() {
            return Event::Placing(agents);
        }
        let setup = self.setup().clone();
        let admitted = (self.admit)(&setup, self.sim.index(), self.threads());
        let placing = admitted.map(|()| self.place(setup, true));
        placing.unwrap_or_else(|error| not_restarted(&error))
    }

    fn place(&mut self, setup: Setup, again: bool) -> Event {
        let (agents, index, simd) = (setup.agents, self.sim.index(), self.sim.simd());
        self.placement.order(PlacementJob { setup, index, simd, again });
        Event::Placing(agents)
    }

    /// Shows the run that was ordered last once it is placed, and reports it. If it can't be placed,
    /// as there is no memory for it, the run in the window goes on.
    pub(in crate::window) fn placed(&mut self) -> Option<Event> {
        let (job, sim) = self.placement.take()?;
        Some(match sim {
            Ok(mut sim) => {
                self.catch_up(&mut sim);
                if !job.again {
                    self.adapt_to(&sim);
                }
                self.show(sim);
                let Setup { scene, agents, .. } = self.setup();
                let (scene, agents) = (scene.name(), *agents);
                if job.again { Event::Restarted } else { Event::Run { scene, agents } }
            }
            Err(error) if job.again => not_restarted(&error),
            Err(error) => refused(&error),
        })
    }

    /// Changes a new run as the user changed the run in the window during its placement: the index,
    /// and in the same scene the numbers. What the new run refuses stays as ordered.
    fn catch_up(&self, sim: &mut Sim) {
        let index = self.sim.index();
        if index != sim.index() && check_index(index, sim.agents().len()).is_ok() {
            let _ = self.pool.install(|| sim.set_index(index));
        }
        let (now, then) = (self.setup(), sim.setup().clone());
        if now.scene != then.scene {
            return;
        }
        // Only a speed can be refused: it may be too high for one of the agents.
        let _ = sim.set_restitution(now.restitution);
        let _ = sim.set_gravity(now.gravity);
        if now.speed != then.speed {
            let _ = sim.scale_speeds(now.speed / then.speed);
        }
    }

    /// Adapts view, timestep and style to another run.
    fn adapt_to(&mut self, sim: &Sim) {
        let setup = sim.setup();
        let Style { color_by, palette, overlay, .. } = *self.renderer.style();
        let mut style = Style { palette, overlay, ..Style::from_setup(setup) };
        // A scene with factions shows them; a scene without can't.
        if color_by != ColorBy::Faction && style.color_by != ColorBy::Faction {
            style.color_by = color_by;
        }
        self.renderer.set_style(style);
        self.view = ViewControl::new(sim.world(), self.size, self.taken());
        self.timestep.hz = f64::from(setup.hz);
        self.asked = asked(setup).or(self.asked);
    }

    /// Replaces the run, and drops what belongs to the former one: strokes, measurements, time.
    fn show(&mut self, sim: Sim) {
        self.sim = sim;
        // Ids start again, too.
        self.renderer.clear_starts();
        self.renderer.record_starts(&View::from_sim(&self.sim));
        self.tool_state.restart();
        self.inspection = None;
        self.seeds = Rng::new(self.setup().seed);
        self.timestep.restart();
        self.frame_stats = FrameStats::new();
        self.skip_time();
    }
}

fn not_restarted(error: &Error) -> Event {
    Event::Notice(format!("not restarted: {}", sentence(error)))
}

/// The number of agents if it isn't the scene's own: the user chose it.
pub(super) fn asked(setup: &Setup) -> Option<u32> {
    Some(setup.agents).filter(|&agents| agents != Setup::new(setup.scene).agents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        index::IndexKind,
        raster::Palette,
        window::{
            command::{Choice, Command},
            session::fixture::{apply, session, session_of},
        },
    };

    /// Starts another run and waits for it; the text of its event.
    fn started(session: &mut Session, scene: Scene, agents: impl Into<Option<u32>>) -> String {
        apply(session, Command::Start { scene, agents: agents.into() });
        session.wait_placed()
    }

    fn unit_grid() -> Command {
        Command::Index(Choice::Value(IndexKind::find("unit-grid").unwrap()))
    }

    #[test]
    fn another_run_keeps_style_and_index() {
        let mut session = session(Scene::Gas);
        for command in [Command::Palette(Choice::Value(Palette::Magma)), unit_grid()] {
            apply(&mut session, command);
        }
        assert_eq!(started(&mut session, Scene::Pile, 300), "run pile 300");
        assert_eq!(session.sim().agents().len(), 300);
        let Setup { scene, gravity, .. } = *session.setup();
        assert_eq!((scene, gravity), (Scene::Pile, Setup::new(Scene::Pile).gravity));
        assert_eq!(session.look().palette, Palette::Magma);
        assert_eq!(session.sim().index().name, "unit-grid");
    }

    #[test]
    fn scenes_start_with_their_own_number_or_with_the_one_chosen_last() {
        let mut session = session(Scene::Gas);
        for (scene, run) in [
            (Scene::Mixed, "run mixed 500"),
            (Scene::Cannon, "run cannon 100"),
            (Scene::Cannon, "run cannon 100"),
            (Scene::Gas, "run gas 500"),
        ] {
            assert_eq!(started(&mut session, scene, None), run);
        }
        started(&mut session, Scene::Pile, 300);
        assert_eq!(session.agents_of(Scene::Pile), 300);
        assert_eq!(session.agents_of(Scene::Melee), 300);
        session.asked = None;
        assert_eq!(session.agents_of(Scene::Melee), 500_000);
    }

    #[test]
    fn a_restart_goes_back_to_the_start_and_the_run_goes_on_until_then() {
        let mut session = session(Scene::Gas);
        let hash = session.sim().state_hash();
        apply(&mut session, Command::Restart);
        session.sim.step().unwrap();
        assert_ne!(hash, session.sim().state_hash());
        assert_eq!(session.wait_placed(), "restarted");
        assert_eq!(hash, session.sim().state_hash());
    }

    #[test]
    fn changes_during_a_placement_hold_for_the_new_run() {
        let other = Command::Start { scene: Scene::Gas, agents: Some(700) };
        for start in [Command::Restart, other] {
            let mut session = session(Scene::Gas);
            apply(&mut session, start);
            for command in [
                Command::Gravity(-3.0),
                Command::Restitution(0.5),
                Command::MeanSpeed(12.0),
                unit_grid(),
            ] {
                apply(&mut session, command);
            }
            session.wait_placed();
            let now = session.setup();
            assert_eq!((now.gravity, now.restitution), (-3.0, 0.5));
            assert!((now.speed - 12.0).abs() < 1e-3, "{}", now.speed);
            assert_eq!(session.sim().index().name, "unit-grid");
        }
    }

    #[test]
    fn another_scene_keeps_its_own_numbers() {
        let mut session = session(Scene::Gas);
        apply(&mut session, Command::Start { scene: Scene::Pile, agents: Some(300) });
        apply(&mut session, Command::Gravity(3.0));
        session.wait_placed();
        assert_eq!(session.setup().gravity, Setup::new(Scene::Pile).gravity);
    }

    #[test]
    fn defaults_follow_the_number_of_agents() {
        let mut session = session(Scene::Gas);
        for agents in [100, 1_600, 400] {
            started(&mut session, Scene::Cannon, agents);
            assert_eq!(
                *session.setup(),
                with_room_for_tools(&Setup::with_agents(Scene::Cannon, agents))
            );
        }
        started(&mut session, Scene::Cannon, 1_600);
        assert_eq!(session.timestep.rate(), 120.0);
        started(&mut session, Scene::Gas, 500);
        assert_eq!(session.timestep.rate(), 60.0);
    }

    #[test]
    fn values_of_the_user_stay_for_another_number_of_agents() {
        let defaults = Setup::with_agents(Scene::Cannon, 100);
        let mut session = session_of(Setup { hz: 75.0, radius: [0.05; 2], ..defaults });
        started(&mut session, Scene::Cannon, 200);
        let Setup { hz, radius, .. } = *session.setup();
        assert_eq!((hz, radius), (75.0, [0.05; 2]));
    }

    #[test]
    fn a_restart_during_a_placement_shows_the_new_run() {
        let mut session = session(Scene::Gas);
        apply(&mut session, Command::Start { scene: Scene::Pile, agents: Some(300) });
        assert_eq!(apply(&mut session, Command::Restart), "placing 300");
        assert_eq!(session.wait_placed(), "run pile 300");
    }
}
