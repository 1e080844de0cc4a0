//! Friction at the moment of contact: a collision rubs as hard as the laws of friction allow.

use glam::{DVec2, Vec2};

use crate::{
    agents::AgentsMut,
    limits::SPEED_MAX,
    solver::coulomb::{self, Roughness, Rub, TURN},
};

/// Rubs an agent against a wall or static, which an impulse presses together that changed its
/// velocity by `change`.
#[cold]
pub(super) fn rub_fixed(
    velocity: &mut Vec2,
    spin: &mut f32,
    radius: f32,
    normal: Vec2,
    change: f32,
    roughness: Roughness,
) {
    let mut body = [velocity.x, velocity.y, 0.0, 0.0];
    let (mut rim, mut rub) = ((*spin * radius).clamp(-SPEED_MAX, SPEED_MAX), Rub::default());
    coulomb::rub_fixed(normal.to_array(), &mut rub, change, roughness, &mut body, &mut rim);
    *velocity = Vec2::new(body[0], body[1]);
    *spin = rim / radius;
}

/// Rubs two agents against each other, which an impulse presses together that changed the velocity
/// between them by `pressed`. `apart` leads from the first center to the second one.
///
/// The two touch on the line between their centers, at the shares of their radii: so the angular
/// momentum is kept, however deep they overlap.
#[cold]
pub(super) fn rub_pair(
    agents: &mut AgentsMut<'_>,
    entries: [usize; 2],
    apart: DVec2,
    pressed: f64,
    roughness: Roughness,
) {
    let distance = apart.length();
    if distance == 0.0 {
        return;
    }
    let tangent = apart.perp() / distance;
    let [ri, rj] = entries.map(|entry| f64::from(agents.radius[entry]));
    let (square_i, square_j) = (ri * ri, rj * rj);
    let shares = [square_j, square_i].map(|square| square / (square_i + square_j));
    let [vi, vj] =
        entries.map(|entry| DVec2::new(agents.vx[entry].into(), agents.vy[entry].into()));
    let [wi, wj] = entries.map(|entry| {
        let most = SPEED_MAX / agents.radius[entry];
        f64::from(agents.spin[entry].clamp(-most, most))
    });
    // The arm of the impulse, as a share of the radius.
    let arm = distance / (ri + rj);
    let slide = (vj - vi).dot(tangent) - arm * (wi * ri + wj * rj);
    let turn = f64::from(TURN);
    let change = within(-slide / (1.0 + turn * arm * arm), f64::from(roughness.friction) * pressed);
    let [vi, vj] = [vi - tangent * (shares[0] * change), vj + tangent * (shares[1] * change)];
    let spun = turn * arm * change;
    let [wi, wj] = [wi - spun * shares[0] / ri, wj - spun * shares[1] / rj];
    // Against rolling, with the reduced radius.
    let reduced = ri * rj / (ri + rj);
    let turns = [shares[0] / square_i, shares[1] / square_j].map(|one| turn * reduced * one);
    let most = f64::from(roughness.rolling) * pressed;
    let roll = within((wj - wi) / (turns[0] + turns[1]), most);
    let spins = [wi + turns[0] * roll, wj - turns[1] * roll];
    for ((entry, velocity), spin) in entries.into_iter().zip([vi, vj]).zip(spins) {
        [agents.vx[entry], agents.vy[entry]] = velocity.as_vec2().to_array();
        agents.spin[entry] = spin as f32;
    }
}

/// A number cut to a size.
fn within(number: f64, most: f64) -> f64 {
    number.min(most).max(-most)
}
