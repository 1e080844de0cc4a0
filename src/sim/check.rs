//! Which agents and starts a run accepts.

use crate::{
    agents::{Agents, Spawn, Units},
    alloc,
    error::{Error, Field, Limit, Result, Value},
    geometry::Rect,
    limits,
    scene::{Scene, Setup, Start, coordinate_step},
};

/// Rejects a start that a run of that set-up can't begin with, whatever placed it.
pub(super) fn start(setup: &Setup, start: &Start) -> Result<()> {
    let Start { world, agents, populated, .. } = start;
    // The agents of the start count, not those that the set-up would have placed.
    let count = u32::try_from(agents.len()).unwrap_or(u32::MAX);
    Setup { agents: count.max(1), ..setup.clone() }.numbers()?;
    columns(setup, agents)?;
    setup.check_spare_agents(agents.len())?;
    ground(setup, world, *populated)?;
    ids(&agents.id)?;
    (0..agents.len()).try_for_each(|slot| agent(&agents.as_spawn(slot), world))
}

/// Rejects an agent that can't be in a world.
pub(super) fn agent(spawn: &Spawn, world: &Rect) -> Result<()> {
    let Spawn { position, velocity, radius, faction, health } = *spawn;
    // Discs would jump over each other where positions are coarser than a share of their radius.
    let step = coordinate_step(world);
    let is_fine = step <= radius * limits::COORDINATE_STEP_MAX;
    let max = limits::RADIUS_MAX.min(0.5 * world.size().min_element());
    if !((limits::RADIUS_MIN..=max).contains(&radius) && is_fine) {
        let min = (step / limits::COORDINATE_STEP_MAX).max(limits::RADIUS_MIN);
        let limit = Limit::Numbers { min, max };
        return Err(Error::invalid(Field::AgentRadius, Value::Number(radius), limit));
    }
    let free = world.expanded(-radius);
    if !free.contains(position) {
        let limit = Limit::Inside { min: free.min, max: free.max };
        return Err(Error::invalid(Field::Position, Value::Point(position), limit));
    }
    if velocity.abs().max_element() > limits::SPEED_MAX || velocity.is_nan() {
        let limit = Limit::Numbers { min: -limits::SPEED_MAX, max: limits::SPEED_MAX };
        return Err(Error::invalid(Field::Velocity, Value::Point(velocity), limit));
    }
    let within = |field, value: u8, min: u8, max: u8| {
        let limit = Limit::Counts { min: min.into(), max: max.into() };
        let is_within = (min..=max).contains(&value);
        let error = || Error::invalid(field, Value::Count(value.into()), limit);
        is_within.then_some(()).ok_or_else(error)
    };
    within(Field::Faction, faction, 0, Units::FACTIONS - 1)?;
    within(Field::Health, health, 1, Units::HEALTH)
}

/// Rejects columns of another length than that of the ids, and fighting agents without units.
fn columns(setup: &Setup, agents: &Agents) -> Result<()> {
    let Agents { x, y, vx, vy, radius, id, units } = agents;
    if units.is_none() && setup.scene.has_factions() {
        let limit = Limit::Required { scene: setup.scene.name() };
        return Err(Error::invalid(Field::Units, Value::Missing, limit));
    }
    let numbers = [("x", x), ("y", y), ("vx", vx), ("vy", vy), ("radius", radius)];
    let numbers = numbers.map(|(name, column)| (name, column.len()));
    let units = units.iter().flat_map(|Units { faction, health }| {
        [("faction", faction.len()), ("health", health.len())]
    });
    match numbers.into_iter().chain(units).find(|&(_, length)| length != id.len()) {
        None => Ok(()),
        Some((name, length)) => {
            let limit = Limit::Length { ids: id.len() as u64 };
            Err(Error::invalid(Field::Column(name), Value::Count(length as u64), limit))
        }
    }
}

/// Rejects a world without extent, and a world that is not the scene's own.
fn ground(setup: &Setup, world: &Rect, populated: f64) -> Result<()> {
    let size = world.size();
    if !(size.is_finite() && size.min_element() > 0.0) {
        let value = Value::Rect { min: world.min, max: world.max };
        return Err(Error::invalid(Field::StartWorld, value, Limit::Extent));
    }
    if !(populated.is_finite() && populated > 0.0) {
        return Err(Error::invalid(Field::Populated, Value::Double(populated), Limit::Extent));
    }
    if setup.scene == Scene::Cannon {
        setup.validate()?;
        let own = setup.world();
        if *world != own {
            let limit = Limit::OwnWorld { scene: setup.scene.name(), world: own.size() };
            return Err(Error::invalid(Field::StartWorld, Value::Size(size), limit));
        }
    }
    setup.check_cells(size)
}

/// Rejects duplicate ids and the reserved id [`Agents::GONE`]. Ids may be in any order.
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
    let error = |id: u32, limit| Err(Error::invalid(Field::Id, Value::Count(id.into()), limit));
    if ids.last() == Some(&Agents::GONE) {
        return error(Agents::GONE, Limit::Counts { min: 0, max: u64::from(Agents::GONE - 1) });
    }
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => error(pair[0], Limit::Unique),
        None => Ok(()),
    }
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
                (|s, _| s.radius = [1.0, 0.5], "radius 1..0.5 runs from large to small"),
                (|s, _| s.radius = [f32::NAN, 0.5], "radius NaN is out of range"),
                (|s, _| s.hz = 0.0, "hz 0 is out of range"),
                (|s, _| s.substeps = 0, "substeps 0 is out of range"),
                (|s, _| s.speed = f32::NAN, "speed NaN is out of range"),
                (|s, _| s.cell = Some(1e-6), "cell 1e-6 can't divide a world"),
                (|s, _| s.spare_agents = limits::AGENTS_MAX - 29, "expected 0 to 999999970"),
                (|s, _| s.spare_statics = u32::MAX, "spare_statics 4294967295 is out of range"),
            ],
        );
        // The set-up names fewer agents than the start has.
        let fewer: Change = |s, _| (s.agents, s.spare_agents) = (1, limits::AGENTS_MAX - 1);
        refuse(Scene::Gas, &[(fewer, "expected 0 to 999999970")]);
    }

    #[test]
    fn agents_that_cannot_be_in_a_run_are_refused() {
        refuse(
            Scene::Melee,
            &[
                (|_, s| s.agents.radius[7] = f32::NAN, "agent radius NaN is out of range"),
                (|_, s| s.agents.radius[7] = -0.5, "agent radius -0.5 is out of range"),
                (|_, s| s.agents.x[7] = f32::NAN, "agent position (NaN, "),
                (|_, s| s.agents.y[7] = -1.0, ", -1) is out of range: expected positions from ("),
                (
                    |_, s| s.agents.vy[7] = f32::INFINITY,
                    ", inf) is out of range: expected -1e9 to 1e9",
                ),
                (|_, s| s.agents.id[7] = 8, "agent id 8 is not unique"),
                (|_, s| (s.agents.id[9], s.agents.id[7]) = (7, 7), "agent id 7 is not unique"),
                (
                    |_, s| s.agents.id[29] = u32::MAX,
                    "agent id 4294967295 is out of range: expected 0 to 4294967294",
                ),
                (
                    |_, s| s.agents.vx.truncate(29),
                    "column vx 29 long is not one value per id: expected 30",
                ),
                (
                    |_, s| s.agents.y.push(1.0),
                    "column y 31 long is not one value per id: expected 30",
                ),
                (|_, s| drop(s.agents.units.take()), "units are missing: melee needs them"),
                (|_, s| units(s).faction[7] = 7, "faction 7 is out of range: expected 0 to 1"),
                (|_, s| units(s).health[7] = 0, "health 0 is out of range: expected 1 to "),
                (
                    |_, s| units(s).health.truncate(29),
                    "column health 29 long is not one value per id: expected 30",
                ),
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
                (|_, s| s.world.max = s.world.min, "expected finite lengths above 0"),
                (|_, s| s.world.max.x = f32::INFINITY, "expected finite lengths above 0"),
                (|_, s| s.world.min.y = f32::NAN, "expected finite lengths above 0"),
                (|_, s| s.world.max *= 1e9, "agent radius "),
                (|_, s| s.populated = f64::NAN, "populated area NaN"),
            ],
        );
        let wider: Change = |_, s| s.world.max.x = 20.0;
        refuse(
            Scene::Cannon,
            &[(
                wider,
                "start world 20x6.4 can't be used with cannon, whose world is always 9.6x6.4",
            )],
        );
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
