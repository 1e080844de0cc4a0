//! The formulas of one program, as they are added to its graph.

use std::ops::RangeInclusive;

use super::{AgentFormulas, Formula, births::NUMBERS, names::name_fault};
use crate::{
    formula::{
        Code, FormulaError, Graph, Meaning, NodeId, Op, Scope, TypedValue, ValueKind, parse, words,
    },
    limits::BORN_MAX,
};

/// What is wrong with some formulas.
pub(super) type Faults = Vec<FormulaError>;

/// Inputs that assignments read.
pub(super) struct OfAgents {
    pub(super) velocity: [NodeId; 2],
    pub(super) species: NodeId,
}

pub(super) fn squares(graph: &mut Graph, [x, y]: [NodeId; 2]) -> NodeId {
    let x2 = graph.operation(Op::Mul, &[x, x]);
    let y2 = graph.operation(Op::Mul, &[y, y]);
    graph.operation(Op::Add, &[x2, y2])
}

/// The graph of a program, with the names that its formulas may use.
pub(super) struct ProgramWriter {
    pub(super) graph: Graph,
    pub(super) scope: Scope,
    pub(super) faults: Faults,
}

impl ProgramWriter {
    pub(super) fn fault(&mut self, at: usize, message: String) {
        self.faults.push(FormulaError::new(at, message));
    }

    /// The value of a formula.
    pub(super) fn value(&mut self, formula: &Formula) -> Option<TypedValue> {
        match parse(&formula.text, &self.scope, &mut self.graph) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.faults.push(FormulaError { at: formula.at + fault.at, ..fault });
                None
            }
        }
    }

    pub(super) fn number(&mut self, formula: &Formula, name: &str) -> Option<NodeId> {
        let TypedValue { id, kind } = self.value(formula)?;
        if kind.fits(ValueKind::Number) {
            return Some(id);
        }
        let (found, remedy) = (kind.shown(), kind.as_number());
        self.fault(formula.at, format!("`{name}` takes a number, found {found}; write `{remedy}`"));
        None
    }

    /// A number, or a condition, which counts as 1 where it holds.
    #[cfg(feature = "cli")]
    pub(super) fn observed(&mut self, formula: &Formula) -> Option<NodeId> {
        let TypedValue { id, kind } = self.value(formula)?;
        if kind.fits(ValueKind::Condition) { Some(id) } else { self.number(formula, "of") }
    }

    pub(super) fn condition(&mut self, formula: &Formula, name: &str) -> Option<NodeId> {
        let TypedValue { id, kind } = self.value(formula)?;
        if kind.fits(ValueKind::Condition) {
            return Some(id);
        }
        let remedy = match kind {
            ValueKind::Agent => "`hunter != none`",
            ValueKind::Species => "`species == red`",
            _ => {
                "`a < b`, or for a rate per second `random(1) < rate * dt`, with a stream of its own"
            }
        };
        let found = kind.shown();
        self.fault(
            formula.at,
            format!("`{name}` takes a condition, found {found}; write {remedy}"),
        );
        None
    }

    /// Whether a neighbor may be picked: by a condition, or a number that is not 0.
    pub(super) fn pick(&mut self, formula: &Formula) -> Option<NodeId> {
        let TypedValue { id, kind } = self.value(formula)?;
        if kind != ValueKind::Number {
            return self.condition(formula, "pick");
        }
        // What is no number picks nothing.
        let none = self.graph.constant(0.0);
        let sides = [[id, none], [none, id]].map(|both| self.graph.operation(Op::Less, &both));
        Some(self.graph.operation(Op::Or, &sides))
    }

    /// Adds the fault of a formula that is one number out of a range, whatever its names are.
    fn within(&mut self, formula: &Formula, name: &str, range: RangeInclusive<f32>) {
        let mut graph = Graph::default();
        let Ok(value) = parse(&formula.text, &Scope::default(), &mut graph) else { return };
        let number = graph.constant_of(value.id).filter(|_| value.kind == ValueKind::Number);
        if let Some(number) = number.filter(|number| !range.contains(number)) {
            let (low, high) = range.into_inner();
            let to = if high < f32::MAX {
                format!("{low} to {high}")
            } else {
                format!("at least {low}")
            };
            self.fault(formula.at, format!("`{name}` is {number}: expected {to}"));
        }
    }

    /// The number of births of a kind: a condition, or an expected number, rounded up or down at
    /// random.
    pub(super) fn births(&mut self, formula: &Formula, kind: usize) -> Option<NodeId> {
        let TypedValue { id, kind: found } = self.value(formula)?;
        if found != ValueKind::Number {
            return self.condition(formula, "births");
        }
        self.within(formula, "births", 0.0..=BORN_MAX.into());
        let of_agent = self.scope.ids?[0]?;
        let Some(drawn) = self.graph.random(NUMBERS + kind as u64, of_agent) else {
            self.fault(formula.at, "there are more than 256 streams; use one again".to_owned());
            return None;
        };
        let whole = self.graph.operation(Op::Floor, &[id]);
        let rest = self.graph.operation(Op::Sub, &[id, whole]);
        let is_one = self.graph.operation(Op::Less, &[drawn, rest]);
        Some(self.graph.operation(Op::Add, &[whole, is_one]))
    }

    /// Adds values to the scope. One that is wrong fits everywhere, so that it is one fault.
    pub(super) fn lets(&mut self, lets: &[(String, Formula)]) {
        let mut circular = Vec::new();
        for (at, (name, formula)) in lets.iter().enumerate() {
            if let Some(why) = name_fault(name) {
                self.fault(formula.at, format!("`{name}` can't be a name: {why}"));
            }
            let before = self.faults.len();
            let value = self.value(formula);
            if let Some(FormulaError { at: place, unknown: Some((word, _)), .. }) =
                self.faults.get(before)
                && let Some((message, circle)) = order_fault(word, at, lets)
            {
                let fault = FormulaError::new(*place, message);
                self.faults.truncate(before);
                // The values of a circle are one fault.
                self.faults.extend((!circular.contains(&at)).then_some(fault));
                circular.extend(circle);
            }
            let value = value.unwrap_or_else(|| TypedValue {
                id: self.graph.constant(0.0),
                kind: ValueKind::Unknown,
            });
            self.scope.add(name, Meaning::Value(value));
        }
    }

    /// The new velocity, and where its first formula is; none if nothing changes it.
    pub(super) fn velocity(
        &mut self,
        general: &AgentFormulas,
        own: &AgentFormulas,
        of_agents: &OfAgents,
    ) -> Option<(usize, [NodeId; 2])> {
        let one = own.velocity.as_ref().or(general.velocity.as_ref());
        let push = own.acceleration.as_ref().or(general.acceleration.as_ref());
        let drag = own.drag.as_ref().or(general.drag.as_ref());
        let most = own.speed_max.as_ref().or(general.speed_max.as_ref());
        let first = one.map(|both| &both[0]).or(push.map(|both| &both[0])).or(drag).or(most)?.at;
        let dt = self.graph.uniform(0);
        let mut velocity = of_agents.velocity;
        let pair = |writer: &mut Self, both: &[Formula; 2], name| {
            let [x, y] = both.each_ref().map(|formula| writer.number(formula, name));
            Some([x?, y?])
        };
        if let Some(both) = one {
            velocity = pair(self, both, "velocity")?;
        }
        if let Some(both) = push {
            let pushed = pair(self, both, "acceleration")?;
            for axis in 0..2 {
                let gained = self.graph.operation(Op::Mul, &[pushed[axis], dt]);
                velocity[axis] = self.graph.operation(Op::Add, &[velocity[axis], gained]);
            }
        }
        if let Some(formula) = drag {
            let lost = self.number(formula, "drag")?;
            self.within(formula, "drag", 0.0..=f32::MAX);
            let lost = self.graph.operation(Op::Mul, &[lost, dt]);
            let one = self.graph.constant(1.0);
            let factor = self.graph.operation(Op::Add, &[one, lost]);
            // A drag below 0 speeds up. If a step would have no end of that, it is not written.
            let [none, never] = [0.0, f32::NAN].map(|number| self.graph.constant(number));
            let is_above = self.graph.operation(Op::Less, &[none, factor]);
            let factor = self.graph.operation(Op::Select, &[is_above, factor, never]);
            velocity = velocity.map(|speed| self.graph.operation(Op::Div, &[speed, factor]));
        }
        if let Some(formula) = most {
            let most = self.number(formula, "speed_max")?;
            self.within(formula, "speed_max", 0.0..=f32::MAX);
            let [none, one] = [0.0, 1.0].map(|number| self.graph.constant(number));
            let is_negative = self.graph.operation(Op::Less, &[most, none]);
            let most = self.graph.operation(Op::Select, &[is_negative, none, most]);
            let square = squares(&mut self.graph, velocity);
            let limit = self.graph.operation(Op::Mul, &[most, most]);
            // What is no number limits nothing, and is not written.
            let within = self.graph.operation(Op::LessOrEqual, &[square, limit]);
            let speed = self.graph.operation(Op::Sqrt, &[square]);
            let share = self.graph.operation(Op::Div, &[most, speed]);
            let share = self.graph.operation(Op::Select, &[within, one, share]);
            velocity = velocity.map(|speed| self.graph.operation(Op::Mul, &[speed, share]));
        }
        Some((first, velocity))
    }

    /// The code of some values; faults that belong to none of them are at `at`.
    pub(super) fn code(mut self, outputs: &[NodeId], at: usize) -> Result<Code, Faults> {
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        match Code::new(&self.graph, outputs) {
            Ok(code) => Ok(code),
            Err(fault) => {
                self.faults.push(FormulaError { at, ..fault });
                Err(self.faults)
            }
        }
    }
}

/// What is wrong with a word in the value at an index, if the word is that value or a later one;
/// with the values through which one is defined by itself.
fn order_fault(word: &str, at: usize, lets: &[(String, Formula)]) -> Option<(String, Vec<usize>)> {
    let later = at + lets[at..].iter().position(|(name, _)| name == word)?;
    let itself = &lets[at].0;
    if later == at {
        return Some((format!("`{itself}` is defined by itself; write what it is"), Vec::new()));
    }
    // From the later value back to this one, by the shortest way.
    let mut ways = vec![vec![later]];
    let mut seen = vec![later];
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in &ways {
            let words = way.last().map_or_else(Vec::new, |&last| words(&lets[last].1.text));
            if words.contains(itself) {
                let through: Vec<_> = way.iter().map(|&of| format!("`{}`", lets[of].0)).collect();
                let through = through.join(", ");
                let remedy = "write one of them otherwise";
                let message =
                    format!("`{itself}` is defined by itself through {through}; {remedy}");
                return Some((message, way.clone()));
            }
            for next in words.iter().filter_map(|word| lets.iter().position(|(of, _)| of == word)) {
                if !seen.contains(&next) {
                    seen.push(next);
                    longer.push(way.iter().copied().chain([next]).collect());
                }
            }
        }
        ways = longer;
    }
    let message = format!("`{word}` is defined after its use: move it up, above `{itself}`");
    Some((message, Vec::new()))
}
