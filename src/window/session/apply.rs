//! What the panel wishes for, done or refused. A wish that is refused leaves everything as it was.

use crate::{
    error::{Error, Result},
    index::{IndexKind, Naive},
    parallel::pool,
    window::{
        event::Event,
        keys::Action,
        panel::Wish,
        session::{NAIVE_MAX, Session},
        tool_state::side_name,
    },
};

impl Session {
    /// Does what was wished for, and says so.
    ///
    /// # Errors
    /// If it can't be done, with the reason; everything goes on as it was then.
    pub(in crate::window) fn grant(&mut self, wish: &Wish) -> Result<Option<Event>> {
        let set = |what: &'static str, value: String| Ok(Some(Event::Set { what, value }));
        let granted = match wish {
            Wish::Run { scene, agents } => {
                let setup = self.setup_for(*scene, *agents);
                setup.validate()?;
                can_find(self.sim.index(), setup.agents as usize)?;
                self.order(setup, false).map(Some)
            }
            Wish::Nonsense(why) => Err(Error::invalid(why.clone())),
            Wish::Pause => self.act(Action::Pause),
            Wish::Step => self.act(Action::Step),
            Wish::Restart => self.restart().map(Some),
            Wish::Time(speed) => {
                self.timestep.set_speed(*speed);
                Ok(Some(Event::Speed(self.timestep.speed())))
            }
            Wish::Speed(speed) => {
                self.set_speed(*speed)?;
                set("speed", speed.to_string())
            }
            Wish::Restitution(restitution) => {
                self.sim.set_restitution(*restitution)?;
                set("restitution", restitution.to_string())
            }
            Wish::Gravity(gravity) => {
                self.sim.set_gravity(*gravity)?;
                set("gravity", gravity.to_string())
            }
            Wish::LatePolicy(late) => {
                self.timestep.set_late_policy(*late);
                set("late", format!("{late:?}"))
            }
            Wish::Threads(threads) => {
                self.pool = pool(*threads)?;
                set("threads", threads.to_string())
            }
            Wish::Index(kind) => {
                can_find(*kind, self.sim.agents().len())?;
                let Self { pool, sim, .. } = self;
                pool.install(|| sim.set_index(*kind))?;
                self.meter.restart();
                Ok(Some(Event::Index(kind.name)))
            }
            Wish::ColorBy(color_by) => Ok(Some(self.look_with(|look| look.color_by = *color_by))),
            Wish::Overlay(overlay) => {
                self.look_with(|look| look.overlay = *overlay);
                Ok(Some(Event::Overlay(overlay.name())))
            }
            Wish::Side(side) => {
                self.tool_state.side = *side;
                set("side", side_name(*side).to_owned())
            }
            Wish::Tool(tool) => Ok(Some(self.take(*tool))),
            Wish::Glow(glow) => {
                self.glow = *glow;
                set("glow", if *glow { "on" } else { "off" }.to_owned())
            }
            Wish::Palette(palette) => Ok(Some(self.look_with(|look| look.palette = *palette))),
        };
        // What was changed holds for a restart, too.
        self.setup = self.sim.setup().clone();
        granted
    }

    /// Makes the agents as fast on average. Those that stand still have no direction to go to, and so nobody
    /// is made to.
    fn set_speed(&mut self, speed: f32) -> Result<()> {
        let now = self.sim.setup().speed;
        if now <= 0.0 {
            return Err(Error::invalid(
                "agents that began at rest have no direction to become faster in; choose a scene whose agents move at first",
            ));
        }
        if speed == 0.0 {
            return Err(Error::invalid(
                "a speed of 0 would stop the agents for good; choose one above 0, or pause",
            ));
        }
        self.sim.scale_speeds(speed / now)
    }
}

/// Whether an index can be used on so many agents without the window standing still.
pub(super) fn can_find(kind: IndexKind, agents: usize) -> Result<()> {
    if kind == Naive::KIND && agents > NAIVE_MAX {
        return Err(Error::invalid(format!(
            "{} would hold the window up with {agents} agents, {NAIVE_MAX} at the most; choose \
             another index",
            kind.name
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        index::DoubleGrid,
        raster::{ColorBy, Palette, Style},
        scene::{Scene, Setup},
        simd::SimdLevel,
    };

    fn session() -> Session {
        let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
        let look = Style::from_setup(&setup);
        Session::new(setup, look, 1, SimdLevel::best(), DoubleGrid::KIND, || ()).unwrap()
    }

    fn unit_grid() -> IndexKind {
        IndexKind::find("unit-grid").unwrap()
    }

    fn granted(session: &mut Session, wish: &Wish) -> String {
        session.grant(wish).unwrap().expect("an event").to_string()
    }

    #[test]
    fn what_is_wished_for_is_done_and_said() {
        let mut session = session();
        for (wish, said) in [
            (Wish::Restitution(0.5), "set restitution 0.5"),
            (Wish::Gravity(-3.0), "set gravity -3"),
            (Wish::Speed(12.0), "set speed 12"),
            (Wish::Threads(2), "set threads 2"),
            (Wish::Time(4.0), "speed 4"),
            (Wish::Index(unit_grid()), "index unit-grid"),
            (Wish::ColorBy(ColorBy::Cell), "colors cell plasma"),
            (Wish::Palette(Palette::Magma), "colors cell magma"),
        ] {
            assert_eq!(granted(&mut session, &wish), said);
        }
        let setup = session.sim().setup();
        assert_eq!((setup.restitution, setup.gravity, setup.speed), (0.5, -3.0, 12.0));
        assert_eq!(session.threads(), 2);
        session.restart().unwrap();
        session.wait_placed().unwrap();
        assert_eq!(session.sim().setup().gravity, -3.0, "a restart keeps what was changed");
    }

    #[test]
    fn a_speed_that_could_not_be_taken_back_is_refused() {
        let mut session = session();
        let hash = session.sim().state_hash();
        let refusal = session.grant(&Wish::Speed(0.0)).unwrap_err().to_string();
        assert!(refusal.contains("for good"), "{refusal}");
        assert_eq!(session.sim().state_hash(), hash);
        assert_eq!(granted(&mut session, &Wish::Speed(0.5)), "set speed 0.5");
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut session = session();
        let before = (session.sim().state_hash(), session.setup().clone(), session.look().clone());
        for wish in [
            Wish::Restitution(2.0),
            Wish::Gravity(f32::NAN),
            Wish::Speed(-1.0),
            Wish::Threads(0),
            Wish::Run { scene: Scene::Gas, agents: 0 },
            Wish::Nonsense("\"abc\" is not a count".into()),
        ] {
            let refusal = session.grant(&wish).unwrap_err().to_string();
            assert!(!refusal.is_empty() && !refusal.contains('\n'), "{refusal}");
        }
        let after = (session.sim().state_hash(), session.setup().clone(), session.look().clone());
        assert_eq!(before, after);
    }

    #[test]
    fn an_index_for_few_is_refused_for_many() {
        let mut session = session();
        session.grant(&Wish::Index(Naive::KIND)).unwrap();
        let wish = Wish::Run { scene: Scene::Gas, agents: 50_000 };
        let refusal = session.grant(&wish).unwrap_err().to_string();
        assert!(refusal.contains("another index"), "{refusal}");
    }
}
