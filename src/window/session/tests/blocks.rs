//! Where the parts of the HUD lie: none hides what another says.

use super::*;
use crate::window::hud::PixelRect;

/// The places of the drawn parts of that name.
fn blocks(session: &mut Session, name: &str) -> Vec<PixelRect> {
    drawn(session);
    let blocks = session.screen.hud_blocks.iter();
    blocks.filter(|block| block.0 == name).map(|block| block.1).collect()
}

/// A message of one line is legible above each page of the keys, and the last page ends with its lines.
#[test]
fn messages_and_keys_do_not_hide_each_other() {
    let mut session = session(Scene::Gas);
    let mut heights = Vec::new();
    loop {
        apply(&mut session, Command::NextHelpPage);
        if session.screen.help == 0 {
            break;
        }
        session.reports.message = "Esc or Q again closes the window".to_owned();
        let [status, keys] = ["status", "keys"].map(|name| blocks(&mut session, name)[0]);
        assert!(status.height > session.screen.text_height(), "the message is there");
        assert!(status.y + status.height <= keys.y, "{status:?} {keys:?}");
        heights.push(keys.height);
    }
    let last = heights.pop().unwrap();
    assert!(heights.iter().all(|&height| last < height), "{heights:?}, {last}");
}

/// Beside a panel in a small window, legends would be cut off and lie under warnings.
#[test]
fn legends_are_left_out_where_they_would_be_cut_off() {
    let mut session = session(Scene::Gas);
    for (columns, legends) in [(0, 1), (300, 1), (560, 0)] {
        session.screen.fit_beside(columns);
        let legend = blocks(&mut session, "legend");
        assert_eq!(
            (legend.len(), legend.len()),
            (legends, blocks(&mut session, "scale bar").len())
        );
        assert!(
            legend.iter().all(|it| it.x >= columns && it.x + it.width <= SIZE[0]),
            "{legend:?}"
        );
    }
}
