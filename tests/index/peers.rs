//! The suite for libraries by other authors. They may allocate in each update; otherwise they meet
//! the same contract as the indexes of this crate.

conforming! {
    parry2d: "parry2d",
    broccoli: "broccoli",
    rstar: "rstar",
    kiddo: "kiddo",
    sorted_grid: "sorted-grid",
}
