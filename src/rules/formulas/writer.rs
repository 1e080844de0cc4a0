//! The formulas of one program, as they are added to its graph.

use super::{AgentFormulas, Formula, births::NUMBERS, names::name_fault};
use crate::formula::{
    Code, FormulaError, Graph, Meaning, NodeId, Op, Scope, TypedValue, ValueKind, parse,
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
        if kind == ValueKind::Number {
            return Some(id);
        }
        let remedy = "write `select(condition, 1, 0)`";
        self.fault(formula.at, format!("`{name}` takes a number, found a condition; {remedy}"));
        None
    }

    pub(super) fn condition(&mut self, formula: &Formula, name: &str) -> Option<NodeId> {
        let TypedValue { id, kind } = self.value(formula)?;
        if kind == ValueKind::Condition {
            return Some(id);
        }
        self.fault(
            formula.at,
            format!(
                "`{name}` takes a condition, found a number; write `a < b`, or for \
                     a rate per second `random(1) < rate * dt`, with a stream of its own"
            ),
        );
        None
    }

    /// The number of births of a kind: a condition, or an expected number, rounded up or down at
    /// random.
    pub(super) fn births(&mut self, formula: &Formula, kind: usize) -> Option<NodeId> {
        let TypedValue { id, kind: found } = self.value(formula)?;
        if found == ValueKind::Condition {
            return Some(id);
        }
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

    /// Adds values to the scope. One that is wrong is known as a number, so that it is one fault.
    pub(super) fn lets(&mut self, lets: &[(String, Formula)]) {
        for (name, formula) in lets {
            if let Some(why) = name_fault(name) {
                self.fault(formula.at, format!("`{name}` can't be a name: {why}"));
            }
            let value = self.value(formula);
            let value = value.unwrap_or_else(|| TypedValue::number(self.graph.constant(0.0)));
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
            let lost = self.graph.operation(Op::Mul, &[lost, dt]);
            let one = self.graph.constant(1.0);
            let factor = self.graph.operation(Op::Add, &[one, lost]);
            velocity = velocity.map(|speed| self.graph.operation(Op::Div, &[speed, factor]));
        }
        if let Some(formula) = most {
            let most = self.number(formula, "speed_max")?;
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
