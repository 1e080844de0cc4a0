//! The split picture: the run with its other future at the left, and the run at the right, in step.
//!
//! ```text
//!   panel │ twin          │ run
//!         │ left          │ seam
//! ```
//!
//! The run has the same camera as in a whole picture of which the columns before the seam are taken.
//! The tools work in both halves: a place in the left one is the same place in the right one.

use std::time::Duration;

use glam::Vec2;

use super::{
    Session,
    host::RunHost,
    screen::{OtherHalf, Screen},
};
use crate::{
    alloc,
    error::Result as Checked,
    format,
    program::ProgramResult as Result,
    raster::{Camera, ColorBy, Renderer, Stroke, View},
    sim::Sim,
    snapshot::Snapshot,
    window::{
        event::{Event, sentence},
        hud::{HudCanvas, QUIET},
        timeline::Timeline,
        tool::Held,
        twin::Twin,
    },
};

/// Share of the memory of the way back that the twin may take.
const HISTORY: usize = 4;

/// Longest time between two frames for steps of a twin that is behind.
const SLICE: Duration = Duration::from_millis(40);

/// Half the width of the line between the halves, pixels of a screen of scale 1.
const LINE: f32 = 1.0;

impl Session {
    /// Splits the picture, or ends that. The run goes back to where the two futures part.
    ///
    /// # Errors
    /// If there is not enough memory for another run.
    pub(super) fn toggle_split(&mut self) -> Result<Event> {
        if let Some(closed) = self.close_split() {
            return Ok(closed);
        }
        let Self { host, screen, starts, .. } = self;
        let timeline = host.sim.timeline();
        let history = timeline.budget() / HISTORY;
        let restore = |snapshot: &Snapshot| starts.restored(host, snapshot);
        let branch = timeline.beside(host.wanted_step());
        let names = names(timeline, branch);
        let (mut twin, from) = host.sim.twin(branch, restore, history)?;
        let (index, pool) = (host.sim.index(), &host.pool);
        pool.install(|| twin.beside_state().set_index(index))?;
        let mut renderer = Renderer::new(1, 1, screen.style().clone())?;
        renderer.copy_tones(&screen.renderer);
        let color_by = screen.style().color_by;
        let twin = Twin::new(twin, history, host.sim.agents().len())?;
        host.sim.reserve(history.cast_signed());
        host.twin = Some(twin);
        let pixels = Vec::new();
        screen.split = Some(OtherHalf { renderer, pixels, color_by, pointed: false, names });
        screen.restyle(|style| style.color_by = ColorBy::Twin);
        screen.view.take(screen.taken());
        let is_here = from == host.sim.steps();
        self.tools.cursor = self.place_in_run(self.tools.cursor);
        if !is_here {
            self.go_to(from);
        }
        Ok(Event::switched("split", true))
    }

    /// Shows the run alone again; `None` if it is.
    pub(super) fn close_split(&mut self) -> Option<Event> {
        let [left, seam] = self.screen.halves();
        let (twin, split) = (self.host.twin.take()?, self.screen.split.take()?);
        if split.pointed {
            self.tools.cursor.x -= (seam - left) as f32;
        }
        self.host.sim.reserve(-twin.history.cast_signed());
        if self.style().color_by == ColorBy::Twin {
            self.screen.restyle(|style| style.color_by = split.color_by);
        }
        self.screen.view.take(self.screen.taken());
        Some(Event::switched("split", false))
    }

    /// Takes the twin to the step of the run, as far as there is time. A split that can't go on ends.
    pub(super) fn follow_with_twin(&mut self) {
        let to = self.host.wanted_step();
        let RunHost { twin: Some(twin), pool, .. } = &mut self.host else { return };
        pool.install(|| twin.follow(to, SLICE));
        let why = match twin.failed.take() {
            Some(error) => sentence(&error.into()),
            None if to < twin.sim.first_step() => "the run is where it had one future".to_owned(),
            None => return,
        };
        let closed = self.close_split();
        self.reports.events.extend(closed);
        self.reports.notice(format!("the split has ended: {why}"));
    }

    /// Finds how far the run and its twin are apart, for the next picture.
    pub(super) fn compare(&mut self) {
        let RunHost { twin: Some(twin), pool, sim, .. } = &mut self.host else { return };
        let (run, position): (&Sim, _) = (sim, sim.position());
        pool.install(|| twin.compare(run, position));
        if self.screen.style().color_by == ColorBy::Twin {
            self.screen.renderer.twin_tones().clone_from(&twin.tones[0]);
        }
    }

    /// The colors that follow: with a twin, the distance from it comes last.
    pub(super) fn next_colors(&self) -> ColorBy {
        let now = self.style().color_by;
        let next = now.next_of(self.host.sim.agents());
        let ends = next == ColorBy::default() && now != ColorBy::Twin;
        if self.host.twin.is_some() && ends { ColorBy::Twin } else { next }
    }

    /// The pixel at which the run shows what is at this one. What is held stays in its half.
    pub(super) fn place_in_run(&mut self, at: Vec2) -> Vec2 {
        let [left, seam] = self.screen.halves();
        let timeline = self.screen.timeline_place(self.host.sim.timeline());
        let is_bar = timeline.is_some_and(|place| place.contains(at));
        let held = self.tools.state.held;
        let Some(split) = &mut self.screen.split else { return at };
        if held == Held::Nothing {
            split.pointed = (left as f32..seam as f32).contains(&at.x) && !is_bar;
        }
        if split.pointed { at + Vec2::new((seam - left) as f32, 0.0) } else { at }
    }
}

impl Screen {
    /// The columns where the halves of a split picture begin; those of a whole one begin at the same.
    /// A panel that takes too much of the width covers the left half.
    pub(super) fn halves(&self) -> [u32; 2] {
        let (width, beside) = (self.size[0], self.beside);
        if self.split.is_none() {
            return [beside; 2];
        }
        let left = if beside <= width / 2 { beside } else { 0 };
        [left, left.midpoint(width)]
    }

    /// Draws the twin into a frame of this camera, between these columns; nothing without a twin.
    pub(super) fn draw_twin(
        &mut self,
        bytes: &mut [u8],
        camera: &Camera,
        [left, seam]: [u32; 2],
        host: &RunHost,
    ) {
        let style = self.style().clone();
        let (Some(split), Some(twin)) = (&mut self.split, &host.twin) else { return };
        let [columns, rows] = camera.size.to_array().map(|side| side as usize);
        let size @ [width, height] = [seam - left, rows as u32];
        if width == 0 {
            return;
        }
        let middle = Vec2::new((seam + width / 2) as f32, 0.5 * rows as f32);
        let odd = 0.5 * (width % 2) as f32;
        let center = camera.to_world(middle + Vec2::new(odd, 0.0));
        let camera = Camera { center, size: Vec2::from(size.map(|side| side as f32)), ..*camera };
        let OtherHalf { renderer, pixels, .. } = split;
        let ready: Checked<()> = renderer
            .resize(width, height)
            .and_then(|()| alloc::grow_to(pixels, width as usize * rows * 4, 0, "half a frame"));
        alloc::demanded(ready);
        pixels.truncate(width as usize * rows * 4);
        if *renderer.style() != style {
            renderer.set_style(style);
        }
        if renderer.style().color_by == ColorBy::Twin {
            renderer.twin_tones().clone_from(&twin.tones[1]);
        }
        renderer.set_simd(twin.sim.simd());
        renderer.set_interpolation(host.interpolation_of(&twin.sim));
        let view = View::from_sim(&twin.sim);
        host.pool.install(|| renderer.draw_into(pixels, &camera, &view));
        let (from, to) = (left as usize * 4, seam as usize * 4);
        let rows = bytes.chunks_exact_mut(columns * 4).zip(pixels.chunks_exact(to - from));
        rows.for_each(|(row, half)| row[from..to].copy_from_slice(half));
    }
}

/// Draws the line between the halves, and says what they show. `status` is the height of the status line
/// and its messages.
pub(super) fn label(canvas: &mut HudCanvas<'_>, screen: &Screen, status: u32) {
    let Some(split) = &screen.split else { return };
    let ([left, seam], [_, top, bottom]) = (screen.halves(), screen.interface());
    let top = top.max(status);
    let (x, pen) = (seam as f32, LINE * canvas.pen());
    let end = screen.size[1].saturating_sub(bottom) as f32;
    let corners = [Vec2::new(x - pen, top as f32), Vec2::new(x + pen, end)];
    canvas.shapes.fill(corners, Stroke::new(QUIET));
    for (at, name) in [left, seam].into_iter().zip(&split.names) {
        canvas.caption("half", [at, top], name);
    }
}

/// What the twin and the run are called: of a line and a single branch, the older one is the run as it was.
fn names(timeline: &Timeline, branch: Option<u32>) -> [String; 2] {
    let [was, changed] = ["as it was", "as changed"].map(str::to_owned);
    let (number, line) = timeline.line();
    let Some(branch) = timeline.branches().find(|it| Some(it.number) == branch) else {
        return [was, changed];
    };
    let names = [branch.name, line].map(|name| name.to_string());
    let words = match timeline.branches().len() {
        1 if branch.number < number => [was, changed],
        1 => [changed, was],
        _ => return names,
    };
    [0, 1].map(|half| format!("{}: {}", words[half], names[half]))
}

/// How far a run and its twin are apart, as a text.
pub(super) fn apart(twin: &Twin, lags: bool) -> String {
    let far = format::four_digits(twin.distance as f32);
    match twin.exponent() {
        _ if lags => "split: the other half follows".to_owned(),
        _ if far == 0.0 && twin.alone > 0 => {
            format!("split: {} without a twin", format::plural(twin.alone, "agent"))
        }
        _ if far == 0.0 => "split: no difference".to_owned(),
        Some(exponent) => format!("split: {far} apart, exponent {exponent:.2}/s"),
        None => format!("split: {far} apart"),
    }
}
