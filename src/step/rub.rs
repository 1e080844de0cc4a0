//! Friction at the moment of contact: a collision rubs along the tangent as hard as Coulomb's law
//! allows.

use glam::{DVec2, Vec2};

use crate::{
    agents::AgentsMut,
    solver::coulomb::{self, TURN},
};

/// Stops the slide of an agent along a wall or static, by an impulse that changes its velocity by
/// at most `most`.
#[cold]
pub(super) fn rub_fixed(velocity: &mut Vec2, spin: &mut f32, radius: f32, normal: Vec2, most: f32) {
    let mut body = [velocity.x, velocity.y, 0.0, 0.0];
    let mut rim = *spin * radius;
    coulomb::rub_fixed(normal.to_array(), &mut 0.0, most, &mut body, &mut rim);
    *velocity = Vec2::new(body[0], body[1]);
    *spin = rim / radius;
}

/// Stops the slide of two agents along each other, by an impulse that changes the velocity between
/// them by at most `most`. `apart` leads from the first center to the second one.
///
/// The two touch on the line between their centers, at the shares of their radii: so the angular
/// momentum is kept, however deep they overlap.
#[cold]
pub(super) fn rub_pair(agents: &mut AgentsMut<'_>, [i, j]: [usize; 2], apart: DVec2, most: f64) {
    let distance = apart.length();
    if distance == 0.0 {
        return;
    }
    let tangent = apart.perp() / distance;
    let radii = [i, j].map(|entry| f64::from(agents.radius[entry]));
    let masses = radii.map(|radius| radius * radius);
    // The arm of the impulse, as a share of the radius.
    let arm = distance / (radii[0] + radii[1]);
    let velocities =
        [i, j].map(|entry| DVec2::new(agents.vx[entry].into(), agents.vy[entry].into()));
    let [one, other] = [i, j].map(|entry| f64::from(agents.spin[entry]));
    let rims = one * radii[0] + other * radii[1];
    let slide = (velocities[1] - velocities[0]).dot(tangent) - arm * rims;
    let turn = f64::from(TURN) * arm;
    let change = (-slide / (1.0 + turn * arm)).max(-most).min(most);
    let total = masses[0] + masses[1];
    let shares = [masses[1] / total, masses[0] / total];
    let along = [-tangent, tangent];
    for (of, entry) in [i, j].into_iter().enumerate() {
        let after = (velocities[of] + along[of] * (shares[of] * change)).as_vec2();
        [agents.vx[entry], agents.vy[entry]] = after.to_array();
        let spin = f64::from(agents.spin[entry]) - turn * (shares[of] * change) / radii[of];
        agents.spin[entry] = spin as f32;
    }
}
