//! Rules of a caller's own, against an evaluator that visits all pairs in the documented order.

use std::{
    panic,
    sync::atomic::{AtomicU32, Ordering},
};

use jostle::{
    Boundary, OwnColumn, OwnColumns, Scene, Setup, Sim, Spawn, Vec2,
    index::IndexKind,
    rng::Rng,
    rules::{PairRule, RuleColumn, RulePair, RuledAgent, Rules, SpeciesMatrix},
    scene::{self, Collisions, Solver},
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

/// A rule that reads every kind of column: the number of neighbors, their pull by species, and sums
/// of what they have.
#[derive(Clone)]
struct Everything {
    range: f32,
    pull: SpeciesMatrix,
}

const SUMS: usize = 5;

impl PairRule<4, SUMS> for Everything {
    fn range(&self) -> f32 {
        self.range
    }

    fn reads(&self) -> [RuleColumn; 4] {
        [
            RuleColumn::Vx,
            RuleColumn::Species,
            RuleColumn::Own("mood".to_owned()),
            RuleColumn::Radius,
        ]
    }

    #[inline(always)]
    fn pair(&self, pair: &RulePair<4>) -> [f32; SUMS] {
        let [vxi, si, mi, ri] = pair.i;
        let [vxj, sj, mj, rj] = pair.j;
        let pull = self.pull.get(si, sj);
        let near = if pair.r2 < 0.1 * self.range * self.range { -1.0 } else { pull };
        let over = 1.0 / (pair.r2.sqrt() + 0.125);
        [1.0, near * pair.dx * over, near * pair.dy * over, (vxj - vxi) * ri, mi * mj - rj]
    }
}

/// A second range, without columns.
struct Crowd(f32);

impl PairRule<0, 1> for Crowd {
    fn range(&self) -> f32 {
        self.0
    }
    fn reads(&self) -> [RuleColumn; 0] {
        []
    }
    #[inline(always)]
    fn pair(&self, pair: &RulePair<0>) -> [f32; 1] {
        [pair.dx - 0.5 * pair.dy + pair.r2]
    }
}

fn pull() -> SpeciesMatrix {
    SpeciesMatrix::new(&[&[0.8, -0.2, 0.1], &[-0.1, 0.6, 0.5], &[0.3, -0.4, 0.7]])
}

/// The rules of the tests: all sums are kept in columns, and steer the agents.
fn rules(range: f32, crowd: f32) -> Rules {
    let everything = Everything { range, pull: pull() };
    Rules::new().with_pairs(everything).with_pairs(Crowd(crowd)).with_agents(
        |agent: &mut RuledAgent<'_>| {
            let [n, fx, fy, flow, mood] = agent.sums::<SUMS>(0);
            let [crowd] = agent.sums::<1>(1);
            agent.own[1..].copy_from_slice(&[n, fx, fy, flow, mood, crowd]);
            let share = 1.0 / (n + 1.0);
            agent.velocity += agent.moment.dt * share * Vec2::new(fx, fy);
            agent.own[0] = 0.5 * agent.own[0] + 0.25 * agent.random(3);
            if agent.random(1) < 0.05 {
                agent.species = (agent.species + 1) % 3;
            }
        },
    )
}

fn own(ids: &[u32]) -> OwnColumns {
    let zeros = || vec![0.0; ids.len()];
    let mood = ids.iter().map(|&id| (id % 97) as f32 * 0.01).collect();
    let own = OwnColumns::new()
        .with_species(ids.iter().map(|&id| (id % 3) as u8).collect())
        .with_numbers(OwnColumn::new("mood", 0.5, mood));
    (0..=SUMS).fold(own, |own, k| own.with_numbers(OwnColumn::new(&format!("s{k}"), 0.0, zeros())))
}

fn start(setup: &Setup) -> Sim {
    let mut start = scene::place(setup).expect("it can be placed");
    start.agents.own = Some(Box::new(own(&start.agents.id)));
    Sim::from_start(setup, start).expect("it can begin")
}

/// Sums in sixteen lanes, as the documentation says.
struct Lanes<const K: usize> {
    lanes: [[f32; 16]; K],
    rank: usize,
}

impl<const K: usize> Lanes<K> {
    fn new() -> Self {
        Self { lanes: [[0.0; 16]; K], rank: 0 }
    }

    fn add(&mut self, values: [f32; K]) {
        for (lanes, value) in self.lanes.iter_mut().zip(values) {
            lanes[self.rank % 16] += value;
        }
        self.rank += 1;
    }

    fn total(mut self) -> [f32; K] {
        for lanes in &mut self.lanes {
            for half in [8, 4, 2, 1] {
                for lane in 0..half {
                    lanes[lane] += lanes[lane + half];
                }
            }
        }
        self.lanes.map(|lanes| lanes[0])
    }
}

/// The sums of both rules for all agents, by id.
fn naive(sim: &Sim, range: f32, crowd: f32) -> Vec<(u32, [f32; SUMS + 1])> {
    let (agents, space) = (sim.agents(), sim.space());
    let own = agents.own.as_ref().expect("there are columns");
    let (species, mood) = (own.species.as_ref().unwrap(), &own.numbers[0].values);
    let pull = pull();
    let sums = |i: usize| {
        let (mut all, mut second) = (Lanes::<SUMS>::new(), Lanes::<1>::new());
        for j in (0..agents.len()).filter(|&j| j != i) {
            let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
            let Vec2 { x: dx, y: dy } = space.minimum_image(apart);
            let r2 = dx * dx + dy * dy;
            if r2 < range * range {
                let pull = pull.get(species[i].into(), species[j].into());
                let near = if r2 < 0.1 * range * range { -1.0 } else { pull };
                let over = 1.0 / (r2.sqrt() + 0.125);
                all.add([
                    1.0,
                    near * dx * over,
                    near * dy * over,
                    (agents.vx[j] - agents.vx[i]) * agents.radius[i],
                    mood[i] * mood[j] - agents.radius[j],
                ]);
            }
            if r2 < crowd * crowd {
                second.add([dx - 0.5 * dy + r2]);
            }
        }
        let ([n, a, b, c, d], [e]) = (all.total(), second.total());
        (agents.id[i], [n, a, b, c, d, e])
    };
    let mut all: Vec<_> = (0..agents.len()).map(sums).collect();
    all.sort_unstable_by_key(|&(id, _)| id);
    all
}

/// What the step before kept, by id.
fn kept(sim: &Sim) -> Vec<(u32, [f32; SUMS + 1])> {
    let agents = sim.agents();
    let columns = &agents.own.as_ref().expect("there are columns").numbers[1..];
    let mut all: Vec<_> = (agents.id.iter().enumerate())
        .map(|(slot, &id)| (id, std::array::from_fn(|k| columns[k].values[slot])))
        .collect();
    all.sort_unstable_by_key(|&(id, _)| id);
    all
}

fn bits(all: &[(u32, [f32; SUMS + 1])]) -> Vec<(u32, [u32; SUMS + 1])> {
    all.iter().map(|&(id, sums)| (id, sums.map(f32::to_bits))).collect()
}

/// A random world, and the ranges of its rules.
fn world(rng: &mut Rng) -> (Setup, [f32; 2], bool) {
    let scenes =
        [Scene::Gas, Scene::Mixed, Scene::Giants, Scene::Burst, Scene::Sparse, Scene::Pile];
    let scene = scenes[rng.below(6) as usize];
    let boundary = match (scene, rng.below(3)) {
        (Scene::Pile, _) | (_, 0) => Boundary::Walls,
        (_, 1) => Boundary::Periodic,
        _ => Boundary::PeriodicX,
    };
    let agents = 20 + rng.below(700);
    let speed = 10.0_f32.powf(rng.between(-1.0, 3.5));
    let setup = Setup {
        boundary,
        speed: if scene == Scene::Pile { Setup::new(scene).speed } else { speed },
        seed: rng.bits(),
        spare_agents: 4,
        ..Setup::with_agents(scene, agents)
    };
    let swept = scene != Scene::Pile && rng.below(4) == 0;
    let collisions = if swept { Collisions::Swept } else { Collisions::Overlap };
    let ranges = [0; 2].map(|_| 10.0_f32.powf(rng.between(-1.0, 1.7)));
    (Setup { collisions, ..setup }, ranges, rng.below(3) > 0)
}

/// The range in world units, from one in cells.
fn in_world(sim: &Sim, cells: f32) -> f32 {
    let range = cells * sim.grid().config().loose_size.max_element();
    let size = sim.world().size().to_array();
    let sides = size.into_iter().zip(sim.space().repeats()).filter(|side| side.1);
    sides.fold(range, |range, (side, _)| range.min(0.25 * side))
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(work)
}

#[test]
fn sums_are_those_of_all_pairs_bit_for_bit() {
    let cases = std::env::var("JOSTLE_SOAK_RULES").map_or(40, |cases| cases.parse().unwrap());
    let mut rng = Rng::new(0x72_75_6c_65);
    let (mut neighbors, mut most) = (0.0, 0.0_f32);
    for case in 0..cases {
        let (setup, cells, collide) = world(&mut rng);
        // Not all set-ups can be placed.
        let Ok(mut start) = scene::place(&setup) else { continue };
        start.agents.own = Some(Box::new(own(&start.agents.id)));
        let Ok(mut sim) = Sim::from_start(&setup, start) else { continue };
        let [range, crowd] = cells.map(|cells| in_world(&sim, cells));
        let rules = rules(range, crowd);
        let rules = if collide { rules } else { rules.without_collisions() };
        sim.set_rules(rules).expect("they fit");
        let levels: Vec<SimdLevel> = SimdLevel::available().collect();
        for step in 0..14 {
            sim.set_simd(levels[step % levels.len()]);
            if step == 9 {
                let spawn = Spawn::new(sim.world().center(), Vec2::ZERO, setup.radius[0]);
                sim.spawn(&[spawn.with_species(2); 2]).expect("there is room");
                sim.remove(&[3, 4, 11]).expect("there is memory");
            }
            let expected = naive(&sim, range, crowd);
            sim.step().expect("there is memory");
            let found = kept(&sim);
            let context = format!("case {case}, step {step}: {setup:?}, {range} {crowd}");
            assert!(bits(&found) == bits(&expected), "{context}");
            for (_, sums) in found {
                neighbors += sums[0];
                most = most.max(sums[0]);
            }
        }
        assert_eq!(sim.unwritten(), 0);
    }
    assert!(neighbors > 1e5 && most > 100.0, "{neighbors} {most}");
}

#[test]
fn threads_levels_and_indexes_change_no_bit() {
    for (boundary, collisions) in [
        (Boundary::Walls, Collisions::Overlap),
        (Boundary::Periodic, Collisions::Overlap),
        (Boundary::Walls, Collisions::Swept),
    ] {
        let setup = Setup { boundary, collisions, ..Setup::with_agents(Scene::Mixed, 3_000) };
        let run = |threads, simd, index: &str| {
            on_threads(threads, || {
                let mut sim = start(&setup);
                sim.set_simd(simd);
                sim.set_index(IndexKind::find(index).unwrap()).expect("there is memory");
                sim.set_rules(rules(in_world(&sim, 2.2), in_world(&sim, 0.7))).expect("they fit");
                (0..25).for_each(|_| sim.step().expect("there is memory"));
                sim.state_hash()
            })
        };
        let expected = run(1, SimdLevel::SCALAR, "double-grid");
        for simd in SimdLevel::available() {
            for threads in [1, 2, 7] {
                assert_eq!(run(threads, simd, "double-grid"), expected, "{threads} {simd:?}");
            }
        }
        assert_eq!(run(2, SimdLevel::best(), "unit-grid"), expected);
    }
}

#[test]
fn a_run_continues_after_any_step_bit_for_bit() {
    for setup in [
        Setup { boundary: Boundary::Periodic, ..Setup::with_agents(Scene::Gas, 900) },
        Setup::with_agents(Scene::Pile, 700),
    ] {
        let mut sim = start(&setup);
        let [range, crowd] = [2.0, 5.0].map(|cells| in_world(&sim, cells));
        sim.set_rules(rules(range, crowd)).expect("they fit");
        for step in 0..30 {
            let snapshot = sim.snapshot().expect("there is memory");
            let mut restored = Sim::restore(&snapshot).expect("it is its own");
            restored.set_rules(rules(range, crowd)).expect("they fit");
            let mut clone = sim.clone();
            sim.step().expect("there is memory");
            for other in [&mut restored, &mut clone] {
                other.step().expect("there is memory");
                assert_eq!(other.state_hash(), sim.state_hash(), "step {step}");
            }
            sim = restored;
        }
    }
}

/// A force between each pair and its opposite.
struct Spring(f32);

impl PairRule<0, 2> for Spring {
    fn range(&self) -> f32 {
        self.0
    }
    fn reads(&self) -> [RuleColumn; 0] {
        []
    }
    #[inline(always)]
    fn pair(&self, pair: &RulePair<0>) -> [f32; 2] {
        let stretch = 1.0 - pair.r2 / (self.0 * self.0);
        [-stretch * pair.dx, -stretch * pair.dy]
    }
}

#[test]
fn momentum_is_kept() {
    for boundary in [Boundary::Walls, Boundary::Periodic] {
        let setup = Setup { boundary, speed: 0.0, ..Setup::with_agents(Scene::Gas, 5_000) };
        let mut sim = Sim::new(&setup).expect("it can be placed");
        let range = 2.5 * sim.grid().config().loose_size.x;
        let spring = |agent: &mut RuledAgent<'_>| {
            let mass = agent.radius * agent.radius;
            agent.velocity += agent.moment.dt / mass * Vec2::from_array(agent.sums(0));
        };
        let rules = Rules::new().with_pairs(Spring(range)).with_agents(spring);
        sim.set_rules(rules.without_collisions()).expect("they fit");
        // Too few steps to reach a wall.
        for _ in 0..20 {
            sim.step().expect("there is memory");
        }
        let [px, py] = sim.agents().momentum();
        let agents = sim.agents();
        let all: f64 = (0..agents.len())
            .map(|slot| {
                let speed = Vec2::new(agents.vx[slot], agents.vy[slot]).length();
                f64::from(agents.radius[slot] * agents.radius[slot] * speed)
            })
            .sum();
        assert!(all > 1.0, "they move: {all}");
        if boundary == Boundary::Periodic {
            assert!(px.abs().max(py.abs()) < 1e-6 * all, "{px} {py} of {all}");
        }
    }
}

#[test]
fn agents_without_collisions_pass_through_each_other() {
    let setup = Setup { gravity: 5.0, ..Setup::with_agents(Scene::Pile, 800) };
    let mut sim = Sim::new(&setup).expect("it can be placed");
    sim.set_rules(Rules::new().without_collisions()).expect("they fit");
    assert_eq!(sim.setup().solver, Solver::Impulse);
    (0..400).for_each(|_| sim.step().expect("there is memory"));
    assert_eq!((sim.counters().collisions, sim.last_contacts()), (0, 0));
    // All of them lie on the floor, on top of each other.
    let mut restored = Sim::restore(&sim.snapshot().unwrap()).expect("it is its own");
    let deep = sim.measure().expect("there is memory").max_overlap;
    assert!(deep > 1.0, "{deep}");
    restored.set_rules(Rules::new().without_collisions()).expect("they fit");
    sim.step().expect("there is memory");
    restored.step().expect("there is memory");
    assert_eq!(restored.state_hash(), sim.state_hash());
    sim.remove_rules();
    (0..50).for_each(|_| sim.step().expect("there is memory"));
    assert!(sim.counters().collisions > 0);
}

/// The contact solver has several substeps here, and friction.
#[test]
fn a_run_without_collisions_keeps_its_time_and_can_be_restored() {
    let pile = Setup::with_agents(Scene::Pile, 800);
    let setup = Setup { hz: 60.0, gravity: 60.0, friction: 0.5, ..pile };
    assert!(setup.substeps_per_step() > 1);
    let mut sim = Sim::new(&setup).expect("it can be placed");
    sim.set_rules(Rules::new().without_collisions()).expect("they fit");
    let highest = |sim: &Sim| {
        let heights = sim.agents().y.iter().enumerate();
        heights.max_by(|a, b| a.1.total_cmp(b.1)).map(|(slot, _)| sim.agents().get(slot))
    };
    let before = highest(&sim).expect("an agent");
    (0..6).for_each(|_| sim.step().expect("there is memory"));
    let after = sim.agents().get(sim.slot_of(before.id).expect("it is there"));
    assert!((before.velocity.y - after.velocity.y - 6.0).abs() < 0.01, "{before:?} {after:?}");
    let mut restored = Sim::restore(&sim.snapshot().unwrap()).expect("it is its own");
    restored.set_rules(Rules::new().without_collisions()).expect("they fit");
    for sim in [&mut sim, &mut restored] {
        (0..20).for_each(|_| sim.step().expect("there is memory"));
    }
    assert_eq!(restored.state_hash(), sim.state_hash());
}

/// A rule that says another range whenever it is asked.
#[derive(Default)]
struct Fickle(AtomicU32);

impl PairRule<0, 1> for Fickle {
    fn range(&self) -> f32 {
        5.0 + self.0.fetch_add(1, Ordering::Relaxed) as f32
    }

    fn reads(&self) -> [RuleColumn; 0] {
        []
    }

    fn pair(&self, pair: &RulePair<0>) -> [f32; 1] {
        Crowd(5.0).pair(pair)
    }
}

#[test]
fn a_rule_is_asked_once_for_its_range() {
    let mut sims =
        [Rules::new().with_pairs(Fickle::default()), Rules::new().with_pairs(Crowd(5.0))].map(
            |rules| {
                let mut sim = start(&Setup::with_agents(Scene::Gas, 300));
                sim.set_rules(rules).expect("they fit");
                (0..3).for_each(|_| sim.step().expect("there is memory"));
                sim
            },
        );
    let [fickle, fixed] = &mut sims;
    for slot in 0..300 {
        assert_eq!(fickle.rule_sums(0, slot).unwrap()[0], fixed.rule_sums(0, slot).unwrap()[0]);
    }
}

#[test]
fn a_rule_that_panics_leaves_the_columns() {
    let mut sim = start(&Setup::with_agents(Scene::Gas, 300));
    let own = sim.agents().own.clone();
    sim.set_rules(Rules::new().with_agents(|_: &mut RuledAgent<'_>| panic!("no")))
        .expect("they fit");
    panic::catch_unwind(panic::AssertUnwindSafe(|| sim.step())).expect_err("it panics");
    assert_eq!(sim.agents().own, own);
}

#[test]
fn what_is_not_finite_is_not_written() {
    let setup = Setup::with_agents(Scene::Gas, 300);
    let mut sim = start(&setup);
    let before = sim.agents().own.as_ref().unwrap().numbers[0].values.iter().sum::<f32>();
    sim.set_rules(Rules::new().with_agents(|agent: &mut RuledAgent<'_>| {
        agent.own[0] = f32::NAN;
        agent.velocity.x = if agent.id < 7 { f32::INFINITY } else { agent.velocity.x };
    }))
    .expect("they fit");
    sim.step().expect("there is memory");
    assert_eq!(sim.unwritten(), 300 + 7);
    let own = sim.agents().own.as_ref().unwrap();
    assert!((own.numbers[0].values.iter().sum::<f32>() - before).abs() < 1e-3);
    assert!(sim.agents().vx.iter().all(|speed| speed.is_finite()));
}

#[test]
fn rules_that_do_not_fit_are_refused() {
    let periodic = Setup { boundary: Boundary::Periodic, ..Setup::with_agents(Scene::Gas, 300) };
    let mut sim = Sim::new(&periodic).expect("it can be placed");
    let quarter = 0.25 * sim.world().size().min_element();
    let mut message = |rules| sim.set_rules(rules).expect_err("it is refused").to_string();
    for (found, expected) in [
        (
            message(Rules::new().with_pairs(Crowd(0.0))),
            "range of a rule 0 is out of range: expected more than 0, at most",
        ),
        (
            message(Rules::new().with_pairs(Crowd(1.01 * quarter))),
            "is out of range: expected more than 0, at most",
        ),
        (
            message(Rules::new().with_pairs(Crowd(f32::NAN))),
            "range of a rule NaN is out of range: expected more than 0, at most",
        ),
        (
            message(Rules::new().with_pairs(Everything { range: 1.0, pull: pull() })),
            "a rule reads species, which the agents lack",
        ),
    ] {
        assert!(found.contains(expected), "{found}");
    }
    assert!(sim.set_rules(Rules::new().with_pairs(Crowd(quarter))).is_ok());
    sim.step().expect("there is memory");
    assert!(sim.rule_sums(0, 5).is_some_and(|sums| sums.len() == 1));
    assert_eq!(sim.rule_sums(1, 5), None);
    let wide = panic::catch_unwind(|| SpeciesMatrix::new(&[&[0.0; 17]]));
    assert!(wide.is_err());
}
