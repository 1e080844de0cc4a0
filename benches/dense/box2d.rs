//! `Box2D` as an engine, through the crate `boxdd`.

use boxdd::{
    BodyId, BodyType, Foundation, MotionLocks, ShapeDef, SurfaceMaterial, WorkerCount, World,
};
use jostle::{Agent, Setup, Vec2};

use crate::{
    bodies::Bodies,
    engine::{Engine, Mode, Outcome},
    state::{State, spins},
    walls::walls,
};

pub(crate) struct Box2d {
    world: World,
    bodies: Vec<BodyId>,
    dt: f32,
    substeps: i32,
}

/// True if this machine can run the instructions that `Box2D` is compiled for.
pub(crate) fn runs_here() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    return true;
}

impl Box2d {
    pub(crate) fn new(state: &State, mode: Mode, dt: f32, substeps: i32) -> Outcome<Self> {
        let foundation = Foundation::initialize_default()?;
        let mut world = foundation.create_world(
            foundation
                .world_builder()
                .gravity([0.0, -state.setup.gravity])
                .enable_sleep(mode.sleep)
                .worker_count(WorkerCount::new(mode.threads as u32)?)
                .build()?,
        )?;
        let Setup { friction, restitution, .. } = state.setup;
        let material =
            SurfaceMaterial::new().with_friction(friction)?.with_restitution(restitution)?;
        let shape =
            ShapeDef::builder().density(1.0).material(material).enable_contact_events(false);
        let shape = shape.build()?;
        for wall in walls(&state.start.world) {
            let size = wall.size();
            let body = world.body_builder().position(wall.center().to_array()).build()?;
            let body = world.create_body(body)?;
            world.body(body)?.create_box(&shape, 0.5 * size.x, 0.5 * size.y)?;
        }
        let agents = &state.start.agents;
        let spins = spins(agents);
        let mut bodies = Vec::with_capacity(agents.len());
        for slot in 0..agents.len() {
            let Agent { position, velocity, radius, .. } = agents.get(slot);
            let body = world
                .body_builder()
                .body_type(BodyType::Dynamic)
                .position(position.to_array())
                .linear_velocity(velocity.to_array())
                .angular_velocity(spins.map_or(0.0, |spins| spins[slot]))
                .motion_locks(MotionLocks::new(false, false, spins.is_none()))
                .build()?;
            let body = world.create_body(body)?;
            world.body(body)?.create_centered_circle(&shape, radius)?;
            bodies.push(body);
        }
        Ok(Self { world, bodies, dt, substeps })
    }
}

impl Engine for Box2d {
    fn name(&self) -> &'static str {
        "Box2D"
    }

    fn step(&mut self) -> Outcome<()> {
        let step = self.world.step(self.dt, self.substeps)?;
        step.post_step_error().map_or(Ok(()), |error| Err(error.to_string().into()))
    }

    fn read(&mut self, bodies: &mut Bodies) -> Outcome<()> {
        bodies.clear();
        for &id in &self.bodies {
            let body = self.world.body(id)?;
            let (position, velocity) = (body.position()?, body.linear_velocity()?);
            bodies.push(Vec2::new(position.x, position.y), Vec2::new(velocity.x, velocity.y));
        }
        Ok(())
    }

    fn bytes(&self, counted: usize) -> Outcome<usize> {
        // Box2D has an allocator of its own, and the crate keeps lists of the bodies.
        Ok(counted + usize::try_from(self.world.counters()?.byte_count)?)
    }
}
