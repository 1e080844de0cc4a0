//! Observed quantities: the mean, sum, count, least or largest value of a formula over the agents.
//!
//! Agents are added up in `f64`, slot by slot in pieces, and the pieces in a fixed tree: the same
//! bits for any number of threads.

use super::{
    Formula, Formulas, PairFormulas,
    agents::{AgentProgram, RunProgram},
    columns::ReadColumns,
    named::NamedTables,
};
use crate::{
    agents::Agents,
    formula::{BLOCK, FormulaError, PLANES, Workspace},
    names::names,
    parallel,
    rules::agent::AgentTask,
};

/// Slots per task.
const PIECE: usize = 16_384;

/// What the values of agents are put together to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObservedFold {
    Mean,
    Sum,
    Count,
    Min,
    Max,
}

names! {
    pub(crate) ObservedFold:
    Mean = "mean",
    Sum = "sum",
    Count = "count",
    Min = "min",
    Max = "max",
}

/// An observed quantity as a caller states it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObservedFormula {
    pub(crate) name: String,
    /// The value of an agent; none to count all.
    pub(crate) formula: Option<Formula>,
    /// The agents that are looked at; all of them if there is none.
    pub(crate) species: Option<u8>,
    pub(crate) fold: ObservedFold,
}

/// A quantity, compiled.
#[derive(Debug)]
struct ObservedQuantity {
    name: String,
    fold: ObservedFold,
    /// One bit per species.
    species: u16,
    program: Option<AgentProgram>,
}

/// The observed quantities of a run.
#[derive(Debug)]
pub(crate) struct Observed {
    quantities: Vec<ObservedQuantity>,
    named: NamedTables,
}

/// What some agents add up to.
#[derive(Clone, Copy, Debug)]
struct Parts {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Parts {
    const NONE: Self = Self { count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn with(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The value of a quantity; not a number if there is none, or an agent has none.
    fn value(self, fold: ObservedFold) -> f64 {
        let value = match fold {
            ObservedFold::Mean => self.sum / self.count as f64,
            ObservedFold::Sum | ObservedFold::Count => self.sum,
            ObservedFold::Min => self.min,
            ObservedFold::Max => self.max,
        };
        // A sum that is not finite shows that a value is not.
        if value.is_finite() && self.sum.is_finite() { value } else { f64::NAN }
    }
}

impl Formulas {
    /// Compiles observed quantities over the columns that these formulas have.
    ///
    /// # Errors
    /// Everything that is wrong with them, in the order of the text.
    pub(crate) fn observed(
        &self,
        quantities: &[ObservedFormula],
    ) -> Result<Observed, Vec<FormulaError>> {
        let mut faults = Vec::new();
        let mut compiled = Vec::new();
        for ObservedFormula { name, formula, species, fold } in quantities {
            let program = formula.as_ref().map(|formula| self.quantity(formula, *fold));
            match program.transpose() {
                Ok(program) => compiled.push(ObservedQuantity {
                    name: name.clone(),
                    fold: *fold,
                    species: species.map_or(u16::MAX, |species| 1 << (species & 15)),
                    program,
                }),
                Err(own) => faults.extend(own),
            }
        }
        let named = self.named_tables();
        let observed = Observed { quantities: compiled, named };
        if faults.is_empty() { Ok(observed) } else { Err(faults) }
    }

    fn quantity(
        &self,
        formula: &Formula,
        fold: ObservedFold,
    ) -> Result<AgentProgram, Vec<FormulaError>> {
        // Sums belong to the slots that agents had within the step.
        let without_sums = Self { pairs: Vec::new(), ..self.clone() };
        let (mut writer, inputs, _) = without_sums.agent_scope();
        let value = if fold == ObservedFold::Count {
            writer.condition(formula, fold.name())
        } else {
            writer.observed(formula)
        };
        for fault in &mut writer.faults {
            let found =
                fault.unknown.as_ref().and_then(|(name, _)| Some((name, self.within(name)?)));
            if let Some((name, what)) = found {
                let remedy = "keep it in a column of its own by `set`, and observe that";
                fault.message =
                    format!("`{name}` is {what}, which is known within a step alone; {remedy}");
                fault.unknown = None;
            }
        }
        let outputs: Vec<_> = value.into_iter().collect();
        let code = writer.code(&outputs, formula.at)?;
        let inputs = code.inputs.iter().map(|&number| inputs[usize::from(number)]).collect();
        Ok(AgentProgram { species: u16::MAX, code, inputs, assignments: Vec::new() })
    }

    /// What a name is that is known within a step alone.
    fn within(&self, name: &str) -> Option<&'static str> {
        let is_sum = |pair: &PairFormulas| {
            let own = name.strip_prefix(pair.name.as_str()).and_then(|rest| rest.strip_prefix('.'));
            pair.sums.iter().any(|(sum, _)| sum == name || Some(sum.as_str()) == own)
        };
        let mut lets = self.agents.iter().flat_map(|agents| &agents.lets);
        if self.pairs.iter().any(is_sum) {
            Some("a sum")
        } else if self.pairs.iter().flat_map(|pair| &pair.pick).any(|(pick, _)| pick == name) {
            Some("what a pair picks")
        } else {
            lets.any(|(known, _)| known == name).then_some("a `let` of agents")
        }
    }
}

impl Observed {
    /// The names of all quantities.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.quantities.iter().map(|quantity| quantity.name.as_str())
    }

    /// The value of a quantity; not a number where it is not available.
    pub(in crate::rules) fn value(
        &self,
        which: usize,
        agents: &Agents,
        task: AgentTask<'_>,
    ) -> f64 {
        let Some(quantity) = self.quantities.get(which) else { return f64::NAN };
        let columns = ReadColumns::of(agents);
        let parts = parallel::pieces(
            &agents.id[..],
            PIECE,
            &|first, ids: &[u32]| {
                let piece = columns.range(first..first + ids.len());
                self.parts(quantity, &piece, &task, &mut Workspace::<PLANES>::new())
            },
            &Parts::with,
        );
        parts.value(quantity.fold)
    }

    /// What the agents of a piece add up to.
    fn parts(
        &self,
        quantity: &ObservedQuantity,
        piece: &ReadColumns<'_>,
        task: &AgentTask<'_>,
        planes: &mut Workspace<PLANES>,
    ) -> Parts {
        let planes = &mut planes.0;
        let mut all = Parts::NONE;
        for first in (0..piece.id.len()).step_by(BLOCK) {
            let length = (piece.id.len() - first).min(BLOCK);
            let block = piece.range(first..first + length);
            let mut output = None;
            if let Some(program) = &quantity.program {
                program.load(&block, task.sums, planes);
                let (named, planes) = (&self.named, &mut *planes);
                task.simd.run(RunProgram { program, task, named, planes, length });
                output = Some(program.inputs.len());
            }
            let is_in = |at: usize| {
                let of = block.species.get(at).map_or(0, |of| of & 15);
                quantity.species >> of & 1 == 1
            };
            for at in (0..length).filter(|&at| is_in(at)) {
                let value = output.map_or(1.0, |output| f64::from(planes[output][at]));
                let one = Parts { count: 1, sum: value, min: value, max: value };
                all = all.with(one);
            }
        }
        all
    }
}
