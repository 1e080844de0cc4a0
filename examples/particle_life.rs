//! Particle life: six species attract and repel each other by a matrix, and come together in cells.
//!
//! Run `cargo run --release --no-default-features --example particle_life`.

use jostle::{
    Boundary, OwnColumns, Result, Scene, Setup, Sim, Vec2,
    rules::{PairRule, RuleColumn, RulePair, RuledAgent, Rules, SpeciesMatrix},
    scene,
};

/// The force between two agents, along the line between them.
struct Life {
    /// How much each species is drawn to each other one.
    pull: SpeciesMatrix,
}

impl Life {
    /// World units within which an agent feels another.
    const RANGE: f32 = 5.0;
    /// World units within which all repel each other.
    const CORE: f32 = 1.5;
}

impl PairRule<1, 2> for Life {
    fn range(&self) -> f32 {
        Self::RANGE
    }

    fn reads(&self) -> [RuleColumn; 1] {
        [RuleColumn::Species]
    }

    #[inline(always)]
    fn pair(&self, pair: &RulePair<1>) -> [f32; 2] {
        let ([own], [other]) = (pair.i, pair.j);
        let r = pair.r2.sqrt();
        // Up to −1 at the center; then a triangle that is highest in the middle of its range.
        let repelled = r / Self::CORE - 1.0;
        let (middle, half) = (0.5 * (Self::RANGE + Self::CORE), 0.5 * (Self::RANGE - Self::CORE));
        let felt = self.pull.get(own, other) * (1.0 - (r - middle).abs() / half);
        let force = if r < Self::CORE { repelled } else { felt };
        let share = if r > 0.0 { force / r } else { 0.0 };
        [share * pair.dx, share * pair.dy]
    }
}

/// What an agent does with the forces on it, which also slow it down.
fn steer(agent: &mut RuledAgent<'_>) {
    let dt = agent.moment.dt;
    let force = Vec2::from_array(agent.sums(0));
    agent.velocity = (agent.velocity + 40.0 * dt * force) / (1.0 + 2.0 * dt);
}

pub(crate) fn main() -> Result<()> {
    let setup = Setup {
        agents: 3_000,
        world: Some(Vec2::new(90.0, 90.0)),
        radius: [0.2, 0.2],
        boundary: Boundary::Periodic,
        seed: 1,
        ..Setup::new(Scene::Gas)
    };
    let mut start = scene::place(&setup)?;
    let species = start.agents.id.iter().map(|&id| (id % 6) as u8).collect();
    start.agents.own = Some(Box::new(OwnColumns::new().with_species(species)));
    let mut sim = Sim::from_start(&setup, start)?;

    // A row for who feels, a column for whom.
    let pull = SpeciesMatrix::new(&[
        &[0.8, -0.2, 0.1, 0.0, 0.4, -0.6],
        &[-0.1, 0.6, 0.5, -0.7, 0.0, 0.2],
        &[0.3, -0.4, 0.7, 0.1, -0.5, 0.0],
        &[0.0, 0.2, -0.3, 0.9, 0.6, -0.1],
        &[-0.6, 0.0, 0.4, -0.2, 0.5, 0.3],
        &[0.2, -0.5, 0.0, 0.3, -0.4, 0.8],
    ]);
    let rules = Rules::new().with_pairs(Life { pull }).with_agents(steer);
    sim.set_rules(rules.without_collisions())?;

    let crowd = |sim: &Sim| {
        let agents = sim.agents();
        let near = (0..agents.len()).map(|slot| {
            let at = Vec2::new(agents.x[slot], agents.y[slot]);
            sim.grid().in_disc(agents, at, Life::CORE).count()
        });
        near.sum::<usize>() as f64 / agents.len() as f64
    };
    let before = crowd(&sim);
    for _ in 0..240 {
        sim.step()?;
    }
    let after = crowd(&sim);
    println!("agents near an agent: {before:.1} at the start, {after:.1} after four seconds");
    assert!(after > before, "they come together");
    Ok(())
}
