//! Random worlds of random formulas, against a plain evaluator: it visits all pairs in the order of
//! the slots, adds up sixteen lanes and their tree, and gets the same bits.
//!
//! `JOSTLE_SOAK_FORMULAS=300` runs more worlds.

use jostle::{
    Boundary, OwnColumn, OwnColumns, Scene, Setup, Sim, Vec2,
    rng::Rng,
    rules::{AgentFormulas, Formulas, PairFormulas, SpeciesMatrix},
    scene,
    simd::SimdLevel,
};
use rayon::ThreadPoolBuilder;

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
}

#[derive(Clone, Debug)]
enum Condition {
    Compare(&'static str, Box<[Tree; 2]>),
    Both(&'static str, Box<[Condition; 2]>),
    Not(Box<Condition>),
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
    names: &'a [String],
    has_matrix: bool,
}

fn number(rng: &mut Rng) -> f32 {
    (rng.below(33) as f32 - 8.0) / 4.0
}

fn tree(rng: &mut Rng, names: &Names<'_>, depth: u32) -> Tree {
    if depth == 0 || rng.below(6) == 0 {
        return match rng.below(8) {
            0 | 1 => Tree::Number(number(rng)),
            2 if names.has_matrix => Tree::Matrix,
            _ => Tree::Name(rng.below(names.names.len() as u32) as usize),
        };
    }
    let mut one = || Box::new(tree(rng, names, depth - 1));
    let (a, b, c) = (one(), one(), one());
    match rng.below(12) {
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
    let op = ["<", "<=", ">", ">=", "==", "!="][rng.below(6) as usize];
    Condition::Compare(op, Box::new([tree(rng, names, depth), tree(rng, names, depth)]))
}

impl Tree {
    fn text(&self, names: &[String]) -> String {
        let list =
            |all: &[Self]| all.iter().map(|one| one.text(names)).collect::<Vec<_>>().join(", ");
        match self {
            Self::Number(value) if *value < 0.0 => format!("(-{})", -value),
            Self::Number(value) => format!("{value}"),
            Self::Name(which) => names[*which].clone(),
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
        }
    }

    fn value(&self, values: &[f32], pull: f32) -> f32 {
        let of = |one: &Self| one.value(values, pull);
        match self {
            Self::Number(value) => *value,
            Self::Name(which) => values[*which],
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
                    _ => most(all[0], all[1]),
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
            Self::Select(which, both) => of(&both[usize::from(!which.holds(values, pull))]),
            Self::Matrix => pull,
            Self::Bump(x) => bump(of(x)),
        }
    }
}

impl Condition {
    fn text(&self, names: &[String]) -> String {
        match self {
            Self::Compare(op, both) => {
                format!("({} {op} {})", both[0].text(names), both[1].text(names))
            }
            Self::Both(op, both) => {
                format!("({} {op} {})", both[0].text(names), both[1].text(names))
            }
            Self::Not(one) => format!("(not {})", one.text(names)),
        }
    }

    fn holds(&self, values: &[f32], pull: f32) -> bool {
        match self {
            Self::Compare(op, both) => {
                let [a, b] = both.each_ref().map(|one| one.value(values, pull));
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
                let [a, b] = both.each_ref().map(|one| one.holds(values, pull));
                if *op == "and" { a && b } else { a || b }
            }
            Self::Not(one) => !one.holds(values, pull),
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

/// A pair of formulas, and what agents do.
struct Rule {
    range: f32,
    between: Option<[u8; 2]>,
    sums: Vec<Tree>,
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
        columns: strings(&["age", "s0", "s1", "s2", "s3", "s4", "s5"]),
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
    for which in 0..=rng.below(3) {
        let range = (cell * 10.0_f32.powf(rng.between(-0.5, 1.0))).min(widest);
        let mut pair = PairFormulas::new(&format!("p{which}"), range);
        pair.between = (rng.below(3) == 0).then(|| [0; 2].map(|_| rng.below(3) as u8));
        let mut rule = Rule { range, between: pair.between, sums: Vec::new() };
        for _ in 0..=rng.below(2) {
            let depth = 1 + rng.below(4);
            let formula = tree(rng, &Names { names: &of_pairs, has_matrix: true }, depth);
            pair.sums.push((format!("q{sums}"), formula.text(&of_pairs).as_str().into()));
            let sum = format!("q{sums}");
            all.set.push((format!("s{sums}"), sum.as_str().into()));
            of_agents.push(sum);
            rule.sums.push(formula);
            sums += 1;
        }
        formulas.pairs.push(pair);
        pairs.push(rule);
    }
    let names = Names { names: &of_agents, has_matrix: false };
    let mut one = |depth| tree(rng, &names, depth);
    let (push, drag, age) = ([one(3), one(3)], one(2), one(3));
    let becomes = condition(rng, &names, 2);
    let text = |tree: &Tree| tree.text(&of_agents).as_str().into();
    all.acceleration = Some([text(&push[0]), text(&push[1])]);
    all.drag = Some(text(&drag));
    all.speed_max = Some("9".into());
    all.set.push(("age".to_owned(), text(&age)));
    all.becomes = vec![(2, becomes.text(&of_agents).as_str().into()), (0, "age > 3".into())];
    formulas.agents = vec![all];
    World { pairs, push, drag, age, becomes, formulas }
}

/// What an agent is after a step: velocity, own columns and species.
type After = ([f32; 2], Vec<f32>, u8);

impl World {
    /// What the rules make of all agents, by id.
    fn expected(&self, sim: &Sim, step: u64) -> Vec<After> {
        let (agents, space) = (sim.agents(), sim.space());
        let own = agents.own.as_ref().expect("there are columns");
        let species = own.species.as_ref().expect("there are species");
        let age = &own.numbers[0].values;
        let dt = 1.0 / sim.setup().hz;
        let mut all = vec![Default::default(); agents.len()];
        for i in 0..agents.len() {
            let mut sums = Vec::new();
            for Rule { range, between, sums: formulas } in &self.pairs {
                let mut values = vec![Vec::new(); formulas.len()];
                for j in (0..agents.len()).filter(|&j| j != i) {
                    let apart = Vec2::new(agents.x[j] - agents.x[i], agents.y[j] - agents.y[i]);
                    let Vec2 { x: dx, y: dy } = space.minimum_image(apart);
                    let r2 = dx * dx + dy * dy;
                    let counts = between.is_none_or(|both| both == [species[i], species[j]]);
                    if r2 < range * range && counts {
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
                        let pull = ROWS[usize::from(species[i])][usize::from(species[j])];
                        for (values, formula) in values.iter_mut().zip(formulas) {
                            values.push(formula.value(&named, pull));
                        }
                    }
                }
                sums.extend(values.iter().map(|values| total(values)));
            }
            all[agents.id[i] as usize] = self.after(sim, i, &sums, (step, dt));
        }
        all
    }

    fn after(&self, sim: &Sim, i: usize, sums: &[f32], (step, dt): (u64, f32)) -> After {
        let agents = sim.agents();
        let own = agents.own.as_ref().expect("there are columns");
        let species = own.species.as_ref().expect("there are species")[i];
        let age = own.numbers[0].values[i];
        let [vx, vy] = [agents.vx[i], agents.vy[i]];
        let time = (step as f64 * f64::from(dt)) as f32;
        let id = agents.id[i] as f32;
        let mut named =
            vec![agents.x[i], agents.y[i], vx, vy, agents.radius[i], age, id, 1.25, time];
        named.extend(sums);
        let of = |formula: &Tree| formula.value(&named, 0.0);
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
        numbers.extend((0..6).map(|at| {
            sums.get(at).map_or(own.numbers[at + 1].values[i], |&sum| kept(at + 1, sum))
        }));
        let becomes = if self.becomes.holds(&named, 0.0) {
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
    for sum in 0..6 {
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
    let (mut moved, mut neighbors, mut turned) = (0, 0.0, 0);
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
            let expected = world.expected(&sim, step as u64);
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
    assert!(moved > 1_000 && neighbors > 1_000.0 && turned > 20, "{moved} {neighbors} {turned}");
}
