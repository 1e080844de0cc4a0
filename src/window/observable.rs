//! The observables that the panel plots, as users know them.

/// An observable of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Observable {
    Temperature,
    Pressure,
    CollisionRate,
    FreePath,
    Radial,
    Displacement,
    Autocorrelation,
    Order,
    DensityX,
    DensityY,
    VelocityX,
    VelocityY,
}

impl Observable {
    /// Every observable, in the order in which they are shown.
    pub(crate) const ALL: [Self; 12] = [
        Self::Temperature,
        Self::Pressure,
        Self::CollisionRate,
        Self::FreePath,
        Self::Radial,
        Self::Displacement,
        Self::Autocorrelation,
        Self::Order,
        Self::DensityX,
        Self::DensityY,
        Self::VelocityX,
        Self::VelocityY,
    ];

    /// The name on its button.
    pub(crate) const fn name(self) -> &'static str {
        self.texts()[0]
    }

    /// The heading of its plot.
    pub(super) const fn title(self) -> &'static str {
        self.texts()[1]
    }

    /// What it is, in a sentence.
    pub(super) const fn hint(self) -> &'static str {
        self.texts()[2]
    }

    const fn texts(self) -> [&'static str; 3] {
        match self {
            Self::Temperature => [
                "temperature",
                "temperature kT",
                "Mean kinetic energy of an agent over time, beside that of a gas which loses as much \
                 in each collision as the restitution says (Haff).",
            ],
            Self::Pressure => [
                "pressure",
                "Z = P·A/(N·kT)",
                "Pressure by the virial over that of a gas of points, beside the virial series of \
                 equal discs ([5/4] Padé) or the theory of mixtures (Jenkins and Mancini).",
            ],
            Self::CollisionRate => [
                "collisions",
                "collisions per agent and s",
                "How often an agent collides, beside the rate of Enskog.",
            ],
            Self::FreePath => [
                "free path",
                "mean free path",
                "How far an agent moves between two collisions, in world units, beside the path of \
                 Enskog.",
            ],
            Self::Radial => [
                "g(r)",
                "g(r), r in diameters, sample",
                "How much denser than on average agents lie at a distance from an agent, around 2,048 \
                 of them; the bar is theory's value where equal discs touch.",
            ],
            Self::Displacement => [
                "displacement",
                "square displacement over s, sample",
                "How far agents have come after a time, squared and averaged over up to 4,096 of \
                 them, beside the theory of Enskog.",
            ],
            Self::Autocorrelation => [
                "autocorrelation",
                "velocity autocorrelation over s, sample",
                "How much of their velocity agents have after a time, averaged over up to 4,096 of \
                 them, beside the exponential of Enskog.",
            ],
            Self::Order => [
                "order",
                "order psi6 of hexagons, sample",
                "1 in a crystal of hexagons and near 0 without order, of 2,048 agents and their \
                 neighbors; nothing where radii differ by more than a factor of 2.",
            ],
            Self::DensityX => [
                "density x",
                "share covered, left to right, sample",
                "Share of the ground that agents cover in 40 strips from left to right, of up to \
                 65,536 agents, beside the mean of a gas.",
            ],
            Self::DensityY => [
                "density y",
                "share covered, bottom to top, sample",
                "Share of the ground that agents cover in 40 strips from bottom to top, of up to \
                 65,536 agents, beside the mean of a gas.",
            ],
            Self::VelocityX => [
                "velocity x",
                "mean vx and vy, left to right, sample",
                "Mean velocity to the right (blue) and up (green) in 40 strips from left to right, of \
                 up to 65,536 agents.",
            ],
            Self::VelocityY => [
                "velocity y",
                "mean vx and vy, bottom to top, sample",
                "Mean velocity to the right (blue) and up (green) in 40 strips from bottom to top, of \
                 up to 65,536 agents.",
            ],
        }
    }

    /// True if its plot goes along the time of the run, with a point per sample.
    pub(super) const fn is_history(self) -> bool {
        matches!(
            self,
            Self::Temperature | Self::Pressure | Self::CollisionRate | Self::FreePath | Self::Order
        )
    }

    /// True if it is found by following agents from step to step.
    pub(super) const fn follows(self) -> bool {
        matches!(self, Self::Displacement | Self::Autocorrelation)
    }
}
