//! The look of a draw: the meaning of colors, the palette, the overlay and the surroundings.

use std::fmt;

use crate::{
    agents::Agents,
    names::names,
    raster::palette::Palette,
    scene::{Scene, Setup},
};

/// The meaning of the color of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::manual_non_exhaustive, reason = "the hidden color is that of the window")]
pub enum ColorBy {
    /// Speed, as the share of slower agents in a gas with the mean speed of the start.
    #[default]
    Speed,
    /// Radius, on a logarithmic scale from the smallest to the largest.
    Size,
    /// Position at which [`Renderer::record_starts`](crate::raster::Renderer::record_starts) first
    /// saw the agent, so that mixing shows.
    Start,
    /// Loose cell of the grid; cells near each other have different colors.
    Cell,
    /// Number of other agents that the agent overlaps now: none has the first color, six and more
    /// the last. Every draw searches for the contacts of the agents in view, which takes about as
    /// long as drawing them.
    Contacts,
    /// Direction of the mean velocity of the agents around, as a hue; the faster, the stronger. A
    /// crowd without a common motion is gray. The colors are the same in every palette.
    Flow,
    /// Local temperature kT: the mean kinetic energy of the agents around, without the energy of
    /// their common motion.
    Temperature,
    /// Local share of the ground that discs cover.
    Density,
    /// Local sixfold bond order ψ6. The hue is the direction of the bonds, which is the direction
    /// of a crystal's grain; the better agents agree on it, the stronger. The colors are the same
    /// in every palette.
    Order,
    /// Spin, as the speed of the rim: a hue for each direction, gray without spin. Agents without a
    /// column `spin` are gray. The colors are the same in every palette.
    Spin,
    /// Faction, in a scene that has factions; elsewhere all agents have one color. The colors are
    /// the same in every palette.
    Faction,
    /// Species of the agents, if they have any; elsewhere all agents have one color. The colors are
    /// the same in every palette.
    Species,
    /// Distance to the same agent of another run, on a logarithmic scale, in a window that shows
    /// both; elsewhere all agents have one color.
    #[doc(hidden)]
    Twin,
}

impl ColorBy {
    /// The color modes that tell such agents apart.
    #[doc(hidden)]
    pub fn all_of(agents: &Agents) -> impl Iterator<Item = Self> + Clone {
        let (factions, spins) = (agents.units.is_some(), agents.spins().is_some());
        let species = agents.own.as_ref().is_some_and(|own| own.species.is_some());
        Self::ALL.into_iter().filter(move |color_by| match color_by {
            Self::Faction => factions,
            Self::Spin => spins,
            Self::Species => species,
            Self::Twin => false,
            _ => true,
        })
    }

    /// The color mode that shows what happens in a scene: how streams mix, where a front or a
    /// crowd is, which grains there are, which side an agent is on, or how fast agents are.
    pub(crate) const fn best_in(scene: Scene) -> Self {
        match scene {
            Scene::Melee => Self::Faction,
            Scene::Shear => Self::Start,
            Scene::Shock | Scene::Cooling => Self::Density,
            Scene::Crystal => Self::Order,
            Scene::Gas
            | Scene::Mixed
            | Scene::Giants
            | Scene::Burst
            | Scene::Sparse
            | Scene::Pile
            | Scene::Pegs
            | Scene::Cannon
            | Scene::Dam => Self::Speed,
        }
    }

    /// The next color mode of [`Self::all_of`]; the first one follows the last.
    #[must_use]
    #[doc(hidden)]
    pub fn next_of(self, agents: &Agents) -> Self {
        let all = Self::all_of(agents);
        all.clone().chain(all).skip_while(|&other| other != self).nth(1).unwrap_or_default()
    }

    /// Whether the palette decides about its colors.
    #[cfg(feature = "window")]
    pub(crate) const fn has_palette(self) -> bool {
        !matches!(self, Self::Flow | Self::Order | Self::Spin | Self::Faction | Self::Species)
    }
}

names!(
    #[doc(hidden)]
    pub ColorBy:
    Speed = "speed",
    Size = "size",
    Start = "start",
    Flow = "flow",
    Temperature = "temperature",
    Density = "density",
    Order = "order",
    Cell = "cell",
    Contacts = "contacts",
    Spin = "spin",
    Faction = "faction",
    Species = "species",
    Twin = "twin",
);

/// The brightness of a crowd of discs that are smaller than half a pixel. Such discs are drawn
/// larger or smaller than they are; others have their true size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exposure {
    /// Bright enough to see most of the visible agents and the differences among them. It depends
    /// on the agents and the camera alone.
    Auto,
    /// Powers of two of the true area, up to
    /// 20 in either direction; 0 draws all
    /// discs as large as they are.
    Stops(f32),
}

impl Exposure {
    /// True areas if the exposure is automatic, and automatic otherwise.
    #[must_use]
    #[doc(hidden)]
    pub fn toggled(self) -> Self {
        if self == Self::Auto { Self::Stops(0.0) } else { Self::Auto }
    }
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Stops(stops) => write!(f, "{stops:+}"),
        }
    }
}

/// The order in which agents are drawn. It shows only where agents overlap, and in the draw time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// For comparisons: public for the program, tests and benches.
#[doc(hidden)]
pub enum DrawOrder {
    /// Memory order, which is the order of the frame's rows; bands are drawn in parallel.
    #[default]
    Cell,
    /// A fixed pseudo-random order of slots: the counter-example that shows what cell order is
    /// worth. One pass over all agents with the whole frame as a single band, because each of
    /// several bands would have to read every agent.
    Random,
}

names!(#[doc(hidden)] pub DrawOrder: Cell = "cell", Random = "random");

/// A layer that is drawn over the agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// The loose cells, and the bounding boxes of the cells that hold outliers.
    Loose,
    /// The tight cells, shaded by the number of outlier cells that each lists, with the number
    /// where there is room for it.
    Tight,
    /// A line between the centers of two agents that overlap.
    Contacts,
    /// An arrow from each agent along its velocity, as long as it is fast.
    Velocities,
    /// The share of the ground that agents cover, as a heat map.
    Density,
}

impl Overlay {
    /// The next overlay; the first one follows the last.
    #[must_use]
    #[doc(hidden)]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }
}

names!(
    #[doc(hidden)]
    pub Overlay:
    None = "none",
    Loose = "loose",
    Tight = "tight",
    Contacts = "contacts",
    Velocities = "velocities",
    Density = "density",
);

/// Everything about the look of a frame except its content and the camera.
///
/// Colors are red, green, blue in sRGB. The default suits speeds around 6 and radii of 0.5 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The meaning of the color of an agent.
    pub color_by: ColorBy,
    /// The colors of the agents.
    pub palette: Palette,
    /// The layer that is drawn over the agents.
    pub overlay: Overlay,
    /// The order in which agents are drawn.
    // As its type.
    #[doc(hidden)]
    pub order: DrawOrder,
    /// The speed that gets the middle color, world units per second. It is constant over a run, so
    /// that colors are steady from frame to frame. 0 or less counts as 1.
    pub mean_speed: f32,
    /// The temperature kT that gets the middle color: the mean kinetic energy of an agent, with the
    /// square of the radius as its mass. 0 or less counts as almost 0.
    pub temperature: f32,
    /// The radii that get the first and the last color, world units.
    pub radius: [f32; 2],
    /// The brightness of a crowd of small discs.
    pub exposure: Exposure,
    /// The ground of the world.
    pub ground: [u8; 3],
    /// The outside of the world.
    pub outside: [u8; 3],
    /// The line around the world.
    pub border: [u8; 3],
    /// Statics.
    pub statics: [u8; 3],
    /// The colors of the species, in their order.
    // Set by world files.
    #[doc(hidden)]
    pub species: [[u8; 3]; 16],
    /// Strength of the rim and of the light from above on large discs, 0 (flat) to 1.
    pub shading: f32,
}

impl Style {
    /// The style for a run: the colors that suit its scene, scaled to the set-up's mean speed
    /// and radii. Where agents fall, the speed of their fall counts if it
    /// is higher. The exposure is automatic.
    pub fn from_setup(setup: &Setup) -> Self {
        let [least, most] = setup.radius;
        let area = setup.agents as f32 * std::f32::consts::PI * least * most / setup.density;
        let height = setup.world.map_or((area * 9.0 / 16.0).sqrt(), |world| world.y);
        let falling = FALLING * (setup.gravity.max(0.0) * height).sqrt();
        let mean_speed = setup.speed.max(falling);
        Self {
            color_by: ColorBy::best_in(setup.scene),
            mean_speed,
            temperature: 0.5 * setup.mean_dust_mass() * mean_speed * mean_speed,
            radius: setup.radius,
            exposure: Exposure::Auto,
            ..Self::default()
        }
    }
}

impl Style {
    /// The mean speed, above 0.
    pub(super) fn speed_scale(&self) -> f32 {
        if self.mean_speed > 0.0 { self.mean_speed } else { 1.0 }
    }
}

/// The middle speed of falling agents, as a share of √(gravity · height). Agents that fell through
/// a seventh of the world have the last color, and a heap that settles goes through all of them.
const FALLING: f32 = 0.25;

/// The colors of species that state none, in their order.
const SPECIES: [[u8; 3]; 16] = [
    [228, 86, 73],
    [88, 190, 110],
    [82, 140, 245],
    [70, 208, 220],
    [236, 132, 196],
    [240, 200, 70],
    [160, 110, 230],
    [240, 145, 60],
    [170, 215, 90],
    [200, 205, 215],
    [150, 80, 60],
    [60, 150, 140],
    [120, 125, 190],
    [215, 165, 130],
    [190, 60, 120],
    [110, 120, 130],
];

/// The colors of species, of which some state one.
#[cfg(feature = "cli")]
pub(crate) fn species_colors(stated: &[Option<[u8; 3]>]) -> [[u8; 3]; 16] {
    std::array::from_fn(|of| stated.get(of).copied().flatten().unwrap_or(SPECIES[of]))
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color_by: ColorBy::Speed,
            palette: Palette::default(),
            overlay: Overlay::None,
            order: DrawOrder::Cell,
            mean_speed: 6.0,
            temperature: 11.0,
            radius: [0.5, 1.0],
            exposure: Exposure::Stops(0.0),
            ground: [11, 13, 20],
            outside: [5, 6, 9],
            border: [58, 66, 92],
            statics: [84, 94, 122],
            species: SPECIES,
            shading: 1.0,
        }
    }
}
