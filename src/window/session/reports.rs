//! Reports: what the session says of the run, to the app, the status line and the panel.

use std::time::{Duration, Instant};

use super::{host::RunHost, starts::setup_for};
use crate::{
    format,
    scene::round_down,
    window::{
        event::Event,
        film_options::{FilmFormat, FilmProgress, FilmSize},
        frame_stats::{Figures, FrameStats, Part},
        plots::Plots,
        run_stats::StateFigures,
        warnings::Warnings,
    },
};

/// Share of the time that steps and frames may take.
const BUSY_MAX: f64 = 0.95;

/// Updates of the figures, two per second, after which a machine counts as too slow.
const SLOW: u32 = 4;

/// Fewest agents that are suggested.
const LEAST: u32 = 100;

/// How long a message stays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::window) enum MessageKind {
    /// Until another one comes.
    #[default]
    Plain,
    /// Until the user goes on: a sentence that they did not ask for waits.
    Refusal,
    /// Until that time, at most. Such a sentence waits, too.
    Hint(Instant),
}

/// Measurements, warnings and events.
pub(in crate::window) struct Reports {
    /// Times of each part of the work.
    pub(in crate::window) frame_stats: FrameStats,
    /// The plots of the panel.
    pub(in crate::window) plots: Plots,
    /// Largest overlap that was measured since the warnings were updated.
    overlap: Option<f32>,
    warnings: Warnings,
    /// True if the warnings have changed since the app was told.
    warned: bool,
    /// Number of agents with which this machine would keep up, while it doesn't.
    pub(super) fitting: Option<u32>,
    /// Updates since the machine last kept up; the slowest parts that the user was told, each with the scene and
    /// its number of agents.
    slow: u32,
    told: Vec<(Part, String, u32)>,
    /// The events that the app has yet to be told.
    pub(super) events: Vec<Event>,
    /// The message under the status line; empty without one.
    pub(in crate::window) message: String,
    kind: MessageKind,
    /// The film under way.
    pub(in crate::window) filmed: Option<FilmProgress>,
}

impl Reports {
    pub(super) fn new() -> Self {
        Self {
            frame_stats: FrameStats::new(),
            plots: Plots::default(),
            overlap: None,
            warnings: Warnings::default(),
            warned: false,
            fitting: None,
            slow: 0,
            told: Vec::new(),
            events: Vec::new(),
            message: String::new(),
            kind: MessageKind::Plain,
            filmed: None,
        }
    }

    /// Measures from now on: another run begins.
    pub(super) fn restart(&mut self, host: &RunHost) {
        self.frame_stats = FrameStats::new();
        self.plots.restart();
        (self.overlap, self.slow) = (None, 0);
        self.forget_warnings(host);
    }

    /// Goes on from another state of the same run.
    pub(super) fn rewind(&mut self, host: &RunHost) {
        self.overlap = None;
        self.forget_warnings(host);
    }

    /// Reports a sentence to the user.
    pub(super) fn notice(&mut self, sentence: String) {
        self.events.push(Event::Notice(sentence));
    }

    /// Events since the last call.
    pub(in crate::window) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Adds a measurement to the plots, unless the run is on a way back.
    pub(super) fn add_figures(&mut self, host: &RunHost, figures: &StateFigures, rewinds: bool) {
        if !rewinds {
            self.plots.sample(&host.sim, figures);
        }
        self.overlap = Some(figures.measures.max_overlap);
    }

    /// Looks at the run after the steps of a frame.
    pub(super) fn observe(&mut self, host: &mut RunHost, elapsed: Duration) {
        self.warnings.observe(&host.sim);
        let updated = if host.timestep.is_paused() {
            self.frame_stats.pause();
            true
        } else {
            self.frame_stats.advance(elapsed, host.timestep.take_dropped())
        };
        if updated {
            self.update_warnings(host);
            self.fitting = agents_that_keep_up(self.frame_stats.figures(), host);
            self.tell_once_if_slow(host);
        }
    }

    /// Shows a message in place of the one before.
    pub(in crate::window) fn show(&mut self, message: String, kind: MessageKind) {
        (self.message, self.kind) = (message, kind);
    }

    /// When the message leaves, if it is a hint.
    pub(in crate::window) fn hint_ends(&self) -> Option<Instant> {
        match self.kind {
            MessageKind::Hint(ends) if !self.message.is_empty() => Some(ends),
            _ => None,
        }
    }

    /// Says it once if the machine is too slow, and again if something else is slowest or there is another
    /// scene or number of agents. It waits for hints and refusals.
    fn tell_once_if_slow(&mut self, host: &RunHost) {
        let behind = self.behind(host);
        self.slow = if behind.is_some() { self.slow + 1 } else { 0 };
        let is_busy = self.kind != MessageKind::Plain && !self.message.is_empty();
        if self.slow < SLOW || is_busy {
            return;
        }
        let Some(part) = self.frame_stats.figures().behind else { return };
        let slowest = (part, host.sim.title().to_owned(), host.setup().agents);
        if !self.told.contains(&slowest) {
            self.told.push(slowest);
            self.events.extend(behind.map(Event::Hint));
        }
    }

    /// Looks for warnings as if the run began here, as agents move in another way from now on.
    pub(super) fn forget_warnings(&mut self, host: &RunHost) {
        self.warned |= !self.warnings.sentences().is_empty();
        self.warnings = Warnings::new(&host.sim);
        self.update_warnings(host);
    }

    /// Updates the warnings.
    pub(super) fn update_warnings(&mut self, host: &RunHost) {
        let overlap = self.overlap.take();
        self.warned |= self.warnings.update(&host.sim, host.threads(), overlap);
    }

    /// The event of warnings that have changed since the last call.
    pub(in crate::window) fn take_warnings(&mut self) -> Option<Event> {
        let changed = std::mem::take(&mut self.warned);
        changed.then(|| Event::Warnings(self.warnings.sentences().to_vec()))
    }

    /// The lines below the status line: the message, and the warnings.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> + Clone {
        [&self.message].into_iter().chain(self.warnings.sentences()).map(String::as_str)
    }

    /// A sentence if the machine is too slow, with what is slowest and helps.
    fn behind(&self, host: &RunHost) -> Option<String> {
        let slowest = self.frame_stats.figures().behind?;
        if host.timestep.is_paused() {
            return None;
        }
        let taken = self.frame_stats.figures().steps_per_s.unwrap_or(0.0);
        let rate = host.timestep.rate();
        let what = format!("time runs slower: this machine takes {taken:.0} of {rate:.0} steps/s");
        let cause = match slowest {
            Part::Film => {
                let options = self.filmed.map(|film| film.options).unwrap_or_default();
                let smaller = if options.size == FilmSize::Window { "window" } else { "film" };
                let y4m = if options.format == FilmFormat::Y4m { "" } else { ", or y4m," };
                return Some(format!(
                    "{what}; the film takes most of the time; V ends it, and a smaller {smaller}{y4m} is faster"
                ));
            }
            Part::Panel => "; the panel takes most of the time; Tab hides it",
            Part::Draw => {
                "; drawing takes most of the time; a smaller window or fewer agents are faster"
            }
            Part::Present => "; showing frames takes most of the time; a smaller window is faster",
            _ => {
                let agents = self.fitting.map(format::grouped);
                return Some(
                    agents
                        .map_or(what.clone(), |n| format!("{what}; {n} agents run at full speed")),
                );
            }
        };
        Some(what + cause)
    }
}

/// The largest number of agents of this scene with which the machine would take all steps in time
/// and show all frames, if it doesn't now. The times of a step and of a draw are proportional to the
/// number of agents, and more agents of a scene may need shorter steps.
fn agents_that_keep_up(figures: Figures, host: &RunHost) -> Option<u32> {
    let [step, draw, present] = [figures.step_ms?, figures.draw_ms?, figures.present_ms?];
    let (setup, now) = (host.setup(), host.sim.agents().len() as f64);
    let (scale, frames) = (host.timestep.time_scale(), 1.0 / host.timestep.frame().as_secs_f64());
    let busy = |agents: u32| {
        let share = f64::from(agents) / now;
        let hz = f64::from(setup_for(setup, setup.scene, agents).hz);
        (hz * scale * step * share + frames * (draw * share + present)) / 1000.0
    };
    let most = setup.agents.min(now as u32);
    if figures.behind.is_none() || most <= LEAST || busy(LEAST) > BUSY_MAX {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        scene::{Scene, Setup},
        window::{
            command::Command,
            session::{Session, hud, tests::session_of},
        },
    };

    const MS: Duration = Duration::from_millis(1);

    /// A session in which step, draw and presenting take that long.
    fn slow(scene: Scene, agents: u32, [step, draw, present]: [u32; 3], dropped: u64) -> Session {
        let mut session = session_of(Setup::with_agents(scene, agents));
        session.reports.frame_stats = FrameStats::new();
        for (part, took) in [(Part::Step, step), (Part::Draw, draw), (Part::Present, present)] {
            session.reports.frame_stats.push(part, MS * took);
        }
        session.reports.frame_stats.advance(Duration::from_secs(1), dropped);
        session
    }

    fn keep_up(session: &Session) -> Option<u32> {
        agents_that_keep_up(session.reports.frame_stats.figures(), &session.host)
    }

    #[test]
    fn agents_are_suggested_that_there_is_time_for() {
        // Of a second: 60 steps of 40 ms, 60 draws of 4 ms and 60 times 1 ms.
        let mut session = slow(Scene::Gas, 400, [40, 4, 1], 100);
        assert_eq!(keep_up(&session), Some(130));
        // At half the speed there are half the steps.
        session.apply(Command::TimeScale(0.5)).unwrap();
        assert_eq!(keep_up(&session), Some(240));
        // Fewer agents of a pile fall less deep, and need fewer steps.
        let pile = slow(Scene::Pile, 20_000, [100, 4, 1], 100);
        let same_steps = 890.0 / f64::from(pile.setup().hz * 100.0 + 240.0) * 20_000.0;
        let agents = keep_up(&pile).expect("a number");
        assert!(f64::from(agents) > same_steps && agents < 20_000, "{agents} of {same_steps}");
    }

    #[test]
    fn fields_that_are_always_shown_keep_their_places() {
        let texts = |session: &Session| {
            hud::status(session).into_iter().map(|field| field.text).collect::<Vec<String>>()
        };
        let [quick, mut behind] =
            [0, 100].map(|dropped| slow(Scene::Gas, 400, [40, 4, 1], dropped));
        assert_eq!(texts(&quick), texts(&behind));
        assert_eq!(quick.reports.behind(&quick.host), None);
        behind.reports.fitting = Some(130);
        let said =
            "time runs slower: this machine takes 0 of 60 steps/s; 130 agents run at full speed";
        assert_eq!(behind.reports.behind(&behind.host).as_deref(), Some(said));
        // It is said once, if it lasts.
        let mut said_at = Vec::new();
        for update in 1..20 {
            behind.reports.tell_once_if_slow(&behind.host);
            let events = behind.reports.take_events();
            said_at.extend(events.iter().any(|event| event.to_string() == said).then_some(update));
        }
        assert_eq!(said_at, [SLOW]);
        // Once per number of agents, and not in the place of what the user is to read.
        behind.reports.told.clear();
        behind.reports.show("refused".to_owned(), MessageKind::Refusal);
        behind.reports.tell_once_if_slow(&behind.host);
        assert!(behind.reports.take_events().is_empty());
        behind.reports.message.clear();
        for count in [1, 0] {
            behind.reports.tell_once_if_slow(&behind.host);
            assert_eq!(behind.reports.take_events().len(), count);
        }
        // The fields that come and go follow.
        behind.apply(Command::TogglePause).unwrap();
        assert_eq!(behind.reports.behind(&behind.host), None);
        let (paused, quick) = (texts(&behind), texts(&quick));
        assert_eq!((&paused[..quick.len()], &*paused[quick.len()]), (&quick[..], "paused"));
    }

    #[test]
    fn a_slow_machine_is_told_what_is_slowest() {
        for (part, remedy) in [
            (Part::Film, "y4m"),
            (Part::Panel, "Tab hides it"),
            (Part::Draw, "a smaller window or fewer agents"),
            (Part::Present, "a smaller window is faster"),
        ] {
            let mut session = slow(Scene::Gas, 400, [4, 4, 1], 0);
            session.reports.frame_stats.push(Part::Step, MS);
            session.reports.frame_stats.push(part, 400 * MS);
            session.reports.frame_stats.advance(Duration::from_secs(1), 100);
            let sentence = session.reports.behind(&session.host).expect("a warning");
            assert!(sentence.contains(remedy) && !sentence.contains("agents run"), "{sentence}");
        }
    }

    #[test]
    fn nothing_is_suggested_where_the_machine_keeps_up_or_never_would() {
        assert_eq!(keep_up(&slow(Scene::Gas, 400, [40, 4, 1], 0)), None);
        assert_eq!(keep_up(&slow(Scene::Gas, 400, [40, 4, 900], 100)), None);
    }
}
