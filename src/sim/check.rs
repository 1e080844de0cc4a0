//! Which agents and starts a run accepts.

use std::ops::Range;

use glam::Vec2;

use crate::{
    agents::{Agents, Spawn, Units},
    alloc,
    error::{Error, Field, Limit, Result, Stored, Value},
    geometry::{Rect, Space},
    limits,
    scene::{Setup, Start, coordinate_step},
    snapshot::require,
};

/// Rejects a start that a run of that set-up can't begin with, whatever placed it.
pub(crate) fn start(setup: &Setup, start: &Start) -> Result<()> {
    let Start { world, agents, populated, .. } = start;
    // The agents of the start count, not those that the set-up would have placed.
    let count = u32::try_from(agents.len()).unwrap_or(u32::MAX);
    Setup { agents: count.max(1), ..setup.clone() }.numbers()?;
    columns(setup, agents)?;
    ground(setup, world, *populated)?;
    ids(&agents.id)?;
    let space = Space::new(*world, setup.boundary);
    (0..agents.len()).try_for_each(|slot| agent(&agents.as_spawn(slot), &space))
}

/// The ids of agents that are added, the first of which is the next id. Rejects agents that can't be added.
pub(crate) fn added(spawns: &[Spawn], space: &Space, next_id: u32) -> Result<Range<u32>> {
    spawns.iter().try_for_each(|spawn| agent(spawn, space))?;
    let end = next_id.checked_add(spawns.len() as u32).ok_or(Error::IdsUsedUp {
        stored: Stored::Agents,
        more: spawns.len() as u64,
        used: next_id,
        ids: Agents::GONE,
    })?;
    Ok(next_id..end)
}

/// Rejects agents that no run of the set-up can have, with a capacity and a next id. Collisions may
/// have made them faster than the agents of a start.
pub(super) fn restored(
    setup: &Setup,
    agents: &Agents,
    world: &Rect,
    capacity: usize,
    next_id: u32,
) -> Result<()> {
    columns(setup, agents)?;
    let spins = setup.friction == 0.0 || agents.spins().is_some();
    require(spins, "own.names", "has no spins, which a run with friction needs")?;
    ground(setup, world, 1.0)?;
    let space = Space::new(*world, setup.boundary);
    let radii = limits::RADIUS_MIN..=limits::RADIUS_MAX.min(space.radius_max());
    let sizes = agents.radius.iter().fold(true, |all, radius| all & radii.contains(radius));
    require(sizes, "radius", "has radii that do not fit its world")?;
    let Rect { min, max } = space.reach();
    for (tag, column, [low, high]) in
        [("x", &agents.x, [min.x, max.x]), ("y", &agents.y, [min.y, max.y])]
    {
        let inside = column.iter().fold(true, |all, at| all & (*at >= low) & (*at <= high));
        require(inside, tag, "has positions outside the world")?;
    }
    if let Some(Units { faction, health }) = &agents.units {
        let sides = faction.iter().fold(true, |all, &side| all & (side < Units::FACTIONS));
        require(sides, "faction", "has sides that there are not")?;
        let lives =
            health.iter().fold(true, |all, &left| all & (left > 0) & (left <= Units::HEALTH));
        require(lives, "health", "has values that no unit has")?;
    }
    let used = agents.id.iter().fold(true, |all, &id| all & (id < next_id));
    require(used, "id", "has ids that were not given yet")?;
    if next_id as usize > 32 * capacity {
        return ids(&agents.id);
    }
    // Much faster than sorting them.
    let mut taken = alloc::filled(next_id.div_ceil(64) as usize, 0_u64, "the ids")?;
    let unique = agents.id.iter().fold(true, |all, &id| {
        let (word, bit) = (&mut taken[id as usize / 64], 1 << (id % 64));
        let free = *word & bit == 0;
        *word |= bit;
        all & free
    });
    require(unique, "id", "has an id twice")
}

/// Rejects an agent that can't be in a space.
pub(crate) fn agent(spawn: &Spawn, space: &Space) -> Result<()> {
    let Spawn { position, velocity, radius, faction, health, species: _ } = *spawn;
    // Discs would jump over each other where positions are coarser than a share of their radius.
    let step = coordinate_step(&space.world());
    let is_fine = step <= radius * limits::COORDINATE_STEP_MAX;
    let max = limits::RADIUS_MAX.min(space.radius_max());
    if !((limits::RADIUS_MIN..=max).contains(&radius) && is_fine) {
        let min = (step / limits::COORDINATE_STEP_MAX).max(limits::RADIUS_MIN);
        let limit = Limit::Numbers(min..=max);
        return Err(Error::invalid(Field::AgentRadius, Value::Number(radius), limit));
    }
    self::position(position, radius, space)?;
    self::velocity(velocity)?;
    let within = |field, value: u8, min: u8, max: u8| {
        let limit = Limit::Counts(min.into()..=max.into());
        let is_within = (min..=max).contains(&value);
        let error = || Error::invalid(field, Value::Count(value.into()), limit);
        is_within.then_some(()).ok_or_else(error)
    };
    within(Field::Faction, faction, 0, Units::FACTIONS - 1)?;
    within(Field::Health, health, 1, Units::HEALTH)
}

/// Rejects a position at which a disc does not lie in a space.
pub(super) fn position(position: Vec2, radius: f32, space: &Space) -> Result<()> {
    let free = space.centers(radius);
    if free.contains(position) {
        return Ok(());
    }
    let limit = Limit::Inside([free.min, free.max]);
    Err(Error::invalid(Field::Position, Value::Point(position), limit))
}

/// Rejects a velocity that is too fast along an axis.
pub(super) fn velocity(velocity: Vec2) -> Result<()> {
    at_most(Field::Velocity, velocity, limits::SPEED_MAX)
}

/// Rejects a force that changes a velocity by too much along an axis while it acts, on an agent of
/// that radius for that many seconds.
pub(super) fn force(force: Vec2, radius: f32, seconds: f32) -> Result<()> {
    at_most(Field::Force, force, limits::SPEED_MAX * radius * radius / seconds)
}

fn at_most(field: Field, vector: Vec2, max: f32) -> Result<()> {
    if vector.abs().max_element() <= max && !vector.is_nan() {
        return Ok(());
    }
    Err(Error::invalid(field, Value::Point(vector), Limit::Numbers(-max..=max)))
}

/// Rejects columns whose length differs from the number of ids, fighting agents without units, and
/// columns of a caller's own that are none.
fn columns(setup: &Setup, agents: &Agents) -> Result<()> {
    let Agents { x, y, vx, vy, radius, id, units, own } = agents;
    if units.is_none() && setup.scene.has_factions() {
        let limit = Limit::Required(setup.scene.name());
        return Err(Error::invalid(Field::Units, Value::Missing, limit));
    }
    let numbers = [("x", x), ("y", y), ("vx", vx), ("vy", vy), ("radius", radius)];
    let numbers = numbers.map(|(name, column)| (name, column.len()));
    let units = units.iter().flat_map(|Units { faction, health }| {
        [("faction", faction.len()), ("health", health.len())]
    });
    match numbers.into_iter().chain(units).find(|&(_, length)| length != id.len()) {
        None => own.as_ref().map_or(Ok(()), |own| own.check(id.len())),
        Some((name, length)) => {
            let limit = Limit::Length(id.len() as u64);
            Err(Error::invalid(Field::Column(name), Value::Count(length as u64), limit))
        }
    }
}

/// Rejects a world without extent, and a world that is not the scene's own.
fn ground(setup: &Setup, world: &Rect, populated: f64) -> Result<()> {
    let size = world.size();
    if !(size.is_finite() && size.min_element() > 0.0) {
        let value = Value::Rect([world.min, world.max]);
        return Err(Error::invalid(Field::StartWorld, value, Limit::Extent));
    }
    if !(populated.is_finite() && populated > 0.0) {
        return Err(Error::invalid(
            Field::Populated,
            Value::Number(populated as f32),
            Limit::Extent,
        ));
    }
    if setup.scene.has_own_world() {
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
        return error(Agents::GONE, Limit::Counts(0..=u64::from(Agents::GONE - 1)));
    }
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => error(pair[0], Limit::Unique),
        None => Ok(()),
    }
}
