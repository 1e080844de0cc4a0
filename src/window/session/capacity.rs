//! How many agents this machine would keep up with.

use super::Session;
use crate::scene::round_down;

/// Share of the time that steps and frames may take.
const BUSY_MAX: f64 = 0.95;

/// Fewest agents that are suggested.
const LEAST: u32 = 100;

impl Session {
    /// The largest number of agents of this scene with which the machine would take all steps in time
    /// and show all frames, if it doesn't now: times of a step and of a draw are as the number of
    /// agents, and more agents of a scene may need shorter steps.
    pub(super) fn agents_that_keep_up(&self) -> Option<u32> {
        let figures = self.frame_stats.figures();
        let [step, draw, present] = [figures.step_ms?, figures.draw_ms?, figures.present_ms?];
        let now = self.sim.agents().len() as f64;
        let (scale, frames) =
            (self.timestep.time_scale(), 1.0 / self.timestep.frame().as_secs_f64());
        let busy = |agents: u32| {
            let share = f64::from(agents) / now;
            let hz = f64::from(self.setup_for(self.setup().scene, agents).hz);
            (hz * scale * step * share + frames * (draw * share + present)) / 1000.0
        };
        let most = self.setup().agents.min(now as u32);
        if !figures.behind || most <= LEAST || busy(LEAST) > BUSY_MAX {
            return None;
        }
        let [mut low, mut high] = [LEAST, most];
        while high - low > 1 {
            let middle = low.midpoint(high);
            *(if busy(middle) <= BUSY_MAX { &mut low } else { &mut high }) = middle;
        }
        let rounded = round_down(low);
        (rounded < most).then_some(rounded)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        scene::{Scene, Setup},
        window::{
            command::Command,
            frame_stats::{FrameStats, Part},
            session::tests::session_of,
        },
    };

    const MS: Duration = Duration::from_millis(1);

    /// A session in which step, draw and presenting take that long.
    fn slow(scene: Scene, agents: u32, [step, draw, present]: [u32; 3], dropped: u64) -> Session {
        let mut session = session_of(Setup::with_agents(scene, agents));
        session.frame_stats = FrameStats::new();
        for (part, took) in [(Part::Step, step), (Part::Draw, draw), (Part::Present, present)] {
            session.frame_stats.push(part, MS * took);
        }
        session.frame_stats.advance(Duration::from_secs(1), dropped);
        session
    }

    #[test]
    fn as_many_agents_are_suggested_as_there_is_time_for() {
        // Of a second: 60 steps of 40 ms, 60 draws of 4 ms and 60 times 1 ms.
        let mut session = slow(Scene::Gas, 400, [40, 4, 1], 100);
        assert_eq!(session.agents_that_keep_up(), Some(130));
        // At half the speed there are half the steps.
        session.apply(Command::TimeScale(0.5)).unwrap();
        assert_eq!(session.agents_that_keep_up(), Some(240));
        // Fewer agents of a pile fall less deep, and need fewer steps.
        let pile = slow(Scene::Pile, 20_000, [100, 4, 1], 100);
        let same_steps = 890.0 / f64::from(pile.setup().hz * 100.0 + 240.0) * 20_000.0;
        let agents = pile.agents_that_keep_up().expect("a number");
        assert!(f64::from(agents) > same_steps && agents < 20_000, "{agents} of {same_steps}");
    }

    #[test]
    fn what_is_always_shown_stays_where_it_is() {
        let texts = |session: &Session| {
            session.status().into_iter().map(|field| field.text).collect::<Vec<String>>()
        };
        let [quick, mut behind] =
            [0, 100].map(|dropped| slow(Scene::Gas, 400, [40, 4, 1], dropped));
        assert_eq!(texts(&quick), texts(&behind));
        assert_eq!(quick.behind(), None);
        behind.fitting = Some(130);
        let said = "can't keep up with 60 steps/s; about 130 agents would";
        assert_eq!(behind.behind().as_deref(), Some(said));
        // What comes and goes follows.
        behind.apply(Command::TogglePause).unwrap();
        assert_eq!(behind.behind(), None);
        let (paused, quick) = (texts(&behind), texts(&quick));
        assert_eq!((&paused[..quick.len()], &*paused[quick.len()]), (&quick[..], "paused"));
    }

    #[test]
    fn nothing_is_suggested_where_the_machine_keeps_up_or_never_would() {
        assert_eq!(slow(Scene::Gas, 400, [40, 4, 1], 0).agents_that_keep_up(), None);
        assert_eq!(slow(Scene::Gas, 400, [40, 4, 900], 100).agents_that_keep_up(), None);
    }
}
