//! The suite for the libraries of others. They may claim memory at each update; for the rest they are held to
//! what our own indexes are.

conforming! {
    parry2d: "parry2d",
    broccoli: "broccoli",
    rstar: "rstar",
    kiddo: "kiddo",
    sorted_grid: "sorted-grid",
}
