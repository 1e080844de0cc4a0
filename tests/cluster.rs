//! Runs on several ranks: the bits of one process.

use jostle::{
    Boundary, OwnColumn, OwnColumns, Rect, Result, Scene, Setup, Sim, Static, Vec2,
    cluster::{Rank, ThreadLink, in_threads},
    rules::{
        AgentFormulas, BirthFormulas, Formulas, PairRule, RuleColumn, RulePair, RuledAgent, Rules,
    },
    scene::{self, Collisions, Solver},
    sim::Counters,
};

/// A rank of a run that begins with the start of its scene.
fn rank(setup: &Setup, link: ThreadLink) -> Result<Rank<ThreadLink>> {
    Rank::from_start(setup, scene::place(setup)?, link)
}

/// State hashes after each of some steps.
fn alone(setup: &Setup, steps: usize) -> Vec<u64> {
    let mut sim = Sim::new(setup).unwrap();
    let mut hashes = vec![sim.state_hash()];
    for _ in 0..steps {
        sim.step().unwrap();
        hashes.push(sim.state_hash());
    }
    hashes
}

/// The same on several ranks.
fn split(setup: &Setup, steps: usize, ranks: usize) -> Vec<u64> {
    let of_ranks = in_threads(ranks, |link| {
        let mut rank = rank(setup, link).unwrap();
        let mut hashes = vec![rank.state_hash()];
        for _ in 0..steps {
            rank.step().unwrap();
            hashes.push(rank.state_hash());
        }
        hashes
    });
    assert!(of_ranks.iter().all(|hashes| *hashes == of_ranks[0]), "all ranks have one hash");
    of_ranks.into_iter().next().unwrap()
}

fn same(setup: &Setup, steps: usize, ranks: impl IntoIterator<Item = usize>) {
    let expected = alone(setup, steps);
    for ranks in ranks {
        let hashes = split(setup, steps, ranks);
        let first = expected.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(first, None, "{:?} on {ranks} ranks differs after that step", setup.scene);
    }
}

#[test]
fn scenes_have_the_bits_of_one_process() {
    use Scene::{Burst, Cooling, Crystal, Gas, Giants, Mixed, Sparse};
    for scene in [Gas, Mixed, Giants, Burst, Sparse, Crystal, Cooling] {
        let setup = Setup { agents: 20_000, boundary: Boundary::Walls, ..Setup::new(scene) };
        same(&setup, 60, [1, 2, 3, 7]);
    }
}

#[test]
fn worlds_that_repeat_have_the_bits_of_one_process() {
    use Scene::{Cooling, Crystal, Gas, Giants, Mixed, Shear};
    for scene in [Gas, Mixed, Giants, Crystal, Cooling, Shear] {
        let boundary = Boundary::Periodic;
        let setup = Setup { agents: 20_000, boundary, ..Setup::new(scene) };
        same(&setup, 60, [1, 2, 3, 7]);
    }
    let boundary = Boundary::PeriodicX;
    let fast = Setup { agents: 20_000, boundary, speed: 40.0, ..Setup::new(Scene::Mixed) };
    same(&fast, 40, [2, 5]);
}

#[test]
fn a_piston_has_the_bits_of_one_process() {
    for collisions in [Collisions::Overlap, Collisions::Swept] {
        let shock = Setup { agents: 20_000, collisions, ..Setup::new(Scene::Shock) };
        let fine = Setup { substeps: Some(2), ..shock.clone() };
        same(&shock, 200, [1, 2, 3, 7]);
        same(&fine, 60, [2, 5]);
    }
    // With the contact solver, the piston wakes what has come to rest.
    let shock = Setup { agents: 9_000, solver: Solver::Contact, ..Setup::new(Scene::Shock) };
    let slow = Setup { restitution: 0.0, speed: 0.01, ..shock.clone() };
    same(&shock, 60, [2, 3]);
    same(&slow, 100, [2, 3]);
}

#[test]
fn fast_agents_are_sorted_by_all_ranks() {
    let gas = Setup::new(Scene::Gas);
    for factor in [10.0, 100.0] {
        let setup = Setup { agents: 20_000, speed: factor * gas.speed, ..gas.clone() };
        same(&setup, 30, [2, 4]);
    }
}

#[test]
fn dense_lossy_falling_and_substepped_runs_have_the_bits_of_one_process() {
    let dense = Setup { agents: 20_000, density: 0.5, ..Setup::new(Scene::Mixed) };
    let lossy = Setup { restitution: 0.7, ..dense.clone() };
    let fine = Setup { substeps: Some(3), agents: 5_000, ..Setup::new(Scene::Gas) };
    let falling = Setup { gravity: 30.0, agents: 10_000, ..Setup::new(Scene::Gas) };
    for setup in [dense, lossy, fine, falling] {
        same(&setup, 40, [2, 5]);
    }
}

#[test]
fn swept_collisions_have_the_bits_of_one_process() {
    use Scene::{Burst, Cooling, Crystal, Gas, Giants, Mixed, Shear, Sparse};
    let swept =
        |scene| Setup { agents: 20_000, collisions: Collisions::Swept, ..Setup::new(scene) };
    for scene in [Gas, Mixed, Giants, Burst, Sparse, Crystal, Cooling] {
        same(&Setup { boundary: Boundary::Walls, ..swept(scene) }, 40, [1, 2, 3, 7]);
    }
    for scene in [Gas, Mixed, Giants, Crystal, Cooling, Shear] {
        same(&Setup { boundary: Boundary::Periodic, ..swept(scene) }, 40, [1, 2, 3, 7]);
    }
    let gas = swept(Scene::Gas);
    let fast = Setup { speed: 20.0 * gas.speed, ..gas.clone() };
    let dense = Setup { density: 0.5, restitution: 0.8, ..swept(Scene::Mixed) };
    let falling = Setup { gravity: 30.0, agents: 10_000, substeps: Some(2), ..gas.clone() };
    let rough = Setup { friction: 0.5, rolling: 0.1, ..dense.clone() };
    let boundary = Boundary::PeriodicX;
    let half = Setup { boundary, agents: 9_000, ..dense.clone() };
    for setup in [fast, dense, falling, rough, half] {
        same(&setup, 40, [2, 5]);
    }
    // So few that nothing but walls is hit in some rounds.
    let shaft = Some(Vec2::new(4.0, 160.0));
    let few = Setup { agents: 24, world: shaft, speed: 60.0, boundary: Boundary::Walls, ..gas };
    same(&few, 2_000, [2, 3]);
}

#[test]
fn agents_that_rub_have_the_bits_of_one_process() {
    let rough = Setup { friction: 0.6, rolling: 0.1, restitution: 0.9, ..Setup::new(Scene::Mixed) };
    for boundary in [Boundary::Walls, Boundary::Periodic, Boundary::PeriodicX] {
        let setup = Setup { agents: 20_000, density: 0.5, boundary, ..rough.clone() };
        same(&setup, 40, [1, 2, 3, 7]);
    }
}

/// Agents of a kind attract each other, and others repel each other. They count their neighbors.
struct Kinship(f32);

impl PairRule<1, 3> for Kinship {
    fn range(&self) -> f32 {
        self.0
    }
    fn reads(&self) -> [RuleColumn; 1] {
        [RuleColumn::Species]
    }
    fn pair(&self, pair: &RulePair<1>) -> [f32; 3] {
        let sign = if pair.i == pair.j { 1.0 } else { -1.0 };
        [sign * pair.dx, sign * pair.dy, 1.0]
    }
}

fn ruled(setup: &Setup, range: f32, collide: bool) -> Sim {
    let mut start = scene::place(setup).unwrap();
    let species = start.agents.id.iter().map(|&id| (id % 3) as u8).collect();
    let felt = OwnColumn::new("felt", 0.0, vec![0.0; start.agents.len()]);
    let own = OwnColumns::new().with_species(species).with_numbers(felt);
    start.agents.own = Some(Box::new(own));
    // A few are fast, and far from their cells before a sort is due.
    for slot in (0..start.agents.len()).step_by(101) {
        start.agents.vy[slot] *= 15.0;
    }
    let mut sim = Sim::from_start(setup, start).unwrap();
    let rules =
        Rules::new().with_pairs(Kinship(range)).with_agents(|agent: &mut RuledAgent<'_>| {
            let [x, y, count] = agent.sums(0);
            agent.velocity += 0.3 * agent.moment.dt * Vec2::new(x, y);
            agent.own[0] = count;
            if agent.random(0) < 0.01 {
                agent.species = (agent.species + 1) % 3;
            }
        });
    sim.set_rules(if collide { rules } else { rules.without_collisions() }).unwrap();
    sim
}

#[test]
fn rules_have_the_bits_of_one_process() {
    use Scene::{Burst, Gas, Giants, Mixed, Shear};
    let setup = |scene| Setup { agents: 9_000, ..Setup::new(scene) };
    let (periodic, walls) = (Boundary::Periodic, Boundary::Walls);
    let swept = Setup { collisions: Collisions::Swept, ..setup(Gas) };
    let fast = Setup { speed: 60.0, boundary: Boundary::PeriodicX, ..setup(Gas) };
    for (setup, range, collide) in [
        (Setup { boundary: walls, ..setup(Gas) }, 3.0, true),
        (Setup { boundary: periodic, ..setup(Mixed) }, 5.0, true),
        (Setup { boundary: walls, ..setup(Giants) }, 9.0, true),
        (Setup { boundary: periodic, ..setup(Gas) }, 14.0, false),
        (Setup { boundary: walls, ..setup(Burst) }, 4.0, false),
        (Setup { boundary: periodic, ..setup(Shear) }, 0.5, true),
        (swept.clone(), 4.0, true),
        (Setup { boundary: periodic, friction: 0.4, ..swept.clone() }, 4.0, true),
        (swept, 4.0, false),
        (Setup { substeps: Some(2), friction: 0.4, ..setup(Mixed) }, 2.0, true),
        (fast, 4.0, false),
    ] {
        let begin = ruled(&setup, range, collide);
        let mut one = begin.clone();
        let expected: Vec<_> = (0..25)
            .map(|_| {
                one.step().unwrap();
                one.state_hash()
            })
            .collect();
        for ranks in [1, 2, 3, 5] {
            let hashes = in_threads(ranks, |link| {
                let mut rank = Rank::from_sim(begin.clone(), link).unwrap();
                let step = |_| {
                    rank.step().unwrap();
                    rank.state_hash()
                };
                (0..25).map(step).collect::<Vec<_>>()
            });
            let first = expected.iter().zip(&hashes[0]).position(|(one, other)| one != other);
            let (scene, boundary) = (setup.scene, setup.boundary);
            assert_eq!(first, None, "{scene:?} {boundary:?}, range {range}, on {ranks} ranks");
            assert!(hashes.iter().all(|of_rank| *of_rank == hashes[0]));
        }
    }
}

/// Discs and boxes that agents bounce off, across the borders of slabs.
#[test]
fn statics_have_the_bits_of_one_process() {
    let agents = Setup { agents: 9_000, spare_statics: 60, ..Setup::new(Scene::Gas) };
    for collisions in [Collisions::Overlap, Collisions::Swept] {
        let setup = Setup { collisions, friction: 0.2, speed: 20.0, ..agents.clone() };
        let mut one = Sim::new(&setup).unwrap();
        let Rect { min, max } = one.world();
        let statics: Vec<_> = (0..60)
            .map(|number| {
                let share = Vec2::new((number % 10) as f32, (number / 10) as f32) + 0.5;
                let at = min + (max - min) * share / Vec2::new(10.0, 6.0);
                if number % 2 == 0 {
                    Static::disc(at, 2.0)
                } else {
                    Static::Box(Rect::around(at, 1.5))
                }
            })
            .collect();
        one.add_statics(&statics).unwrap();
        let begin = one.clone();
        for _ in 0..40 {
            one.step().unwrap();
        }
        let hashes = in_threads(4, |link| {
            let mut rank = Rank::from_sim(begin.clone(), link).unwrap();
            (0..40).for_each(|_| rank.step().unwrap());
            rank.state_hash()
        });
        assert_eq!(hashes, [one.state_hash(); 4], "{collisions:?}");
    }
}

/// The narrow world has bands of 8 rows, and its last band has fewer.
#[test]
fn every_rank_may_have_one_band() {
    let narrow =
        Setup { agents: 3_000, world: Some(Vec2::new(60.0, 500.0)), ..Setup::new(Scene::Gas) };
    let bands = 15;
    same(&narrow, 60, [bands, bands - 1]);
    assert!(in_threads(bands + 1, |link| rank(&narrow, link).is_err()).contains(&true));
}

#[test]
fn ranks_may_have_several_threads() {
    let setup = Setup { agents: 20_000, ..Setup::new(Scene::Mixed) };
    let hashes = in_threads(3, |link| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let mut rank = rank(&setup, link).unwrap();
        for _ in 0..40 {
            pool.install(|| rank.step()).unwrap();
        }
        rank.state_hash()
    });
    assert_eq!(hashes, [*alone(&setup, 40).last().unwrap(); 3]);
}

#[test]
fn more_ranks_than_bands_are_refused() {
    let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
    let refused = in_threads(8, |link| rank(&setup, link).map(drop).unwrap_err());
    for error in refused {
        let sentence = error.to_string();
        assert_eq!(sentence, "ranks 8 is out of range: expected 1 to 2");
    }
}

/// A force acts in the next step alone, and is no part of what ranks share.
#[test]
fn what_ranks_cannot_do_is_refused_in_a_sentence() {
    let mut sim = Sim::new(&Setup { agents: 2_000, ..Setup::new(Scene::Gas) }).unwrap();
    sim.apply_force(3, Vec2::new(0.0, 5.0)).unwrap();
    let refused = in_threads(2, |link| Rank::from_sim(sim.clone(), link).map(drop).unwrap_err());
    let said = "can't be split over ranks; run it in one process";
    assert!(refused.iter().all(|error| error.to_string().ends_with(said)), "{refused:?}");
}

/// A run in which some are born and some die in each step.
fn living(setup: &Setup) -> Sim {
    let mut start = scene::place(setup).unwrap();
    let species = vec![0; start.agents.len()];
    start.agents.own = Some(Box::new(OwnColumns::new().with_species(species)));
    let mut sim = Sim::from_start(setup, start).unwrap();
    let mut agents = AgentFormulas::new();
    agents.births = vec![BirthFormulas::new(0, "random(1) < 0.01".into())];
    agents.dies = Some("random(2) < 0.01".into());
    let species = vec!["all".into()];
    let formulas = Formulas { species, agents: vec![agents], ..Formulas::new() };
    sim.set_rules(formulas.compile().unwrap()).unwrap();
    sim
}

/// Messages and bytes of a rank in a mean step, of which bytes cross its borders. They may not grow.
#[test]
fn ranks_send_no_more_than_recorded() {
    let setup = |scene| Setup { agents: 20_000, ..Setup::new(scene) };
    let mut wrong: Vec<String> = Vec::new();
    let plain = |setup| Sim::new(&setup).unwrap();
    let giants = Setup { boundary: Boundary::Periodic, ..setup(Scene::Giants) };
    let swept = Setup { collisions: Collisions::Swept, ..setup(Scene::Gas) };
    let spare = Setup { spare_agents: 20_000, ..setup(Scene::Gas) };
    for (name, sim, limits) in [
        ("gas", plain(setup(Scene::Gas)), [13, 2_095, 1_592]),
        ("mixed", plain(setup(Scene::Mixed)), [15, 2_844, 1_192]),
        ("giants", plain(giants), [26, 16_232, 1_004]),
        ("swept", plain(swept), [38, 2_681, 1_305]),
        ("births", living(&spare), [35, 10_712, 8_993]),
        ("pile", plain(setup(Scene::Pile)), [115, 7_636, 2_783]),
        ("rules", ruled(&setup(Scene::Gas), 4.0, true), [21, 50_217, 11_058]),
    ] {
        let sent = in_threads(4, |link| {
            let mut rank = Rank::from_sim(sim.clone(), link).unwrap();
            let before = rank.traffic();
            for _ in 0..40 {
                rank.step().unwrap();
            }
            let after = rank.traffic();
            let sent = [
                after.messages - before.messages,
                after.bytes - before.bytes,
                after.border_bytes - before.border_bytes,
            ];
            sent.map(|sent| sent.div_ceil(40))
        });
        let most = [0, 1, 2].map(|kind: usize| sent.iter().map(|sent| sent[kind]).max().unwrap());
        // Far less is a record to be lowered.
        let fits = |(&sent, limit): (&u64, u64)| sent <= limit && 5 * sent > 4 * limit;
        if !most.iter().zip(limits).all(fits) {
            wrong.push(format!("{name}: {most:?}"));
        }
    }
    assert!(wrong.is_empty(), "not as recorded: {wrong:?}");
}

/// What a run has counted is the same, too, to the last bit of its sums.
#[test]
fn a_gathered_run_is_that_of_one_process() {
    let gas = Setup { agents: 20_000, speed: 30.0, ..Setup::new(Scene::Gas) };
    let mixed = Setup { agents: 9_000, density: 0.5, ..Setup::new(Scene::Mixed) };
    let boundary = Boundary::Periodic;
    let repeated = Setup { boundary, ..mixed.clone() };
    let swept = Setup { collisions: Collisions::Swept, friction: 0.3, ..repeated.clone() };
    let bounced = Setup { collisions: Collisions::Swept, gravity: 9.0, ..gas.clone() };
    let fast = Setup { collisions: Collisions::Swept, speed: 60.0, ..repeated.clone() };
    for setup in [gas, mixed, repeated, swept, bounced, fast] {
        let mut alone = Sim::new(&setup).unwrap();
        for _ in 0..41 {
            alone.step().unwrap();
        }
        let gathered = in_threads(3, |link| {
            let mut rank = rank(&setup, link).unwrap();
            for _ in 0..41 {
                rank.step().unwrap();
            }
            rank.gather().unwrap()
        });
        let [Some(sim), None, None] = &gathered[..] else { panic!("rank 0 has the run") };
        // How often a list has grown is none of them.
        let counted = |sim: &Sim| Counters { contact_growths: 0, ..sim.counters() };
        assert_eq!(counted(sim), counted(&alone));
        assert_eq!(sim.transfer(), alone.transfer());
        assert_eq!(sim.largest_displacement(), alone.largest_displacement());
        assert_eq!(sim.agents().id, alone.agents().id);
        // Other ranks go on with it.
        let expected: Vec<_> = (0..30)
            .map(|_| {
                alone.step().unwrap();
                alone.state_hash()
            })
            .collect();
        let hashes = in_threads(5, |link| {
            let mut rank = Rank::from_sim(sim.clone(), link).unwrap();
            let step = |_| {
                rank.step().unwrap();
                rank.state_hash()
            };
            (0..30).map(step).collect::<Vec<_>>()
        });
        assert!(hashes.iter().all(|hashes| *hashes == expected), "{:?}", setup.scene);
    }
}
