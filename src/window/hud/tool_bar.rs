//! The tool bar at the right edge of the frame: a button with the key of each tool and of the menu, to be
//! clicked.

use glam::Vec2;

use super::{
    ACCENT, HudCanvas, LIGHT_BACKING, LINE, PLAIN, PixelRect, QUIET, SPACE, block_size, pixels,
};
use crate::window::{command::Command, tool::Tool};

/// The keys of the buttons, and what each does.
const BUTTONS: [(&str, Command); 8] = [
    ("M", Command::Tool(Tool::Hand)),
    ("K", Command::Tool(Tool::Poke)),
    ("A", Command::Tool(Tool::Attract)),
    ("S", Command::Tool(Tool::Spawn)),
    ("E", Command::Tool(Tool::Erase)),
    ("W", Command::Tool(Tool::Wall)),
    ("N", Command::Tool(Tool::Inspect)),
    ("O", Command::ToggleMenu),
];

/// Side of a button, points: the height of a line with its backing.
const SIDE: u32 = LINE + 2 * SPACE;

/// Where the tool bar is in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::window) struct ToolBarPlace {
    area: PixelRect,
    /// Pixels per side of a button.
    side: u32,
}

impl ToolBarPlace {
    /// The place in the middle of the right edge; `None` if the frame is too small.
    pub(in crate::window) fn new([width, height]: [u32; 2], scale: f32) -> Option<Self> {
        let side = pixels(SIDE, scale);
        let rows = side * BUTTONS.len() as u32;
        let fits = width >= 10 * side && height >= 2 * rows;
        let area = PixelRect {
            x: width.checked_sub(side)?,
            y: height.saturating_sub(rows) / 2,
            width: side,
            height: rows,
        };
        fits.then_some(Self { area, side })
    }

    /// The command of the button under a pixel.
    pub(in crate::window) fn command_at(&self, pixel: Vec2) -> Option<Command> {
        let row = (pixel.y - self.area.y as f32) / self.side as f32;
        let is_there = pixel.x >= self.area.x as f32 && row >= 0.0;
        let (_, command) = BUTTONS.get(row as usize).filter(|_| is_there)?;
        Some(*command)
    }

    /// Draws the buttons, and the name of the one under the pointer beside it.
    pub(in crate::window) fn draw(
        &self,
        canvas: &mut HudCanvas<'_>,
        in_use: Tool,
        pointer: Option<Vec2>,
    ) {
        let (area, side) = (self.area, self.side);
        canvas.begin_block("tools", area, LIGHT_BACKING);
        let pointed = pointer.and_then(|pixel| self.command_at(pixel));
        for (row, (key, command)) in (0..).zip(BUTTONS) {
            let button = PixelRect { y: area.y + row * side, height: side, ..area };
            let color = match command {
                Command::Tool(tool) if tool == in_use => ACCENT,
                _ if pointed == Some(command) => PLAIN,
                _ => QUIET,
            };
            let beside = side.saturating_sub(pixels(canvas.width(key), canvas.scale)) / 2;
            canvas.write([area.x + beside, button.y + canvas.pixels(SPACE)], color, key);
            if pointed == Some(command) {
                let name = match command {
                    Command::Tool(tool) => tool.name(),
                    _ => "scenes, worlds",
                };
                let [width, _] = block_size(canvas.width(name), 1, canvas.scale);
                let label = PixelRect { x: area.x.saturating_sub(width), width, ..button };
                canvas.begin_block("tool", label, LIGHT_BACKING);
                canvas.write_in(label, [0, 0], PLAIN, name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use winit::keyboard::{Key, ModifiersState, NativeKeyCode, PhysicalKey};

    use super::*;
    use crate::window::keys;

    #[test]
    fn buttons_have_the_keys_of_their_commands_and_each_tool_has_one() {
        for (key, command) in BUTTONS {
            let nowhere = PhysicalKey::Unidentified(NativeKeyCode::Unidentified);
            let key = Key::Character(key.to_lowercase().into());
            let by_key = keys::command(&key, nowhere, false, ModifiersState::empty());
            let is_hand = command == Command::Tool(Tool::Hand);
            assert_eq!(by_key, Some(if is_hand { Command::TakeHandOrDraw } else { command }));
        }
        for tool in Tool::ALL {
            assert!(BUTTONS.iter().any(|(_, command)| *command == Command::Tool(tool)), "{tool:?}");
        }
    }

    #[test]
    fn a_pixel_of_a_button_has_its_tool_and_no_other_has_one() {
        let place = ToolBarPlace::new([1280, 720], 2.0).unwrap();
        let PixelRect { x, y, height, .. } = place.area;
        let at = |x: u32, y: u32| place.command_at(Vec2::new(x as f32, y as f32));
        let [first, last] = [BUTTONS[0], BUTTONS[BUTTONS.len() - 1]].map(|(_, command)| command);
        assert_eq!((at(x, y), at(1279, y + height - 1)), (Some(first), Some(last)));
        assert_eq!([at(x - 1, y), at(x, y - 1), at(x, y + height)], [None; 3]);
        assert_eq!(ToolBarPlace::new([1280, 300], 2.0), None);
        assert_eq!(ToolBarPlace::new([30, 720], 2.0), None);
    }
}
