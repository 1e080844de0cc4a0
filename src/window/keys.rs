//! The table of keys. `--help`, the documentation and the help page in the window are made from it.

use std::fmt::Write as _;

use winit::keyboard::{Key, KeyCode, ModifiersState, PhysicalKey};

use crate::{
    scene::Scene,
    window::{
        command::{Choice, Command, Jump},
        tool::{Tool, UndoTurn},
    },
};

/// One row of the table: keys or mouse as text, the effect as text, and the commands. These have
/// the names of keys, separated by spaces: characters in lower case, the names of winit for others,
/// with `Ctrl-` or `Ctrl-Shift-` in front of both. Rows about the mouse have none.
type Row = (&'static str, &'static str, &'static [(&'static str, Command)]);

const fn scene(number: usize) -> Command {
    Command::Start { scene: Scene::ALL[number - 1], agents: None }
}

const FASTER: Command = Command::MultiplyTimeScale(2.0);
const SLOWER: Command = Command::MultiplyTimeScale(0.5);

const SECONDS: &[(&str, Command)] = &[
    ("ArrowLeft", Command::Jump(Jump::Seconds(-1.0))),
    ("ArrowRight", Command::Jump(Jump::Seconds(1.0))),
];

const SCENES: &[(&str, Command)] = &[
    ("1", scene(1)),
    ("2", scene(2)),
    ("3", scene(3)),
    ("4", scene(4)),
    ("5", scene(5)),
    ("6", scene(6)),
    ("7", scene(7)),
    ("8", scene(8)),
    ("9", scene(9)),
    ("0", scene(10)),
];

const NEIGHBORS: &[(&str, Command)] = &[
    ("PageUp", Command::StartAnother(Scene::ALL.len() - 1)),
    ("PageDown", Command::StartAnother(1)),
];

const FORCES: &[(&str, Command)] =
    &[("k", Command::Tool(Tool::Poke)), ("a", Command::Tool(Tool::Attract))];

const BRUSHES: &[(&str, Command)] = &[
    ("s", Command::Tool(Tool::Spawn)),
    ("e", Command::Tool(Tool::Erase)),
    ("w", Command::Tool(Tool::Wall)),
];

const SIZES: &[(&str, Command)] =
    &[("[ {", Command::ResizeTool(-1)), ("] }", Command::ResizeTool(1))];

const INTERFACE: &[(&str, Command)] = &[
    ("Ctrl-+ Ctrl-=", Command::ResizeInterface(1)),
    ("Ctrl-- Ctrl-_", Command::ResizeInterface(-1)),
    ("Ctrl-0", Command::ResizeInterface(0)),
];

/// Keys that select and start entries of the menu while it is shown.
const IN_MENU: &[(&str, Command)] = &[
    ("ArrowLeft", Command::Select([-1, 0])),
    ("ArrowRight", Command::Select([1, 0])),
    ("ArrowUp", Command::Select([0, -1])),
    ("ArrowDown", Command::Select([0, 1])),
    ("PageUp", Command::TurnMenu(-1)),
    ("PageDown", Command::TurnMenu(1)),
    ("Home", Command::Select([isize::MIN, 0])),
    ("End", Command::Select([isize::MAX, 0])),
    ("Enter", Command::StartSelected),
];

const COPY: &[(&str, Command)] =
    &[("Ctrl-c Copy", Command::CopyPicture), ("Ctrl-Shift-c", Command::CopyWorld)];

const QUIT: &[(&str, Command)] = &[("q", Command::Quit), ("Ctrl-q", Command::Close)];

/// What there is to do, for a user who has never had a window before.
pub(crate) const HINTS: &str =
    "K, and drag to poke; Tab: the panel; O: all scenes and worlds; T: a tour; H: all keys";

/// All keys, and the mouse.
const KEYS: &[Row] = &[
    ("Space", "pause, continue", &[("Space", Command::TogglePause)]),
    (".", "one step", &[(".", Command::SingleStep)]),
    (",", "one step back", &[(",", Command::Jump(Jump::Step))]),
    ("Left Right", "a second back, ahead; drag the bar below, click its branches", SECONDS),
    ("End", "to the end of the run, after going back", &[("End", Command::Jump(Jump::End))]),
    (
        "B",
        "both futures side by side: the run as it was, and as changed",
        &[("b", Command::ToggleSplit)],
    ),
    ("+ -", "double, halve the speed", &[("+ =", FASTER), ("- _", SLOWER)]),
    ("R", "restart", &[("r", Command::Restart)]),
    ("Ctrl-S", "save the run: jostle.jostle, jostle-2.jostle, ..", &[("Ctrl-s", Command::Save)]),
    (
        "Ctrl-O",
        "back to the last snapshot; a file dropped here opens",
        &[("Ctrl-o", Command::Open)],
    ),
    ("Ctrl-E", "save it as a world file: jostle.world.toml, ..", &[("Ctrl-e", Command::SaveWorld)]),
    ("Ctrl-C", "copy the picture; Ctrl-Shift-C: the run as the text of a world file", COPY),
    (
        "Ctrl-V",
        "open a file or a world file's text that was copied",
        &[("Ctrl-v Paste", Command::Paste)],
    ),
    ("1 .. 9 0", "gas, mixed, giants, burst, sparse, pile, pegs, cannon, melee, dam", SCENES),
    ("PgUp PgDn", "the scene before, the next scene", NEIGHBORS),
    (
        "O",
        "all scenes and worlds as pictures: a click, or arrows and Enter; PgUp PgDn, Home, End",
        &[("o", Command::ToggleMenu)],
    ),
    ("T", "begin, end a tour: scene after scene", &[("t", Command::ToggleTour)]),
    ("wheel", "zoom at the cursor", &[]),
    ("double-click", "zoom in, with the hand", &[]),
    ("right drag", "pan, with any tool", &[]),
    ("F Home", "show the whole world", &[("f Home", Command::FitView)]),
    (
        "M",
        "hand: drag pans; again, in a world file: new matrices",
        &[("m", Command::TakeHandOrDraw)],
    ),
    ("K A", "poke agents away, attract them, while the button is held", FORCES),
    ("S E W", "drag to spawn, erase, build walls", BRUSHES),
    ("N", "inspect: click an agent to follow it", &[("n", Command::Tool(Tool::Inspect))]),
    ("[ ]", "smaller, larger tool", SIZES),
    ("U", "show, hide the buttons of the tools", &[("u", Command::ToggleToolBar)]),
    (
        "Ctrl-Z",
        "undo the last spawn, erase, wall or value, a change in the past, a branch, or a start",
        &[("Ctrl-z", Command::Turn(UndoTurn::Undo))],
    ),
    (
        "Ctrl-Y",
        "redo what was undone; Ctrl-Shift-Z, too",
        &[("Ctrl-y Ctrl-Shift-z", Command::Turn(UndoTurn::Redo))],
    ),
    (
        "G",
        "overlay: loose, tight, contacts, velocities, density",
        &[("g", Command::Overlay(Choice::Next))],
    ),
    (
        "C",
        "color by speed, size, start, flow, temperature, ..",
        &[("c", Command::ColorBy(Choice::Next))],
    ),
    ("P", "another palette", &[("p", Command::Palette(Choice::Next))]),
    ("L", "glow", &[("l", Command::Glow(Choice::Next))]),
    (
        "X",
        "exposure of small discs: automatic, or their true size",
        &[("x", Command::Exposure(Choice::Next))],
    ),
    ("I", "another index: same bits, other timings", &[("i", Command::Index(Choice::Next))]),
    ("Tab", "show, hide the panel", &[("Tab", Command::TogglePanel)]),
    (
        "F2",
        "save a picture: jostle.png, jostle-2.png, ..",
        &[("F2 PrintScreen", Command::Screenshot)],
    ),
    (
        "V",
        "begin, end a film: jostle.apng, jostle-2.apng, ..; a GIF or y4m by the panel",
        &[("v", Command::ToggleFilm)],
    ),
    ("Ctrl-+ -", "larger, smaller text and panel; Ctrl-0: as usual", INTERFACE),
    ("F11", "full screen", &[("F11", Command::ToggleFullScreen)]),
    ("H ?", "show, hide the keys", &[("h ? F1", Command::NextHelpPage)]),
    (
        "Esc",
        "leave full screen; close what is open, or end and save a film; the hand again; hide the panel; then ask to quit",
        &[("Escape", Command::Cancel)],
    ),
    ("Q", "ask to quit, and quit; Ctrl-Q: at once", QUIT),
];

/// The command of a key; `repeat` if the key is held down. Where its character has no command, as
/// on a Russian keyboard or with the digits of a French one, the key's place counts. A Latin letter
/// stands for itself alone, wherever it is. Alt and Super are for the desktop.
pub(super) fn command(
    key: &Key,
    place: PhysicalKey,
    repeat: bool,
    held: ModifiersState,
) -> Option<Command> {
    if held.alt_key() || held.super_key() {
        return None;
    }
    let command = match key {
        Key::Named(name) => named(&format!("{name:?}"), held),
        Key::Character(text) => {
            let name = text.to_lowercase();
            named(&name, held).or_else(|| {
                let foreign = !name.chars().all(|letter| letter.is_ascii_lowercase());
                foreign.then(|| at_place(place, held)).flatten()
            })
        }
        Key::Dead(_) | Key::Unidentified(_) => at_place(place, held),
    };
    command.filter(|command| !repeat || command.repeats())
}

/// The command of a key alone while the menu is shown, if it has one there.
pub(super) fn in_menu(key: &Key, repeat: bool, held: ModifiersState) -> Option<Command> {
    let Key::Named(name) = key else { return None };
    if !held.is_empty() {
        return None;
    }
    let name = format!("{name:?}");
    let command = IN_MENU.iter().find(|(key, _)| *key == name).map(|(_, command)| *command);
    command.filter(|command| !repeat || command.repeats())
}

/// The command of a key of that name.
fn named(name: &str, held: ModifiersState) -> Option<Command> {
    // Other characters differ by Shift themselves, on each keyboard in its own way.
    let letter = name.chars().all(|letter| letter.is_ascii_lowercase());
    let name = match (held.control_key(), held.shift_key() && letter) {
        (true, true) => format!("Ctrl-Shift-{name}"),
        (true, false) => format!("Ctrl-{name}"),
        (false, _) => name.to_owned(),
    };
    KEYS.iter()
        .flat_map(|(.., commands)| *commands)
        .find(|(names, _)| names.split(' ').any(|other| other == name))
        .map(|(_, command)| *command)
}

/// The command of the character that an American keyboard has at that place.
fn at_place(place: PhysicalKey, held: ModifiersState) -> Option<Command> {
    let PhysicalKey::Code(code) = place else { return None };
    let name = format!("{code:?}");
    let name = match code {
        KeyCode::Minus => "-",
        KeyCode::Equal => "=",
        KeyCode::BracketLeft => "[",
        KeyCode::BracketRight => "]",
        KeyCode::Comma => ",",
        KeyCode::Period => ".",
        KeyCode::Slash if held.shift_key() => "?",
        // Shift makes another character of a digit, and none of them has a command.
        _ => match name.strip_prefix("Digit").filter(|_| !held.shift_key()) {
            Some(digit) => digit,
            None => name.strip_prefix("Key")?,
        },
    };
    named(&name.to_lowercase(), held)
}

/// The rows of the table: keys and effect.
pub(super) fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.iter().map(|&(keys, effect, _)| (keys, effect))
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
    use winit::keyboard::{NamedKey, NativeKeyCode};

    use super::*;

    #[test]
    fn keys_have_their_commands() {
        let character = |text: &str| Key::Character(text.into());
        let named = Key::Named;
        let redo = character("Z");
        let held = ModifiersState::CONTROL | ModifiersState::SHIFT;
        let nowhere = PhysicalKey::Unidentified(NativeKeyCode::Unidentified);
        assert_eq!(command(&redo, nowhere, false, held), Some(Command::Turn(UndoTurn::Redo)));
        assert_eq!(command(&character("C"), nowhere, false, held), Some(Command::CopyWorld));
        for (key, ctrl, expected) in [
            (character("."), false, Some(Command::SingleStep)),
            (character(","), false, Some(Command::Jump(Jump::Step))),
            (named(NamedKey::ArrowLeft), false, Some(Command::Jump(Jump::Seconds(-1.0)))),
            (named(NamedKey::End), false, Some(Command::Jump(Jump::End))),
            (character("="), false, Some(FASTER)),
            (character("_"), false, Some(SLOWER)),
            (character("R"), false, Some(Command::Restart)),
            (character("9"), false, Some(scene(9))),
            (character("0"), false, Some(scene(10))),
            (character("}"), false, Some(Command::ResizeTool(1))),
            (character("?"), false, Some(Command::NextHelpPage)),
            (character("z"), true, Some(Command::Turn(UndoTurn::Undo))),
            (character("z"), false, None),
            (character("q"), false, Some(Command::Quit)),
            (character("q"), true, Some(Command::Close)),
            (character("x"), true, None),
            (character("c"), true, Some(Command::CopyPicture)),
            (character("v"), true, Some(Command::Paste)),
            (named(NamedKey::Copy), false, Some(Command::CopyPicture)),
            (character("x"), false, Some(Command::Exposure(Choice::Next))),
            (character("y"), false, None),
            (character(""), false, None),
            (named(NamedKey::Space), false, Some(Command::TogglePause)),
            (named(NamedKey::Home), false, Some(Command::FitView)),
            (named(NamedKey::Tab), false, Some(Command::TogglePanel)),
            (named(NamedKey::PrintScreen), false, Some(Command::Screenshot)),
            (named(NamedKey::F1), false, Some(Command::NextHelpPage)),
            (named(NamedKey::Escape), false, Some(Command::Cancel)),
            (named(NamedKey::F12), false, None),
            (Key::Dead(None), false, None),
        ] {
            let held = if ctrl { ModifiersState::CONTROL } else { ModifiersState::empty() };
            assert_eq!(command(&key, nowhere, false, held), expected, "{key:?}");
            let repeated = expected.filter(|command| command.repeats());
            assert_eq!(command(&key, nowhere, true, held), repeated, "{key:?}");
        }
    }

    #[test]
    fn the_place_of_a_key_counts_where_its_character_has_no_command() {
        const CTRL: ModifiersState = ModifiersState::CONTROL;
        const SHIFT: ModifiersState = ModifiersState::SHIFT;
        const NONE: ModifiersState = ModifiersState::empty();
        let undo = Some(Command::Turn(UndoTurn::Undo));
        let redo = Some(Command::Turn(UndoTurn::Redo));
        for (text, code, held, expected) in [
            // Russian, Greek, Hebrew, Arabic.
            ("й", KeyCode::KeyQ, NONE, Some(Command::Quit)),
            ("я", KeyCode::KeyZ, CTRL, undo),
            ("Я", KeyCode::KeyZ, CTRL | SHIFT, redo),
            ("х", KeyCode::BracketLeft, NONE, Some(Command::ResizeTool(-1))),
            ("ω", KeyCode::KeyV, NONE, Some(Command::ToggleFilm)),
            ("/", KeyCode::KeyQ, NONE, Some(Command::Quit)),
            ("ق", KeyCode::KeyR, NONE, Some(Command::Restart)),
            ("؟", KeyCode::Slash, SHIFT, Some(Command::NextHelpPage)),
            // French: digits without Shift, letters where they are.
            ("&", KeyCode::Digit1, NONE, Some(scene(1))),
            ("à", KeyCode::Digit0, NONE, Some(scene(10))),
            ("a", KeyCode::KeyQ, NONE, Some(Command::Tool(Tool::Attract))),
            ("z", KeyCode::KeyW, NONE, None),
            // American: what Shift makes of a digit is none.
            ("@", KeyCode::Digit2, SHIFT, None),
            (";", KeyCode::Semicolon, NONE, None),
            // The desktop's.
            ("q", KeyCode::KeyQ, ModifiersState::ALT, None),
            ("й", KeyCode::KeyQ, ModifiersState::ALT, None),
            ("z", KeyCode::KeyZ, CTRL | ModifiersState::SUPER, None),
        ] {
            let key = Key::Character(text.into());
            assert_eq!(command(&key, PhysicalKey::Code(code), false, held), expected, "{text}");
        }
        let dead = command(&Key::Dead(None), PhysicalKey::Code(KeyCode::Equal), false, NONE);
        assert_eq!(dead, Some(FASTER));
    }

    #[test]
    fn the_number_keys_name_their_scenes() {
        let (_, names, commands) = KEYS.iter().find(|row| row.2 == SCENES).expect("a row");
        let scenes = commands.iter().map(|(_, command)| match command {
            Command::Start { scene, .. } => scene.name(),
            command => panic!("{command:?}"),
        });
        assert_eq!(*names, scenes.collect::<Vec<_>>().join(", "));
    }

    #[test]
    fn keys_of_the_menu_are_for_it_alone() {
        let key = |name| in_menu(&Key::Named(name), true, ModifiersState::empty());
        assert_eq!(key(NamedKey::PageUp), Some(Command::TurnMenu(-1)));
        assert_eq!(key(NamedKey::PageDown), Some(Command::TurnMenu(1)));
        assert_eq!(key(NamedKey::ArrowUp), Some(Command::Select([0, -1])));
        assert_eq!(key(NamedKey::F2), None);
    }

    #[test]
    fn each_key_has_one_command() {
        let names = KEYS.iter().flat_map(|(.., commands)| *commands);
        let mut names: Vec<&str> = names.flat_map(|(names, _)| names.split(' ')).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn the_documentation_has_the_table() {
        let head = "| key | action |\n|---|---|\n".to_owned();
        let table = lines().fold(head, |mut text, (keys, effect)| {
            let _ = writeln!(text, "| {keys} | {effect} |");
            text
        });
        assert!(include_str!("../../docs/window.md").contains(&table), "expected there:\n{table}");
        assert!(help().contains("  Space         pause, continue\n"));
    }
}
