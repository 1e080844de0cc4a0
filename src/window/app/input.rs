//! Commands from the keys and the mouse, applied to the window itself or to the session.

use glam::Vec2;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};

use super::App;
use crate::{
    program::ProgramResult as Result,
    window::{command::Command, event::Event, keys},
};

/// Pixels of a touchpad's scrolling that count as one notch of a wheel.
const PIXELS_PER_NOTCH: f32 = 40.0;

impl App<'_> {
    /// Handles an event of the keyboard or the mouse; ignores any other.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn input(&mut self, event: &WindowEvent) -> Result<()> {
        let command = match event {
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed =>
            {
                let command = self.key_command(event);
                if !self.session.is_on_tour() || command.is_some_and(Command::ends_tour) {
                    self.session.message.clear();
                }
                command
            }
            WindowEvent::ModifiersChanged(held) => {
                self.modifiers = held.state();
                None
            }
            WindowEvent::CursorMoved { position, .. } => {
                if self.session.has_ring() {
                    self.schedule.touch();
                }
                let to = Vec2::new(position.x as f32, position.y as f32);
                Some(Command::MovePointer(to))
            }
            WindowEvent::CursorLeft { .. } => {
                self.session.pointed = false;
                self.schedule.touch();
                None
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                self.released(|held| held == *button)
            }
            // The release may go to the window that has the keyboard now.
            WindowEvent::Focused(false) => self.released(|_| true),
            WindowEvent::MouseInput { button, .. } => {
                let command = match button {
                    MouseButton::Left => Command::PressTool,
                    MouseButton::Right | MouseButton::Middle => Command::GrabView,
                    _ => return Ok(()),
                };
                self.held = Some(*button);
                self.schedule.touch();
                Some(command)
            }
            WindowEvent::MouseWheel { delta, .. } => Some(Command::Zoom(match delta {
                MouseScrollDelta::LineDelta(_, lines) => *lines,
                MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_PER_NOTCH,
            })),
            _ => None,
        };
        command.map_or(Ok(()), |command| self.apply(command).map(drop))
    }

    /// The command of a pressed key.
    pub(super) fn key_command(&self, key: &KeyEvent) -> Option<Command> {
        keys::command(&key.logical_key, key.repeat, self.modifiers)
    }

    /// The command that releases the pressed button, if it is one of those.
    fn released(&mut self, ends: impl Fn(MouseButton) -> bool) -> Option<Command> {
        self.held.take_if(|held| ends(*held)).map(|_| Command::ReleaseButton)
    }

    /// Applies a command to the window itself or to the session, and reports what it changed. False
    /// if it was refused.
    ///
    /// # Errors
    /// As [`Session::apply`](crate::window::session::Session::apply).
    pub(super) fn apply(&mut self, command: Command) -> Result<bool> {
        if command.ends_tour() && self.session.end_tour() {
            self.report_events();
        }
        match command {
            Command::Quit => self.close(),
            Command::TogglePanel => self.toggle_panel(),
            Command::ToggleFullScreen => self.toggle_full_screen(),
            Command::Save => self.save_run(),
            Command::Open => self.open_run(None),
            Command::Screenshot => self.save_picture(),
            Command::ToggleFilm => self.toggle_film(),
            _ => {
                let event = self.session.apply(command)?;
                if event.is_none() && command == Command::Cancel {
                    // Nothing was left to cancel.
                    self.close();
                }
                let refusal = event.as_ref().and_then(Event::refusal);
                let accepted = refusal.is_none();
                let starts = matches!(event, Some(Event::Placing(_)));
                if !accepted || starts {
                    self.panel.set_refusal(refusal.map(str::to_owned));
                }
                if starts {
                    self.store.cancel();
                }
                self.emit(event);
                return Ok(accepted);
            }
        }
        Ok(true)
    }
}
