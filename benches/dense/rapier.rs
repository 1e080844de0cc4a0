//! `rapier2d` as an engine.

use jostle::{Agent, Setup, Vec2};
use rapier2d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};

use crate::{
    bodies::Bodies,
    engine::{Engine, Mode, Outcome},
    state::{State, spins},
    walls::walls,
};

pub(crate) struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

impl Rapier {
    pub(crate) fn new(state: &State, mode: Mode, dt: f32, iterations: usize) -> Outcome<Self> {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, -state.setup.gravity);
        world.integration_parameters.dt = dt;
        world.integration_parameters.num_solver_iterations = iterations;
        world.physics_pipeline.configure_thread_pool(mode.threads)?;
        let Setup { friction, restitution, .. } = state.setup;
        for wall in walls(&state.start.world) {
            let ([x, y], [width, height]) = (wall.center().to_array(), wall.size().to_array());
            world.insert(
                RigidBodyBuilder::fixed().translation(Vector::new(x, y)),
                ColliderBuilder::cuboid(0.5 * width, 0.5 * height)
                    .friction(friction)
                    .restitution(restitution),
            );
        }
        let agents = &state.start.agents;
        let spins = spins(agents);
        let bodies = (0..agents.len()).map(|slot| {
            let Agent { position, velocity, radius, .. } = agents.get(slot);
            let body = RigidBodyBuilder::dynamic()
                .translation(Vector::new(position.x, position.y))
                .linvel(Vector::new(velocity.x, velocity.y))
                .can_sleep(mode.sleep);
            let (body, _) = world.insert(
                match spins {
                    Some(spins) => body.angvel(spins[slot]),
                    None => body.lock_rotations(),
                },
                ColliderBuilder::ball(radius).friction(friction).restitution(restitution),
            );
            body
        });
        let bodies = bodies.collect();
        Ok(Self { world, bodies })
    }
}

impl Engine for Rapier {
    fn name(&self) -> &'static str {
        "rapier2d"
    }

    fn step(&mut self) -> Outcome<()> {
        self.world.step();
        Ok(())
    }

    fn read(&mut self, bodies: &mut Bodies) -> Outcome<()> {
        bodies.clear();
        for &handle in &self.bodies {
            let body = &self.world.bodies[handle];
            let (position, velocity) = (body.translation(), body.linvel());
            bodies.push(Vec2::new(position.x, position.y), Vec2::new(velocity.x, velocity.y));
        }
        Ok(())
    }

    fn bytes(&self, counted: usize) -> Outcome<usize> {
        Ok(counted)
    }
}
