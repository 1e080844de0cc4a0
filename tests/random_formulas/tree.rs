//! Random formulas: their text, and their value by plain code.

use jostle::rng::Rng;

/// The functions as they are: their accuracy is tested where they stand, and here that formulas call
/// them with the right numbers.
#[path = "../../src/formula/functions.rs"]
mod functions;

/// A formula: its text, and its value.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
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
pub(crate) enum Condition {
    Compare(&'static str, Box<[Tree; 2]>),
    Both(&'static str, Box<[Condition; 2]>),
    Not(Box<Condition>),
    /// Whether two agents are the same, by their names.
    Same([usize; 2]),
    Differ([usize; 2]),
}

pub(crate) const ROWS: [[f32; 3]; 3] = [[0.8, -0.2, 0.1], [-0.1, 0.6, 0.5], [0.3, -0.4, 0.7]];
pub(crate) const POINTS: [[f32; 2]; 4] = [[-1.0, 0.5], [0.25, 2.0], [1.5, -1.0], [3.0, 0.5]];

/// Names of pairs and of agents, in the order of their values; the sums of agents follow.
pub(crate) const OF_PAIRS: [&str; 16] = [
    "dx", "dy", "r", "r2", "i.x", "j.y", "i.vx", "j.vx", "i.vy", "j.vy", "i.age", "j.age",
    "i.radius", "j.radius", "push", "step",
];
pub(crate) const OF_AGENTS: [&str; 9] =
    ["x", "y", "vx", "vy", "radius", "age", "id", "push", "time"];

/// What formulas may name.
pub(crate) struct Names<'a> {
    pub(crate) numbers: &'a [String],
    /// Those of agents.
    pub(crate) agents: &'a [String],
    pub(crate) has_matrix: bool,
}

/// What formulas read of a pair or an agent.
pub(crate) struct Known<'a> {
    pub(crate) values: &'a [f32],
    /// The ids that the names of agents stand for.
    pub(crate) agents: &'a [u32],
    pub(crate) pull: f32,
    /// The key of the random numbers, of the seed and the step.
    pub(crate) key: u64,
    /// The ids of both, or of the agent.
    pub(crate) ids: &'a [u32],
}

/// The key that follows from a key and a number.
pub(crate) fn keyed(key: u64, number: u64) -> u64 {
    Rng::new(key ^ number.rotate_left(32)).bits().wrapping_add(number)
}

impl Known<'_> {
    /// The generator of a stream.
    pub(crate) fn random(&self, stream: u64) -> Rng {
        Rng::new(self.ids.iter().fold(keyed(self.key, stream), |key, &id| keyed(key, id.into())))
    }

    pub(crate) fn normal(&self, stream: u64) -> f32 {
        let bits = self.random(stream).bits();
        let share = |bits: u64| (bits & 0x00ff_ffff) as f32 * (1.0 / 16_777_216.0);
        let (radius, angle) = (1.0 - share(bits >> 40), std::f32::consts::TAU * share(bits >> 16));
        (-2.0 * functions::log(radius)).sqrt() * functions::cos(angle)
    }
}

pub(crate) fn number(rng: &mut Rng) -> f32 {
    (rng.below(33) as f32 - 8.0) / 4.0
}

pub(crate) fn tree(rng: &mut Rng, names: &Names<'_>, depth: u32) -> Tree {
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

pub(crate) fn condition(rng: &mut Rng, names: &Names<'_>, depth: u32) -> Condition {
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
    pub(crate) fn text(&self, names: &Names<'_>) -> String {
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

    pub(crate) fn value(&self, known: &Known<'_>) -> f32 {
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
    pub(crate) fn text(&self, names: &Names<'_>) -> String {
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

    pub(crate) fn holds(&self, known: &Known<'_>) -> bool {
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

pub(crate) fn over(a: f32, b: f32) -> f32 {
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
