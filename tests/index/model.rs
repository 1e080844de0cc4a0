//! Any order of insertions, removals and moves, against the naive index.

use jostle::{Rect, Vec2, index::IndexKind};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::crowd::{Crowd, build, check, config};

const CAPACITY: usize = 40;

/// One change.
#[derive(Clone, Debug)]
enum Edit {
    /// Puts a disc in, if it is not.
    Insert(u32, [f32; 3]),
    /// Takes it out, if it is in.
    Remove(u32),
    /// Moves some, lets some die and some come to life, all at once.
    Update(Vec<(u32, [f32; 3], bool)>),
}

/// Places as shares of the world, a little beyond it too, often the same; sizes from dust to giants.
fn places() -> impl Strategy<Value = [f32; 3]> {
    let share = || prop_oneof![4 => -0.1_f32..1.1, 1 => Just(0.5_f32), 1 => Just(0.25_f32)];
    let radius = prop_oneof![6 => 0.05_f32..1.5, 1 => Just(1.0_f32), 1 => 5.0_f32..40.0];
    (share(), share(), radius).prop_map(|(x, y, radius)| [x, y, radius])
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let id = || 0..CAPACITY as u32;
    let edit = prop_oneof![
        4 => (id(), places()).prop_map(|(id, place)| Edit::Insert(id, place)),
        2 => id().prop_map(Edit::Remove),
        2 => proptest::collection::vec((id(), places(), prop::bool::weighted(0.8)), 0..CAPACITY)
            .prop_map(Edit::Update),
    ];
    proptest::collection::vec(edit, 1..60)
}

/// Whatever is done, the index finds what the naive one finds.
pub(crate) fn any_edits(name: &str) {
    let kind = IndexKind::find(name).expect("the index is there");
    let config_of = ProptestConfig { cases: 96, failure_persistence: None, ..Default::default() };
    let shape = (prop_oneof![Just(1.3_f32), Just(6.0), Just(90.0)], any::<bool>());
    TestRunner::new(config_of)
        .run(&(shape, edits(), places()), |((cell, wide), edits, probe)| {
            let origin = Vec2::new(-17.0, 30.0);
            let size = if wide { Vec2::new(90.0, 35.0) } else { Vec2::new(12.0, 60.0) };
            let at = |place: [f32; 3]| origin + size * Vec2::new(place[0], place[1]);
            let mut crowd = Crowd::of([(0.0, 0.0, 1.0); CAPACITY]);
            crowd.alive.fill(false);
            let put = |crowd: &mut Crowd, id: u32, place: [f32; 3]| {
                let id = id as usize;
                crowd.x[id] = at(place).x;
                crowd.y[id] = at(place).y;
                crowd.radius[id] = place[2];
            };
            let mut index = build(kind, &config(&crowd, Rect::new(origin, origin + size), cell));
            index.update(&crowd.discs()).expect("there is memory");
            for edit in &edits {
                match edit {
                    Edit::Insert(id, place) if !crowd.alive[*id as usize] => {
                        put(&mut crowd, *id, *place);
                        crowd.alive[*id as usize] = true;
                        index.insert(&crowd.discs(), *id).expect("there is memory");
                    }
                    Edit::Remove(id) if crowd.alive[*id as usize] => {
                        crowd.alive[*id as usize] = false;
                        index.remove(&crowd.discs(), *id);
                    }
                    Edit::Update(changes) => {
                        for (id, place, alive) in changes {
                            put(&mut crowd, *id, *place);
                            crowd.alive[*id as usize] = *alive;
                        }
                        index.update(&crowd.discs()).expect("there is memory");
                    }
                    _ => {}
                }
                let probes = [(at(probe), probe[2]), (at(probe), 0.0)];
                check(&mut *index, &crowd, &probes, &format!("after {edit:?}"));
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{name}: {error}"));
}
