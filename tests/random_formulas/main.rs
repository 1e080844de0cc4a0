//! Random worlds of random formulas, against a plain evaluator: it visits all pairs in the order of
//! the slots, adds up sixteen lanes and their tree, picks the neighbor with the smallest random
//! number, and gets the same bits.
//!
//! `JOSTLE_SOAK_FORMULAS=300` runs more worlds.

use jostle::{
    Agents, Boundary, OwnColumn, OwnColumns, Scene, Setup, Sim, Vec2,
    rng::Rng,
    rules::{AgentFormulas, Formulas, PairFormulas, SpeciesMatrix},
    scene,
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

mod tree;

use tree::{
    Condition, Known, Names, OF_AGENTS, OF_PAIRS, POINTS, ROWS, Tree, condition, keyed, over, tree,
};

/// The sum of values in sixteen lanes, as the documentation says.
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

/// A pair of formulas.
struct Rule {
    range: f32,
    between: Option<[u8; 2]>,
    sums: Vec<Tree>,
    /// Which neighbors may be picked.
    pick: Option<Condition>,
}

struct World {
    pairs: Vec<Rule>,
    push: [Tree; 2],
    drag: Tree,
    age: Tree,
    becomes: Condition,
    formulas: Formulas,
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn world(rng: &mut Rng, cell: f32, widest: f32) -> World {
    let of_pairs = strings(&OF_PAIRS);
    let mut of_agents = strings(&OF_AGENTS);
    let mut formulas = Formulas {
        species: strings(&["red", "green", "blue"]),
        columns: strings(&["age", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]),
        params: vec![("push".to_owned(), 1.25)],
        matrices: vec![(
            "pull".to_owned(),
            SpeciesMatrix::new(&ROWS.each_ref().map(|row| &row[..])),
        )],
        tables: vec![("bump".to_owned(), POINTS.to_vec())],
        without_collisions: true,
        ..Formulas::new()
    };
    let mut pairs = Vec::new();
    let mut all = AgentFormulas::new();
    let mut sums = 0;
    let (mut of_both, mut picked) = (strings(&["none", "i", "j"]), strings(&["none"]));
    for which in 0..=rng.below(3) {
        let range = (cell * 10.0_f32.powf(rng.between(-0.5, 1.0))).min(widest);
        let mut pair = PairFormulas::new(&format!("p{which}"), range);
        pair.between = (rng.below(3) == 0).then(|| [0; 2].map(|_| rng.below(3) as u8));
        let mut rule = Rule { range, between: pair.between, sums: Vec::new(), pick: None };
        let names = Names { numbers: &of_pairs, agents: &of_both, has_matrix: true };
        for _ in 0..=rng.below(2) {
            let depth = 1 + rng.below(4);
            let formula = tree(rng, &names, depth);
            pair.sums.push((format!("q{sums}"), formula.text(&names).as_str().into()));
            let sum = format!("q{sums}");
            all.set.push((format!("s{sums}"), sum.as_str().into()));
            of_agents.push(sum);
            rule.sums.push(formula);
            sums += 1;
        }
        if rng.below(2) == 0 {
            let may = condition(rng, &names, 2);
            let name = format!("t{which}");
            pair.pick = Some((name.clone(), may.text(&names).as_str().into()));
            rule.pick = Some(may);
            of_both.extend([format!("i.{name}"), format!("j.{name}")]);
            picked.push(name);
        }
        formulas.pairs.push(pair);
        pairs.push(rule);
    }
    // What was picked last is felt, each way.
    if let Some(last) = pairs.iter().rposition(|rule| rule.pick.is_some()) {
        let mut pair = PairFormulas::new("seen", pairs[last].range);
        let names = Names { numbers: &of_pairs, agents: &of_both, has_matrix: true };
        let [of_i, of_j] = [of_both.len() - 2, of_both.len() - 1];
        let seen = [([of_i, 2], 0), ([of_j, 1], 11)].map(|(same, name)| {
            let both = Box::new([Tree::Name(name), Tree::Number(0.0)]);
            Tree::Select(Box::new(Condition::Same(same)), both)
        });
        for (at, sum) in (sums..).zip(&seen) {
            pair.sums.push((format!("seen{at}"), sum.text(&names).as_str().into()));
            all.set.push((format!("s{at}"), format!("seen{at}").as_str().into()));
        }
        formulas.pairs.push(pair);
        let range = pairs[last].range;
        pairs.push(Rule { range, between: None, sums: seen.to_vec(), pick: None });
    }
    let names = Names { numbers: &of_agents, agents: &picked, has_matrix: false };
    let mut one = |depth| tree(rng, &names, depth);
    let (push, drag, age) = ([one(3), one(3)], one(2), one(3));
    let becomes = condition(rng, &names, 2);
    let text = |tree: &Tree| tree.text(&names).as_str().into();
    all.acceleration = Some([text(&push[0]), text(&push[1])]);
    // A number below 0 that has no name in it is refused.
    all.drag = Some(format!("({}) + 0 * x", drag.text(&names)).as_str().into());
    all.speed_max = Some("9".into());
    all.set.push(("age".to_owned(), text(&age)));
    all.becomes = vec![(2, becomes.text(&names).as_str().into()), (0, "age > 3".into())];
    formulas.agents = vec![all];
    World { pairs, push, drag, age, becomes, formulas }
}

/// What an agent is after a step: velocity, own columns and species.
type After = ([f32; 2], Vec<f32>, u8);

/// What pairs make of all agents, slot by slot.
struct Felt {
    sums: Vec<Vec<f32>>,
    /// Of each rule that picks: the ids.
    picked: Vec<Vec<u32>>,
}

impl World {
    /// What the rules make of all agents, by id.
    fn expected(&self, sim: &Sim, step: u64) -> (Vec<After>, usize) {
        let felt = self.felt(sim, step);
        let mut all = vec![Default::default(); sim.agents().len()];
        for (i, id) in sim.agents().id.iter().enumerate() {
            all[*id as usize] = self.after(sim, i, &felt, step);
        }
        let picks = felt.picked.iter().flatten().filter(|id| **id != Agents::GONE).count();
        (all, picks)
    }

    fn felt(&self, sim: &Sim, step: u64) -> Felt {
        let (agents, space) = (sim.agents(), sim.space());
        let own = agents.own.as_ref().expect("there are columns");
        let species = own.species.as_ref().expect("there are species");
        let age = &own.numbers[0].values;
        let key = keyed(sim.setup().seed, step);
        let mut felt = Felt { sums: vec![Vec::new(); agents.len()], picked: Vec::new() };
        for (number, Rule { range, between, sums, pick }) in (0..).zip(&self.pairs) {
            let mut of_rule = Vec::new();
            for i in 0..agents.len() {
                let mut values = vec![Vec::new(); sums.len()];
                let mut best = (u64::MAX, Agents::GONE);
                for j in (0..agents.len()).filter(|&j| j != i) {
                    let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
                    let Vec2 { x: dx, y: dy } = space.minimum_image(apart);
                    let r2 = dx * dx + dy * dy;
                    let counts = between.is_none_or(|both| both == [species[i], species[j]]);
                    if !(r2 < range * range && counts) {
                        continue;
                    }
                    let named = [
                        dx,
                        dy,
                        r2.sqrt(),
                        r2,
                        agents.x[i],
                        agents.y[j],
                        agents.vx[i],
                        agents.vx[j],
                        agents.vy[i],
                        agents.vy[j],
                        age[i],
                        age[j],
                        agents.radius[i],
                        agents.radius[j],
                        1.25,
                        step as f32,
                    ];
                    let ids = [agents.id[i], agents.id[j]];
                    let mut known_agents = vec![Agents::GONE, ids[0], ids[1]];
                    known_agents.extend(felt.picked.iter().flat_map(|of| [of[i], of[j]]));
                    let pull = ROWS[usize::from(species[i])][usize::from(species[j])];
                    let known =
                        Known { values: &named, agents: &known_agents, pull, key, ids: &ids };
                    for (values, formula) in values.iter_mut().zip(sums) {
                        values.push(formula.value(&known));
                    }
                    if pick.as_ref().is_some_and(|may| may.holds(&known)) {
                        best = best.min((known.random((1 << 35) + number).bits(), ids[1]));
                    }
                }
                felt.sums[i].extend(values.iter().map(|values| total(values)));
                of_rule.push(best.1);
            }
            felt.picked.extend(pick.is_some().then_some(of_rule));
        }
        felt
    }

    fn after(&self, sim: &Sim, i: usize, felt: &Felt, step: u64) -> After {
        let agents = sim.agents();
        let sums = &felt.sums[i];
        let own = agents.own.as_ref().expect("there are columns");
        let species = own.species.as_ref().expect("there are species")[i];
        let age = own.numbers[0].values[i];
        let [vx, vy] = [agents.vx[i], agents.vy[i]];
        let dt = 1.0 / sim.setup().hz;
        let time = (step as f64 * f64::from(dt)) as f32;
        let id = agents.id[i] as f32;
        let mut named =
            vec![agents.x[i], agents.y[i], vx, vy, agents.radius[i], age, id, 1.25, time];
        named.extend(sums);
        let mut known_agents = vec![Agents::GONE];
        known_agents.extend(felt.picked.iter().map(|of| of[i]));
        let key = keyed(sim.setup().seed, step);
        let ids = [agents.id[i]];
        let known = Known { values: &named, agents: &known_agents, pull: 0.0, key, ids: &ids };
        let of = |formula: &Tree| formula.value(&known);
        // What would speed up without end is not written.
        let factor = 1.0 + of(&self.drag) * dt;
        let factor = if 0.0 < factor { factor } else { f32::NAN };
        let pushed = [vx + of(&self.push[0]) * dt, vy + of(&self.push[1]) * dt];
        let [wx, wy] = pushed.map(|speed| over(speed, factor));
        let square = wx * wx + wy * wy;
        let share = if square <= 81.0 { 1.0 } else { over(9.0, square.sqrt()) };
        let [wx, wy] = [wx * share, wy * share];
        let written = wx.abs() <= 1e9 && wy.abs() <= 1e9;
        let kept = |column: usize, value: f32| {
            if value.is_finite() { value } else { own.numbers[column].values[i] }
        };
        let mut numbers = vec![kept(0, of(&self.age))];
        numbers.extend((0..8).map(|at| {
            sums.get(at).map_or(own.numbers[at + 1].values[i], |&sum| kept(at + 1, sum))
        }));
        let becomes = if self.becomes.holds(&known) {
            2
        } else if age > 3.0 {
            0
        } else {
            species
        };
        (if written { [wx, wy] } else { [vx, vy] }, numbers, becomes)
    }
}

/// What the agents are, by id.
fn found(sim: &Sim) -> Vec<After> {
    let agents = sim.agents();
    let own = agents.own.as_ref().expect("there are columns");
    let species = own.species.as_ref().expect("there are species");
    let mut all = vec![Default::default(); agents.len()];
    for i in 0..agents.len() {
        let numbers = own.numbers.iter().map(|column| column.values[i]).collect();
        all[agents.id[i] as usize] = ([agents.vx[i], agents.vy[i]], numbers, species[i]);
    }
    all
}

/// The bits; walls turn velocities around, so the sign of these is left out.
fn bits((velocity, numbers, species): &After) -> ([u32; 2], Vec<u32>, u8) {
    let numbers = numbers.iter().map(|number| number.to_bits()).collect();
    (velocity.map(|speed| speed.abs().to_bits()), numbers, *species)
}

/// The run; none where the agents can't be placed.
fn start(setup: &Setup) -> Option<Sim> {
    let mut start = scene::place(setup).ok()?;
    let ids = &start.agents.id;
    let species = ids.iter().map(|&id| (id % 3) as u8).collect();
    let age = ids.iter().map(|&id| (id % 97) as f32 * 0.125).collect();
    let mut own =
        OwnColumns::new().with_species(species).with_numbers(OwnColumn::new("age", 0.0, age));
    for sum in 0..8 {
        own = own.with_numbers(OwnColumn::new(&format!("s{sum}"), 0.0, vec![0.0; ids.len()]));
    }
    start.agents.own = Some(Box::new(own));
    Some(Sim::from_start(setup, start).expect("it can begin"))
}

#[test]
fn random_worlds_have_the_bits_of_a_plain_evaluator() {
    let cases = std::env::var("JOSTLE_SOAK_FORMULAS").map_or(24, |cases| cases.parse().unwrap());
    let levels: Vec<SimdLevel> = SimdLevel::available().collect();
    let pools = [1, 2, 7]
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let mut rng = Rng::new(0x666f_726d);
    let (mut moved, mut neighbors, mut turned, mut picked) = (0, 0.0, 0, 0);
    for case in 0..cases {
        let boundary =
            [Boundary::Walls, Boundary::Periodic, Boundary::PeriodicX][rng.below(3) as usize];
        let scene = [Scene::Gas, Scene::Mixed, Scene::Giants][rng.below(3) as usize];
        let agents = 40 + rng.below(120);
        let setup = Setup {
            boundary,
            seed: rng.bits(),
            speed: 10.0_f32.powf(rng.between(-1.0, 2.0)),
            ..Setup::with_agents(scene, agents)
        };
        let Some(mut sim) = start(&setup) else { continue };
        let cell = sim.grid().config().loose_size.max_element();
        let world = world(&mut rng, cell, 0.25 * sim.world().size().min_element());
        let rules = |context: &str| {
            world.formulas.compile().unwrap_or_else(|faults| panic!("{context}: {faults:?}"))
        };
        let context = format!("case {case}, {:?}", world.formulas);
        sim.set_rules(rules(&context)).expect("they fit");
        for step in 0..50 {
            sim.set_simd(levels[(case + step) % levels.len()]);
            if step == 25 {
                let snapshot = sim.snapshot().expect("there is memory");
                sim = Sim::restore(&snapshot).expect("it is its own");
                sim.set_rules(rules(&context)).expect("they fit");
            }
            let before = found(&sim);
            let (expected, picks) = world.expected(&sim, step as u64);
            picked += picks;
            pools[step % 3].install(|| sim.step().expect("there is memory"));
            let after = found(&sim);
            for (id, (found, expected)) in after.iter().zip(&expected).enumerate() {
                assert_eq!(bits(found), bits(expected), "step {step}, id {id}, {context}");
                moved += usize::from(found.0 != before[id].0);
                turned += usize::from(found.2 != before[id].2);
                neighbors += f64::from(u8::from(found.1[1] != 0.0));
            }
        }
    }
    let enough = moved > 1_000 && neighbors > 1_000.0 && turned > 20 && picked > 1_000;
    assert!(enough, "{moved} {neighbors} {turned} {picked}");
}
