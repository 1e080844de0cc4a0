//! The grid in a game loop, with the game's own structs.
//!
//! Run `cargo run --release --no-default-features --example units`.

use std::ops::ControlFlow;

use jostle::{Disc, Grid, GridConfig, Rect, Result, Vec2, grid::HasShape};

/// A unit of the game. The grid only needs its shape.
struct Unit {
    position: Vec2,
    velocity: Vec2,
    radius: f32,
    team: u8,
}

impl HasShape for Unit {
    type Shape = Disc;
    fn shape(&self) -> Disc {
        Disc::new(self.position, self.radius)
    }
}

/// Two thousand units of two teams, spread over the world.
fn spawn(world: &Rect) -> Vec<Unit> {
    // The fractions of the multiples of an irrational number are spread evenly from 0 to 1.
    let fraction = |i: u16, irrational: f32| (f32::from(i) * irrational).fract();
    let unit = |i: u16| Unit {
        position: world.min
            + world.size() * Vec2::new(fraction(i, 0.754_877_7), fraction(i, 0.569_840_3)),
        velocity: Vec2::from_angle(f32::from(i)) * (1.0 + 3.0 * fraction(i, 0.618_034)),
        radius: 0.3 + 0.3 * fraction(i, 0.414_213_6),
        team: (i % 2) as u8,
    };
    (0..2_000).map(unit).collect()
}

/// Moves the units for `dt` seconds; they turn around at the border.
fn advance(units: &mut [Unit], world: &Rect, dt: f32) {
    for unit in units {
        unit.position += unit.velocity * dt;
        for axis in 0..2 {
            if unit.position[axis] < world.min[axis] || unit.position[axis] > world.max[axis] {
                unit.velocity[axis] = -unit.velocity[axis];
            }
        }
    }
}

pub(crate) fn main() -> Result<()> {
    let world = Rect::from_size(160.0, 90.0);
    let mut units = spawn(&world);
    // Loose cells of about 2.5 times the radius of most units, or more.
    let mut grid = Grid::new(GridConfig::new(world, 2.0, units.len()))?;
    grid.rebuild(&units)?;

    let (mut collisions, mut in_sight) = (0, 0);
    for _frame in 0..60 {
        advance(&mut units, &world, 1.0 / 60.0);
        grid.update(&units)?;

        grid.visit_pairs(&units, 0.0, |_, _| collisions += 1);
        // The first unit looks for its nearest enemy, and checks that nothing is in between.
        let me = &units[0];
        let enemy = grid.nearest(&units, me.position, |i| units[i as usize].team != me.team);
        if let Some(enemy) = enemy {
            let to = units[enemy.element as usize].position - me.position;
            let hit = grid.raycast(&units, me.position, to, f32::INFINITY, |i| i != 0);
            in_sight += u32::from(hit.is_some_and(|hit| hit.element == enemy.element));
        }
    }
    let center = world.center();
    let near = grid.in_disc(&units, center, 10.0).count();
    // A query can stop: is any unit of team 1 there?
    let threat = grid.visit_disc(&units, center, 10.0, |i| match units[i as usize].team {
        1 => ControlFlow::Break(i),
        _ => ControlFlow::Continue(()),
    });
    println!("{collisions} collisions in 60 frames");
    println!("nearest enemy in sight in {in_sight} of them");
    println!("{near} units near the center; threatened: {}", threat.is_break());
    assert!(collisions > 0 && in_sight > 0 && near > 0);
    Ok(())
}
