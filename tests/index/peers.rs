//! The suite for the libraries of others. They may claim memory at each update; for the rest they are held to
//! what our own indexes are.

/// Every test of the suite but the one about memory, once for each peer.
macro_rules! conforming {
    ($($module:ident: $name:literal),* $(,)?) => {
        /// The peers that the suite is instantiated for.
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

conforming! {
    parry2d: "parry2d",
    broccoli: "broccoli",
    rstar: "rstar",
    kiddo: "kiddo",
    sorted_grid: "sorted-grid",
}
