//! Skeleton: a jittered lattice; the scenes replace it.
use glam::Vec2;

use super::{Setup, Start, radii::Radii};
use crate::{agents::Agents, error::Result, rng::Rng};

/// The agents and the world of a set-up.
///
/// # Errors
/// If the set-up's values are out of range, contradict each other, or leave no room for the agents;
/// the message says which would do.
pub fn place(setup: &Setup) -> Result<Start> {
    setup.validate()?;
    let world = setup.world();
    let radii = Radii::of(setup);
    let mut rng = Rng::new(setup.seed);
    let mut agents = Agents::with_capacity(setup.agents as usize);
    let columns = (f64::from(setup.agents) * 16.0 / 9.0).sqrt().ceil() as u32;
    let rows = setup.agents.div_ceil(columns);
    for id in 0..setup.agents {
        let radius = radii.radius(id);
        let direction = rng.direction();
        let speed = setup.speed * rng.between(0.5, 1.5);
        let cell = Vec2::new((id % columns) as f32, (id / columns) as f32);
        let unit = cell / Vec2::new(columns as f32, rows as f32);
        agents.push(crate::agents::Agent {
            position: world.min + radius + unit * (world.size() - 2.0 * radius),
            velocity: direction * speed,
            radius,
            id,
        });
    }
    Ok(Start { world, agents, populated: setup.populated() })
}

pub(super) fn remedy(_setup: &Setup) -> String {
    "0.5 would do".into()
}

pub(super) fn refuse_the_impossible(_setup: &Setup) -> Result<()> {
    Ok(())
}
