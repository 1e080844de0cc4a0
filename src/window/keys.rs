//! The table of keys. `--help`, the documentation and the help page in the window are made from it.

use std::fmt::Write as _;

use winit::keyboard::{Key, NamedKey};

use crate::{
    scene::Scene,
    window::{
        command::{Choice, Command},
        tool::Tool,
    },
};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Binding {
    /// Keys as text; empty if the row above describes them.
    keys: &'static str,
    /// Effect as text.
    effect: &'static str,
    /// Command of the keys; `None` in rows about the mouse.
    command: Option<Command>,
    /// Characters of the keys, lower case.
    characters: &'static str,
    /// Keys without a character.
    named: &'static [NamedKey],
    /// Whether holding the key down repeats the command.
    repeats: bool,
    /// Whether the key needs Ctrl.
    ctrl: bool,
}

const fn binding(
    keys: &'static str,
    effect: &'static str,
    command: Command,
    characters: &'static str,
) -> Binding {
    let command = Some(command);
    Binding { keys, effect, command, characters, named: &[], repeats: false, ctrl: false }
}

/// Keys that the row above describes.
const fn also(command: Command, characters: &'static str) -> Binding {
    binding("", "", command, characters)
}

/// A row about the mouse.
const fn mouse(keys: &'static str, effect: &'static str) -> Binding {
    Binding { command: None, ..binding(keys, effect, Command::Quit, "") }
}

const fn scene(number: usize) -> Command {
    Command::Start { scene: Scene::ALL[number - 1], agents: None }
}

const FASTER: Command = Command::MultiplyTimeScale(2.0);
const SLOWER: Command = Command::MultiplyTimeScale(0.5);

/// All keys, and the mouse.
const KEYS: &[Binding] = &[
    Binding {
        named: &[NamedKey::Space],
        ..binding("Space", "pause, continue", Command::TogglePause, " ")
    },
    Binding { repeats: true, ..binding(".", "one step", Command::SingleStep, ".") },
    Binding { repeats: true, ..binding("+ -", "double, halve the speed", FASTER, "+=") },
    Binding { repeats: true, ..also(SLOWER, "-_") },
    binding("R", "restart", Command::Restart, "r"),
    binding("1 .. 9", "another scene", scene(1), "1"),
    also(scene(2), "2"),
    also(scene(3), "3"),
    also(scene(4), "4"),
    also(scene(5), "5"),
    also(scene(6), "6"),
    also(scene(7), "7"),
    also(scene(8), "8"),
    also(scene(9), "9"),
    mouse("wheel", "zoom at the cursor"),
    mouse("double-click", "zoom in, with the hand"),
    mouse("right drag", "pan, with any tool"),
    Binding {
        named: &[NamedKey::Home],
        ..binding("F Home", "show the whole world", Command::FitView, "f")
    },
    binding("M", "hand: drag pans", Command::Tool(Tool::Hand), "m"),
    binding(
        "K A",
        "poke agents away, attract them, while the button is held",
        Command::Tool(Tool::Poke),
        "k",
    ),
    also(Command::Tool(Tool::Attract), "a"),
    binding("S E W", "drag to spawn, erase, build walls", Command::Tool(Tool::Spawn), "s"),
    also(Command::Tool(Tool::Erase), "e"),
    also(Command::Tool(Tool::Wall), "w"),
    binding("N", "inspect: click an agent to follow it", Command::Tool(Tool::Inspect), "n"),
    Binding { repeats: true, ..binding("[ ]", "smaller, larger tool", Command::SmallerTool, "[{") },
    Binding { repeats: true, ..also(Command::LargerTool, "]}") },
    Binding {
        ctrl: true,
        repeats: true,
        ..binding("Ctrl-Z", "undo the last spawn, erase or wall", Command::Undo, "z")
    },
    binding(
        "G",
        "overlay: cells, lists, contacts, velocities, density",
        Command::Overlay(Choice::Next),
        "g",
    ),
    binding(
        "C",
        "color by speed, size, start, cell, contacts, faction",
        Command::ColorBy(Choice::Next),
        "c",
    ),
    binding("P", "another palette", Command::Palette(Choice::Next), "p"),
    binding("I", "another index: same bits, other timings", Command::Index(Choice::Next), "i"),
    Binding {
        named: &[NamedKey::Tab],
        ..binding("Tab", "show, hide the panel", Command::TogglePanel, "")
    },
    Binding {
        named: &[NamedKey::F2, NamedKey::PrintScreen],
        ..binding("F2", "save a picture: jostle.png, jostle-2.png, ..", Command::Screenshot, "")
    },
    binding("V", "begin, end a film: jostle.apng, jostle-2.apng, ..", Command::ToggleFilm, "v"),
    Binding {
        named: &[NamedKey::F11],
        ..binding("F11", "full screen", Command::ToggleFullScreen, "")
    },
    Binding {
        named: &[NamedKey::F1],
        ..binding("H ?", "show, hide the keys", Command::NextHelpPage, "h?")
    },
    Binding {
        named: &[NamedKey::Escape],
        ..binding("Esc", "the hand again; then quit", Command::Cancel, "")
    },
    binding("Q", "quit", Command::Quit, "q"),
];

/// The command of a key; `repeat` if the key is held down, `ctrl` if Ctrl is.
pub(super) fn command(key: &Key, repeat: bool, ctrl: bool) -> Option<Command> {
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
        .and_then(|binding| binding.command)
}

/// The rows that have a text: keys and effect.
pub(super) fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.iter().filter(|binding| !binding.keys.is_empty()).map(|row| (row.keys, row.effect))
}

/// The table as aligned text, one line per row, indented by two spaces.
pub(crate) fn help() -> String {
    let widest = lines().map(|(keys, _)| keys.len()).max().unwrap_or(0);
    lines().fold(String::new(), |mut text, (keys, effect)| {
        let _ = writeln!(text, "  {keys:widest$}  {effect}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(text: &str) -> Option<Command> {
        command(&Key::Character(text.into()), false, false)
    }

    #[test]
    fn keys_have_their_commands_in_both_cases() {
        for (text, expected) in [
            (".", Command::SingleStep),
            ("+", FASTER),
            ("=", FASTER),
            ("-", SLOWER),
            ("r", Command::Restart),
            ("R", Command::Restart),
            ("c", Command::ColorBy(Choice::Next)),
            ("i", Command::Index(Choice::Next)),
            ("[", Command::SmallerTool),
            ("9", Command::Start { scene: Scene::ALL[8], agents: None }),
            ("a", Command::Tool(Tool::Attract)),
            ("?", Command::NextHelpPage),
            ("Q", Command::Quit),
        ] {
            assert_eq!(pressed(text), Some(expected), "{text}");
        }
        for (name, expected) in [
            (NamedKey::Space, Command::TogglePause),
            (NamedKey::Tab, Command::TogglePanel),
            (NamedKey::Escape, Command::Cancel),
            (NamedKey::F2, Command::Screenshot),
        ] {
            assert_eq!(command(&Key::Named(name), false, false), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn other_keys_have_no_command() {
        for text in ["x", "", "qq"] {
            assert_eq!(pressed(text), None, "{text:?}");
        }
        assert_eq!(command(&Key::Named(NamedKey::F12), false, false), None);
        assert_eq!(command(&Key::Dead(None), false, false), None);
    }

    #[test]
    fn ctrl_makes_another_key() {
        let z = Key::Character("z".into());
        assert_eq!(command(&z, false, true), Some(Command::Undo));
        assert_eq!(command(&z, false, false), None);
        assert_eq!(command(&Key::Character("q".into()), false, true), None);
    }

    #[test]
    fn held_keys_repeat_steps_but_no_switch() {
        let step = Some(Command::SingleStep);
        assert_eq!(command(&Key::Character(".".into()), true, false), step);
        assert_eq!(command(&Key::Named(NamedKey::Space), true, false), None);
        assert_eq!(command(&Key::Character("r".into()), true, false), None);
    }

    #[test]
    fn each_character_belongs_to_one_key() {
        let all: String = KEYS.iter().map(|binding| binding.characters).collect();
        for character in all.chars() {
            assert_eq!(all.matches(character).count(), 1, "{character:?}");
        }
    }

    #[test]
    fn the_documentation_has_the_table() {
        let head = "| key | action |\n|---|---|\n".to_owned();
        let table = lines().fold(head, |mut text, (keys, effect)| {
            let _ = writeln!(text, "| {keys} | {effect} |");
            text
        });
        assert!(include_str!("../../docs/window.md").contains(&table), "expected there:\n{table}");
    }

    #[test]
    fn help_has_one_line_per_row() {
        let text = help();
        assert_eq!(text.lines().count(), lines().count());
        assert!(text.contains("  Space         pause, continue\n"));
    }
}
