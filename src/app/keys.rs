//! The keys: one table from which `--help`, the README and the help in the window all come.

use std::fmt::Write as _;

use winit::keyboard::{Key, NamedKey};

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
    /// Shows the whole world.
    Fit,
    /// The next overlay.
    Overlay,
    /// The next meaning of colours.
    Colours,
    /// The next palette.
    Palette,
    /// The next index finds the contacts.
    Index,
    /// Shows the panel, or hides it.
    Panel,
    /// Shows the keys, or hides them.
    Help,
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
}

const fn binding(
    keys: &'static str,
    what: &'static str,
    action: Action,
    characters: &'static str,
) -> Binding {
    Binding { keys, what, action, characters, named: &[], repeats: false }
}

/// Every key, and the mouse.
pub const KEYS: &[Binding] = &[
    Binding { named: &[NamedKey::Space], ..binding("Space", "pause, go on", Action::Pause, " ") },
    Binding { repeats: true, ..binding(".", "one step", Action::Step, ".") },
    Binding { repeats: true, ..binding("+ -", "twice, half as fast", Action::Faster, "+=") },
    Binding { repeats: true, ..binding("", "", Action::Slower, "-_") },
    binding("R", "restart", Action::Restart, "r"),
    binding("G", "overlay: cells, lists, contacts, velocities, density", Action::Overlay, "g"),
    binding("C", "colour by speed, size, start, cell, contacts", Action::Colours, "c"),
    binding("P", "another palette", Action::Palette, "p"),
    binding("I", "another index, same bits, other timings", Action::Index, "i"),
    binding("Wheel", "zoom at the cursor", Action::Mouse, ""),
    binding("Drag", "move the view", Action::Mouse, ""),
    Binding { named: &[NamedKey::Home], ..binding("F Home", "the whole world", Action::Fit, "f") },
    Binding {
        named: &[NamedKey::Tab],
        ..binding("Tab", "show, hide the panel", Action::Panel, "")
    },
    binding("H ?", "show, hide these keys", Action::Help, "h?"),
    Binding { named: &[NamedKey::Escape], ..binding("Q Esc", "quit", Action::Quit, "q") },
];

/// The action of a key, if it has one; `repeat` is true if it is held down.
pub(super) fn action(key: &Key, repeat: bool) -> Option<Action> {
    KEYS.iter()
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
        action(&Key::Character(text.into()), false)
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
            ("c", Action::Colours),
            ("p", Action::Palette),
            ("i", Action::Index),
            ("f", Action::Fit),
            ("g", Action::Overlay),
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
            (NamedKey::Escape, Action::Quit),
        ] {
            assert_eq!(action(&Key::Named(name), false), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn other_keys_do_nothing() {
        assert_eq!(pressed("x"), None);
        assert_eq!(pressed(""), None);
        assert_eq!(pressed("qq"), None);
        assert_eq!(action(&Key::Named(NamedKey::F1), false), None);
        assert_eq!(action(&Key::Dead(None), false), None);
    }

    #[test]
    fn a_key_held_down_repeats_steps_but_no_switch() {
        assert_eq!(action(&Key::Character(".".into()), true), Some(Action::Step));
        assert_eq!(action(&Key::Named(NamedKey::Space), true), None);
        assert_eq!(action(&Key::Character("r".into()), true), None);
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
        assert!(text.contains("  Space   pause, go on\n"));
    }
}
