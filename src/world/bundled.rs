//! The world files that the program has in it.

/// Names and texts.
pub(crate) const WORLDS: [(&str, &str); 14] = [
    ("particle-life", include_str!("../../worlds/particle-life.toml")),
    ("boids", include_str!("../../worlds/boids.toml")),
    ("vicsek", include_str!("../../worlds/vicsek.toml")),
    ("active", include_str!("../../worlds/active.toml")),
    ("droplets", include_str!("../../worlds/droplets.toml")),
    ("bacteria", include_str!("../../worlds/bacteria.toml")),
    ("epidemic", include_str!("../../worlds/epidemic.toml")),
    ("predators", include_str!("../../worlds/predators.toml")),
    ("mill", include_str!("../../worlds/mill.toml")),
    ("hourglass", include_str!("../../worlds/hourglass.toml")),
    ("cone", include_str!("../../worlds/cone.toml")),
    ("avalanche", include_str!("../../worlds/avalanche.toml")),
    ("galton", include_str!("../../worlds/galton.toml")),
    ("door", include_str!("../../worlds/door.toml")),
];
