//! Small random set-ups land softly: a few discs, statics, any bounce, friction and gravity, speeds
//! up to ten radii per step. No energy comes from nowhere, nothing ends inside a static or outside
//! the world, and what touches nothing in fine steps changes nothing.

use jostle::{
    Agent, Agents, OwnColumn, OwnColumns, Rect, Scene, Setup, Sim, Static, Vec2,
    rng::Rng,
    scene::{Collisions, Solver, Start},
};

const SIZE: f32 = 20.0;
const STEPS: u64 = 40;
/// Fine steps per step, in the reference.
const FINE: u64 = 64;

/// The number of cases: more of them in a soak.
fn cases(usual: u64) -> u64 {
    std::env::var("JOSTLE_SOAK_LANDINGS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A set-up, and where its agents and statics start.
struct Landing {
    setup: Setup,
    agents: Vec<Agent>,
    spins: Vec<f32>,
    statics: Vec<Static>,
}

impl Landing {
    fn new(rng: &mut Rng, case: u64) -> Self {
        let choose = |rng: &mut Rng, all: &[f32]| all[rng.below(all.len() as u32) as usize];
        let statics: Vec<Static> = (0..rng.below(4))
            .map(|_| {
                let at = Vec2::new(rng.between(3.0, 17.0), rng.between(2.0, 16.0));
                let half = Vec2::new(rng.between(0.3, 2.0), rng.between(0.3, 2.0));
                match rng.below(2) {
                    0 => Static::disc(at, half.x),
                    _ => Static::Box(Rect::new(at - half, at + half)),
                }
            })
            .collect();
        let mut agents: Vec<Agent> = Vec::new();
        let count = 1 + rng.below(5);
        while agents.len() < count as usize {
            let radius = rng.between(0.3, 1.0);
            let position = Vec2::new(rng.between(1.1, SIZE - 1.1), rng.between(1.1, SIZE - 1.1));
            let free = statics.iter().all(|wall| wall.distance(position) > radius + 0.05)
                && agents
                    .iter()
                    .all(|other| other.position.distance(position) > other.radius + radius + 0.05);
            if free {
                let speed = choose(rng, &[0.0, 0.1, 1.0, 3.0, 10.0]) * 0.3 * 60.0;
                let velocity = rng.direction() * speed * rng.unit();
                agents.push(Agent { position, velocity, radius, id: agents.len() as u32 });
            }
        }
        let spins = agents.iter().map(|_| rng.between(-5.0, 5.0)).collect();
        let fastest = agents.iter().map(|agent| agent.velocity.length()).fold(0.1, f32::max);
        let (solver, collisions) = match case % 3 {
            0 => (Solver::Contact, Collisions::Overlap),
            1 => (Solver::Impulse, Collisions::Swept),
            _ => (Solver::Impulse, Collisions::Overlap),
        };
        let setup = Setup {
            agents: count,
            solver,
            collisions,
            speed: fastest,
            restitution: choose(rng, &[0.0, 0.3, 0.5, 0.9, 1.0]),
            friction: choose(rng, &[0.0, 0.1, 0.5, 2.0]),
            gravity: choose(rng, &[0.0, 10.0, 60.0]),
            radius: [0.3, 1.0],
            ..Setup::new(Scene::Gas)
        };
        let rolling = if setup.friction > 0.0 { choose(rng, &[0.0, 0.1]) } else { 0.0 };
        Self { setup: Setup { rolling, ..setup }, agents, spins, statics }
    }

    fn start(&self, hz: f32) -> Sim {
        let mut agents = Agents::default();
        self.agents.iter().for_each(|&agent| agents.push(agent));
        if self.setup.friction > 0.0 {
            let column = OwnColumn::new("spin", 0.0, self.spins.clone());
            agents.own = Some(Box::new(OwnColumns::new().with_numbers(column)));
        }
        let world = Rect::from_size(SIZE, SIZE);
        let (statics, populated) = (self.statics.clone(), f64::from(SIZE * SIZE));
        let setup = Setup { hz, ..self.setup.clone() };
        Sim::from_start(&setup, Start { world, agents, statics, populated }).expect("they fit")
    }

    /// Kinetic energy, of the spins too, and potential energy.
    fn energy(&self, sim: &Sim) -> f64 {
        let Agents { y, radius, own, .. } = sim.agents();
        let weigh = |(y, radius): (&f32, &f32)| f64::from(radius * radius * y);
        let height: f64 = y.iter().zip(radius).map(weigh).sum();
        let spins = own.as_ref().and_then(|own| Some(&own.numbers[own.find("spin")?].values));
        let turn = |(spin, radius): (&f32, &f32)| 0.25 * f64::from(radius.powi(4) * spin * spin);
        let turns: f64 = spins.map_or(0.0, |spins| spins.iter().zip(radius).map(turn).sum());
        sim.agents().kinetic_energy() + turns + f64::from(self.setup.gravity) * height
    }

    /// True if nothing has touched an agent: all fly freely, by the velocities at the start and
    /// gravity.
    fn is_free(&self, sim: &Sim) -> bool {
        let fall = Vec2::new(0.0, self.setup.gravity * sim.dt() * sim.steps() as f32);
        (0..sim.agents().len()).map(|slot| sim.agents().get(slot)).all(
            |Agent { velocity, id, .. }| {
                let free = self.agents[id as usize].velocity - fall;
                velocity.distance(free) < 1e-3 * (1.0 + free.length())
            },
        )
    }

    /// The first of these steps in which an agent touches something, if each is taken in fine ones.
    fn first_touch(&self) -> u64 {
        let mut fine = self.start(60.0 * FINE as f32);
        let is_free = |_: &u64| {
            (0..FINE).for_each(|_| fine.step().expect("there is memory"));
            self.is_free(&fine)
        };
        (0..STEPS).take_while(is_free).count() as u64
    }

    /// The largest depth of an agent in a static, or outside the world, as a share of its radius.
    fn depth(&self, sim: &Sim) -> f32 {
        let agents = (0..sim.agents().len()).map(|slot| sim.agents().get(slot));
        let depths = agents.map(|Agent { position, radius, .. }| {
            let walls = self.statics.iter().map(|wall| radius - wall.distance(position));
            let [low, high] = [position.min_element(), position.max_element()];
            walls.fold((radius - low).max(radius - (SIZE - high)), f32::max) / radius
        });
        depths.fold(0.0, f32::max)
    }
}

#[test]
fn small_set_ups_land_softly() {
    let mut rng = Rng::new(12);
    for case in 0..cases(600) {
        let landing = Landing::new(&mut rng, case);
        let Landing { setup, agents, statics, .. } = &landing;
        let told = || format!("case {case}: {setup:?} {agents:?} {statics:?}");
        let mut sim = landing.start(60.0);
        let begun = landing.energy(&sim);
        // A fall in steps is off by the way of a step, and so is each bounce.
        let bounces = 2.0 + STEPS as f32 / 60.0 * setup.speed / (0.25 * SIZE);
        let mass: f32 = agents.iter().map(|agent| agent.radius * agent.radius).sum();
        let fall = setup.gravity / 60.0;
        let fastest = setup.speed + (2.0 * setup.gravity * SIZE).sqrt();
        let off = f64::from(bounces * mass * fall * (fall + fastest)) + 1e-5 * begun;
        let first_touch = if setup.gravity == 0.0 { landing.first_touch() } else { 0 };
        for step in 0..STEPS {
            sim.step().expect("there is memory");
            // A fall in coarse steps is another path.
            let is_later = setup.gravity != 0.0 || step + 1 >= first_touch;
            let is_free = is_later || landing.is_free(&sim);
            assert!(is_free, "a touch in step {step}, not before {first_touch}; {}", told());
            let gained = landing.energy(&sim) - begun;
            assert!(gained <= off, "{gained} of {begun} in step {step}; {}", told());
            let depth = landing.depth(&sim);
            assert!(depth < 0.05, "{depth} deep in step {step}; {}", told());
        }
    }
}
