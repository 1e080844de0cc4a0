//! The one place where commands change a session, including the commands of the mouse.

use std::time::Instant;

use glam::Vec2;

use super::Session;
use crate::{
    error::Field,
    index::IndexKind,
    program::{ProgramError, ProgramResult as Result},
    window::{
        command::{Choice, Command},
        event::{Event, sentence},
        film_options::FilmOptions,
        timestep::TIME_SCALE,
        tool::{Held, Tool, faction_name},
    },
};

/// Magnification of a double-click.
const DOUBLE_CLICK_ZOOM: f32 = 4.0;

impl Session {
    /// Applies a command. The event says what it changed; without one, nothing happened, as with
    /// commands that only the window can carry out. A refused command changes nothing and gives
    /// [`Event::Refused`].
    ///
    /// # Errors
    /// If memory runs out while agents are added or removed: such a run can't go on.
    pub(in crate::window) fn apply(&mut self, command: Command) -> Result<Option<Event>> {
        let ended = self.end_stroke_before(command)?;
        self.reports.events.extend(ended);
        self.recall_strokes();
        let event = self.carry_out(command);
        self.keep_strokes();
        self.forget_undone_runs();
        event
    }

    /// Ends the stroke under way if the command leaves the state of the run that it belongs to.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(in crate::window) fn end_stroke_before(
        &mut self,
        command: Command,
    ) -> Result<Option<Event>> {
        let leaves = command.changes_run() || matches!(command, Command::Jump(_));
        if leaves && self.tools.state.held == Held::Tool {
            return self.apply(Command::ReleaseButton);
        }
        Ok(None)
    }

    fn carry_out(&mut self, command: Command) -> Result<Option<Event>> {
        let command =
            if command == Command::TakeHandOrDraw { self.hand_or_draw() } else { command };
        if self.host.is_replaying() && command.changes_run() {
            return Ok(Some(replaying()));
        }
        if command.changes_run() {
            self.host.seek = None;
        }
        if let Some(command) = self.menu_command(command) {
            return self.apply(command);
        }
        match command {
            Command::PressTool => self.press(),
            Command::ReleaseButton => self.release(),
            Command::Turn(turn) => self.turn(turn).map(Some),
            _ => Ok(self.change(command).unwrap_or_else(|error| Some(refused(&error)))),
        }
    }

    /// Carries out a command; its errors are refusals.
    #[expect(clippy::too_many_lines, reason = "one arm per command")]
    fn change(&mut self, command: Command) -> Result<Option<Event>> {
        Ok(Some(match command {
            Command::Start { scene, agents } => self.starts.start(&self.host, scene, agents)?,
            Command::StartAnother(by) => {
                let scene = self.next_setup().scene.after(by);
                self.starts.start(&self.host, scene, None)?
            }
            Command::ToggleMenu => self.toggle_menu(),
            Command::StartSelected => return self.start_selected(),
            Command::ToggleTour => self.toggle_tour(),
            Command::StartWith(field, value) => self.starts.start_with(&self.host, field, value)?,
            Command::StartAsUsual => self.starts.start_as_usual(&self.host)?,
            Command::Restart => self.starts.restart(&self.host),
            Command::KeepWalls(keeps) => {
                self.starts.keep_walls = keeps;
                Event::switched("keep walls", keeps)
            }
            Command::TogglePause => {
                self.host.timestep.toggle_pause();
                self.host.skip_time();
                if self.host.timestep.is_paused() { Event::Paused } else { Event::Running }
            }
            Command::SingleStep => {
                self.host.timestep.step_once();
                Event::Paused
            }
            Command::ToggleSplit => self.toggle_split()?,
            Command::Jump(jump) => self.jump(jump),
            Command::GoToBranch(number, step) => self.go_to_branch(number, step)?,
            Command::RenameBranch(number, name) => self.rename_branch(number, name)?,
            Command::ChooseBranch(number) => self.choose_branch(number),
            Command::TimeScale(scale) => {
                let [least, most] = TIME_SCALE;
                if !(least..=most).contains(&scale) {
                    return Err(ProgramError::refused(format!(
                        "time {scale} is out of range: expected {least} to {most}"
                    )));
                }
                self.set_time_scale(scale)
            }
            Command::MultiplyTimeScale(by) => {
                self.set_time_scale(self.host.timestep.time_scale() * by)
            }
            Command::SkipFrames(skip_frames) => {
                self.host.timestep.skip_frames = skip_frames;
                Event::switched("skip frames", skip_frames)
            }
            Command::MeanSpeed(speed) => self.set_motion("mean speed", Field::Speed, speed)?,
            Command::Restitution(restitution) => {
                self.set_motion("restitution", Field::Restitution, restitution)?
            }
            Command::Friction(friction) => {
                self.set_motion("friction", Field::Friction, friction)?
            }
            Command::Rolling(rolling) => self.set_motion("rolling", Field::Rolling, rolling)?,
            Command::Gravity(gravity) => self.set_motion("gravity", Field::Gravity, gravity)?,
            Command::Param(index, value) => self.set_param(index, value)?,
            Command::Cell(cell, value) => self.set_cell(cell, value)?,
            Command::DrawMatrices => self.draw_matrices()?,
            Command::Threads(threads) => {
                self.host.set_threads(threads)?;
                self.reports.update_warnings(&self.host);
                Event::set("threads", threads)
            }
            Command::Index(Choice::Next) => self.next_index(),
            Command::Index(Choice::Value(kind)) => self.set_index(kind)?,
            Command::Plot(observable) => {
                self.reports.plots.toggle(observable);
                Event::set("plots", self.reports.plots.names(&self.host.sim))
            }
            Command::FilmOptions(options) => {
                self.film_options = options;
                let FilmOptions { format, time, rate, size, labels } = options;
                let names = [format.name(), time.name(), rate.name(), size.name(), labels.name()];
                Event::set("films", names.join(" "))
            }
            Command::FitView => {
                self.screen.view.fit();
                self.screen.stop_following();
                Event::View("fitted")
            }
            Command::Zoom(notches) if notches != 0.0 => {
                self.screen.view.zoom(notches, self.tools.cursor);
                Event::View("zoomed")
            }
            Command::Tool(tool) => self.take(tool),
            Command::ToggleToolBar => {
                self.screen.tool_bar = !self.screen.tool_bar;
                Event::switched("tool bar", self.screen.tool_bar)
            }
            Command::ResizeTool(sizes) => {
                self.tools.state.resize(sizes);
                Event::set("tool size", self.tools.state.radius())
            }
            Command::Faction(faction) => {
                self.tools.state.faction = faction;
                Event::set("side", faction_name(faction))
            }
            Command::MovePointer(to) => return Ok(self.move_pointer(to)),
            Command::GrabView => {
                self.tools.state.release();
                self.tools.state.held = Held::View;
                return Ok(None);
            }
            Command::NextHelpPage => self.screen.turn_page(&mut self.text),
            Command::Cancel => return Ok(self.cancel()),
            Command::ColorBy(choice) => {
                let color_by = choice.or_next(|| self.next_colors());
                self.screen.restyle(|style| style.color_by = color_by)
            }
            Command::Palette(choice) => self.screen.set_palette(choice),
            Command::Exposure(choice) => self.screen.set_exposure(choice),
            Command::Overlay(choice) => self.screen.set_overlay(choice),
            Command::Glow(choice) => self.screen.set_glow(choice),
            Command::InterfaceScale(scale) => self.screen.set_interface_scale(scale),
            Command::ResizeInterface(sizes) => self.screen.resize_interface(sizes),
            Command::Select(by) => {
                self.menu.select_by(by, &self.screen);
                return Ok(None);
            }
            Command::TurnMenu(pages) => {
                self.menu.turn_page(pages, &self.screen);
                return Ok(None);
            }
            // A wheel that has not turned by a notch.
            Command::Zoom(_)
            // `apply` carries these out.
            | Command::PressTool
            | Command::ReleaseButton
            | Command::Turn(_)
            | Command::TakeHandOrDraw
            // Only the window can carry these out.
            | Command::TogglePanel
            | Command::ToggleFullScreen
            | Command::Save
            | Command::Open
            | Command::SaveWorld
            | Command::Paste
            | Command::CopyWorld
            | Command::CopyPicture
            | Command::Screenshot
            | Command::SavePlot(..)
            | Command::ToggleFilm
            | Command::Quit
            | Command::Close => return Ok(None),
        }))
    }

    fn set_time_scale(&mut self, scale: f64) -> Event {
        self.host.timestep.set_time_scale(scale);
        Event::set("time scale", self.host.timestep.time_scale())
    }

    fn set_index(&mut self, kind: IndexKind) -> Result<Event> {
        self.host.set_index(kind)?;
        self.reports.frame_stats.reset_figures();
        Ok(Event::set("index", kind.name))
    }

    /// Sets the next index that accepts these agents.
    fn next_index(&mut self) -> Event {
        let now = self.host.sim.index();
        let following = IndexKind::all().skip_while(|kind| *kind != now).skip(1);
        let chosen = following.chain(IndexKind::all()).find_map(|kind| self.set_index(kind).ok());
        chosen.unwrap_or_else(|| Event::set("index", now.name))
    }

    /// Hides the menu or the keys, else ends a tour, a split or a replay; `None` if the session has nothing to
    /// close.
    fn cancel(&mut self) -> Option<Event> {
        if self.menu.is_open() {
            return Some(self.toggle_menu());
        }
        if self.screen.help > 0 {
            self.screen.help = 0;
            return Some(Event::switched("help", false));
        }
        if let Some(ended) = self.end_tour().or_else(|| self.close_split()) {
            return Some(ended);
        }
        self.host.is_replaying().then(|| {
            self.adopt_branches(false);
            self.host.leave_replay()
        })
    }

    /// Moves the pointer to a pixel; drags what is held.
    fn move_pointer(&mut self, to: Vec2) -> Option<Event> {
        self.menu.move_pointer(to, &self.screen);
        let to = self.place_in_run(to);
        let by = to - self.tools.cursor;
        (self.tools.cursor, self.tools.pointed) = (to, true);
        if self.menu.is_open() {
            return None;
        }
        match self.tools.state.held {
            Held::View if by != Vec2::ZERO => {
                self.screen.view.pan(by);
                self.screen.stop_following();
                Some(Event::View("panned"))
            }
            Held::Map => self.screen.look_at_map(self.host.sim.world(), self.tools.cursor),
            Held::Timeline => self.follow_pointer(),
            _ => None,
        }
    }

    /// Takes another tool.
    fn take(&mut self, tool: Tool) -> Event {
        if tool != Tool::Inspect {
            self.screen.inspection = None;
        }
        self.tools.take(tool)
    }

    /// Presses the tool's button.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    fn press(&mut self) -> Result<Option<Event>> {
        if self.tools.state.ignores(Instant::now(), self.tools.cursor) {
            return Ok(None);
        }
        if let Some((branch, step)) = self.branch_at_pointer() {
            return self.apply(Command::GoToBranch(branch.number, Some(step)));
        }
        if self.is_on_timeline() {
            self.tools.state.release();
            self.tools.state.held = Held::Timeline;
            return Ok(self.follow_pointer());
        }
        if let Some(command) = self.button_at_pointer() {
            return self.apply(command);
        }
        if self.is_on_map() {
            self.tools.state.held = Held::Map;
            return Ok(self.screen.look_at_map(self.host.sim.world(), self.tools.cursor));
        }
        Ok(match self.tools.state.tool {
            Tool::Hand => {
                self.tools.state.held = Held::View;
                self.tools.state.click(Instant::now(), self.tools.cursor).then(|| {
                    self.screen.view.magnify(DOUBLE_CLICK_ZOOM, self.tools.cursor);
                    Event::View("zoomed")
                })
            }
            Tool::Inspect => Some(self.screen.inspect(&self.host.sim, self.tools.cursor)),
            _ if self.host.is_replaying() => Some(replaying()),
            _ => {
                self.host.seek = None;
                self.host.sim.take_parted();
                self.tools.state.held = Held::Tool;
                self.tools.work_on(&mut self.host, &mut self.screen)?
            }
        })
    }

    /// Releases the pressed button.
    ///
    /// # Errors
    /// As [`Event::notice_of`].
    fn release(&mut self) -> Result<Option<Event>> {
        // A quick stroke may end before the next frame: it goes as far as the pointer did.
        let refusal = self.tools.work_on(&mut self.host, &mut self.screen)?;
        if self.tools.state.held == Held::Timeline {
            self.host.skip_time();
        }
        self.tools.state.stroke.parts |= self.host.sim.take_parted();
        let refused = self.tools.state.stroke.refused;
        let done = self.tools.state.release().filter(|_| !refused);
        Ok(refusal.or_else(|| done.map(|done| Event::Stroke(self.tools.state.tool.name(), done))))
    }

    /// Whether the pointer is over the timeline.
    pub(super) fn is_on_timeline(&self) -> bool {
        let place = self.screen.timeline_place(self.host.sim.timeline());
        place.is_some_and(|place| place.contains(self.tools.cursor))
    }

    /// Whether the pointer is over the mini-map.
    fn is_on_map(&self) -> bool {
        let place = self.screen.map_place(self.host.sim.world());
        place.is_some_and(|place| place.contains(self.tools.cursor))
    }

    /// The command of the button under the pointer.
    fn button_at_pointer(&self) -> Option<Command> {
        self.screen.tool_bar_place()?.command_at(self.tools.cursor)
    }

    /// Whether the tool works where the pointer is, or would: not on the panel, and not on the parts of
    /// the HUD that are clicked or dragged.
    pub(super) fn shows_ring(&self) -> bool {
        let works = match self.tools.state.held {
            Held::Nothing => {
                !self.tools.covered
                    && !self.is_on_timeline()
                    && !self.is_on_map()
                    && self.button_at_pointer().is_none()
            }
            Held::Timeline | Held::Map => false,
            Held::Tool | Held::View => true,
        };
        works && self.tools.pointed && self.has_ring() && !self.menu.is_open()
    }

    /// Whether a frame is due wherever the pointer goes: the tool's ring is drawn around it, or the name
    /// of a button beside it, or the menu selects what is under it.
    pub(in crate::window) fn follows_pointer(&self) -> bool {
        let has_name = self.button_at_pointer().is_some() || self.is_on_branches();
        self.has_ring() || has_name || self.menu.is_open()
    }

    fn has_ring(&self) -> bool {
        self.tools.state.tool != Tool::Hand
    }
}

/// The event of a refused command.
pub(super) fn refused(error: &ProgramError) -> Event {
    Event::Refused(sentence(error))
}

/// The event of a command that would change a run that is being replayed.
pub(in crate::window) fn replaying() -> Event {
    let error = ProgramError::refused(
        "a journal is being replayed; press Esc to leave it and go on from here",
    );
    refused(&error)
}
