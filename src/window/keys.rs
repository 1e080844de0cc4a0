//! The keys: one table from which `--help`, the README and the help in the window all come.

use std::fmt::Write as _;

use winit::keyboard::{Key, NamedKey};

use crate::window::tool::Tool;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pauses, or goes on.
    Pause,
    /// One step, then pauses.
    Step,
    /// Doubles the speed.
    Faster,
    /// Halves the speed.
    Slower,
    /// The same start again.
    Restart,
    /// Another scene, counted from 0.
    Scene(usize),
    /// The mouse does something else.
    Tool(Tool),
    /// The tool reaches farther.
    Larger,
    /// The tool reaches less far.
    Smaller,
    /// Takes back the last spawn, erase or wall.
    Undo,
    /// The next overlay.
    Overlay,
    /// Shows the whole world.
    Fit,
    /// The next meaning of colors.
    GifColors,
    /// The next palette.
    Palette,
    /// The next index finds the contacts.
    Index,
    /// All of the screen, or a window.
    FullScreen,
    /// Keeps a picture of the window.
    Screenshot,
    /// Begins a film of the window, or ends it.
    Record,
    /// Shows the panel, or hides it.
    Panel,
    /// Shows the keys, or hides them.
    Help,
    /// Puts the tool down; ends the program if there is none to put down.
    Leave,
    /// Ends the program.
    Quit,
    /// Done with the mouse, not with a key.
    Mouse,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The keys, as people read them.
    pub keys: &'static str,
    /// What happens, as people read it.
    pub what: &'static str,
    /// What happens.
    pub action: Action,
    /// The characters that do it, lower case.
    characters: &'static str,
    /// The named keys that do it.
    named: &'static [NamedKey],
    /// True if holding the key down repeats it.
    repeats: bool,
    /// True if Ctrl has to be held.
    ctrl: bool,
}

const fn binding(
    keys: &'static str,
    what: &'static str,
    action: Action,
    characters: &'static str,
) -> Binding {
    Binding { keys, what, action, characters, named: &[], repeats: false, ctrl: false }
}

/// A key that the line before it tells of.
const fn also(action: Action, characters: &'static str) -> Binding {
    binding("", "", action, characters)
}

/// Every key, and the mouse.
pub const KEYS: &[Binding] = &[
    Binding { named: &[NamedKey::Space], ..binding("Space", "pause, go on", Action::Pause, " ") },
    Binding { repeats: true, ..binding(".", "one step", Action::Step, ".") },
    Binding { repeats: true, ..binding("+ -", "twice, half as fast", Action::Faster, "+=") },
    Binding { repeats: true, ..also(Action::Slower, "-_") },
    binding("R", "restart", Action::Restart, "r"),
    binding("1 .. 9", "another scene, with its own or as many agents", Action::Scene(0), "1"),
    also(Action::Scene(1), "2"),
    also(Action::Scene(2), "3"),
    also(Action::Scene(3), "4"),
    also(Action::Scene(4), "5"),
    also(Action::Scene(5), "6"),
    also(Action::Scene(6), "7"),
    also(Action::Scene(7), "8"),
    also(Action::Scene(8), "9"),
    binding("Wheel", "zoom at the cursor", Action::Mouse, ""),
    binding("Double-click", "zoom in there, with the hand", Action::Mouse, ""),
    binding("Right drag", "move the view, with any tool", Action::Mouse, ""),
    Binding { named: &[NamedKey::Home], ..binding("F Home", "the whole world", Action::Fit, "f") },
    binding("M", "the hand: drag moves the view", Action::Tool(Tool::Hand), "m"),
    binding("K A", "hold to poke agents away, attract them", Action::Tool(Tool::Poke), "k"),
    also(Action::Tool(Tool::Attract), "a"),
    binding("S E W", "drag to spawn, erase, build walls", Action::Tool(Tool::Spawn), "s"),
    also(Action::Tool(Tool::Erase), "e"),
    also(Action::Tool(Tool::Wall), "w"),
    binding("N", "inspect: click an agent to follow it", Action::Tool(Tool::Inspect), "n"),
    Binding { repeats: true, ..binding("[ ]", "a smaller, larger tool", Action::Smaller, "[{") },
    Binding { repeats: true, ..also(Action::Larger, "]}") },
    Binding {
        ctrl: true,
        repeats: true,
        ..binding("Ctrl-Z", "take back the last spawn, erase or wall", Action::Undo, "z")
    },
    binding("G", "overlay: cells, lists, contacts, velocities, density", Action::Overlay, "g"),
    binding("C", "color by speed, size, start, cell, contacts, faction", Action::GifColors, "c"),
    binding("P", "another palette", Action::Palette, "p"),
    binding("I", "another index, same bits, other timings", Action::Index, "i"),
    Binding {
        named: &[NamedKey::Tab],
        ..binding("Tab", "show, hide the panel", Action::Panel, "")
    },
    Binding {
        named: &[NamedKey::F2, NamedKey::PrintScreen],
        ..binding("F2", "a picture: jostle.png, jostle-2.png, ..", Action::Screenshot, "")
    },
    binding("V", "begin, end a film: jostle.apng, jostle-2.apng, ..", Action::Record, "v"),
    Binding { named: &[NamedKey::F11], ..binding("F11", "full screen", Action::FullScreen, "") },
    Binding {
        named: &[NamedKey::F1],
        ..binding("H ?", "show, hide these keys", Action::Help, "h?")
    },
    Binding {
        named: &[NamedKey::Escape],
        ..binding("Esc", "the hand again; quit", Action::Leave, "")
    },
    binding("Q", "quit", Action::Quit, "q"),
];

/// The action of a key, if it has one; `repeat` is true if it is held down, `ctrl` if Ctrl is.
pub(super) fn action(key: &Key, repeat: bool, ctrl: bool) -> Option<Action> {
    KEYS.iter()
        .filter(|binding| binding.ctrl == ctrl)
        .find(|binding| match key {
            Key::Character(text) => {
                let mut characters = text.chars().flat_map(char::to_lowercase);
                match (characters.next(), characters.next()) {
                    (Some(character), None) => binding.characters.contains(character),
                    _ => false,
                }
            }
            Key::Named(name) => binding.named.contains(name),
            _ => false,
        })
        .filter(|binding| binding.repeats || !repeat)
        .map(|binding| binding.action)
}

/// The lines of the table that people read: the keys, and what they do.
pub(super) fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.iter().filter(|binding| !binding.keys.is_empty()).map(|line| (line.keys, line.what))
}

/// The table as aligned text, two spaces in, a line each.
pub fn help() -> String {
    let widest = lines().map(|(keys, _)| keys.len()).max().unwrap_or(0);
    lines().fold(String::new(), |mut text, (keys, what)| {
        let _ = writeln!(text, "  {keys:widest$}  {what}");
        text
    })
}

/// The table as the README has it.
pub fn markdown() -> String {
    let head = "| keys | what they do |\n|---|---|\n".to_owned();
    lines().fold(head, |mut text, (keys, what)| {
        let _ = writeln!(text, "| {keys} | {what} |");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(text: &str) -> Option<Action> {
        action(&Key::Character(text.into()), false, false)
    }

    #[test]
    fn every_key_of_the_issue_does_what_it_says() {
        for (text, expected) in [
            (".", Action::Step),
            ("+", Action::Faster),
            ("=", Action::Faster),
            ("-", Action::Slower),
            ("r", Action::Restart),
            ("R", Action::Restart),
            ("c", Action::GifColors),
            ("p", Action::Palette),
            ("i", Action::Index),
            ("f", Action::Fit),
            ("g", Action::Overlay),
            ("v", Action::Record),
            ("[", Action::Smaller),
            ("]", Action::Larger),
            ("1", Action::Scene(0)),
            ("9", Action::Scene(8)),
            ("a", Action::Tool(Tool::Attract)),
            ("n", Action::Tool(Tool::Inspect)),
            ("h", Action::Help),
            ("?", Action::Help),
            ("q", Action::Quit),
            ("Q", Action::Quit),
        ] {
            assert_eq!(pressed(text), Some(expected), "{text}");
        }
        for (name, expected) in [
            (NamedKey::Space, Action::Pause),
            (NamedKey::Home, Action::Fit),
            (NamedKey::Tab, Action::Panel),
            (NamedKey::Escape, Action::Leave),
            (NamedKey::F2, Action::Screenshot),
            (NamedKey::F11, Action::FullScreen),
        ] {
            assert_eq!(action(&Key::Named(name), false, false), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn other_keys_do_nothing() {
        assert_eq!(pressed("x"), None);
        assert_eq!(pressed(""), None);
        assert_eq!(pressed("qq"), None);
        assert_eq!(action(&Key::Named(NamedKey::F12), false, false), None);
        assert_eq!(action(&Key::Dead(None), false, false), None);
    }

    #[test]
    fn ctrl_is_another_key() {
        let z = Key::Character("z".into());
        assert_eq!(action(&z, false, true), Some(Action::Undo));
        assert_eq!(action(&z, false, false), None);
        assert_eq!(action(&Key::Character("q".into()), false, true), None);
    }

    #[test]
    fn a_key_held_down_repeats_steps_but_no_switch() {
        assert_eq!(action(&Key::Character(".".into()), true, false), Some(Action::Step));
        assert_eq!(action(&Key::Named(NamedKey::Space), true, false), None);
        assert_eq!(action(&Key::Character("r".into()), true, false), None);
    }

    #[test]
    fn no_character_does_two_things() {
        let all: String = KEYS.iter().map(|binding| binding.characters).collect();
        for character in all.chars() {
            assert_eq!(all.matches(character).count(), 1, "{character:?}");
        }
    }

    #[test]
    fn the_readme_has_the_table() {
        let table = markdown();
        assert!(include_str!("../../README.md").contains(&table), "put this there:\n{table}");
    }

    #[test]
    fn help_has_a_line_a_key() {
        let text = help();
        assert_eq!(text.lines().count(), lines().count());
        assert!(text.contains("  Space         pause, go on\n"));
    }
}
