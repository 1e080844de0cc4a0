//! Keys and the mouse: what each does, to the session or to the window itself.

use glam::Vec2;
use winit::{
    event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent},
    event_loop::ActiveEventLoop,
};

use super::App;
use crate::{
    error::Result,
    window::{
        event::Event,
        keys::{self, Action},
        tool::Tool,
    },
};

/// Pixels of a touchpad's scrolling that count as a notch of a wheel.
const PIXELS_A_NOTCH: f32 = 40.0;

impl App<'_> {
    /// An event of keyboard or mouse; any other is nothing.
    ///
    /// # Errors
    /// As [`Event::refused`].
    pub(super) fn input(&mut self, event: WindowEvent, event_loop: &ActiveEventLoop) -> Result<()> {
        match event {
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. }
                if event.state == ElementState::Pressed =>
            {
                self.press(&event, event_loop)?;
            }
            WindowEvent::CursorMoved { position, .. } => {
                let event = self.session.point(Vec2::new(position.x as f32, position.y as f32));
                self.tell(event);
                if self.session.has_ring() {
                    self.schedule.touch();
                }
            }
            WindowEvent::CursorLeft { .. } => {
                self.session.pointed = false;
                self.schedule.touch();
            }
            WindowEvent::ModifiersChanged(held) => self.ctrl = held.state().control_key(),
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                self.let_go(|held| held == button)?;
            }
            // Whoever has the keyboard now may get the release as well.
            WindowEvent::Focused(false) => self.let_go(|_| true)?,
            WindowEvent::MouseInput { button: MouseButton::Left, .. } => {
                self.held = Some(MouseButton::Left);
                let event = self.session.press()?;
                self.schedule.touch();
                self.tell(event);
            }
            WindowEvent::MouseInput {
                button: button @ (MouseButton::Right | MouseButton::Middle),
                ..
            } => {
                self.held = Some(button);
                self.session.grab();
            }
            WindowEvent::MouseWheel { delta, .. } => {
                let event = self.session.zoom(match delta {
                    MouseScrollDelta::LineDelta(_, lines) => lines,
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_A_NOTCH,
                });
                self.tell(event);
            }
            _ => {}
        }
        Ok(())
    }

    fn press(&mut self, key: &KeyEvent, event_loop: &ActiveEventLoop) -> Result<()> {
        self.session.said.clear();
        match keys::action(&key.logical_key, key.repeat, self.ctrl) {
            Some(Action::Quit) => self.close(event_loop),
            Some(Action::Leave) => self.leave(event_loop)?,
            Some(Action::Panel) => self.toggle_panel(),
            Some(Action::Scene(index)) => self.choose_scene(index),
            Some(Action::Restart) => {
                let event = self.restart();
                self.tell(Some(event));
            }
            Some(Action::Screenshot) => self.keep_picture(),
            Some(Action::Record) => self.toggle_film(),
            Some(Action::FullScreen) => self.toggle_full_screen(),
            Some(action) => {
                let event = self.session.act(action)?;
                self.tell(event);
            }
            None => {}
        }
        Ok(())
    }

    /// Puts away what is in the way: the keys, then the tool. With nothing left, the window closes.
    fn leave(&mut self, event_loop: &ActiveEventLoop) -> Result<()> {
        if self.session.help > 0 {
            self.session.help = 0;
            self.tell(Some(Event::Help(false)));
        } else if self.session.tool_state.tool != Tool::Hand {
            let event = self.session.act(Action::Tool(Tool::Hand))?;
            self.tell(event);
        } else {
            self.close(event_loop);
        }
        Ok(())
    }

    /// Ends what the mouse does, if such a button is held.
    fn let_go(&mut self, ends: impl Fn(MouseButton) -> bool) -> Result<()> {
        if self.held.take_if(|held| ends(*held)).is_some() {
            let event = self.session.release()?;
            self.tell(event);
        }
        Ok(())
    }
}
