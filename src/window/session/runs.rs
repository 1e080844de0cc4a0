//! Which run is on show: another one takes its place once it is placed, and this one goes on until then.

use super::{Session, apply::can_find};
use crate::{
    error::Result,
    raster::{ColorBy, Style, View},
    rng::Rng,
    scene::{Scene, Setup},
    sim::Sim,
    window::{
        background::PlacementJob, event::Event, gauge::Gauge, roomy, view_control::ViewControl,
        words::plain,
    },
};

impl Session {
    /// The set-up that a wish for another run asks for: the scene's own defaults, or if it is the same
    /// scene, what there is, but for defaults that go with the number of agents.
    pub(in crate::window) fn setup_for(&self, scene: Scene, agents: u32) -> Setup {
        roomy(&if scene == self.setup.scene {
            let now = self.sim.setup();
            let [before, after] =
                [now.agents, agents].map(|agents| Setup::with_agents(scene, agents));
            Setup {
                agents,
                radius: going_on(now.radius, before.radius, after.radius),
                hz: going_on(now.hz, before.hz, after.hz),
                ..now.clone()
            }
        } else {
            Setup { seed: self.setup.seed, ..Setup::with_agents(scene, agents) }
        })
    }

    /// How many agents another scene begins with if nobody says: its own number, if it has one, and else as many as
    /// somebody last asked for.
    pub(in crate::window) fn agents_of(&self, scene: Scene) -> u32 {
        let [own, usual] = [scene, Scene::Gas].map(|scene| Setup::new(scene).agents);
        if scene == self.setup.scene {
            self.setup.agents
        } else if own == usual {
            self.asked.unwrap_or(usual)
        } else {
            own
        }
    }

    /// Begins to place another run, or the same one `again`, with the index of this one, which goes on meanwhile.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn order(&mut self, setup: Setup, again: bool) -> Result<Event> {
        let (agents, index, simd) = (setup.agents, self.sim.index(), self.sim.simd());
        self.placing.order(PlacementJob { setup, index, simd, again })?;
        Ok(Event::Placing(agents))
    }

    /// The same start again, as soon as it is placed. What is being placed is a start already, and goes on.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(in crate::window) fn restart(&mut self) -> Result<Event> {
        if let Some(agents) = self.placing.agents() {
            return Ok(Event::Placing(agents));
        }
        self.order(self.setup.clone(), true)
    }

    /// Shows the run that was ordered last, if it is placed by now, and says so.
    ///
    /// # Errors
    /// If it can't be placed, as there is no memory for it beside this one, which then goes on.
    pub(in crate::window) fn placed(&mut self) -> Option<Result<Event>> {
        let (order, mut sim) = self.placing.take()?;
        if let Ok(sim) = &mut sim {
            self.catch_up(sim);
        }
        Some(match sim {
            Ok(sim) if order.again => Ok(self.show_again(sim)),
            Ok(sim) => Ok(self.show(sim)),
            Err(error) if order.again => {
                Ok(Event::Notice(format!("not restarted: {}", plain(&error))))
            }
            Err(error) => Err(error),
        })
    }

    /// Has a run take over what was changed of the one on show while it was placed: the index, and if it is of
    /// the same scene, the numbers. What can't be had with its agents stays as it was ordered.
    fn catch_up(&self, sim: &mut Sim) {
        let index = self.sim.index();
        if index != sim.index() && can_find(index, sim.agents().len()).is_ok() {
            let _ = self.pool.install(|| sim.set_index(index));
        }
        let (now, then) = (self.sim.setup(), sim.setup().clone());
        if now.scene != then.scene {
            return;
        }
        // They are valid for any number of agents, but for a speed that would be too high for one of them.
        let _ = sim.set_restitution(now.restitution);
        let _ = sim.set_gravity(now.gravity);
        if now.speed != then.speed {
            let _ = sim.scale_speeds(now.speed / then.speed);
        }
    }

    fn show_again(&mut self, sim: Sim) -> Event {
        self.setup = sim.setup().clone();
        self.sim = sim;
        self.start_over();
        Event::Restarted
    }

    /// Forgets what is owed to another run, and what was done to and measured of the last.
    fn start_over(&mut self) {
        // Ids begin anew, too.
        self.renderer.clear_starts();
        self.renderer.record_starts(&View::from_sim(&self.sim));
        self.tool_state.forget();
        self.inspection = None;
        self.seeds = Rng::new(self.setup.seed);
        self.timestep.restart();
        self.meter.restart();
        self.gauge = Gauge::new();
        self.skip_time();
    }

    /// Another run instead of this one, with the same pool and style.
    fn show(&mut self, sim: Sim) -> Event {
        let setup = sim.setup();
        let Style { color_by, palette, overlay, .. } = *self.renderer.style();
        let mut look = Style { palette, overlay, ..Style::from_setup(setup) };
        // Sides show as soon as there are any, and no longer than that.
        if color_by != ColorBy::Faction && look.color_by != ColorBy::Faction {
            look.color_by = color_by;
        }
        self.renderer.set_style(look);
        self.view = ViewControl::new(sim.world(), self.size, self.taken());
        self.timestep.set_hz(f64::from(setup.hz));
        self.asked = asked(setup).or(self.asked);
        self.setup = setup.clone();
        self.sim = sim;
        self.start_over();
        Event::Run { scene: self.setup.scene.name(), agents: self.setup.agents }
    }
}

/// The default for another number of agents, if what there is `now` is the default for the number `before`.
fn going_on<T: Copy + PartialEq>(now: T, before: T, after: T) -> T {
    if now == before { after } else { now }
}

/// The number of agents, if it isn't the scene's own: somebody asked for it.
pub(super) fn asked(setup: &Setup) -> Option<u32> {
    Some(setup.agents).filter(|&agents| agents != Setup::new(setup.scene).agents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        index::{DoubleGrid, IndexKind},
        raster::Palette,
        simd::SimdLevel,
        window::panel::Wish,
    };

    impl Session {
        /// Waits for the run that was ordered last.
        pub(in crate::window) fn wait_placed(&mut self) -> Result<Event> {
            loop {
                if let Some(placed) = self.placed() {
                    return placed;
                }
                std::thread::yield_now();
            }
        }
    }

    fn session() -> Session {
        let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
        let look = Style::from_setup(&setup);
        Session::new(setup, look, 1, SimdLevel::best(), DoubleGrid::KIND, || ()).unwrap()
    }

    /// Has another run placed, and says what became of it.
    fn begun(session: &mut Session, scene: Scene, agents: u32) -> String {
        session.grant(&Wish::Run { scene, agents }).unwrap();
        session.wait_placed().unwrap().to_string()
    }

    #[test]
    fn another_run_keeps_the_looks_and_the_index() {
        let mut session = session();
        let unit_grid = IndexKind::find("unit-grid").unwrap();
        for wish in [Wish::Palette(Palette::Magma), Wish::Index(unit_grid)] {
            session.grant(&wish).unwrap();
        }
        assert_eq!(begun(&mut session, Scene::Pile, 300), "run pile 300");
        assert_eq!(session.sim().agents().len(), 300);
        let Setup { scene, gravity, .. } = *session.sim().setup();
        assert_eq!((scene, gravity), (Scene::Pile, Setup::new(Scene::Pile).gravity));
        assert_eq!(session.look().palette, Palette::Magma);
        assert_eq!(session.sim().index(), unit_grid);
    }

    #[test]
    fn scenes_with_a_number_of_their_own_begin_with_it_and_the_others_with_what_was_asked_for() {
        let mut session = session();
        for (scene, run) in [
            (Scene::Mixed, "run mixed 500"),
            (Scene::Cannon, "run cannon 100"),
            (Scene::Cannon, "run cannon 100"),
            (Scene::Gas, "run gas 500"),
        ] {
            let agents = session.agents_of(scene);
            assert_eq!(begun(&mut session, scene, agents), run);
        }
        begun(&mut session, Scene::Pile, 300);
        assert_eq!(session.agents_of(Scene::Pile), 300);
        assert_eq!(session.agents_of(Scene::Melee), 300);
        session.asked = None;
        assert_eq!(session.agents_of(Scene::Melee), 500_000);
    }

    #[test]
    fn restarting_is_the_same_start() {
        let mut session = session();
        let hash = session.sim().state_hash();
        session.sim.step().unwrap();
        assert_ne!(hash, session.sim().state_hash());
        session.restart().unwrap();
        assert_eq!(session.wait_placed().unwrap(), Event::Restarted);
        assert_eq!(hash, session.sim().state_hash());
    }

    #[test]
    fn what_is_changed_while_a_run_is_placed_holds_for_it() {
        let unit_grid = IndexKind::find("unit-grid").unwrap();
        for again in [true, false] {
            let mut session = session();
            if again {
                session.restart().unwrap();
            } else {
                session.grant(&Wish::Run { scene: Scene::Gas, agents: 700 }).unwrap();
            }
            for wish in [
                Wish::Gravity(-3.0),
                Wish::Restitution(0.5),
                Wish::Speed(12.0),
                Wish::Index(unit_grid),
            ] {
                session.grant(&wish).unwrap();
            }
            session.wait_placed().unwrap();
            let now = session.sim().setup();
            assert_eq!((now.gravity, now.restitution), (-3.0, 0.5));
            assert!((now.speed - 12.0).abs() < 1e-3, "{}", now.speed);
            assert_eq!(session.setup(), now);
            assert_eq!(session.sim().index(), unit_grid);
        }
    }

    #[test]
    fn another_scene_keeps_its_own_numbers() {
        let mut session = session();
        session.grant(&Wish::Run { scene: Scene::Pile, agents: 300 }).unwrap();
        session.grant(&Wish::Gravity(3.0)).unwrap();
        session.wait_placed().unwrap();
        assert_eq!(session.sim().setup().gravity, Setup::new(Scene::Pile).gravity);
    }

    #[test]
    fn what_goes_with_the_number_of_agents_goes_on_doing_so() {
        let mut session = session();
        for agents in [100, 1_600, 400] {
            begun(&mut session, Scene::Cannon, agents);
            assert_eq!(*session.sim().setup(), roomy(&Setup::with_agents(Scene::Cannon, agents)));
        }
        begun(&mut session, Scene::Cannon, 1_600);
        assert_eq!(session.timestep.rate(), 120.0);
        begun(&mut session, Scene::Gas, 500);
        assert_eq!(session.timestep.rate(), 60.0);
    }

    #[test]
    fn what_was_asked_for_stays_for_another_number_of_agents() {
        let setup = Setup { hz: 75.0, radius: [0.05; 2], ..Setup::with_agents(Scene::Cannon, 100) };
        let look = Style::from_setup(&setup);
        let grid = DoubleGrid::KIND;
        let mut session = Session::new(setup, look, 1, SimdLevel::best(), grid, || ()).unwrap();
        begun(&mut session, Scene::Cannon, 200);
        let Setup { hz, radius, .. } = *session.sim().setup();
        assert_eq!((hz, radius), (75.0, [0.05; 2]));
    }

    #[test]
    fn restarting_what_is_being_placed_still_shows_it() {
        let mut session = session();
        session.grant(&Wish::Run { scene: Scene::Pile, agents: 300 }).unwrap();
        assert_eq!(session.restart().unwrap(), Event::Placing(300));
        assert_eq!(session.wait_placed().unwrap().to_string(), "run pile 300");
    }

    #[test]
    fn a_run_goes_on_while_another_is_placed() {
        let mut session = session();
        session.restart().unwrap();
        session.sim.step().unwrap();
        assert_eq!(session.sim().steps(), 1);
        session.wait_placed().unwrap();
        assert_eq!(session.sim().steps(), 0);
    }
}
