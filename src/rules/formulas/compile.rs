//! From formulas to programs: which names each formula may use, and what its value is written to.

use std::sync::Arc;

use super::{
    AgentFormulas, BirthFormulas, Formula, Formulas, PairFormulas,
    agents::{AgentProgram, AgentPrograms, Assignment, BirthProgram, Target},
    columns::AgentInput,
    named::NamedTables,
    names::word_fault,
    pairs::{COLUMNS, PairInput, PairProgram, REGISTERS, SUMS, Side},
    uniforms,
    writer::{Faults, OfAgents, ProgramWriter, squares},
};
use crate::{
    agents::Agents,
    formula::{FormulaError, Graph, Meaning, NodeId, Op, Scope, SpeciesMatrix, TypedValue},
    rules::{Rules, pair::RuleColumn, picks::PICKS, stream::Between},
};

impl Formulas {
    /// Compiles the formulas.
    ///
    /// # Errors
    /// Everything that is wrong with them, in the order of the text.
    pub fn compile(&self) -> Result<Rules, Vec<FormulaError>> {
        self.check_twice()?;
        let mut faults = self.name_faults();
        let named = Arc::new(self.named_tables());
        let mut rules = Rules::new();
        rules.collisions = !self.without_collisions;
        for (number, pair) in self.pairs.iter().enumerate() {
            match self.pair(number, pair, &named) {
                Ok(program) => rules.pairs.push(Arc::new(program)),
                Err(own) => faults.extend(own),
            }
        }
        let (mut programs, mut births) = (Vec::new(), Vec::new());
        for (number, (species, general, own)) in (0..).zip(self.groups()) {
            match self.program(species, general, own) {
                Ok(program) => programs.push(program),
                Err(own) => faults.extend(own),
            }
            let empty = AgentFormulas::new();
            let all = births_of(general.unwrap_or(&empty), own.unwrap_or(&empty));
            for (kind, birth) in all.iter().enumerate() {
                match self.newborn(birth, [general, own]) {
                    Ok(newborn) => {
                        let species = birth.species;
                        births.push(BirthProgram { program: number, kind, species, newborn });
                    }
                    Err(own) => faults.extend(own),
                }
            }
        }
        if !faults.is_empty() {
            faults.sort_by_key(|fault| fault.at);
            faults.dedup();
            return Err(faults);
        }
        if !programs.is_empty() {
            let columns = self.columns.clone();
            let has_species = !self.species.is_empty();
            rules.agents =
                Some(Arc::new(AgentPrograms { programs, births, named, columns, has_species }));
        }
        Ok(rules)
    }

    /// The matrices and tables of all formulas.
    pub(super) fn named_tables(&self) -> NamedTables {
        NamedTables {
            matrices: self.matrices.iter().map(|(_, matrix)| matrix.clone()).collect(),
            tables: self.tables.iter().map(|(_, points)| points.clone()).collect(),
        }
    }

    /// The names of all formulas.
    fn scope(&self, graph: &mut Graph) -> Scope {
        let mut scope = Scope::default();
        for (number, name) in (0..).zip(uniforms::NAMES) {
            scope.add(name, Meaning::Value(TypedValue::number(graph.uniform(number))));
        }
        let pi = graph.constant(std::f32::consts::PI);
        let none = graph.constant(f32::from_bits(Agents::GONE));
        scope.add("none", Meaning::Value(TypedValue::agent(none)));
        scope.add("pi", Meaning::Value(TypedValue::number(pi)));
        for (name, value) in &self.params {
            scope.add(name, Meaning::Value(TypedValue::number(graph.constant(*value))));
        }
        for (index, (name, _)) in self.matrices.iter().enumerate() {
            scope.add(name, Meaning::Matrix(index as u8));
        }
        for (index, (name, _)) in self.tables.iter().enumerate() {
            scope.add(name, Meaning::Table(index as u8));
        }
        scope
    }

    /// The names of the species, which others of the same name hide.
    fn species_scope(&self, graph: &mut Graph) -> Scope {
        let mut scope = Scope::default();
        for (number, name) in (0_u8..).zip(&self.species) {
            let id = graph.constant(number.into());
            scope.add(name, Meaning::Value(TypedValue::species(id)));
        }
        scope
    }

    /// The names in the pair with that number, and what it reads.
    fn pair_scope(&self, number: usize, graph: &mut Graph) -> (Scope, Vec<PairInput>) {
        let mut inputs = vec![PairInput::Dx, PairInput::Dy];
        let mut scope = self.species_scope(graph);
        scope.names.extend(self.scope(graph).names);
        let [dx, dy] = [0, 1].map(|number| graph.input(number));
        let r2 = squares(graph, [dx, dy]);
        let r = graph.operation(Op::Sqrt, &[r2]);
        for (name, id) in [("dx", dx), ("dy", dy), ("r", r), ("r2", r2)] {
            scope.add(name, Meaning::Value(TypedValue::number(id)));
        }
        let mut both = |graph: &mut Graph, column: RuleColumn| {
            [Side::I, Side::J].map(|side| {
                inputs.push(PairInput::Column(column.clone(), side));
                graph.input(inputs.len() as u16 - 1)
            })
        };
        let known = [
            ("x", RuleColumn::X),
            ("y", RuleColumn::Y),
            ("vx", RuleColumn::Vx),
            ("vy", RuleColumn::Vy),
            ("radius", RuleColumn::Radius),
        ];
        let known = known.map(|(name, column)| (name.to_owned(), column)).into_iter();
        let own = self.columns.iter().map(|name| (name.clone(), RuleColumn::Own(name.clone())));
        for (name, column) in known.chain(own) {
            let values = both(graph, column);
            scope.add_both(&name, values.map(TypedValue::number));
        }
        if !self.species.is_empty() {
            let species = both(graph, RuleColumn::Species);
            scope.add_both("species", species.map(TypedValue::species));
            scope.species = Some(species);
        }
        let ids = both(graph, RuleColumn::IdBits);
        for (name, id) in ["i", "j"].into_iter().zip(ids) {
            scope.add(name, Meaning::Value(TypedValue::agent(id)));
        }
        scope.ids = Some(ids.map(Some));
        for (earlier, other) in self.pairs[..number].iter().enumerate() {
            if let Some((name, _)) = &other.pick {
                let picked = both(graph, RuleColumn::Picked(earlier));
                scope.add_both(name, picked.map(TypedValue::agent));
            }
        }
        (scope, inputs)
    }

    fn pair(
        &self,
        number: usize,
        pair: &PairFormulas,
        named: &Arc<NamedTables>,
    ) -> Result<PairProgram, Faults> {
        let mut graph = Graph::default();
        let (scope, inputs) = self.pair_scope(number, &mut graph);
        let mut writer = ProgramWriter { graph, scope, faults: Vec::new() };
        writer.lets(&pair.lets);
        let mut outputs = Vec::new();
        for (name, formula) in &pair.sums {
            if let Some(why) = word_fault(name) {
                writer.fault(formula.at, format!("`{name}` can't be the name of a sum: {why}"));
            }
            outputs.extend(writer.number(formula, name));
        }
        let picks = pair.pick.as_ref().map(|(_, formula)| {
            outputs.extend(writer.pick(formula));
            formula
        });
        let first = pair.sums.first().map(|(_, formula)| formula);
        let at = first.or(picks).map_or(0, |formula| formula.at);
        let (found, most) = (pair.sums.len(), SUMS - usize::from(picks.is_some()));
        if found > most || (found == 0 && picks.is_none()) {
            let message =
                format!("the pair `{}` has {found} sums: expected 1 to {most}", pair.name);
            writer.fault(at, message);
        }
        self.explain_unknown(number, &mut writer.faults);
        let code = writer.code(&outputs, at)?;
        if code.registers > REGISTERS {
            let message = format!(
                "the pair `{}` has too many values at once ({}): expected at most {REGISTERS}; make \
                 its formulas shorter, or divide it into two pairs",
                pair.name, code.registers
            );
            return Err(vec![FormulaError::new(at, message)]);
        }
        let mut reads = Vec::new();
        let used: Vec<PairInput> =
            code.inputs.iter().map(|&number| inputs[usize::from(number)].clone()).collect();
        let mut index = |column: &RuleColumn| {
            reads.iter().position(|known| known == column).unwrap_or_else(|| {
                reads.push(column.clone());
                reads.len() - 1
            })
        };
        let between = pair.between.map(|species| Between {
            column: index(&RuleColumn::Species),
            species: species.map(f32::from),
        });
        let pick = picks.map(|_| (index(&RuleColumn::IdBits), PICKS + number as u64));
        let of = |input: PairInput| {
            let column = if let PairInput::Column(column, _) = &input { index(column) } else { 0 };
            (input, column)
        };
        let inputs = used.into_iter().map(of).collect();
        if reads.len() > COLUMNS {
            let found = reads.len();
            let message = format!(
                "the pair `{}` reads {found} columns: expected at most {COLUMNS}",
                pair.name
            );
            return Err(vec![FormulaError::new(at, message)]);
        }
        Ok(PairProgram {
            range: pair.range,
            code,
            inputs,
            reads,
            between,
            pick,
            named: Arc::clone(named),
        })
    }

    /// What agents of which species do: what is there for all, and what they have of their own.
    fn groups(&self) -> Vec<(u16, Option<&AgentFormulas>, Option<&AgentFormulas>)> {
        let find = |species| self.agents.iter().find(|agents| agents.species == species);
        let general = find(None);
        let mut rest = u16::MAX;
        let mut groups = Vec::new();
        for species in 0..SpeciesMatrix::SPECIES as u8 {
            if let Some(own) = find(Some(species)) {
                groups.push((1 << species, general, Some(own)));
                rest &= !(1 << species);
            }
        }
        if general.is_some() {
            groups.push((rest, general, None));
        }
        groups
    }

    /// The program of some species.
    pub(super) fn program(
        &self,
        species: u16,
        general: Option<&AgentFormulas>,
        own: Option<&AgentFormulas>,
    ) -> Result<AgentProgram, Faults> {
        let (mut writer, inputs, of_agents) = self.agent_scope();
        for formulas in [general, own].into_iter().flatten() {
            writer.lets(&formulas.lets);
        }
        let empty = AgentFormulas::new();
        let (general, own) = (general.unwrap_or(&empty), own.unwrap_or(&empty));
        let mut outputs = Vec::new();
        let mut assignments = Vec::new();
        let mut assign = |outputs: &mut Vec<NodeId>, target, at, values: &[NodeId]| {
            assignments.push(Assignment::new(target, outputs.len(), at));
            outputs.extend_from_slice(values);
        };
        if let Some((at, velocity)) = writer.velocity(general, own, &of_agents) {
            assign(&mut outputs, Target::Velocity, at, &velocity);
        }
        let replaced = |name: &String| own.set.iter().any(|(other, _)| other == name);
        let kept = general.set.iter().filter(|(name, _)| !replaced(name));
        for (name, formula) in kept.chain(&own.set) {
            if let Some((column, value)) = self.own_column(&mut writer, name, formula) {
                assign(&mut outputs, Target::Own(column), formula.at, &[value]);
            }
        }
        let becomes = if own.becomes.is_empty() { &general.becomes } else { &own.becomes };
        if let Some((_, first)) = becomes.first() {
            let mut found = of_agents.species;
            for (species, formula) in becomes.iter().rev() {
                if let Some(condition) = writer.condition(formula, "becomes") {
                    let species = writer.graph.constant((*species).into());
                    found = writer.graph.operation(Op::Select, &[condition, species, found]);
                }
            }
            assign(&mut outputs, Target::Species, first.at, &[found]);
        }
        if let Some(formula) = own.dies.as_ref().or(general.dies.as_ref())
            && let Some(condition) = writer.condition(formula, "dies")
        {
            assign(&mut outputs, Target::Death, formula.at, &[condition]);
        }
        for (kind, birth) in births_of(general, own).iter().enumerate() {
            if let Some(number) = writer.births(&birth.number, kind) {
                assign(&mut outputs, Target::Births(kind), birth.number.at, &[number]);
            }
        }
        let at = assignments.first().map_or(0, |first| first.at);
        let code = writer.code(&outputs, at)?;
        let inputs = code.inputs.iter().map(|&number| inputs[usize::from(number)]).collect();
        Ok(AgentProgram { species, code, inputs, assignments })
    }

    /// The column and the value that are set.
    fn own_column(
        &self,
        writer: &mut ProgramWriter,
        name: &String,
        formula: &Formula,
    ) -> Option<(usize, NodeId)> {
        let Some(column) = self.columns.iter().position(|known| known == name) else {
            let mut message = format!("agents have no column `{name}` of their own");
            let unknown = Some((name.clone(), self.columns.clone()));
            if self.columns.is_empty() {
                message = format!("{message}; add `columns = {{ {name} = 0 }}`");
            }
            writer.faults.push(FormulaError { unknown, ..FormulaError::new(formula.at, message) });
            return None;
        };
        Some((column, writer.number(formula, name)?))
    }

    /// The first values of newborn agents.
    fn newborn(
        &self,
        birth: &BirthFormulas,
        lets: [Option<&AgentFormulas>; 2],
    ) -> Result<AgentProgram, Faults> {
        let (mut writer, inputs, _) = self.agent_scope();
        for formulas in lets.into_iter().flatten() {
            writer.lets(&formulas.lets);
        }
        let (mut outputs, mut assignments) = (Vec::new(), Vec::new());
        let vectors =
            [(&birth.at, Target::Place, "at"), (&birth.velocity, Target::Velocity, "velocity")];
        for (both, target, name) in vectors {
            let Some([x, y]) = both else { continue };
            if let [Some(one), Some(other)] = [x, y].map(|formula| writer.number(formula, name)) {
                assignments.push(Assignment::new(target, outputs.len(), x.at));
                outputs.extend([one, other]);
            }
        }
        for (name, formula) in &birth.set {
            if let Some((column, value)) = self.own_column(&mut writer, name, formula) {
                assignments.push(Assignment::new(Target::Own(column), outputs.len(), formula.at));
                outputs.push(value);
            }
        }
        let code = writer.code(&outputs, birth.number.at)?;
        let inputs = code.inputs.iter().map(|&number| inputs[usize::from(number)]).collect();
        Ok(AgentProgram { species: u16::MAX, code, inputs, assignments })
    }

    /// The names of agent formulas, with the inputs that they stand for.
    pub(super) fn agent_scope(&self) -> (ProgramWriter, Vec<AgentInput>, OfAgents) {
        let mut graph = Graph::default();
        let mut inputs = Vec::new();
        let mut input = |graph: &mut Graph, input| {
            inputs.push(input);
            graph.input(inputs.len() as u16 - 1)
        };
        let mut names = Vec::new();
        for (pair, of) in self.pairs.iter().enumerate() {
            for (sum, (name, _)) in of.sums.iter().enumerate() {
                let id = input(&mut graph, AgentInput::Sum { pair, sum });
                names.push((name, format!("{}.{name}", of.name), id));
            }
        }
        let mut scope = Scope { is_of_agents: true, ..self.species_scope(&mut graph) };
        for (name, _, id) in &names {
            let longer: Vec<String> = names
                .iter()
                .filter(|other| other.0 == *name)
                .map(|other| other.1.clone())
                .collect();
            let alone = Meaning::Value(TypedValue::number(*id));
            scope.add(*name, if longer.len() == 1 { alone } else { Meaning::Several(longer) });
        }
        for (_, longer, id) in names {
            scope.add(longer, Meaning::Value(TypedValue::number(id)));
        }
        scope.names.extend(self.scope(&mut graph).names);
        for (pair, of) in self.pairs.iter().enumerate() {
            if let Some((name, _)) = &of.pick {
                let id = input(&mut graph, AgentInput::Picked(pair));
                scope.add(name, Meaning::Value(TypedValue::agent(id)));
            }
        }
        let known = [
            ("x", AgentInput::X),
            ("y", AgentInput::Y),
            ("vx", AgentInput::Vx),
            ("vy", AgentInput::Vy),
            ("radius", AgentInput::Radius),
            ("id", AgentInput::Id),
        ];
        let ids = known.map(|(_, kind)| input(&mut graph, kind));
        for ((name, _), id) in known.into_iter().zip(ids) {
            scope.add(name, Meaning::Value(TypedValue::number(id)));
        }
        for (column, name) in self.columns.iter().enumerate() {
            let id = input(&mut graph, AgentInput::Own(column));
            scope.add(name, Meaning::Value(TypedValue::number(id)));
        }
        scope.ids = Some([Some(input(&mut graph, AgentInput::IdBits)), None]);
        let species = input(&mut graph, AgentInput::Species);
        if !self.species.is_empty() {
            scope.add("species", Meaning::Value(TypedValue::species(species)));
        }
        let [x, y, vx, vy, ..] = ids;
        for (name, id) in ["wall", "wall_x", "wall_y"].into_iter().zip(walls(&mut graph, [x, y])) {
            scope.add(name, Meaning::Value(TypedValue::number(id)));
        }
        let writer = ProgramWriter { graph, scope, faults: Vec::new() };
        (writer, inputs, OfAgents { velocity: [vx, vy], species })
    }
}

/// What is born: of a species of its own accord, or of all.
fn births_of<'a>(general: &'a AgentFormulas, own: &'a AgentFormulas) -> &'a [BirthFormulas] {
    if own.births.is_empty() { &general.births } else { &own.births }
}

/// The distance to the nearest wall, and the direction to it.
fn walls(graph: &mut Graph, [x, y]: [NodeId; 2]) -> [NodeId; 3] {
    let [left, right, bottom, top] = uniforms::WALLS.map(|number| graph.uniform(number));
    let gaps = [[x, left], [right, x], [y, bottom], [top, y]];
    let [left, right, bottom, top] = gaps.map(|gap| graph.operation(Op::Sub, &gap));
    let across = graph.operation(Op::Min, &[left, right]);
    let along = graph.operation(Op::Min, &[bottom, top]);
    let least = graph.operation(Op::Min, &[across, along]);
    let [none, back, ahead] = [0.0, -1.0, 1.0].map(|number| graph.constant(number));
    let is_across = graph.operation(Op::Equal, &[across, least]);
    let sides = [[left, right], [bottom, top]].map(|[near, far]| {
        let is_near = graph.operation(Op::LessOrEqual, &[near, far]);
        graph.operation(Op::Select, &[is_near, back, ahead])
    });
    let to_x = graph.operation(Op::Select, &[is_across, sides[0], none]);
    let to_y = graph.operation(Op::Select, &[is_across, none, sides[1]]);
    [least, to_x, to_y]
}
