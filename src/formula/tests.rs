//! Random formulas against a plain evaluator, and what is refused.

use std::cell::Cell;

use super::{
    BLOCK, Block, Code, Graph, Meaning, NamedData, PLANES, Scope, SpeciesMatrix, TypedValue,
    ValueKind, Workspace, functions, parse,
};
use crate::{
    rng::{Rng, keyed},
    simd::{Kernel, SimdLevel},
};

/// Inputs of the tests: three numbers, and the bits of an id.
const INPUTS: usize = 4;

/// A formula as text, and its value for some inputs, in the order of the text.
#[derive(Clone)]
struct RandomFormula {
    text: String,
    value: Vec<f32>,
}

fn points() -> Vec<[f32; 2]> {
    vec![[-2.0, 1.0], [0.5, 3.0], [4.0, -1.0]]
}

fn table(x: f32) -> f32 {
    let points = points();
    if x.is_nan() {
        return x;
    }
    let Some(after) = points.iter().position(|point| x <= point[0]) else { return points[2][1] };
    if after == 0 {
        return points[0][1];
    }
    let ([x0, y0], [x1, y1]) = (points[after - 1], points[after]);
    y0 + (x - x0) * ((y1 - y0) / (x1 - x0))
}

impl RandomFormula {
    fn new(text: String, value: impl Iterator<Item = f32>) -> Self {
        Self { text, value: value.collect() }
    }

    fn map(&self, text: String, with: impl Fn(f32) -> f32) -> Self {
        Self::new(text, self.value.iter().map(|&a| with(a)))
    }

    fn zip(&self, other: &Self, text: String, with: impl Fn(f32, f32) -> f32) -> Self {
        let pairs = self.value.iter().zip(&other.value);
        Self::new(text, pairs.map(|(&a, &b)| with(a, b)))
    }
}

/// A random number.
fn number(rng: &mut Rng, depth: u32, inputs: &[Vec<f32>]) -> RandomFormula {
    let lanes = inputs[0].len();
    if depth == 0 {
        return match rng.below(5) {
            at @ 0..3 => {
                let name = ["a", "b", "c"][at as usize].to_owned();
                RandomFormula::new(name, inputs[at as usize].iter().copied())
            }
            3 => {
                let key = keyed(7, 3);
                let draw = |id: &f32| Rng::new(keyed(key, id.to_bits().into())).unit();
                RandomFormula::new("random(3)".to_owned(), inputs[3].iter().map(draw))
            }
            _ => {
                let constant = (rng.below(64) as f32 - 20.0) / 8.0;
                let text = format!("{}", constant.abs());
                let text = if constant < 0.0 { format!("(-{text})") } else { text };
                RandomFormula::new(text, std::iter::repeat_n(constant, lanes))
            }
        };
    }
    let a = number(rng, depth - 1, inputs);
    let text = |name: &str| format!("{name}({})", a.text);
    match rng.below(20) {
        kind @ 0..6 => {
            let b = number(rng, depth - 1, inputs);
            let sign = ["+", "-", "*", "/", "*", "-"][kind as usize];
            let text = format!("({} {sign} {})", a.text, b.text);
            a.zip(&b, text, |a, b| match sign {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                _ if b == 0.0 => 0.0,
                _ => a / b,
            })
        }
        6 => a.map(format!("-{}", a.text), |a| -a),
        7 => a.map(text("abs"), f32::abs),
        8 => a.map(text("sqrt"), |a| if a < 0.0 { 0.0 } else { a.sqrt() }),
        9 => a.map(text("floor"), f32::floor),
        10 => a.map(text("exp"), functions::exp),
        11 => a.map(text("log"), functions::log),
        12 => a.map(text("sin"), functions::sin),
        13 => a.map(text("cos"), functions::cos),
        14 => a.map(text("table"), table),
        15 => {
            let b = number(rng, depth - 1, inputs);
            let text = format!("atan2({}, {})", a.text, b.text);
            a.zip(&b, text, functions::atan2)
        }
        16 => {
            let b = number(rng, depth - 1, inputs);
            let text = format!("min({}, {})", a.text, b.text);
            a.zip(&b, text, |a, b| if a < b { a } else { b })
        }
        17 => {
            let b = number(rng, depth - 1, inputs);
            let text = format!("max({}, {})", a.text, b.text);
            a.zip(&b, text, |a, b| if a > b { a } else { b })
        }
        18 => {
            let [low, high] = [0; 2].map(|_| number(rng, depth - 1, inputs));
            let text = format!("clamp({}, {}, {})", a.text, low.text, high.text);
            let raised = a.zip(&low, String::new(), |a, b| if a > b { a } else { b });
            raised.zip(&high, text, |a, b| if a < b { a } else { b })
        }
        _ => {
            let (b, c) = (number(rng, depth - 1, inputs), condition(rng, depth - 1, inputs));
            let text = format!("select({}, {}, {})", c.text, a.text, b.text);
            let chosen = (0..a.value.len())
                .map(|at| if c.value[at] == 1.0 { a.value[at] } else { b.value[at] });
            RandomFormula::new(text, chosen)
        }
    }
}

/// A random condition.
fn condition(rng: &mut Rng, depth: u32, inputs: &[Vec<f32>]) -> RandomFormula {
    let number_of = |truth: bool| f32::from(u8::from(truth));
    if depth == 0 || rng.below(2) == 0 {
        let [a, b] = [0; 2].map(|_| number(rng, depth, inputs));
        let sign = ["<", "<=", ">", ">=", "==", "!="][rng.below(6) as usize];
        let text = format!("{} {sign} {}", a.text, b.text);
        return a.zip(&b, format!("({text})"), |a, b| {
            number_of(match sign {
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                ">=" => a >= b,
                "==" => a == b,
                _ => a != b,
            })
        });
    }
    let a = condition(rng, depth - 1, inputs);
    match rng.below(3) {
        0 => a.map(format!("(not {})", a.text), |a| number_of(a == 0.0)),
        kind => {
            let b = condition(rng, depth - 1, inputs);
            let word = if kind == 1 { "and" } else { "or" };
            a.zip(&b, format!("({} {word} {})", a.text, b.text), |a, b| {
                number_of(if kind == 1 { a == 1.0 && b == 1.0 } else { a == 1.0 || b == 1.0 })
            })
        }
    }
}

/// The names of the tests.
fn scope(graph: &mut Graph) -> Scope {
    let mut scope = Scope::default();
    for (number, name) in (0..).zip(["a", "b", "c"]) {
        scope.add(name, Meaning::Value(TypedValue::number(graph.input(number))));
    }
    scope.ids = Some([Some(graph.input(3)), None]);
    scope.add("table", Meaning::Table(0));
    scope
}

struct FormulaRun<'a> {
    code: &'a Code,
    inputs: &'a [Vec<f32>],
}

impl Kernel for FormulaRun<'_> {
    type Output = Vec<Vec<u32>>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { code, inputs } = self;
        let mut space = Workspace::<PLANES>::new();
        let length = inputs[0].len();
        for (plane, &number) in code.inputs.iter().enumerate() {
            let to = &mut space.0[plane][..length];
            to.copy_from_slice(&inputs[usize::from(number)]);
        }
        for &(plane, number) in &code.constants {
            space.0[usize::from(plane)].fill(number);
        }
        let keys: Vec<u64> = code.streams.iter().map(|&stream| keyed(7, stream)).collect();
        let tables = [points()];
        let tables = NamedData { matrices: &[] as &[SpeciesMatrix], tables: &tables, keys: &keys };
        let planes: [&Block; PLANES] =
            space.0.each_mut().map(|block| Cell::from_mut(block).as_array_of_cells());
        code.run(&planes, length, tables);
        let first = code.inputs.len();
        let bits =
            |plane: &[f32; BLOCK]| plane[..length].iter().map(|number| number.to_bits()).collect();
        space.0[first..first + code.outputs].iter().map(bits).collect()
    }
}

/// Bits, with one pattern for everything that is no number.
fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

#[test]
fn random_formulas_have_the_bits_of_plain_code() {
    let mut rng = Rng::new(0x666f_726d);
    let mut seen = 0;
    for case in 0..300 {
        let length = 1 + rng.below(BLOCK as u32) as usize;
        let mut column = |scale: f32| (0..length).map(|_| scale * (rng.unit() - 0.4)).collect();
        let mut inputs: Vec<Vec<f32>> = vec![column(1.0), column(8.0), column(300.0)];
        inputs[1][0] = 0.0;
        inputs.push((0..length as u32).map(|id| f32::from_bits(id * 77)).collect());
        assert_eq!(inputs.len(), INPUTS);
        let depth = 1 + rng.below(4);
        let formulas = [0; 2].map(|_| number(&mut rng, depth, &inputs));
        let mut graph = Graph::default();
        let scope = scope(&mut graph);
        let outputs = formulas.each_ref().map(|formula| {
            let parsed = parse(&formula.text, &scope, &mut graph);
            let TypedValue { id, kind } =
                parsed.unwrap_or_else(|e| panic!("{}: {e}", formula.text));
            assert_eq!(kind, ValueKind::Number);
            id
        });
        // Long formulas may need more registers than there are.
        let Ok(code) = Code::new(&graph, &outputs) else { continue };
        for simd in SimdLevel::available() {
            let found = simd.run(FormulaRun { code: &code, inputs: &inputs });
            for (found, formula) in found.iter().zip(&formulas) {
                for (lane, (&found, &value)) in found.iter().zip(&formula.value).enumerate() {
                    let found = bits(f32::from_bits(found));
                    assert_eq!(found, bits(value), "case {case}, lane {lane}: {}", formula.text);
                    seen += u32::from(value.is_finite());
                }
            }
        }
    }
    assert!(seen > 50_000, "{seen}");
}

/// The distance from the true value in units of the last place.
fn ulps(found: f32, expected: f64) -> f64 {
    let place = f64::from((expected as f32).abs().max(f32::MIN_POSITIVE));
    let unit = f64::from(f32::from_bits((place as f32).to_bits() + 1)) - place;
    (f64::from(found) - expected).abs() / unit
}

#[test]
fn functions_are_exact_to_one_unit_in_the_last_place() {
    let mut rng = Rng::new(5);
    for round in 0..200_000 {
        let size = 10.0_f32.powf(rng.between(-6.0, 8.0));
        let x = if round % 2 == 0 { size } else { -size };
        let y = rng.between(-1.0, 1.0) * size;
        let wide = f64::from(x);
        let mut checked = vec![
            ("sin", functions::sin(x), wide.sin()),
            ("cos", functions::cos(x), wide.cos()),
            ("atan2", functions::atan2(y, x), f64::from(y).atan2(wide)),
            ("log", functions::log(size), f64::from(size).ln()),
        ];
        if size < 87.0 {
            checked.push(("exp", functions::exp(x), wide.exp()));
        }
        for (name, found, expected) in checked {
            assert!(
                ulps(found, expected) <= 1.0,
                "{name}({x} {y}) is {found}: expected {expected}"
            );
        }
    }
    assert_eq!([functions::exp(-1e9), functions::exp(1e9)], [0.0, f32::INFINITY]);
    assert_eq!(functions::log(0.0), f32::NEG_INFINITY);
    assert!(functions::log(-1.0).is_nan());
    assert_eq!(functions::atan2(0.0, 0.0), 0.0);
    assert!(functions::sin(3e38).abs() <= 1.0 && functions::cos(-3e38).abs() <= 1.0);
}

#[test]
fn what_is_no_formula_is_refused_where_it_fails() {
    let mut graph = Graph::default();
    let scope = scope(&mut graph);
    let deep = "(".repeat(200);
    for (text, at, message) in [
        ("select(a, b)", 0, "`select` takes 3 values, found 2"),
        ("1 + (a < b)", 2, "`+` takes a number on its right, found a condition"),
        ("a + q", 4, "there is no value or function `q`"),
        ("(a + b", 6, "expected `)`, found the end of the formula"),
        ("a b", 2, "expected an operator or the end of the formula, found `b`"),
        ("a < b < c", 6, "comparisons can't be chained; write `a < b and b < c`"),
        ("random(a)", 0, "`random` takes the number of a stream"),
        ("min(a < b, 1)", 0, "`min` takes numbers, found a condition"),
        ("1e99", 0, "`1e99` is out of range"),
        ("a ? b", 2, "a formula has no `?`"),
        ("", 0, "expected a value, found the end of the formula"),
        ("table", 0, "`table` is a table; write `table(x)`"),
        ("not a", 0, "`not` takes a condition, found a number"),
        (&deep, 101, "more than 100 parts lie within each other"),
    ] {
        let fault = parse(text, &scope, &mut graph).expect_err(text);
        assert!(fault.message.starts_with(message), "{text}: {fault}");
        assert_eq!(fault.at, at, "{text}: {fault}");
    }
}

#[test]
fn equal_parts_are_computed_once_and_constants_not_at_all() {
    let mut graph = Graph::default();
    let scope = scope(&mut graph);
    let value = parse("(a + b) * (a + b) + sqrt(4) * 2", &scope, &mut graph).expect("a formula");
    let code = Code::new(&graph, &[value.id]).expect("it fits");
    assert_eq!((code.instructions.len(), code.constants.len()), (3, 1));
    assert_eq!(code.constants[0].1, 4.0);
}
