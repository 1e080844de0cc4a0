//! Tests of the menu of all scenes and worlds.

use super::*;
use crate::window::session::tour::TourStop;

/// Opens the menu; some of its pictures may be there.
fn opened_again(session: &mut Session) {
    assert_eq!(apply(session, Command::ToggleMenu), "menu on");
}

/// Opens the menu and waits for its first picture.
fn opened(session: &mut Session) {
    opened_again(session);
    while !session.menu.take_pictures() {
        std::thread::yield_now();
    }
}

/// The pixels of the next frame.
fn drawn(session: &mut Session) -> Vec<u8> {
    let mut bytes = vec![0; (SIZE[0] * SIZE[1] * 4) as usize];
    session.draw(&mut bytes);
    bytes
}

#[test]
fn the_menu_shows_pictures_and_keys_start_what_they_select() {
    let mut session = session(Scene::Pile);
    // A pointer that rests on a picture selects nothing.
    apply(&mut session, Command::MovePointer(Vec2::new(200.0, 100.0)));
    let before = drawn(&mut session);
    apply(&mut session, Command::ToggleMenu);
    assert_eq!(session.menu.selected().name(), "pile");
    let empty = drawn(&mut session);
    apply(&mut session, Command::ToggleMenu);
    assert!(drawn(&mut session) == before, "a menu that is hidden leaves nothing");
    opened(&mut session);
    let shown = drawn(&mut session);
    let changed = shown.iter().zip(&empty).filter(|(a, b)| a != b).count();
    assert!(changed > 2_000, "the picture of gas changes {changed} bytes");
    // The first page has 21 entries in rows of seven; ends stay where they are.
    for (by, name) in [
        ([0, 0], "pile"),
        ([-5, 0], "gas"),
        ([-1, 0], "gas"),
        ([1, 0], "mixed"),
        ([0, 1], "melee"),
        ([-1, 0], "cannon"),
        ([0, -1], "gas"),
        ([0, -1], "gas"),
        ([0, 3], "predators"),
        ([0, 1], "predators"),
        ([5, 0], "galton"),
        ([isize::MIN, 0], "gas"),
        ([isize::MAX, 0], "door"),
        ([-1, 0], "galton"),
    ] {
        apply(&mut session, Command::Select(by));
        assert_eq!(session.menu.selected().name(), name);
    }
    assert!(apply(&mut session, Command::StartSelected).starts_with("placing "));
    assert!(wait_placed(&mut session).starts_with("run galton "));
    assert!(!session.menu.is_open());
}

#[test]
fn clicks_on_pictures_start_them_and_elsewhere_hide_the_menu() {
    let mut session = session(Scene::Pile);
    apply(&mut session, Command::Tool(Tool::Erase));
    opened(&mut session);
    let place = session.menu.place(&session.screen);
    let last = Vec2::from(place.corner(14).map(|side| side as f32 + 20.0));
    apply(&mut session, Command::MovePointer(last));
    let agents = session.sim().agents().len();
    assert!(apply(&mut session, Command::PressTool).starts_with("placing "));
    apply(&mut session, Command::ReleaseButton);
    assert_eq!(apply(&mut session, Command::PressTool), "", "a double-click");
    apply(&mut session, Command::ReleaseButton);
    assert_eq!(session.sim().agents().len(), agents, "it erases nothing");
    assert!(wait_placed(&mut session).starts_with("run particle-life "));
    assert_eq!(session.caption().map(|caption| caption.is_empty()), Some(false));
    assert!(undo(&mut session).starts_with("undone: back in pile"));
    assert_eq!(session.sim().agents().len(), agents, "the click erases nothing");
    apply(&mut session, Command::ToggleMenu);
    apply(&mut session, Command::MovePointer(Vec2::new(1.0, 1.0)));
    assert_eq!(apply(&mut session, Command::PressTool), "menu off");
    assert!(!session.is_placing());
    assert_eq!(apply(&mut session, Command::StartSelected), "");
    apply(&mut session, Command::ToggleMenu);
    assert_eq!(apply(&mut session, Command::Cancel), "menu off");
}

#[test]
fn a_click_starts_what_is_under_the_pointer_after_keys_and_wheels() {
    let mut session = session(Scene::Pile);
    opened(&mut session);
    let place = session.menu.place(&session.screen);
    let first = Vec2::from(place.corner(0).map(|side| side as f32 + 20.0));
    apply(&mut session, Command::MovePointer(first));
    assert_eq!(session.menu.selected().name(), "gas");
    // A wheel that turns sideways selects nothing, and a touchpad a row per notch.
    for (notches, name) in
        [(0.0, "gas"), (-0.5, "gas"), (-0.5, "cannon"), (-0.9, "cannon"), (1.0, "cannon")]
    {
        apply(&mut session, Command::Zoom(notches));
        assert_eq!(session.menu.selected().name(), name, "{notches}");
    }
    assert!(apply(&mut session, Command::PressTool).starts_with("placing "));
    assert!(wait_placed(&mut session).starts_with("run gas "));
    // The tools know where the pointer went meanwhile.
    opened_again(&mut session);
    let away = Vec2::new(3.0, 4.0);
    apply(&mut session, Command::MovePointer(away));
    apply(&mut session, Command::Cancel);
    assert_eq!(session.tools.cursor, away);
    for command in
        [Command::ToggleTour, Command::Restart, Command::TogglePanel, Command::ToggleSplit]
    {
        opened_again(&mut session);
        apply(&mut session, command);
        assert!(!session.menu.is_open(), "{command:?}");
    }
}

#[test]
fn pages_turn_by_keys_as_far_as_there_are_pages() {
    let mut session = session(Scene::Pile);
    session.screen.resize([400, 300], 1.0);
    apply(&mut session, Command::MovePointer(Vec2::ZERO));
    opened(&mut session);
    let second = session.menu.place(&session.screen).on_page(0, 1).expect("pages");
    let name = |index| TourStop::all().nth(index).map(TourStop::name);
    for (pages, index) in [(-1, 5), (1, 5 + second), (-1, 5), (-1, 5)] {
        apply(&mut session, Command::TurnMenu(pages));
        assert_eq!(Some(session.menu.selected().name()), name(index), "{pages}");
        assert!(session.menu.is_open() && !session.is_placing());
    }
}

/// A message of several lines lies above the pictures, which stay where they are when it leaves.
#[test]
fn the_menu_is_below_long_messages() {
    let mut session = session(Scene::Pile);
    session.screen.resize([800, 600], 2.0);
    opened(&mut session);
    drawn_of(&mut session);
    let top = |session: &Session| session.menu.place(&session.screen).corner(0)[1];
    session.reports.message = "a sentence that is long ".repeat(8);
    drawn_of(&mut session);
    let status = session.screen.hud_blocks.iter().find(|(name, _)| *name == "status");
    let below = status.map(|(_, rect)| rect.y + rect.height).expect("a status");
    assert!(top(&session) >= below, "{} {below}", top(&session));
    let before = top(&session);
    session.reports.message.clear();
    drawn_of(&mut session);
    assert_eq!(top(&session), before);
}

fn drawn_of(session: &mut Session) {
    let [width, height] = session.screen.size;
    session.draw(&mut vec![0; (width * height * 4) as usize]);
}
