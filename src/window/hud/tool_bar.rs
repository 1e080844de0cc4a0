//! The tool bar at the right edge of the frame: a button with the key of each tool, to be clicked.

use glam::Vec2;

use super::{ACCENT, HudCanvas, LETTER, LIGHT_BACKING, PADDING, PLAIN, PixelRect, QUIET};
use crate::window::tool::Tool;

/// The keys of the tools, and the tools.
const BUTTONS: [(&str, Tool); 7] = [
    ("M", Tool::Hand),
    ("K", Tool::Poke),
    ("A", Tool::Attract),
    ("S", Tool::Spawn),
    ("E", Tool::Erase),
    ("W", Tool::Wall),
    ("N", Tool::Inspect),
];

/// Side of a button, font pixels.
const SIDE: u32 = LETTER + 2 * PADDING;

/// Where the tool bar is in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::window) struct ToolBarPlace {
    area: PixelRect,
    /// Pixels per side of a button.
    side: u32,
}

impl ToolBarPlace {
    /// The place in the middle of the right edge; `None` if the frame is too small.
    pub(in crate::window) fn new([width, height]: [u32; 2], scale: u32) -> Option<Self> {
        let side = SIDE * scale;
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

    /// The tool of the button under a pixel.
    pub(in crate::window) fn tool_at(&self, pixel: Vec2) -> Option<Tool> {
        let row = (pixel.y - self.area.y as f32) / self.side as f32;
        let is_there = pixel.x >= self.area.x as f32 && row >= 0.0;
        let (_, tool) = BUTTONS.get(row as usize).filter(|_| is_there)?;
        Some(*tool)
    }

    /// Draws the buttons, and the name of the tool under the pointer beside its button.
    pub(in crate::window) fn draw(
        &self,
        canvas: &mut HudCanvas<'_>,
        in_use: Tool,
        pointer: Option<Vec2>,
    ) {
        let (area, side) = (self.area, self.side);
        canvas.begin_block("tools", area, LIGHT_BACKING);
        let pointed = pointer.and_then(|pixel| self.tool_at(pixel));
        for (row, (key, tool)) in (0..).zip(BUTTONS) {
            let button = PixelRect { y: area.y + row * side, height: side, ..area };
            let color = match tool {
                _ if tool == in_use => ACCENT,
                _ if pointed == Some(tool) => PLAIN,
                _ => QUIET,
            };
            canvas.write_in(button, [0, 0], color, key);
            if pointed == Some(tool) {
                let name = tool.name();
                let width = (name.len() as u32 * LETTER + 2 * PADDING) * canvas.scale;
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
    use crate::window::{command::Command, keys};

    #[test]
    fn buttons_have_the_keys_of_their_tools_and_each_tool_has_one() {
        for tool in Tool::ALL {
            let (key, _) = BUTTONS.iter().find(|(_, of)| *of == tool).expect("a button");
            let nowhere = PhysicalKey::Unidentified(NativeKeyCode::Unidentified);
            let key = Key::Character(key.to_lowercase().into());
            let command = keys::command(&key, nowhere, false, ModifiersState::empty());
            let hand = Some(Command::TakeHandOrDraw).filter(|_| tool == Tool::Hand);
            assert_eq!(command, hand.or(Some(Command::Tool(tool))));
        }
    }

    #[test]
    fn a_pixel_of_a_button_has_its_tool_and_no_other_has_one() {
        let place = ToolBarPlace::new([1280, 720], 2).unwrap();
        let PixelRect { x, y, height, .. } = place.area;
        let at = |x: u32, y: u32| place.tool_at(Vec2::new(x as f32, y as f32));
        assert_eq!((at(x, y), at(1279, y + height - 1)), (Some(Tool::Hand), Some(Tool::Inspect)));
        assert_eq!([at(x - 1, y), at(x, y - 1), at(x, y + height)], [None; 3]);
        assert_eq!(ToolBarPlace::new([1280, 300], 2), None);
        assert_eq!(ToolBarPlace::new([30, 720], 2), None);
    }
}
