//! Values that follow from a set-up: the world, its populated part, and the scene's statics.

use glam::Vec2;

use super::{
    Setup, cannon, clusters, dam,
    galton::GaltonBoard,
    kind::StartArea::{self, Armies, Clusters, Column, Disc, Hopper, Piston, Targets, World},
    radii::Radii,
    shock,
};
use crate::{geometry::Rect, statics::Static};

/// Share of the world that the disc of `burst` covers at the start.
const BURST_SHARE: f64 = 1.0 / 16.0;

/// Share of the world that the clusters of `sparse` cover, if the size of the world is not given.
const SPARSE_SHARE: f64 = 1e-3;

/// Width per height of a world without a given size: the shape of a screen, and of a Galton board.
const SHAPE: f64 = 16.0 / 9.0;
const BOARD_SHAPE: f64 = 1.0;

/// Share of the area of a pile that its discs cover.
const PILED: f64 = 0.84;

impl Setup {
    /// The borders of the world, the same for every seed. Places nothing.
    ///
    /// Meaningful for a set-up that [`Self::validate`] accepts.
    pub fn world(&self) -> Rect {
        let size = self.world.unwrap_or_else(|| {
            let shape = if self.start_area() == Hopper { BOARD_SHAPE } else { SHAPE };
            let height = (self.area() / shape).sqrt();
            Vec2::new((height * shape) as f32, height as f32)
        });
        if self.start_area() == Clusters {
            Rect::new(size * -0.5, size * 0.5)
        } else {
            Rect::from_size(size.x, size.y)
        }
    }

    /// Area of the world that is populated at the start, square world units.
    pub(crate) fn populated(&self) -> f64 {
        match (self.start_area(), self.world) {
            (Hopper | Targets | Column | Piston, _) => {
                let size = self.ground().size().as_dvec2();
                size.x * size.y
            }
            (World | Armies, Some(size)) => f64::from(size.x) * f64::from(size.y),
            (Disc | Clusters, _) | (World | Armies, None) => {
                self.covered() / f64::from(self.density)
            }
        }
    }

    /// Height that an agent may fall through freely, world units: the height of the world, less the
    /// height of the pile at rest.
    pub(super) fn free_height(&self) -> f32 {
        let world = self.world();
        let height = world.height();
        match self.start_area() {
            Hopper => GaltonBoard::FREE_HEIGHT * height,
            Targets => height,
            World | Disc | Clusters | Armies | Column | Piston => {
                let share = self.covered() / (f64::from(world.width()) * f64::from(height));
                height * (1.0 - (share / PILED) as f32).max(0.0)
            }
        }
    }

    /// The part of the world that agents or clusters start in.
    pub(super) fn ground(&self) -> Rect {
        match self.start_area() {
            Hopper => self.board().hopper(),
            Targets => cannon::GROUND,
            Column => dam::column(&self.world()),
            Piston => shock::ground(&self.world()),
            World | Disc | Clusters | Armies => self.world(),
        }
    }

    /// The scene's own statics.
    pub(crate) fn fixed(&self) -> Vec<Static> {
        match self.start_area() {
            Hopper => self.board().statics(),
            Targets => [cannon::body(), cannon::targets(self)].concat(),
            Piston => vec![shock::piston(&self.world())],
            Column => dam::statics(&self.world(), Radii::new(self).largest()),
            World | Disc | Clusters | Armies => Vec::new(),
        }
    }

    fn start_area(&self) -> StartArea {
        self.scene.traits().area
    }

    /// The Galton board of `pegs`.
    fn board(&self) -> GaltonBoard {
        GaltonBoard::new(self.world(), Radii::new(self).largest(), self.agents)
    }

    /// Area that all discs cover together, square world units.
    pub(crate) fn covered(&self) -> f64 {
        Radii::new(self).sum_of_squares() * std::f64::consts::PI
    }

    /// The median radius, and the radius that one agent in 32 has or exceeds.
    pub(crate) fn typical_radii(&self) -> [f32; 2] {
        [2, 32].map(|of| Radii::new(self).radius(self.agents / of))
    }

    /// The mean square of the radii without the giants: the mean mass of an agent, world
    /// units².
    pub(crate) fn mean_dust_mass(&self) -> f32 {
        Radii::new(self).mean_square_of_dust()
    }

    /// Area of a world without a given size.
    fn area(&self) -> f64 {
        let share = match self.start_area() {
            Disc => BURST_SHARE,
            Clusters => SPARSE_SHARE,
            World | Hopper | Targets | Armies | Column | Piston => 1.0,
        };
        self.covered() / f64::from(self.density) / share
    }

    /// True if agents start in clusters of a given density, and not all over the world.
    pub(super) fn is_clustered(&self) -> bool {
        matches!(self.start_area(), Disc | Clusters)
    }

    /// Diameter of one of the clusters, world units.
    pub(super) fn cluster_width(&self) -> f64 {
        let area = self.populated() / f64::from(clusters::count(self));
        (area / std::f64::consts::PI).sqrt() * 2.0
    }
}

/// The distance from zero to the far end of a world.
pub(super) fn farthest(world: &Rect) -> f32 {
    world.min.abs().max(world.max.abs()).max_element()
}

/// The distance of two neighboring numbers at the far end of a world: no position is finer there.
pub(crate) fn coordinate_step(world: &Rect) -> f32 {
    let farthest = farthest(world);
    farthest - farthest.next_down()
}
