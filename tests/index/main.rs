//! One suite for every index: what the naive one finds, whatever was put in, moved or taken out before.

mod conformance;
mod crowd;
mod examples;
mod model;
mod runs;

/// Every test of the suite, once for each index, but the one about memory.
macro_rules! conforming {
    ($($module:ident: $name:literal),* $(,)?) => {
        /// The indexes that the suite is instantiated for here.
        pub(crate) const CONFORMING: &[&str] = &[$($name),*];
        $(mod $module {
            use crate::{conformance, model};

            #[test]
            fn finds_the_pairs_of_every_scene() {
                conformance::every_scene($name);
            }

            #[test]
            fn holds_the_cases_at_the_edge() {
                conformance::edges($name);
            }

            #[test]
            fn holds_dust_and_giants_wherever_the_world_begins() {
                conformance::any_world($name);
            }

            #[test]
            fn finds_who_overlaps_by_a_hair() {
                conformance::grazing($name);
            }

            #[test]
            fn follows_any_order_of_edits() {
                model::any_edits($name);
            }
        })*
    };
}

// It comes after the macro that it uses.
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
fn no_index_of_our_own_claims_more_memory_for_what_it_has_held() {
    for name in CONFORMING {
        conformance::steady(name);
    }
}

#[test]
fn the_suite_holds_every_index() {
    let mut known: Vec<_> = jostle::index::IndexKind::all().map(|kind| kind.name).collect();
    let mut conforming = CONFORMING.to_vec();
    #[cfg(feature = "peers")]
    conforming.extend(peers::CONFORMING);
    known.sort_unstable();
    conforming.sort_unstable();
    assert_eq!(known, conforming);
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    let message = jostle::index::IndexKind::find("nave").expect_err("there is none").to_string();
    assert!(
        message.starts_with("unknown index \"nave\": expected one of double-grid, "),
        "{message}"
    );
}
