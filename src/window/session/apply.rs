//! The one place where commands change a session, those of the mouse too.

use std::{sync::Arc, time::Instant};

use glam::Vec2;

use super::{NAIVE_MAX, Session};
use crate::{
    error::{Error, Field, Limit, Value},
    format,
    index::{IndexKind, Naive},
    limits,
    parallel::pool,
    program::{ProgramError, ProgramResult as Result},
    raster::{Style, View},
    sim::Edit,
    window::{
        command::{Choice, Command},
        event::{Event, sentence},
        film_options::FilmOptions,
        hud::Inspection,
        session::replay::replaying,
        tool::{Held, Tool, faction_name},
    },
};

/// Magnification of a double-click.
const DOUBLE_CLICK_ZOOM: f32 = 4.0;

/// Sizes of text and panel, relative to what the screen asks for.
pub(in crate::window) const INTERFACE_SCALES: [f32; 9] =
    [0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0];

/// Smallest radius of the inspected agent after it was clicked, pixels of a screen of scale 1.
const INSPECTED_RADIUS: f32 = 14.0;

impl Session {
    /// Applies a command. The event says what it changed; without one, nothing happened, as with
    /// commands that only the window can carry out. A refused command changes nothing and gives
    /// [`Event::Refused`].
    ///
    /// # Errors
    /// If memory runs out while agents are added or removed: such a run can't go on.
    pub(in crate::window) fn apply(&mut self, command: Command) -> Result<Option<Event>> {
        if self.is_replaying() && command.changes_run() {
            return Ok(Some(replaying()));
        }
        if command.changes_run() {
            self.stay();
        }
        match command {
            Command::PressTool => self.press(),
            Command::ReleaseButton => self.release(),
            Command::Turn(turn) => self.turn(turn).map(Some),
            _ => Ok(self.change(command).unwrap_or_else(|error| Some(refused(&error)))),
        }
    }

    /// Carries out a command; its errors are refusals.
    fn change(&mut self, command: Command) -> Result<Option<Event>> {
        Ok(Some(match command {
            Command::Start { scene, agents } => self.start(scene, agents)?,
            Command::StartAnother(by) => self.start(self.next_setup().scene.after(by), None)?,
            Command::ToggleTour => self.toggle_tour(),
            Command::StartWith(value) => self.start_with(value)?,
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
            Command::Jump(jump) => self.jump(jump),
            Command::TimeScale(scale) => self.set_time_scale(scale),
            Command::MultiplyTimeScale(by) => self.set_time_scale(self.timestep.time_scale() * by),
            Command::SkipFrames(skip_frames) => {
                self.timestep.skip_frames = skip_frames;
                Event::switched("skip frames", skip_frames)
            }
            Command::MeanSpeed(speed) => {
                self.set_mean_speed(speed)?;
                self.forget_warnings();
                self.plots.forget_temperature();
                Event::set("mean speed", speed)
            }
            Command::Restitution(restitution) => {
                self.sim.apply(Edit::Restitution(restitution))?;
                Event::set("restitution", restitution)
            }
            Command::Gravity(gravity) => {
                self.sim.apply(Edit::Gravity(gravity))?;
                self.forget_warnings();
                Event::set("gravity", gravity)
            }
            Command::Threads(threads) => {
                self.pool = Arc::new(pool(threads)?);
                self.update_warnings();
                Event::set("threads", threads)
            }
            Command::Index(Choice::Next) => self.next_index(),
            Command::Index(Choice::Value(kind)) => self.set_index(kind)?,
            Command::ColorBy(_)
            | Command::Palette(_)
            | Command::Exposure(_)
            | Command::Overlay(_)
            | Command::Glow(_)
            | Command::Plot(_)
            | Command::FilmOptions(_)
            | Command::InterfaceScale(_)
            | Command::ResizeInterface(_) => return Ok(self.change_look(command)),
            Command::FitView => {
                self.view.fit();
                self.stop_following();
                Event::View("fitted")
            }
            Command::Zoom(notches) if notches != 0.0 => {
                self.view.zoom(notches, self.cursor);
                Event::View("zoomed")
            }
            Command::Tool(tool) => self.take(tool),
            Command::ResizeTool(sizes) => {
                self.tool_state.resize(sizes);
                Event::set("tool size", self.tool_state.radius())
            }
            Command::Faction(faction) => {
                self.tool_state.faction = faction;
                Event::set("side", faction_name(faction))
            }
            Command::MovePointer(to) => return Ok(self.move_pointer(to)),
            Command::GrabView => {
                self.tool_state.release();
                self.tool_state.held = Held::View;
                return Ok(None);
            }
            Command::NextHelpPage => self.turn_page(),
            Command::Cancel => return Ok(self.cancel()),
            Command::Zoom(_)
            | Command::PressTool
            | Command::ReleaseButton
            | Command::Turn(_)
            | Command::Save
            | Command::Open
            | Command::TogglePanel
            | Command::ToggleFullScreen
            | Command::Screenshot
            | Command::ToggleFilm
            | Command::Quit => return Ok(None),
        }))
    }

    /// Carries out a command about the look of the window; `None` for any other.
    fn change_look(&mut self, command: Command) -> Option<Event> {
        Some(match command {
            Command::ColorBy(choice) => {
                let scene = self.setup().scene;
                self.restyle(|style| {
                    style.color_by = choice.or_next(|| style.color_by.next_in(scene));
                })
            }
            Command::Palette(choice) => {
                let event =
                    self.restyle(|style| style.palette = choice.or_next(|| style.palette.next()));
                let (palette, color_by) = (self.style().palette, self.style().color_by);
                if self.style().uses_palette() {
                    return Some(event);
                }
                let (palette, color_by) = (palette.name(), color_by.name());
                Event::set(
                    "colors",
                    format!("{color_by}, the same in every palette: {palette} is for others"),
                )
            }
            Command::Exposure(choice) => {
                self.restyle(|style| style.exposure = choice.or_next(|| style.exposure.toggled()));
                Event::set("exposure", self.style().exposure)
            }
            Command::Overlay(choice) => {
                self.restyle(|style| style.overlay = choice.or_next(|| style.overlay.next()));
                Event::set("overlay", self.style().overlay.name())
            }
            Command::Glow(choice) => {
                self.glow = choice.or_next(|| !self.glow);
                Event::switched("glow", self.glow)
            }
            Command::Plot(observable) => {
                self.plots.toggle(observable);
                Event::set("plots", self.plots.names())
            }
            Command::FilmOptions(options) => {
                self.film_options = options;
                let FilmOptions { format, time } = options;
                Event::set("films", format!("{} {}", format.name(), time.name()))
            }
            Command::InterfaceScale(scale) => self.set_interface_scale(scale),
            Command::ResizeInterface(sizes) => {
                let scale = resized(self.interface_scale, sizes);
                self.set_interface_scale(scale)
            }
            _ => return None,
        })
    }

    fn set_time_scale(&mut self, scale: f64) -> Event {
        self.timestep.set_time_scale(scale);
        Event::set("time scale", self.timestep.time_scale())
    }

    fn set_interface_scale(&mut self, scale: f32) -> Event {
        let [least, most] = [INTERFACE_SCALES[0], INTERFACE_SCALES[INTERFACE_SCALES.len() - 1]];
        self.interface_scale = scale.clamp(least, most);
        self.resize(self.size, self.screen_scale);
        Event::set("interface scale", self.interface_scale)
    }

    /// Scales all velocities to another mean speed. Agents at rest have no direction to move in, so
    /// neither can a run at rest be made faster nor may one be brought to rest.
    fn set_mean_speed(&mut self, speed: f32) -> Result<()> {
        if !(0.0..=limits::MEAN_SPEED_MAX).contains(&speed) {
            let limit = Limit::Numbers(0.0..=limits::MEAN_SPEED_MAX);
            return Err(Error::invalid(Field::Speed, Value::Number(speed), limit).into());
        }
        let now = self.sim.setup().speed;
        if now <= 0.0 {
            return Err(ProgramError::refused(
                "agents at rest have no direction to become faster in; choose a scene with agents that \
                 move at the start",
            ));
        }
        if speed == 0.0 {
            return Err(ProgramError::refused(
                "a speed of 0 would stop the agents permanently; choose one above 0, or pause",
            ));
        }
        self.sim.apply(Edit::ScaleSpeeds(speed / now))?;
        Ok(())
    }

    fn set_index(&mut self, kind: IndexKind) -> Result<Event> {
        check_index(kind, self.sim.agents().len())?;
        let Self { pool, sim, .. } = self;
        pool.install(|| sim.beside_state().set_index(kind))?;
        self.frame_stats.reset_figures();
        Ok(Event::set("index", kind.name))
    }

    /// Sets the next index that accepts these agents.
    fn next_index(&mut self) -> Event {
        let now = self.sim.index();
        let following = IndexKind::all().skip_while(|kind| *kind != now).skip(1);
        let chosen = following.chain(IndexKind::all()).find_map(|kind| self.set_index(kind).ok());
        chosen.unwrap_or_else(|| Event::set("index", now.name))
    }

    fn restyle(&mut self, change: impl FnOnce(&mut Style)) -> Event {
        let mut style = self.style().clone();
        change(&mut style);
        let colors = style.colors_name();
        self.renderer.set_style(style);
        Event::set("colors", colors)
    }

    /// Hides the keys, else ends a tour or a replay, else takes the hand; `None` if nothing is left to
    /// do.
    fn cancel(&mut self) -> Option<Event> {
        if self.help > 0 {
            self.help = 0;
            return Some(Event::switched("help", false));
        }
        if self.end_tour() {
            return self.events.pop();
        }
        if self.is_replaying() {
            return Some(self.leave_replay());
        }
        (self.tool_state.tool != Tool::Hand).then(|| self.take(Tool::Hand))
    }

    /// Moves the pointer to a pixel; drags what is held.
    fn move_pointer(&mut self, to: Vec2) -> Option<Event> {
        let by = to - self.cursor;
        (self.cursor, self.pointed) = (to, true);
        match self.tool_state.held {
            Held::View if by != Vec2::ZERO => {
                self.view.pan(by);
                self.stop_following();
                Some(Event::View("panned"))
            }
            Held::Map => self.look_at_map(),
            Held::Timeline => self.follow_pointer(),
            _ => None,
        }
    }

    /// Takes another tool.
    fn take(&mut self, tool: Tool) -> Event {
        self.tool_state.release();
        self.tool_state.tool = tool;
        if tool != Tool::Inspect {
            self.inspection = None;
        }
        Event::set("tool", tool.name())
    }

    /// Presses the tool's button.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    fn press(&mut self) -> Result<Option<Event>> {
        if self.timeline_place().is_some_and(|place| place.contains(self.cursor)) {
            self.tool_state.release();
            self.tool_state.held = Held::Timeline;
            return Ok(self.follow_pointer());
        }
        if self.map_place().is_some_and(|place| place.contains(self.cursor)) {
            self.tool_state.held = Held::Map;
            return Ok(self.look_at_map());
        }
        Ok(match self.tool_state.tool {
            Tool::Hand => {
                self.tool_state.held = Held::View;
                self.tool_state.click(Instant::now(), self.cursor).then(|| {
                    self.view.magnify(DOUBLE_CLICK_ZOOM, self.cursor);
                    Event::View("zoomed")
                })
            }
            Tool::Inspect => Some(self.inspect()),
            _ if self.is_replaying() => Some(replaying()),
            _ => {
                self.stay();
                self.sim.take_parted();
                self.tool_state.held = Held::Tool;
                self.work_on()?
            }
        })
    }

    /// Releases the pressed button.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    fn release(&mut self) -> Result<Option<Event>> {
        // A quick stroke may end before the next frame: it goes as far as the pointer did.
        let refusal = self.work_on()?;
        if self.tool_state.held == Held::Timeline {
            self.skip_time();
        }
        self.tool_state.stroke.parts |= self.sim.take_parted();
        let refused = self.tool_state.stroke.refused;
        let done = self.tool_state.release().filter(|_| !refused);
        Ok(refusal.or_else(|| done.map(|done| Event::Stroke(self.tool_state.tool.name(), done))))
    }

    /// Whether a frame is due wherever the pointer goes, as the tool's ring is drawn around it.
    pub(in crate::window) fn has_ring(&self) -> bool {
        self.tool_state.tool != Tool::Hand
    }

    /// Keeps the view where it is instead of over the inspected agent.
    fn stop_following(&mut self) {
        self.inspection.iter_mut().for_each(|inspection| inspection.follows = false);
    }

    /// Centers the view on the pointer's place on the mini-map, if the map is shown.
    fn look_at_map(&mut self) -> Option<Event> {
        let place = self.map_place()?;
        self.view.look_at(place.to_world(self.cursor));
        self.stop_following();
        Some(Event::View("mapped"))
    }

    /// Inspects the agent at the pointer and centers the view on it; without an agent there, ends
    /// the inspection.
    fn inspect(&mut self) -> Event {
        let (view, space) = (View::from_sim(&self.sim), self.sim.space());
        let camera = *self.view.camera();
        let place = camera.to_world(self.cursor);
        self.inspection = Inspection::at(&view, place, camera.scale);
        let found = self.inspection.as_mut().and_then(|it| Some((it.update(&view)?, it.id)));
        let Some((agent, id)) = found else { return Event::set("inspect", "nothing") };
        let scale = INSPECTED_RADIUS * self.text_scale as f32 / agent.radius;
        self.view.look_close(space.wrapped(agent.position), scale);
        Event::set("inspect", id)
    }
}

/// A scale of the interface that is so many sizes larger; the usual one for 0 sizes.
fn resized(scale: f32, sizes: isize) -> f32 {
    if sizes == 0 {
        return 1.0;
    }
    let below = INTERFACE_SCALES.iter().filter(|size| **size < scale).count();
    let at =
        if sizes > 0 { INTERFACE_SCALES.partition_point(|size| *size <= scale) } else { below };
    let to = at.saturating_add_signed(if sizes > 0 { sizes - 1 } else { sizes });
    INTERFACE_SCALES[to.min(INTERFACE_SCALES.len() - 1)]
}

/// The event of a refused command.
pub(super) fn refused(error: &ProgramError) -> Event {
    Event::Refused(sentence(error))
}

/// Rejects an index that would block the window with this many agents.
pub(super) fn check_index(kind: IndexKind, agents: usize) -> Result<()> {
    if kind == Naive::KIND && agents > NAIVE_MAX {
        return Err(ProgramError::refused(format!(
            "{} would block the window with {} agents; it takes at most {}; choose another index",
            kind.name,
            format::grouped(agents as u64),
            format::grouped(NAIVE_MAX as u64)
        )));
    }
    Ok(())
}
