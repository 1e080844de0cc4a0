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

/// The functions as they are: their accuracy is tested where they stand, and here that formulas call
/// them with the right numbers.
#[path = "../src/formula/functions.rs"]
mod functions;

/// A formula: its text, and its value.
#[derive(Clone, Debug)]
enum Tree {
    Number(f32),
    Name(usize),
    Neg(Box<Tree>),
    Of(&'static str, Vec<Tree>),
    Between(&'static str, Box<[Tree; 2]>),
    Select(Box<Condition>, Box<[Tree; 2]>),
    Matrix,
    Bump(Box<Tree>),
    /// A random number of a stream, uniform or normally distributed.
    Random(u64),
    Normal(u64),
}

#[derive(Clone, Debug)]
enum Condition {
    Compare(&'static str, Box<[Tree; 2]>),
    Both(&'static str, Box<[Condition; 2]>),
    Not(Box<Condition>),
    /// Whether two agents are the same, by their names.
    Same([usize; 2]),
    Differ([usize; 2]),
}

const ROWS: [[f32; 3]; 3] = [[0.8, -0.2, 0.1], [-0.1, 0.6, 0.5], [0.3, -0.4, 0.7]];
const POINTS: [[f32; 2]; 4] = [[-1.0, 0.5], [0.25, 2.0], [1.5, -1.0], [3.0, 0.5]];

/// Names of pairs and of agents, in the order of their values; the sums of agents follow.
const OF_PAIRS: [&str; 16] = [
    "dx", "dy", "r", "r2", "i.x", "j.y", "i.vx", "j.vx", "i.vy", "j.vy", "i.age", "j.age",
    "i.radius", "j.radius", "push", "step",
];
const OF_AGENTS: [&str; 9] = ["x", "y", "vx", "vy", "radius", "age", "id", "push", "time"];

/// What formulas may name.
struct Names<'a> {
    numbers: &'a [String],
    /// Those of agents.
    agents: &'a [String],
    has_matrix: bool,
}

/// What formulas read of a pair or an agent.
struct Known<'a> {
    values: &'a [f32],
    /// The ids that the names of agents stand for.
    agents: &'a [u32],
    pull: f32,
    /// The key of the random numbers, of the seed and the step.
    key: u64,
    /// The ids of both, or of the agent.
    ids: &'a [u32],
}

/// The key that follows from a key and a number.
fn keyed(key: u64, number: u64) -> u64 {
    Rng::new(key ^ number.rotate_left(32)).bits().wrapping_add(number)
}

impl Known<'_> {
    /// The generator of a stream.
    fn random(&self, stream: u64) -> Rng {
        Rng::new(self.ids.iter().fold(keyed(self.key, stream), |key, &id| keyed(key, id.into())))
    }

    fn normal(&self, stream: u64) -> f32 {
        let bits = self.random(stream).bits();
        let share = |bits: u64| (bits & 0x00ff_ffff) as f32 * (1.0 / 16_777_216.0);
        let (radius, angle) = (1.0 - share(bits >> 40), std::f32::consts::TAU * share(bits >> 16));
        (-2.0 * functions::log(radius)).sqrt() * functions::cos(angle)
    }
}

fn number(rng: &mut Rng) -> f32 {
    (rng.below(33) as f32 - 8.0) / 4.0
}

fn tree(rng: &mut Rng, names: &Names<'_>, depth: u32) -> Tree {
    if depth == 0 || rng.below(6) == 0 {
        return match rng.below(8) {
            0 | 1 => Tree::Number(number(rng)),
            2 if names.has_matrix => Tree::Matrix,
            _ => Tree::Name(rng.below(names.numbers.len() as u32) as usize),
        };
    }
    let mut one = || Box::new(tree(rng, names, depth - 1));
    let (a, b, c) = (one(), one(), one());
    match rng.below(15) {
        12 => Tree::Of(["exp", "log", "sin", "cos"][rng.below(4) as usize], vec![*a]),
        13 => Tree::Of("atan2", vec![*a, *b]),
        14 if rng.below(2) == 0 => Tree::Random(rng.below(3).into()),
        14 => Tree::Normal(rng.below(3).into()),
        0..=5 => {
            let op = ["+", "-", "*", "/", "*", "+"][rng.below(6) as usize];
            Tree::Between(op, Box::new([*a, *b]))
        }
        6 => Tree::Neg(a),
        7 => Tree::Bump(a),
        8 => Tree::Select(Box::new(condition(rng, names, depth - 1)), Box::new([*a, *b])),
        9 => Tree::Of(["abs", "sqrt", "floor"][rng.below(3) as usize], vec![*a]),
        10 => Tree::Of("clamp", vec![*a, *b, *c]),
        _ => Tree::Of(["min", "max"][rng.below(2) as usize], vec![*a, *b]),
    }
}

fn condition(rng: &mut Rng, names: &Names<'_>, depth: u32) -> Condition {
    if depth > 0 && rng.below(3) == 0 {
        let both = [condition(rng, names, depth - 1), condition(rng, names, depth - 1)];
        let [one, other] = both;
        return match rng.below(3) {
            0 => Condition::Not(Box::new(one)),
            which => Condition::Both(["and", "or"][which as usize - 1], Box::new([one, other])),
        };
    }
    if rng.below(4) == 0 {
        let both = [0; 2].map(|_| rng.below(names.agents.len() as u32) as usize);
        return if rng.below(2) == 0 { Condition::Same(both) } else { Condition::Differ(both) };
    }
    let op = ["<", "<=", ">", ">=", "==", "!="][rng.below(6) as usize];
    Condition::Compare(op, Box::new([tree(rng, names, depth), tree(rng, names, depth)]))
}

impl Tree {
    fn text(&self, names: &Names<'_>) -> String {
        let list =
            |all: &[Self]| all.iter().map(|one| one.text(names)).collect::<Vec<_>>().join(", ");
        match self {
            Self::Number(value) if *value < 0.0 => format!("(-{})", -value),
            Self::Number(value) => format!("{value}"),
            Self::Name(which) => names.numbers[*which].clone(),
            Self::Neg(one) => format!("(-{})", one.text(names)),
            Self::Of(name, values) => format!("{name}({})", list(values)),
            Self::Between(op, both) => {
                format!("({} {op} {})", both[0].text(names), both[1].text(names))
            }
            Self::Select(which, both) => {
                format!("select({}, {})", which.text(names), list(&**both))
            }
            Self::Matrix => "pull[i,j]".to_owned(),
            Self::Bump(x) => format!("bump({})", x.text(names)),
            Self::Random(stream) => format!("random({stream})"),
            Self::Normal(stream) => format!("normal({stream})"),
        }
    }

    fn value(&self, known: &Known<'_>) -> f32 {
        let of = |one: &Self| one.value(known);
        match self {
            Self::Number(value) => *value,
            Self::Name(which) => known.values[*which],
            Self::Neg(one) => -of(one),
            Self::Of(name, all) => {
                let all: Vec<f32> = all.iter().map(of).collect();
                let least = |a: f32, b: f32| if a < b { a } else { b };
                let most = |a: f32, b: f32| if a > b { a } else { b };
                match *name {
                    "abs" => all[0].abs(),
                    "sqrt" => (if all[0] < 0.0 { 0.0 } else { all[0] }).sqrt(),
                    "floor" => all[0].floor(),
                    "clamp" => least(most(all[0], all[1]), all[2]),
                    "min" => least(all[0], all[1]),
                    "max" => most(all[0], all[1]),
                    "exp" => functions::exp(all[0]),
                    "log" => functions::log(all[0]),
                    "sin" => functions::sin(all[0]),
                    "cos" => functions::cos(all[0]),
                    _ => functions::atan2(all[0], all[1]),
                }
            }
            Self::Between(op, both) => {
                let [a, b] = both.each_ref().map(of);
                match *op {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    _ => over(a, b),
                }
            }
            Self::Select(which, both) => of(&both[usize::from(!which.holds(known))]),
            Self::Matrix => known.pull,
            Self::Bump(x) => bump(of(x)),
            Self::Random(stream) => known.random(*stream).unit(),
            Self::Normal(stream) => known.normal(*stream),
        }
    }
}

impl Condition {
    fn text(&self, names: &Names<'_>) -> String {
        match self {
            Self::Compare(op, both) => {
                format!("({} {op} {})", both[0].text(names), both[1].text(names))
            }
            Self::Both(op, both) => {
                format!("({} {op} {})", both[0].text(names), both[1].text(names))
            }
            Self::Not(one) => format!("(not {})", one.text(names)),
            Self::Same([one, other]) => {
                format!("({} == {})", names.agents[*one], names.agents[*other])
            }
            Self::Differ([one, other]) => {
                format!("({} != {})", names.agents[*one], names.agents[*other])
            }
        }
    }

    fn holds(&self, known: &Known<'_>) -> bool {
        match self {
            Self::Compare(op, both) => {
                let [a, b] = both.each_ref().map(|one| one.value(known));
                match *op {
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    ">=" => a >= b,
                    "==" => a == b,
                    _ => a != b,
                }
            }
            Self::Both(op, both) => {
                let [a, b] = both.each_ref().map(|one| one.holds(known));
                if *op == "and" { a && b } else { a || b }
            }
            Self::Not(one) => !one.holds(known),
            Self::Same(both) => known.agents[both[0]] == known.agents[both[1]],
            Self::Differ(both) => known.agents[both[0]] != known.agents[both[1]],
        }
    }
}

fn over(a: f32, b: f32) -> f32 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// The function of the points, with straight lines between them.
fn bump(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    let after = POINTS.iter().position(|&[at, _]| x <= at);
    match after {
        None => POINTS[3][1],
        Some(0) => POINTS[0][1],
        Some(after) => {
            let ([x0, y0], [x1, y1]) = (POINTS[after - 1], POINTS[after]);
            if x < x1 { y0 + (x - x0) * ((y1 - y0) / (x1 - x0)) } else { y1 }
        }
    }
}

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
    all.drag = Some(text(&drag));
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
        let factor = 1.0 + of(&self.drag) * dt;
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
