//! What may be in a run: an agent by itself, and a start as a whole. What can't be is refused in a sentence.

use crate::{
    agents::{Agents, Spawn, Units},
    alloc,
    error::{Error, Result},
    geometry::Rect,
    limits,
    scene::{Scene, Setup, Start, coordinate_step},
};

/// Refuses a start that a run of that set-up can't begin with, whoever placed it.
pub(super) fn start(setup: &Setup, start: &Start) -> Result<()> {
    let Start { world, agents, populated, .. } = start;
    // Those of the start count, and not those that the set-up would have placed.
    let count = u32::try_from(agents.len()).unwrap_or(u32::MAX);
    Setup { agents: count.max(1), ..setup.clone() }.numbers()?;
    columns(setup, agents)?;
    setup.room_beside(agents.len())?;
    ground(setup, world, *populated)?;
    ids(&agents.id)?;
    (0..agents.len()).try_for_each(|slot| agent(&agents.as_spawn(slot), world))
}

/// Refuses an agent that can't be in a world.
pub(super) fn agent(spawn: &Spawn, world: &Rect) -> Result<()> {
    let Spawn { position, velocity, radius, faction, health } = *spawn;
    // Where positions are coarser than that, discs would jump over each other.
    let step = coordinate_step(world);
    let is_fine = step <= radius * limits::COORDINATE_STEP_MAX;
    if !((limits::RADIUS_MIN..=limits::RADIUS_MAX).contains(&radius) && is_fine) {
        return Err(Error::invalid(format!(
            "an agent of radius {radius} can't be in this world; radii go from {} to {}",
            (step / limits::COORDINATE_STEP_MAX).max(limits::RADIUS_MIN),
            limits::RADIUS_MAX
        )));
    }
    if !world.expanded(-radius).contains(position) {
        return Err(Error::invalid(format!(
            "an agent of radius {radius} can't be at {}, {}: its disc must lie in the world, which goes from {}, {} \
             to {}, {}",
            position.x, position.y, world.min.x, world.min.y, world.max.x, world.max.y
        )));
    }
    if velocity.abs().max_element() > limits::SPEED_MAX || velocity.is_nan() {
        return Err(Error::invalid(format!(
            "an agent can't come with a velocity of {}, {}; {} along x or y is the most",
            velocity.x,
            velocity.y,
            limits::SPEED_MAX
        )));
    }
    if faction >= Units::FACTIONS {
        return Err(Error::invalid(format!(
            "an agent can't be on side {faction}; sides go from 0 to {}",
            Units::FACTIONS - 1
        )));
    }
    if !(1..=Units::HEALTH).contains(&health) {
        return Err(Error::invalid(format!(
            "an agent can't come in health {health}; it goes from 1, the last strike that it can take, to {}",
            Units::HEALTH
        )));
    }
    Ok(())
}

/// Refuses columns of other lengths than that of the ids, and agents without sides who are to fight.
fn columns(setup: &Setup, agents: &Agents) -> Result<()> {
    let Agents { x, y, vx, vy, radius, id, units } = agents;
    if units.is_none() && setup.scene.has_factions() {
        return Err(Error::invalid(format!(
            "agents of {} can't be without sides and health; their start needs units",
            setup.scene
        )));
    }
    let numbers = [("x", x), ("y", y), ("vx", vx), ("vy", vy), ("radius", radius)];
    let numbers = numbers.map(|(name, column)| (name, column.len()));
    let units = units.iter().flat_map(|Units { faction, health }| {
        [("faction", faction.len()), ("health", health.len())]
    });
    match numbers.into_iter().chain(units).find(|&(_, length)| length != id.len()) {
        None => Ok(()),
        Some((name, length)) => Err(Error::invalid(format!(
            "a start can't have {length} values of {name} for {} ids; each agent has one in every column",
            id.len()
        ))),
    }
}

/// Refuses what is no world, or not that of the scene.
fn ground(setup: &Setup, world: &Rect, populated: f64) -> Result<()> {
    let size = world.size();
    if !(size.is_finite() && size.min_element() > 0.0) {
        return Err(Error::invalid(format!(
            "a start can't have a world from {}, {} to {}, {}; width and height must be numbers above 0",
            world.min.x, world.min.y, world.max.x, world.max.y
        )));
    }
    if !(populated.is_finite() && populated > 0.0) {
        return Err(Error::invalid(format!(
            "a start can't have {populated} square units of its world populated; it must be a number above 0"
        )));
    }
    if setup.scene == Scene::Cannon {
        setup.validate()?;
        let own = setup.world();
        if *world != own {
            return Err(Error::invalid(format!(
                "a start of {} can't have a world of {} x {}; its own is {} x {} from 0, 0",
                setup.scene,
                size.x,
                size.y,
                own.width(),
                own.height()
            )));
        }
    }
    setup.cells(size)
}

/// Refuses ids that two have, and nobody's. They may be in any order.
fn ids(ids: &[u32]) -> Result<()> {
    let mut sorted = Vec::new();
    let ids = if ids.is_sorted() {
        ids
    } else {
        alloc::reserve(&mut sorted, ids.len(), "the ids in order")?;
        sorted.extend_from_slice(ids);
        sorted.sort_unstable();
        &sorted[..]
    };
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let gone = ids.last().copied().filter(|&id| id == Agents::GONE);
    let Some(id) = gone.or(twice) else { return Ok(()) };
    Err(Error::invalid(format!(
        "an agent can't have the id {id}{}; each has one of its own, from 0 to {}",
        if gone.is_some() { "" } else { ", which another has" },
        Agents::GONE - 1
    )))
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::{Sim, scene};

    type Change = fn(&mut Setup, &mut Start);

    fn changed(scene: Scene, change: Change) -> Result<Sim> {
        let mut setup = Setup::with_agents(scene, 30);
        let mut start = scene::place(&setup).expect("it can be placed");
        change(&mut setup, &mut start);
        Sim::from_start(&setup, start)
    }

    fn refuse(scene: Scene, refusals: &[(Change, &str)]) {
        for (change, said) in refusals {
            let error = changed(scene, *change).expect_err(said);
            assert!(matches!(error, Error::Invalid(_)), "{error}");
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn set_ups_that_no_start_can_go_on_by_are_refused() {
        refuse(
            Scene::Gas,
            &[
                (|s, _| s.radius = [1.0, 0.5], "--radius 1..0.5 runs backwards"),
                (|s, _| s.radius = [f32::NAN, 0.5], "--radius NaN can't be"),
                (|s, _| s.hz = 0.0, "--hz 0 can't be"),
                (|s, _| s.substeps = 0, "--substeps 0 is too few"),
                (|s, _| s.speed = f32::NAN, "--speed NaN can't be"),
                (|s, _| s.cell = Some(1e-6), "--cell 1e-6 can't cut a world"),
                (|s, _| s.spare_agents = limits::AGENTS_MAX - 29, "1000000000 in all are the most"),
                (|s, _| s.spare_statics = u32::MAX, "room for 4294967295 statics is too much"),
            ],
        );
        // The set-up speaks of fewer than there are.
        let fewer: Change = |s, _| (s.agents, s.spare_agents) = (1, limits::AGENTS_MAX - 1);
        refuse(Scene::Gas, &[(fewer, "agents more than 30 is too much")]);
    }

    #[test]
    fn agents_that_cannot_be_in_a_run_are_refused() {
        refuse(
            Scene::Melee,
            &[
                (|_, s| s.agents.radius[7] = f32::NAN, "radius NaN can't be in this world"),
                (|_, s| s.agents.radius[7] = -0.5, "radius -0.5 can't be in this world"),
                (|_, s| s.agents.x[7] = f32::NAN, "can't be at NaN, "),
                (|_, s| s.agents.y[7] = -1.0, ", -1: its disc must lie in the world"),
                (|_, s| s.agents.vy[7] = f32::INFINITY, ", inf; 1000000000 along x or y"),
                (|_, s| s.agents.id[7] = 8, "can't have the id 8, which another has"),
                (|_, s| (s.agents.id[9], s.agents.id[7]) = (7, 7), "the id 7, which another has"),
                (|_, s| s.agents.id[29] = u32::MAX, "the id 4294967295; each has one of its own"),
                (|_, s| s.agents.vx.truncate(29), "29 values of vx for 30 ids"),
                (|_, s| s.agents.y.push(1.0), "31 values of y for 30 ids"),
                (|_, s| drop(s.agents.units.take()), "agents of melee can't be without sides"),
                (|_, s| units(s).faction[7] = 7, "side 7; sides go from 0 to 1"),
                (|_, s| units(s).health[7] = 0, "health 0; it goes from 1"),
                (|_, s| units(s).health.truncate(29), "29 values of health for 30 ids"),
            ],
        );
    }

    fn units(start: &mut Start) -> &mut Units {
        start.agents.units.as_mut().expect("a melee has sides")
    }

    #[test]
    fn worlds_that_no_run_can_be_in_are_refused() {
        refuse(
            Scene::Gas,
            &[
                (|_, s| s.world.max = s.world.min, "width and height must be numbers above 0"),
                (|_, s| s.world.max.x = f32::INFINITY, "width and height must be numbers above 0"),
                (|_, s| s.world.min.y = f32::NAN, "width and height must be numbers above 0"),
                (|_, s| s.world.max *= 1e9, "can't be in this world; radii go from"),
                (|_, s| s.populated = f64::NAN, "NaN square units of its world populated"),
            ],
        );
        let wider: Change = |_, s| s.world.max.x = 20.0;
        refuse(Scene::Cannon, &[(wider, "a start of cannon can't have a world of 20 x 6.4")]);
    }

    #[test]
    fn ids_in_any_order_and_nobody_at_all_may_begin() {
        changed(Scene::Gas, |_, s| s.agents.id.reverse()).expect("each has its own");
        let mut sim = changed(Scene::Gas, |setup, start| {
            setup.spare_agents = 1;
            start.agents = Agents::default();
        })
        .expect("who is not there is in nobody's way");
        sim.spawn(&[Spawn::new(sim.world().center(), Vec2::ZERO, 0.5)]).expect("there is room");
        sim.step().expect("there is memory");
    }
}
