//! How a picture looks: what the colors mean, which colors they are, and what is around the agents.

use crate::{
    raster::{
        overlay::Overlay,
        palette::{ColorTable, Palette},
    },
    scene::{Scene, Setup},
};

/// What the color of an agent means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// How fast it is, by the share of a gas with the mean speed of the start that is slower.
    #[default]
    Speed,
    /// How large it is, on a logarithmic scale from the smallest radius to the largest.
    Size,
    /// Where it was when [`Renderer::record_starts`](crate::raster::Renderer::record_starts) first met it, so
    /// that mixing shows.
    Start,
    /// Which loose cell of the grid it is in: near cells have different colors.
    Cell,
    /// How many others it overlaps now: none has the first color, six and more the last. It is searched for
    /// at each draw, for the agents in view, which takes about as long as drawing them.
    Contacts,
    /// Which side it is on, in a scene that has sides; elsewhere all are of one color. These colors are the same
    /// in any palette.
    Faction,
}

impl ColorBy {
    /// All of them, in the order in which a key goes through them.
    pub const ALL: [Self; 6] =
        [Self::Speed, Self::Size, Self::Start, Self::Cell, Self::Contacts, Self::Faction];

    /// Those that tell something in a scene.
    pub fn all_in(scene: Scene) -> impl Iterator<Item = Self> {
        let tells = move |color_by: &Self| *color_by != Self::Faction || scene.has_factions();
        Self::ALL.into_iter().filter(tells)
    }

    /// The one after this that tells something in a scene; the first again after the last.
    #[must_use]
    pub fn next_in(self, scene: Scene) -> Self {
        let twice = Self::all_in(scene).chain(Self::all_in(scene));
        twice.skip_while(|&other| other != self).nth(1).unwrap_or_default()
    }

    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Size => "size",
            Self::Start => "start",
            Self::Cell => "cell",
            Self::Contacts => "contacts",
            Self::Faction => "faction",
        }
    }
}

/// In which order agents are drawn. It shows only where they overlap, and in the time that it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawOrder {
    /// As they lie in memory, which is as they lie in the frame; bands of rows side by side.
    #[default]
    Cell,
    /// All over the frame, in a fixed pseudo-random order of slots: the counter-example that shows what
    /// cell order is worth. One pass over all agents with the whole frame as a single band, since each
    /// of several bands would have to look at every agent.
    Random,
}

/// Everything about the looks of a picture that isn't the agents or the camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// What the color of an agent means.
    pub color_by: ColorBy,
    /// Which colors.
    pub palette: Palette,
    /// What is drawn over the agents.
    pub overlay: Overlay,
    /// In which order agents are drawn.
    pub order: DrawOrder,
    /// The speed that gets a middling color, world units a second: constant over a run, so that
    /// colors are steady from frame to frame. 0 or less counts as 1.
    pub mean_speed: f32,
    /// The radii that get the first and the last color, world units.
    pub radius: [f32; 2],
    /// The ground of the world: red, green, blue.
    pub ground: [u8; 3],
    /// What is outside of the world.
    pub outside: [u8; 3],
    /// The line around the world.
    pub border: [u8; 3],
    /// What never moves.
    pub statics: [u8; 3],
    /// How much of a rim and of light from above large discs have, 0 (flat) to 1.
    pub shading: f32,
}

impl Style {
    /// The look for a run of that set-up: by sides if there are any, and else by speed, around the set-up's own mean speed and radii. Where
    /// agents fall, the speed that they fall at counts if it is higher.
    pub fn from_setup(setup: &Setup) -> Self {
        let [least, most] = setup.radius;
        let area = setup.agents as f32 * std::f32::consts::PI * least * most / setup.density;
        let height = setup.world.map_or((area * 9.0 / 16.0).sqrt(), |world| world.y);
        let falling = FALLING * (setup.gravity.max(0.0) * height).sqrt();
        let mean_speed = setup.speed.max(falling);
        let sides = setup.scene.has_factions();
        let color_by = if sides { ColorBy::Faction } else { ColorBy::Speed };
        Self { color_by, mean_speed, radius: setup.radius, ..Self::default() }
    }

    /// The colors that agents may have where nothing shades them, from the first tone to the last: red,
    /// green, blue.
    pub fn colors(&self) -> [[u8; 3]; 256] {
        ColorTable::new(self.palette, self.color_by).pixels.map(|[r, g, b, _]| [r, g, b])
    }
}

/// The middling speed of agents that fall, as a share of √(gravity · height): what has fallen through a
/// seventh of the world has the last color, and a heap that settles goes through all of them.
const FALLING: f32 = 0.25;

impl Default for Style {
    fn default() -> Self {
        Self {
            color_by: ColorBy::Speed,
            palette: Palette::default(),
            overlay: Overlay::None,
            order: DrawOrder::Cell,
            mean_speed: 6.0,
            radius: [0.5, 1.0],
            ground: [11, 13, 20],
            outside: [5, 6, 9],
            border: [58, 66, 92],
            statics: [84, 94, 122],
            shading: 1.0,
        }
    }
}
