//! The world files that the program has in it.

/// Names and texts.
pub(crate) const WORLDS: [(&str, &str); 5] = [
    ("particle-life", include_str!("../../worlds/particle-life.toml")),
    ("boids", include_str!("../../worlds/boids.toml")),
    ("epidemic", include_str!("../../worlds/epidemic.toml")),
    ("mill", include_str!("../../worlds/mill.toml")),
    ("hourglass", include_str!("../../worlds/hourglass.toml")),
];
