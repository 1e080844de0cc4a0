//! Picks: each agent picks at most one neighbor, and what one gives, another takes.

use jostle::{
    Agents, Boundary, OwnColumn, OwnColumns, Scene, Setup, Sim, Vec2,
    rng::Rng,
    rules::{
        AgentFormulas, Formulas, PairFormulas, PairRule, PickRule, RuleColumn, RulePair,
        RuledAgent, Rules,
    },
    scene,
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

/// Each agent picks a neighbor that is slower along x.
struct Slower(f32);

impl PickRule<1> for Slower {
    fn range(&self) -> f32 {
        self.0
    }
    fn reads(&self) -> [RuleColumn; 1] {
        [RuleColumn::Vx]
    }
    #[inline(always)]
    fn picks(&self, pair: &RulePair<1>) -> bool {
        pair.j[0] < pair.i[0]
    }
}

/// Each agent counts by how many it was picked, and whether it picked the neighbor that it did.
struct Counted(f32);

impl PairRule<2, 2> for Counted {
    fn range(&self) -> f32 {
        self.0
    }
    fn reads(&self) -> [RuleColumn; 2] {
        [RuleColumn::Picked(0), RuleColumn::IdBits]
    }
    #[inline(always)]
    fn pair(&self, pair: &RulePair<2>) -> [f32; 2] {
        let same = |a: f32, b: f32| if a.to_bits() == b.to_bits() { 1.0 } else { 0.0 };
        [same(pair.j[0], pair.i[1]), same(pair.i[0], pair.j[1])]
    }
}

/// Ids of the test with many: `f32` has not all of them.
const FIRST_ID: u32 = 16_777_216;

fn rules(range: f32) -> Rules {
    Rules::new().with_picks(Slower(range)).with_pairs(Counted(range)).with_agents(
        |agent: &mut RuledAgent<'_>| {
            assert!(agent.sums::<0>(0).is_empty());
            assert_eq!(agent.picked(1), None, "that rule does not pick");
            let [by, one] = agent.sums::<2>(1);
            let picked = agent.picked(0).map_or(0, |id| id - FIRST_ID + 1);
            agent.own.copy_from_slice(&[picked as f32, by, one]);
            let turned = Vec2::new(-agent.velocity.y, agent.velocity.x);
            agent.velocity = if by > 1.0 { turned } else { agent.velocity };
        },
    )
}

fn start(setup: &Setup, columns: &[&str]) -> Sim {
    let mut start = scene::place(setup).expect("it can be placed");
    for id in &mut start.agents.id {
        *id += FIRST_ID;
    }
    let count = start.agents.len();
    let values = |name: &str| vec![if name == "coins" { 2.0 } else { 0.0 }; count];
    let own = columns.iter().fold(OwnColumns::new(), |own, name| {
        own.with_numbers(OwnColumn::new(name, 0.0, values(name)))
    });
    start.agents.own = Some(Box::new(own));
    Sim::from_start(setup, start).expect("it can begin")
}

fn column(sim: &Sim, which: usize) -> &[f32] {
    &sim.agents().own.as_ref().expect("columns").numbers[which].values
}

/// The key that follows from a key and a number.
fn keyed(key: u64, number: u64) -> u64 {
    Rng::new(key ^ number.rotate_left(32)).bits().wrapping_add(number)
}

/// What all pick, slot by slot.
fn naive(sim: &Sim, range: f32, step: u64) -> Vec<u32> {
    let (agents, space) = (sim.agents(), sim.space());
    let key = keyed(keyed(sim.setup().seed, step), 1 << 35);
    let picked = |i: usize| {
        let may = |&j: &usize| {
            let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
            let Vec2 { x, y } = space.minimum_image(apart);
            j != i && x * x + y * y < range * range && agents.vx[j] < agents.vx[i]
        };
        let number = |j: usize| {
            let [i, j] = [i, j].map(|slot| agents.id[slot]);
            (Rng::new(keyed(keyed(key, i.into()), j.into())).bits(), j)
        };
        (0..agents.len()).filter(may).map(number).min().map_or(Agents::GONE, |(_, id)| id)
    };
    (0..agents.len()).map(picked).collect()
}

/// Also where a group meets its candidates in turns, and for ids that are no `f32`.
#[test]
fn each_picks_the_neighbor_with_the_smallest_number() {
    let levels: Vec<SimdLevel> = SimdLevel::available().collect();
    let pools = [1, 2, 7].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let pools = pools.map(|pool| pool.expect("threads"));
    for boundary in [Boundary::Walls, Boundary::Periodic, Boundary::PeriodicX] {
        for range in [2.0, 9.0, 24.0] {
            let setup = Setup { boundary, speed: 30.0, ..Setup::with_agents(Scene::Gas, 2_000) };
            let mut sim = start(&setup, &["picked", "by", "one"]);
            let widest = 0.25 * sim.world().size().min_element();
            let range = if boundary == Boundary::Walls { range } else { widest.min(range) };
            sim.set_rules(rules(range)).expect("they fit");
            for step in 0..6 {
                if step == 3 {
                    sim = Sim::restore(&sim.snapshot().expect("memory")).expect("its own");
                    sim.set_rules(rules(range)).expect("they fit");
                }
                sim.set_simd(levels[step % levels.len()]);
                let ids = sim.agents().id.clone();
                let expected = naive(&sim, range, step as u64);
                pools[step % 3].install(|| sim.step().expect("memory"));
                // By id, since a step may sort.
                let [picked, by, one] = [0, 1, 2].map(|which| column(&sim, which));
                for (slot, id) in sim.agents().id.iter().enumerate() {
                    let before = ids.iter().position(|other| other == id).expect("none leaves");
                    let picks = expected[before];
                    let shown = if picks == Agents::GONE { 0 } else { picks - FIRST_ID + 1 };
                    assert_eq!(picked[slot], shown as f32, "{boundary} {range} {step}");
                    let votes = expected.iter().filter(|other| *other == id).count();
                    assert_eq!(by[slot], votes as f32, "{boundary} {range} {step}");
                    assert_eq!(one[slot], if shown == 0 { 0.0 } else { 1.0 });
                }
            }
        }
    }
}

#[test]
fn a_pick_that_comes_later_can_not_be_read() {
    let setup = Setup::with_agents(Scene::Gas, 100);
    let mut sim = start(&setup, &[]);
    let late = Rules::new().with_pairs(Counted(2.0)).with_picks(Slower(2.0));
    let fault = sim.set_rules(late).expect_err("it comes later").to_string();
    assert!(fault.contains("a rule reads") && fault.contains("pick"), "{fault}");
}

fn texts(all: &[(&str, &str)]) -> Vec<(String, jostle::rules::Formula)> {
    all.iter().map(|&(name, text)| (name.to_owned(), text.into())).collect()
}

/// An agent that has a coin gives it to a neighbor.
fn coins() -> Rules {
    let mut pay = PairFormulas::new("pay", 3.0);
    pay.pick = Some(("payee".to_owned(), "i.coins > 0 and random(1) < 0.4".into()));
    let mut take = PairFormulas::new("take", 3.0);
    take.sums = texts(&[("got", "select(j.payee == i, 1, 0)"), ("n", "1")]);
    let mut all = AgentFormulas::new();
    all.set = texts(&[("coins", "coins + got - select(payee != none, 1, 0)")]);
    let formulas = Formulas {
        columns: vec!["coins".to_owned()],
        pairs: vec![pay, take],
        agents: vec![all],
        ..Formulas::new()
    };
    formulas.compile().expect("they are formulas")
}

#[test]
fn what_is_given_is_taken_to_the_bit() {
    let levels: Vec<SimdLevel> = SimdLevel::available().collect();
    let all_coins = |sim: &Sim| column(sim, 0).iter().map(|&coins| f64::from(coins)).sum::<f64>();
    for boundary in [Boundary::Walls, Boundary::Periodic] {
        let setup = Setup { boundary, speed: 40.0, ..Setup::with_agents(Scene::Gas, 1_500) };
        let mut hashes = Vec::new();
        for (threads, level) in [(1, 0), (2, levels.len() - 1), (7, levels.len() / 2)] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut sim = start(&setup, &["coins"]);
            sim.set_simd(levels[level]);
            sim.set_rules(coins()).expect("they fit");
            let all = all_coins(&sim);
            let rich = |sim: &Sim| column(sim, 0).iter().filter(|coins| **coins > 3.0).count();
            let at_start = rich(&sim);
            for step in 0..500 {
                if step == 100 * threads {
                    sim = Sim::restore(&sim.snapshot().expect("memory")).expect("its own");
                    sim.set_simd(levels[level]);
                    sim.set_rules(coins()).expect("they fit");
                }
                pool.install(|| sim.step().expect("memory"));
                assert_eq!(all_coins(&sim), all, "{boundary}, step {step}");
            }
            assert!(column(&sim, 0).iter().all(|&coins| coins >= 0.0 && coins.fract() == 0.0));
            assert!(at_start == 0 && rich(&sim) > 20, "{at_start} {}", rich(&sim));
            hashes.push(sim.state_hash());
        }
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
    }
}

/// Each of the neighbors of a lattice is picked equally often.
#[test]
fn no_neighbor_is_preferred() {
    let mut pick = PairFormulas::new("pick", 4.0);
    pick.pick = Some(("one".to_owned(), "1".into()));
    let mut see = PairFormulas::new("see", 4.0);
    see.sums = texts(&[("x", "select(i.one == j, dx, 0)"), ("y", "select(i.one == j, dy, 0)")]);
    let mut all = AgentFormulas::new();
    all.set = texts(&[("x1", "x1 + see.x"), ("y1", "y1 + see.y"), ("n", "n + 1")]);
    let rules = Formulas {
        columns: ["x1", "y1", "n"].map(str::to_owned).to_vec(),
        pairs: vec![pick, see],
        agents: vec![all],
        ..Formulas::new()
    };
    let boundary = Boundary::Periodic;
    let setup = Setup { boundary, speed: 0.0, ..Setup::with_agents(Scene::Gas, 2_000) };
    let mut sim = start(&setup, &["x1", "y1", "n"]);
    let at = |sim: &Sim| {
        let (agents, mut of) = (sim.agents(), vec![Vec2::ZERO; sim.agents().len()]);
        for slot in 0..agents.len() {
            let id = (agents.id[slot] - FIRST_ID) as usize;
            of[id] = Vec2::new(column(sim, 0)[slot], column(sim, 1)[slot]);
        }
        of
    };
    sim.set_rules(rules.compile().expect("they are formulas")).expect("they fit");
    for _ in 0..400 {
        sim.step().expect("memory");
    }
    // The mean direction to what was picked is that to all neighbors, which do not move.
    let (agents, space, found) = (sim.agents().clone(), sim.space(), at(&sim));
    let mut off = 0.0;
    for i in 0..agents.len() {
        let near: Vec<Vec2> = (0..agents.len())
            .filter(|&j| j != i)
            .map(|j| Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]))
            .map(|apart| space.minimum_image(apart))
            .filter(|apart| apart.length_squared() < 16.0)
            .collect();
        let mean = near.iter().sum::<Vec2>() / near.len().max(1) as f32;
        let picked = found[(agents.id[i] - FIRST_ID) as usize] / 400.0;
        off += f64::from((picked - mean).length_squared()) / agents.len() as f64;
    }
    // The mean square of 400 draws of a distance up to 4, about 8, over their number.
    assert!((0.01..0.03).contains(&off), "{off}");
}
