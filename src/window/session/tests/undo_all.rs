//! Undo of all strokes brings back all agents, in whatever order users have made strokes, undone them and done them
//! again.

use super::{
    undo::{redo, rewindable_with, steps},
    *,
};
use crate::rng::Rng;

const AGENTS: usize = 500;

/// A run with room for all that the tests add.
fn roomy() -> Session {
    rewindable_with(2_000, 400)
}

fn point(session: &mut Session, x: f32) {
    apply(session, Command::MovePointer(Vec2::new(x, 160.0)));
}

/// Undoes all strokes; what was told.
fn undo_all(session: &mut Session) -> Vec<String> {
    let told: Vec<_> = std::iter::repeat_with(|| undo(session))
        .take_while(|did| *did != "nothing to undo")
        .collect();
    assert_eq!(counts(session), [AGENTS, 0], "{told:#?}");
    told
}

/// Agents that walls cover when they come back are not lost.
#[test]
fn agents_where_erased_walls_come_back_are_not_lost() {
    let mut session = roomy();
    point(&mut session, 300.0);
    stroke(&mut session, Tool::Wall);
    stroke(&mut session, Tool::Erase);
    steps(&mut session, 400);
    for _ in 0..2 {
        let undone = undo(&mut session);
        assert!(undone.contains(" removed ") && undone.contains(" rebuilt "), "{undone}");
        steps(&mut session, 20);
        let redone = redo(&mut session);
        assert!(redone.contains("restored "), "{redone}");
        steps(&mut session, 200);
    }
    undo_all(&mut session);
    // The wall covers some again, which its erasure does not bring back, and those that it covered above.
    assert!(redo(&mut session).contains("rebuilt 1 wall"));
    let before = counts(&session)[0];
    let redone = redo(&mut session);
    assert!(redone.contains("restored ") && counts(&session)[0] > before - 40, "{redone}");
    undo_all(&mut session);
}

/// A wall that comes back may cover agents that were spawned: undo of the spawning is not undone by that of the wall.
#[test]
fn spawned_agents_under_walls_stay_undone() {
    let mut session = roomy();
    point(&mut session, 300.0);
    stroke(&mut session, Tool::Wall);
    point(&mut session, 340.0);
    stroke(&mut session, Tool::Spawn);
    point(&mut session, 300.0);
    stroke(&mut session, Tool::Erase);
    steps(&mut session, 300);
    assert_eq!(undo_all(&mut session).len(), 3);
    for _ in 0..3 {
        redo(&mut session);
    }
    assert_eq!(undo_all(&mut session).len(), 3);
}

#[test]
fn undo_of_all_strokes_brings_all_agents_back() {
    for seed in 0..16 {
        let (mut session, mut rng) = (roomy(), Rng::new(seed));
        for _ in 0..14 {
            point(&mut session, rng.between(290.0, 350.0));
            let tools = [Tool::Wall, Tool::Wall, Tool::Erase, Tool::Erase, Tool::Spawn];
            match rng.between(0.0, 10.0) as usize {
                place @ 0..5 => stroke(&mut session, tools[place]),
                5..8 => undo(&mut session),
                _ => redo(&mut session),
            };
            let count = rng.between(0.0, 60.0) as u64;
            steps(&mut session, count);
        }
        undo_all(&mut session);
        for _ in 0..20 {
            redo(&mut session);
        }
        steps(&mut session, 30);
        undo_all(&mut session);
    }
}
