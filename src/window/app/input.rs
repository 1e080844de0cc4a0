//! The keyboard and the mouse, whose events become commands.

use glam::Vec2;
use winit::{
    event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent},
    keyboard::ModifiersState,
};

use super::App;
use crate::{
    program::ProgramResult as Result,
    window::{command::Command, keys},
};

/// Pixels of a touchpad's scrolling that count as one notch of a wheel.
const PIXELS_PER_NOTCH: f32 = 40.0;

/// Keys and buttons that are held.
#[derive(Default)]
pub(super) struct Input {
    modifiers: ModifiersState,
    /// The mouse button that was pressed last, while it is held.
    held: Option<MouseButton>,
}

impl Input {
    /// The command of an event of the keyboard or the mouse; `None` for any other.
    pub(super) fn command(&mut self, event: &WindowEvent) -> Option<Command> {
        match event {
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed =>
            {
                self.key_command(event)
            }
            WindowEvent::ModifiersChanged(held) => {
                self.modifiers = held.state();
                None
            }
            WindowEvent::CursorMoved { position, .. } => {
                Some(Command::MovePointer(Vec2::new(position.x as f32, position.y as f32)))
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
                    _ => return None,
                };
                self.held = Some(*button);
                Some(command)
            }
            WindowEvent::MouseWheel { delta, .. } => Some(Command::Zoom(match delta {
                MouseScrollDelta::LineDelta(_, lines) => *lines,
                MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_PER_NOTCH,
            })),
            _ => None,
        }
    }

    /// The command of a key.
    pub(super) fn key_command(&self, key: &KeyEvent) -> Option<Command> {
        keys::command(&key.logical_key, key.physical_key, key.repeat, self.modifiers)
    }

    /// The command that releases the pressed button, if `ends` is true for it.
    fn released(&mut self, ends: impl Fn(MouseButton) -> bool) -> Option<Command> {
        self.held.take_if(|held| ends(*held)).map(|_| Command::ReleaseButton)
    }
}

impl App<'_> {
    /// Handles an event of the keyboard or the mouse; ignores any other.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn use_input(&mut self, event: &WindowEvent) -> Result<()> {
        let command = self.menu_command(event).or_else(|| self.input.command(event));
        match event {
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state.is_pressed()
                    && !event.repeat
                    && !matches!(command, Some(Command::Cancel | Command::Quit))
                    && (!self.session.is_on_tour() || command.is_some_and(Command::ends_tour)) =>
            {
                self.session.reports.message.clear();
            }
            WindowEvent::CursorMoved { .. } if self.session.follows_pointer() => {
                self.schedule.touch();
            }
            WindowEvent::CursorLeft { .. } => {
                self.session.tools.pointed = false;
                self.schedule.touch();
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, .. } if command.is_some() => {
                self.schedule.touch();
            }
            _ => {}
        }
        command.map_or(Ok(()), |command| self.apply(command).map(drop))?;
        // What the pointer has come to may have a name; above, what it leaves.
        if matches!(event, WindowEvent::CursorMoved { .. }) && self.session.follows_pointer() {
            self.schedule.touch();
        }
        Ok(())
    }

    /// The command of a key that selects in the menu, while that is shown.
    fn menu_command(&self, event: &WindowEvent) -> Option<Command> {
        let WindowEvent::KeyboardInput { event, is_synthetic: false, .. } = event else {
            return None;
        };
        let selects = self.session.menu.is_open() && event.state.is_pressed();
        let held = self.input.modifiers;
        selects.then(|| keys::in_menu(&event.logical_key, event.repeat, held)).flatten()
    }
}
