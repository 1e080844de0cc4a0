//! Rules as formulas, in runs: against an evaluator that visits all pairs in the documented order, and
//! against the same rules as code.

use jostle::{
    Boundary, OwnColumn, OwnColumns, Scene, Setup, Sim, Vec2,
    index::IndexKind,
    rules::{AgentFormulas, Formulas, PairFormulas, RuledAgent, Rules, SpeciesMatrix},
    scene,
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

const ROWS: [[f32; 3]; 3] = [[0.8, -0.2, 0.1], [-0.1, 0.6, 0.5], [0.3, -0.4, 0.7]];

fn start(setup: &Setup) -> Sim {
    let mut start = scene::place(setup).expect("it can be placed");
    let ids = &start.agents.id;
    let age = ids.iter().map(|&id| (id % 97) as f32 * 0.01).collect();
    let own = OwnColumns::new()
        .with_species(ids.iter().map(|&id| (id % 3) as u8).collect())
        .with_numbers(OwnColumn::new("age", 0.0, age))
        .with_numbers(OwnColumn::new("seen", 0.0, vec![0.0; ids.len()]));
    start.agents.own = Some(Box::new(own));
    Sim::from_start(setup, start).expect("it can begin")
}

/// All names that there are.
fn named() -> Formulas {
    Formulas {
        species: ["red", "green", "blue"].map(str::to_owned).to_vec(),
        columns: ["age", "seen"].map(str::to_owned).to_vec(),
        params: vec![("push".to_owned(), 30.0)],
        matrices: vec![(
            "pull".to_owned(),
            SpeciesMatrix::new(&ROWS.each_ref().map(|row| &row[..])),
        )],
        tables: vec![("bump".to_owned(), vec![[0.0, 0.0], [1.0, 2.0], [3.0, 0.5]])],
        ..Formulas::new()
    }
}

fn texts<const N: usize>(all: [(&str, &str); N]) -> Vec<(String, jostle::rules::Formula)> {
    all.map(|(name, text)| (name.to_owned(), text.into())).to_vec()
}

fn formulas(range: f32) -> Formulas {
    let mut life = PairFormulas::new("life", range);
    life.lets = texts([("f", "select(r < 1, r - 1, pull[i,j] * (1 - abs(2*r - 3)/2))")]);
    life.sums =
        texts([("fx", "f/r * dx"), ("fy", "f/r * dy"), ("n", "1"), ("old", "j.age - i.age")]);
    let mut fear = PairFormulas::new("fear", 1.5 * range);
    fear.between = Some([0, 2]);
    fear.sums = texts([("x", "bump(r) * dx / r2"), ("y", "dy / r2"), ("n", "random(4)")]);
    let mut all = AgentFormulas::new();
    all.acceleration = Some(["push * fx / life.n".into(), "push * fy / life.n".into()]);
    all.drag = Some("0.5".into());
    all.set = texts([("age", "age + dt + 0.001 * normal(9)"), ("seen", "fear.n + 1/wall")]);
    let mut red = AgentFormulas::new();
    red.species = Some(0);
    red.lets = texts([("flee", "40 * sin(time) + 40")]);
    red.acceleration = Some(["-flee * fear.x".into(), "-flee * fear.y".into()]);
    red.speed_max = Some("9".into());
    red.becomes = vec![(1, "random(2) < 0.01".into()), (2, "old > 4 and not (life.n > 9)".into())];
    Formulas { pairs: vec![life, fear], agents: vec![all, red], ..named() }
}

/// The sums of values in sixteen lanes, as the documentation says.
fn total(values: &[f32]) -> f32 {
    let mut lanes = [0.0; 16];
    for (rank, value) in values.iter().enumerate() {
        lanes[rank % 16] += value;
    }
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
    }
    lanes[0]
}

fn bump(x: f32) -> f32 {
    match x {
        _ if x <= 0.0 => 0.0,
        _ if x < 1.0 => 0.0 + (x - 0.0) * ((2.0 - 0.0) / (1.0 - 0.0)),
        _ if x <= 1.0 => 2.0,
        _ if x < 3.0 => 2.0 + (x - 1.0) * ((0.5 - 2.0) / (3.0 - 1.0)),
        _ => 0.5,
    }
}

fn over(a: f32, b: f32) -> f32 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// Some sums of both pairs for all agents, slot by slot.
fn naive(sim: &Sim, range: f32) -> Vec<[f32; 6]> {
    let (agents, space) = (sim.agents(), sim.space());
    let own = agents.own.as_ref().expect("there are columns");
    let (species, age) = (own.species.as_ref().unwrap(), &own.numbers[0].values);
    let sums = |i: usize| {
        let mut values: [Vec<f32>; 6] = Default::default();
        for j in (0..agents.len()).filter(|&j| j != i) {
            let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
            let Vec2 { x: dx, y: dy } = space.minimum_image(apart);
            let r2 = dx * dx + dy * dy;
            let r = r2.sqrt();
            if r2 < range * range {
                let pull = ROWS[species[i] as usize][species[j] as usize];
                let felt = pull * (1.0 - (2.0 * r - 3.0).abs() / 2.0);
                let f = if r < 1.0 { r - 1.0 } else { felt };
                values[0].push(over(f, r) * dx);
                values[1].push(over(f, r) * dy);
                values[2].push(1.0);
                values[3].push(age[j] - age[i]);
            }
            let far = 1.5 * range;
            if r2 < far * far && (species[i], species[j]) == (0, 2) {
                values[4].push(over(bump(r) * dx, r2));
                values[5].push(over(dy, r2));
            }
        }
        values.map(|values| total(&values))
    };
    (0..agents.len()).map(sums).collect()
}

#[test]
fn sums_of_formulas_are_those_of_all_pairs_bit_for_bit() {
    let levels: Vec<SimdLevel> = SimdLevel::available().collect();
    for boundary in [Boundary::Walls, Boundary::Periodic] {
        let setup = Setup { boundary, ..Setup::with_agents(Scene::Gas, 900) };
        for range in [2.0, 4.5] {
            let mut sim = start(&setup);
            sim.set_rules(formulas(range).compile().expect("they are formulas")).expect("they fit");
            for step in 0..9 {
                sim.set_simd(levels[step % levels.len()]);
                let ids = sim.agents().id.clone();
                let expected = naive(&sim, range);
                // The rules run at the beginning of a step, which may end with a sort.
                sim.step().expect("there is memory");
                if sim.agents().id != ids {
                    continue;
                }
                for (slot, expected) in expected.iter().enumerate() {
                    let [life, fear] = [0, 1].map(|rule| sim.rule_sums(rule, slot).unwrap());
                    let found = [life[0], life[1], life[2], life[3], fear[0], fear[1]];
                    assert_eq!(found.map(f32::to_bits), expected.map(f32::to_bits), "{slot}");
                }
            }
            assert_eq!(sim.unwritten(), 0);
        }
    }
}

#[test]
fn threads_levels_and_indexes_change_no_bit() {
    let setup = Setup { boundary: Boundary::PeriodicX, ..Setup::with_agents(Scene::Mixed, 4_000) };
    let run = |threads, simd, index: &str| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut sim = start(&setup);
            sim.set_simd(simd);
            sim.set_index(IndexKind::find(index).unwrap()).expect("there is memory");
            let mut formulas = formulas(3.0);
            formulas.agents[0].dies = Some("random(11) < 0.001".into());
            sim.set_rules(formulas.compile().expect("they are formulas")).expect("they fit");
            (0..25).for_each(|_| sim.step().expect("there is memory"));
            assert!(sim.agents().len() < 4_000);
            let own = sim.agents().own.clone();
            (sim.state_hash(), own)
        })
    };
    let expected = run(1, SimdLevel::SCALAR, "double-grid");
    for simd in SimdLevel::available() {
        for threads in [1, 2, 7] {
            assert!(run(threads, simd, "double-grid") == expected, "{threads} {simd:?}");
        }
    }
    assert!(run(2, SimdLevel::best(), "unit-grid") == expected);
}

/// The same rule for agents, as text and as code.
#[test]
fn formulas_do_what_code_does() {
    let setup = Setup::with_agents(Scene::Gas, 2_000);
    let mut text = AgentFormulas::new();
    text.velocity = Some(["vx + 0.5 * age".into(), "vy - random(5)".into()]);
    text.set = texts([("age", "select(vx > 0, age, 2 * random(1))")]);
    text.becomes = vec![(1, "x > y".into()), (2, "true_ < 0".into())];
    text.lets = texts([("true_", "-1")]);
    let text = Formulas { agents: vec![text], ..named() }.compile().expect("they are formulas");
    let code = Rules::new().with_agents(|agent: &mut RuledAgent<'_>| {
        let (old, age) = (agent.velocity, agent.own[0]);
        agent.velocity = Vec2::new(old.x + 0.5 * age, old.y - agent.random(5));
        agent.own[0] = if old.x > 0.0 { age } else { 2.0 * agent.random(1) };
        agent.species = if agent.position.x > agent.position.y { 1 } else { 2 };
    });
    let [one, other] = [text, code].map(|rules| {
        let mut sim = start(&setup);
        sim.set_rules(rules).expect("they fit");
        (0..10).for_each(|_| sim.step().expect("there is memory"));
        (sim.state_hash(), sim.agents().own.clone())
    });
    assert!(one == other);
}

#[test]
fn what_is_not_finite_is_not_written_and_counted_by_formula() {
    let mut agents = AgentFormulas::new();
    let at = |text, at| jostle::rules::Formula::new(text, at);
    agents.set = vec![("age".into(), at("exp(1000)", 40)), ("seen".into(), at("1 / 0", 60))];
    agents.acceleration = Some([at("log(0) * (id + 1)", 7), at("0", 9)]);
    let formulas = Formulas { agents: vec![agents], ..named() };
    let mut sim = start(&Setup::with_agents(Scene::Gas, 500));
    sim.set_rules(formulas.compile().expect("they are formulas")).expect("they fit");
    let before = sim.agents().own.as_ref().unwrap().numbers[0].values.iter().sum::<f32>();
    sim.step().expect("there is memory");
    assert_eq!(sim.unwritten_formulas(), [(7, 500), (40, 500)]);
    let own = sim.agents().own.as_ref().unwrap();
    assert!((own.numbers[0].values.iter().sum::<f32>() - before).abs() < 1e-3);
    assert_eq!(own.numbers[1].values, vec![0.0; 500], "x/0 is 0");
    assert!(sim.agents().vx.iter().all(|speed| speed.is_finite()));
}

#[test]
fn all_faults_are_reported_at_once_in_the_order_of_the_text() {
    let mut pair = PairFormulas::new("life", 3.0);
    let at = |text, at| jostle::rules::Formula::new(text, at);
    pair.sums = vec![("n".into(), at("1 + q", 100)), ("m".into(), at("r < 1", 120))];
    let mut agents = AgentFormulas::new();
    agents.set = vec![("ag".into(), at("1", 10)), ("age".into(), at("j.age", 20))];
    agents.dies = Some(at("age", 30));
    let formulas = Formulas { pairs: vec![pair], agents: vec![agents], ..named() };
    let faults = formulas.compile().expect_err("they are wrong");
    let found: Vec<_> = faults.iter().map(|fault| (fault.at, fault.message.as_str())).collect();
    for (found, (at, message)) in found.iter().zip([
        (10, "agents have no column `ag` of their own"),
        (20, "`j.age` belongs to pairs"),
        (30, "`dies` takes a condition, found a number"),
        (104, "there is no value or function `q`"),
        (120, "`m` takes a number, found a condition"),
    ]) {
        assert!(found.0 == at && found.1.starts_with(message), "{found:?}");
    }
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn rules_that_need_other_columns_are_refused() {
    let mut agents = AgentFormulas::new();
    agents.set = texts([("age", "1")]);
    let rules = Formulas { agents: vec![agents], ..named() }.compile().expect("they are formulas");
    let mut sim = Sim::new(&Setup::with_agents(Scene::Gas, 100)).expect("it can be placed");
    let error = sim.set_rules(rules).expect_err("there is no column");
    assert!(error.to_string().contains("which the agents lack"), "{error}");
}
