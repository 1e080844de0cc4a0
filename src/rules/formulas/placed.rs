//! Formulas of a start: velocities and own columns of agents, from their places.

use std::ops::Range;

use super::{
    Formula, Formulas,
    agents::{AgentProgram, Assignment, RunProgram, Target},
    columns::ReadColumns,
    named::NamedTables,
};
use crate::{
    agents::Agents,
    formula::{BLOCK, FormulaError, PLANES, Workspace},
    geometry::Space,
    rules::agent::{AgentTask, RuleMoment},
    simd::SimdLevel,
};

/// Formulas of some agents at the start, compiled.
#[derive(Debug)]
pub(crate) struct PlacedProgram {
    program: AgentProgram,
    named: NamedTables,
    /// The formulas as they were written, each with the column that it is for, if it is for one.
    texts: Vec<(Option<usize>, String)>,
}

impl PartialEq for PlacedProgram {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Formulas {
    /// Compiles the formulas of some agents at the start: a velocity, and own columns by their
    /// index.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub(crate) fn placed(
        &self,
        velocity: Option<&[Formula; 2]>,
        columns: &[(usize, Formula)],
    ) -> Result<PlacedProgram, Vec<FormulaError>> {
        // There are no neighbors before the first step.
        let without_sums = Self { pairs: Vec::new(), ..self.clone() };
        let (mut writer, inputs, _) = without_sums.agent_scope();
        let (mut outputs, mut assignments) = (Vec::new(), Vec::new());
        if let Some([x, y]) = velocity {
            let both = [x, y].map(|formula| writer.number(formula, "velocity"));
            assignments.push(Assignment::new(Target::Velocity, outputs.len(), x.at));
            outputs.extend(both.into_iter().flatten());
        }
        for (column, formula) in columns {
            let name = self.columns.get(*column).map_or("column", String::as_str);
            let value = writer.number(formula, name);
            assignments.push(Assignment::new(Target::Own(*column), outputs.len(), formula.at));
            outputs.extend(value);
        }
        let at = assignments.first().map_or(0, |first| first.at);
        let code = writer.code(&outputs, at)?;
        let inputs = code.inputs.iter().map(|&number| inputs[usize::from(number)]).collect();
        let program = AgentProgram { species: u16::MAX, code, inputs, assignments };
        let velocities = velocity.into_iter().flatten().map(|formula| (None, formula));
        let all =
            velocities.chain(columns.iter().map(|(column, formula)| (Some(*column), formula)));
        let texts = all.map(|(column, formula)| (column, formula.text.clone())).collect();
        Ok(PlacedProgram { program, named: self.named_tables(), texts })
    }
}

impl PlacedProgram {
    /// The formulas as they were written, each with the column that it is for, if it is for one.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (Option<usize>, &str)> {
        self.texts.iter().map(|(column, text)| (*column, text.as_str()))
    }

    /// Writes the values of some agents. The run checks that they are numbers.
    pub(crate) fn apply(
        &self,
        agents: &mut Agents,
        slots: Range<usize>,
        space: &Space,
        moment: RuleMoment,
    ) {
        let Self { program, named, .. } = self;
        let simd = SimdLevel::best();
        let task = &AgentTask { sums: &[], space, moment, simd, ruled: &(0..agents.len()) };
        let mut planes = Workspace::<PLANES>::new();
        let planes = &mut planes.0;
        for first in slots.clone().step_by(BLOCK) {
            let length = (slots.end - first).min(BLOCK);
            program.load(&ReadColumns::of(agents).range(first..first + length), &[], planes);
            simd.run(RunProgram { program, task, named, planes: &mut *planes, length });
            for assignment in &program.assignments {
                let output = program.inputs.len() + assignment.output;
                let write = |to: &mut [f32], output: usize| {
                    to[first..first + length].copy_from_slice(&planes[output][..length]);
                };
                match assignment.target {
                    Target::Velocity => {
                        write(&mut agents.vx, output);
                        write(&mut agents.vy, output + 1);
                    }
                    Target::Own(column) => {
                        if let Some(own) = &mut agents.own {
                            write(&mut own.numbers[column].values, output);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
