//! One suite for every index: each finds the pairs that a search of every pair finds, whatever was
//! updated before.

mod conformance;
mod edits;
mod examples;
mod indexed_runs;
mod moving_discs;

/// All tests of the suite for each index, except the one about memory.
macro_rules! conforming {
    ($($module:ident: $name:literal),* $(,)?) => {
        /// The indexes for which the suite is instantiated here.
        pub(crate) const CONFORMING: &[&str] = &[$($name),*];
        $(mod $module {
            use crate::conformance;

            #[test]
            fn finds_the_pairs_of_every_scene() {
                conformance::every_scene($name);
            }

            #[test]
            fn finds_the_pairs_of_edge_cases() {
                conformance::edge_cases($name);
            }

            #[test]
            fn finds_small_and_giant_discs_in_a_world_at_any_position() {
                conformance::any_world($name);
            }

            #[test]
            fn finds_pairs_that_overlap_by_a_rounding_error() {
                conformance::grazing($name);
            }

            #[test]
            fn follows_any_sequence_of_updates() {
                conformance::any_updates($name);
            }
        })*
    };
}

// After the macro that it uses.
#[cfg(feature = "peers")]
mod peers;

conforming! {
    naive: "naive",
    spatial_hash: "spatial-hash",
    unit_grid: "unit-grid",
    quadtree: "quadtree",
    loose_quadtree: "loose-quadtree",
    linked_double_grid: "linked-double-grid",
    double_grid: "double-grid",
}

#[test]
fn own_indexes_need_no_more_memory_for_discs_that_they_have_held() {
    for name in CONFORMING {
        conformance::steady(name);
    }
}

#[test]
fn the_suite_covers_every_index() {
    let mut known: Vec<_> = jostle::index::IndexKind::all().map(|kind| kind.name).collect();
    let mut conforming = CONFORMING.to_vec();
    #[cfg(feature = "peers")]
    conforming.extend(peers::CONFORMING);
    known.sort_unstable();
    conforming.sort_unstable();
    assert_eq!(known, conforming);
}

#[test]
fn rejects_an_unknown_name_with_the_known_ones() {
    let message = jostle::index::IndexKind::find("nave").expect_err("there is none").to_string();
    assert!(
        message.starts_with("unknown index \"nave\": expected one of double-grid, "),
        "{message}"
    );
}
