//! Starts from agents of which a caller has only some columns: what is missing is drawn, in the way of
//! the scene.

use glam::Vec2;

use super::{
    Setup, Start,
    permutation::Permutation,
    place::{PlacementKeys, faction},
    radii::Radii,
};
use crate::{
    agents::{Agents, Units},
    geometry::Rect,
    statics::Static,
};

/// Agents per block of the world when the populated area is measured: of blocks in a populated part,
/// one in 55 is empty by chance.
const AGENTS_PER_BLOCK: usize = 4;

/// Share of the world above which all of it counts as populated.
const ALL: f64 = 0.9;

/// Columns of agents, of one length. Positions are always there.
#[derive(Debug, Default)]
pub(crate) struct PartialStart {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) velocity: Option<[Vec<f32>; 2]>,
    pub(crate) radius: Option<Vec<f32>>,
    pub(crate) id: Option<Vec<u32>>,
    pub(crate) faction: Option<Vec<u8>>,
    pub(crate) health: Option<Vec<u8>>,
    /// The scene's own statics, if there are none here.
    pub(crate) statics: Option<Vec<Static>>,
}

impl PartialStart {
    /// The start for a set-up, which names the number of agents and their world: ids count from 0;
    /// radii are dealt at random, and velocities have random directions, as in the scene.
    pub(crate) fn complete(self, setup: &Setup) -> Start {
        let Self { x, y, velocity: given, radius, id, faction: sides, health, statics } = self;
        let (world, count) = (setup.world(), x.len());
        let keys = PlacementKeys::new(setup);
        let id = id.unwrap_or_else(|| (0..setup.agents).collect());
        // By slot, as a caller's ids may be any numbers, and each radius is dealt once.
        let radius = radius.unwrap_or_else(|| {
            let radii = Radii::new(setup);
            let order = Permutation::new(keys.ids, setup.agents);
            (0..setup.agents).map(|at| radii.radius(order.at(at))).collect()
        });
        let positions = || x.iter().zip(&y).map(|(&x, &y)| Vec2::new(x, y));
        let [vx, vy] = given.unwrap_or_else(|| {
            let drawn = positions().zip(&id).map(|(at, &id)| keys.velocity(setup, &world, at, id));
            let (vx, vy) = drawn.map(|velocity| (velocity.x, velocity.y)).unzip();
            [vx, vy]
        });
        let has_units = setup.scene.has_factions() || sides.is_some() || health.is_some();
        let units = has_units.then(|| Units {
            faction: sides.unwrap_or_else(|| positions().map(|at| faction(&world, at)).collect()),
            health: health.unwrap_or_else(|| vec![Units::HEALTH; count]),
        });
        let populated = populated(&world, positions(), count);
        let statics = statics.unwrap_or_else(|| setup.fixed());
        Start {
            world,
            agents: Agents { x, y, vx, vy, radius, id, units, own: None },
            statics,
            populated,
        }
    }
}

/// About the area that agents populate: of the blocks of the world in which one lies.
fn populated(world: &Rect, positions: impl Iterator<Item = Vec2>, count: usize) -> f64 {
    let size = world.size().as_dvec2();
    let blocks = (count / AGENTS_PER_BLOCK).max(1);
    let side = (size.x / blocks as f64 * size.y).sqrt();
    let [cols, rows] = [size.x, size.y].map(|length| ((length / side) as usize).clamp(1, blocks));
    let mut taken = vec![false; cols * rows];
    for position in positions {
        let share = (position - world.min).as_dvec2() / size;
        let [col, row] = [(share.x, cols), (share.y, rows)]
            .map(|(share, of)| ((share * of as f64) as usize).min(of - 1));
        taken[row * cols + col] = true;
    }
    let share = taken.iter().filter(|&&taken| taken).count() as f64 / taken.len() as f64;
    size.x * size.y * if share > ALL { 1.0 } else { share }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, scene::place};

    #[test]
    fn what_is_missing_is_drawn_as_in_the_scene() {
        for scene in [Scene::Gas, Scene::Melee, Scene::Mixed] {
            let setup = Setup { agents: 2_000, ..Setup::new(scene) };
            let Start { agents, world, populated, .. } = place(&setup).expect("a start");
            let given = PartialStart { x: agents.x.clone(), y: agents.y, ..Default::default() };
            let setup = Setup { world: Some(world.size()), ..setup };
            let start = given.complete(&setup);
            // Both have them in the order of their ids.
            assert!(start.agents.id.is_sorted() && start.agents.x == agents.x);
            assert_eq!(start.agents.vx, agents.vx);
            // The same radii, but an agent may have another one.
            let [drawn, placed] = [&start.agents.radius, &agents.radius].map(|radii| {
                let mut radii = radii.clone();
                radii.sort_unstable_by(f32::total_cmp);
                radii
            });
            assert_eq!(drawn, placed);
            let units = |units: Option<Units>| units.map(|units| (units.faction, units.health));
            assert_eq!(units(start.agents.units), units(agents.units));
            assert!((start.populated / populated - 1.0).abs() < 0.01, "{}", start.populated);
        }
    }

    #[test]
    fn a_sparse_world_is_populated_in_part() {
        let setup = Setup { agents: 10_000, ..Setup::new(Scene::Sparse) };
        let Start { agents, world, populated, .. } = place(&setup).expect("a start");
        let positions = agents.x.iter().zip(&agents.y).map(|(&x, &y)| Vec2::new(x, y));
        let measured = super::populated(&world, positions, 10_000) / populated;
        assert!((0.5..30.0).contains(&measured), "{measured}");
    }
}
