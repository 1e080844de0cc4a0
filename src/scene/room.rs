//! Whether there is room for the agents, and if not: what would do.
//!
//! A remedy that doesn't work is worse than none, so each is tried before it is named: with the
//! set-up's own agents, or as many of them as are placed in an instant.

use glam::Vec2;

use super::{
    Scene, Setup, crowd,
    place::{ALWAYS, arrange},
    radii::Radii,
    validate::{about, number, round_up},
};
use crate::{error::Error, limits};

/// Agents that a remedy is tried with. Walls take up more of a smaller world: where these fit, more do.
const TRIED: u32 = 20_000;

/// Shares of the world that are tried, and suggested. Not 0.6: whether that is found depends on luck.
const SHARES: [f32; 11] = [0.8, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001];

/// What has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowded {
    /// The discs in their region.
    Discs,
    /// The clumps in the world.
    Clumps,
}

impl Setup {
    /// What can't fit whatever is tried, as far as areas and widths tell.
    pub(super) fn crowded(&self) -> Option<Crowded> {
        let size = self.ground().size().as_dvec2();
        let (width, area, crowded) = if self.is_clumped() {
            (self.clump_width(), self.populated(), Crowded::Clumps)
        } else {
            let share = f64::from(limits::DENSITY_MAX);
            (f64::from(Radii::of(self).largest()) * 2.0, self.covered() / share, Crowded::Discs)
        };
        (width > size.min_element() || area > size.x * size.y).then_some(crowded)
    }

    /// Why there is no room, and what would do.
    pub(super) fn refusal(&self, crowded: Crowded) -> Error {
        let remedy = self.remedy();
        let agents = match self.agents {
            1 => "1 agent".to_owned(),
            many => format!("{many} agents"),
        };
        Error::invalid(match (self.world, crowded) {
            (Some(size), Crowded::Clumps) => format!(
                "--world {} is too small for {} {} wide; {remedy}",
                by(size),
                match crowd::count(self) {
                    1 => "a clump".to_owned(),
                    many => format!("{many} clumps"),
                },
                number(round_up(self.clump_width())),
            ),
            (Some(size), Crowded::Discs) if !self.is_clumped() => format!(
                "--world {} is too small for {agents} up to {} wide that cover {} of it; {remedy}",
                by(size),
                about(Radii::of(self).largest() * 2.0),
                number(round_up(self.covered() / (f64::from(size.x) * f64::from(size.y)))),
            ),
            _ => format!(
                "--density {} is more than {agents} can be placed at without overlap; {remedy}",
                number(self.density),
            ),
        })
    }

    /// A set-up like this one that has room, as the end of a sentence.
    pub(super) fn remedy(&self) -> String {
        if let Some(size) = self.world
            && let Some(world) = self
                .roomier_worlds(size)
                .find(|&world| (Self { world: Some(world), ..self.clone() }).has_room())
        {
            return format!("--world {} would do", by(world));
        }
        if self.world.is_none() || self.is_clumped() {
            let mut lower = SHARES.into_iter().filter(|&share| share < self.density);
            let works = |&density: &f32| (Self { density, world: None, ..self.clone() }).has_room();
            if let Some(density) = lower.find(works).map(number) {
                return match self.world {
                    None => format!("{density} would do"),
                    Some(_) => format!("--density {density} instead of --world would do"),
                };
            }
        }
        // A world that is given doesn't shrink with the agents in it.
        let ground = self.ground().size().min_element();
        match self.world {
            None => "fewer agents would do, or radii that differ less",
            Some(_) if Radii::of(self).largest() * 2.0 > ground => "a smaller --radius would do",
            Some(_) => "fewer agents would do, or smaller ones",
        }
        .to_owned()
    }

    /// Worlds at least as large, of about the same shape, from the smallest that might do.
    fn roomier_worlds(&self, size: Vec2) -> impl Iterator<Item = Vec2> {
        let (area, least) = if self.is_clumped() {
            (self.populated(), self.clump_width())
        } else {
            // Two armies stand side by side, with a little between them.
            let abreast = if self.scene.has_factions() { 2.1 } else { 1.0 };
            (self.covered(), f64::from(Radii::of(self).largest()) * 2.0 * abreast)
        };
        // Of a side of the world, as much belongs to the part that agents start in.
        let part = (self.ground().size() / size).as_dvec2();
        let share = area / (f64::from(size.x) * f64::from(size.y) * part.x * part.y);
        SHARES.into_iter().map(move |other| {
            let factor = (share / f64::from(other)).sqrt().max(1.0);
            let side = |side: f32, part: f64| match (f64::from(side) * factor).max(least / part) {
                more if more > f64::from(side) => round_up(more),
                _ => side,
            };
            Vec2::new(side(size.x, part.x), side(size.y, part.y))
        })
    }

    /// Whether the agents, or a sample of them in as much less of a world, can be placed.
    pub(super) fn has_room(&self) -> bool {
        let sample = self.agents.min(TRIED);
        let less = (f64::from(sample) / f64::from(self.agents)).sqrt() as f32;
        let world = self.world.map(|size| size * less);
        let sample = Self { agents: sample, world, ..self.clone() };
        self.own_world().is_ok()
            && self.coordinates().is_ok()
            && self.crowded().is_none()
            && sample.crowded().is_none()
            && arrange(&sample, &ALWAYS).is_ok()
    }

    /// True if agents start in clumps, which the density counts for, and not all over the world.
    pub(super) fn is_clumped(&self) -> bool {
        matches!(self.scene, Scene::Burst | Scene::Sparse)
    }

    /// Width of one of the clumps, world units.
    fn clump_width(&self) -> f64 {
        let area = self.populated() / f64::from(crowd::count(self));
        (area / std::f64::consts::PI).sqrt() * 2.0
    }
}

/// A world's size as the flag takes it.
pub(super) fn by(size: Vec2) -> String {
    format!("{}x{}", number(size.x), number(size.y))
}
