//! The agent rule of formulas: programs over blocks of agents, one program per group of species.
//!
//! ```text
//! columns, sums ─► input planes ─► program ─► output planes ─► columns, where species and value fit
//! ```
//!
//! A program writes the agents of its own species alone, and no other program reads these: all of
//! them read old columns.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    columns::{AgentInput, ReadColumns},
    named::NamedTables,
    uniforms,
};
use crate::{
    agents::Agents,
    formula::{BLOCK, Block, Code, NamedData, PLANES, Workspace},
    limits::{BORN_MAX, SPEED_MAX},
    parallel::{self, Split},
    rules::{
        agent::{AgentTask, AnyAgentRule, BirthCount, Births, Marks, RuledColumns},
        ranks::OtherRanks,
        sums::PairSums,
    },
    simd::Kernel,
};

/// Slots per task.
const PIECE: usize = 16_384;

/// What an output of a program is written to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target {
    /// The velocity, from this output and the next.
    Velocity,
    Own(usize),
    Species,
    Death,
    /// The number of births of a kind, counted within the program.
    Births(usize),
    /// The place of a newborn agent relative to the agent that it is born of, from this output and
    /// the next.
    Place,
}

/// An assignment: where its formula is, and how many of its values were not written.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) target: Target,
    pub(super) output: usize,
    pub(super) at: usize,
    unwritten: AtomicU64,
}

impl Assignment {
    pub(super) fn new(target: Target, output: usize, at: usize) -> Self {
        Self { target, output, at, unwritten: AtomicU64::new(0) }
    }

    /// Counts values that were not written.
    pub(super) fn count_unwritten(&self, count: u64) {
        self.unwritten.fetch_add(count, Ordering::Relaxed);
    }
}

/// What the agents of some species do.
#[derive(Debug)]
pub(super) struct AgentProgram {
    /// One bit per species.
    pub(super) species: u16,
    pub(super) code: Code,
    /// The inputs that the code reads, in the order of their planes.
    pub(super) inputs: Vec<AgentInput>,
    pub(super) assignments: Vec<Assignment>,
}

/// What is born of the agents of a program.
#[derive(Debug)]
pub(super) struct BirthProgram {
    /// The program of the agents, and which of their kinds of births this is.
    pub(super) program: u8,
    pub(super) kind: usize,
    /// The species of the newborn.
    pub(super) species: u8,
    pub(super) newborn: AgentProgram,
}

impl BirthProgram {
    /// The mark of some births of agents that a program is for; 0 if there is none.
    pub(super) fn mark(program: u8, count: u8) -> u8 {
        if count == 0 { 0 } else { program << 4 | count.min(BORN_MAX) }
    }
}

/// The programs of a run.
#[derive(Debug)]
pub(super) struct AgentPrograms {
    pub(super) programs: Vec<AgentProgram>,
    /// What is born, by program and kind.
    pub(super) births: Vec<BirthProgram>,
    pub(super) named: Arc<NamedTables>,
    /// The own columns that the agents need, in their order.
    pub(super) columns: Vec<String>,
    /// True if they need species.
    pub(super) has_species: bool,
}

impl AnyAgentRule for AgentPrograms {
    fn run(&self, agents: &mut Agents, marks: Marks<'_>, task: AgentTask<'_>) -> u64 {
        let (columns, _) = RuledColumns::new(agents, marks);
        parallel::pieces(
            columns.within(task.ruled),
            PIECE,
            &|_, piece| self.run_piece(piece, &task, &mut Workspace::<PLANES>::new()),
            &|one, other| one + other,
        )
    }

    fn lacking(&self, agents: &Agents) -> Option<&'static str> {
        let own = agents.own.as_deref();
        let names = || own.into_iter().flat_map(|own| &own.numbers).map(|column| &column.name);
        if self.has_species && own.is_none_or(|own| own.species.is_none()) {
            return Some("species");
        }
        let has = self.columns.iter().eq(names().take(self.columns.len()));
        (!has).then_some("own column")
    }

    fn kills(&self) -> bool {
        let mut all = self.programs.iter().flat_map(|program| &program.assignments);
        all.any(|assignment| assignment.target == Target::Death)
    }

    fn births(&self) -> usize {
        self.births.iter().map(|birth| birth.kind + 1).max().unwrap_or(0)
    }

    fn bear(
        &self,
        agents: &mut Agents,
        births: &Births<'_>,
        task: AgentTask<'_>,
        ranks: &mut dyn OtherRanks,
    ) -> BirthCount {
        self.bear_all(agents, births, &task, ranks)
    }

    fn unwritten(&self) -> Vec<(usize, u64)> {
        let newborn = self.births.iter().map(|birth| &birth.newborn);
        let all = self.programs.iter().chain(newborn).flat_map(|program| &program.assignments);
        let counted = all.map(|one| (one.at, one.unwritten.load(Ordering::Relaxed)));
        counted.filter(|&(_, count)| count > 0).collect()
    }
}

impl AgentPrograms {
    /// Runs all programs over a piece, block by block.
    fn run_piece(
        &self,
        piece: RuledColumns<'_>,
        task: &AgentTask<'_>,
        planes: &mut Workspace<PLANES>,
    ) -> u64 {
        let planes = &mut planes.0;
        let mut rest = piece;
        let mut unwritten = 0;
        while rest.len() > 0 {
            let length = rest.len().min(BLOCK);
            let (mut block, after) = rest.split_at(length);
            rest = after;
            let mut old = [0; BLOCK];
            old[..block.species.len()].copy_from_slice(block.species);
            for (number, program) in (0..).zip(&self.programs) {
                let mut is_in = old[..length].iter().map(|&of| program.species >> (of & 15) & 1);
                if is_in.any(|bit| bit == 1) {
                    program.load(&ReadColumns::before(&block), task.sums, planes);
                    task.simd.run(RunProgram {
                        program,
                        task,
                        named: &self.named,
                        planes: &mut *planes,
                        length,
                    });
                    let block = &mut block;
                    let store = StoreOutputs { program, number, block, old: &old, planes };
                    unwritten += task.simd.run(store);
                }
            }
        }
        unwritten
    }
}

/// The loop of a program over a block.
pub(super) struct RunProgram<'a> {
    pub(super) program: &'a AgentProgram,
    pub(super) task: &'a AgentTask<'a>,
    pub(super) named: &'a NamedTables,
    pub(super) planes: &'a mut [[f32; BLOCK]; PLANES],
    pub(super) length: usize,
}

impl Kernel for RunProgram<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { program: AgentProgram { code, .. }, task, named, planes, length } = self;
        let mut keys = [0; 256];
        for (key, &stream) in keys.iter_mut().zip(&code.streams) {
            *key = task.moment.key(stream);
        }
        let mut set = |plane: u8, number| planes[usize::from(plane)] = [number; BLOCK];
        for &(plane, number) in &code.constants {
            set(plane, number);
        }
        for &(plane, number) in &code.uniforms {
            set(plane, uniforms::value(number, task.moment, task.space));
        }
        let blocks: [&Block; PLANES] =
            planes.each_mut().map(|block| Cell::from_mut(block).as_array_of_cells());
        let tables = NamedData { matrices: &named.matrices, tables: &named.tables, keys: &keys };
        code.run(&blocks, length, tables);
    }
}

/// The writing of a program's outputs over a block.
struct StoreOutputs<'a, 'b> {
    program: &'a AgentProgram,
    number: u8,
    block: &'a mut RuledColumns<'b>,
    old: &'a [u8; BLOCK],
    planes: &'a [[f32; BLOCK]; PLANES],
}

impl Kernel for StoreOutputs<'_, '_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Self { program, number, block, old, planes } = self;
        program.store(block, number, old, planes)
    }
}

impl AgentProgram {
    /// Copies the inputs of a block.
    pub(super) fn load(
        &self,
        columns: &ReadColumns<'_>,
        sums: &[PairSums],
        planes: &mut [[f32; BLOCK]; PLANES],
    ) {
        let length = columns.id.len();
        for (input, plane) in self.inputs.iter().zip(planes) {
            columns.copy(*input, sums, &mut plane[..length]);
        }
    }

    /// Writes the outputs of a block; returns how many were not written.
    #[inline(always)]
    fn store(
        &self,
        block: &mut RuledColumns<'_>,
        program: u8,
        old: &[u8; BLOCK],
        planes: &[[f32; BLOCK]; PLANES],
    ) -> u64 {
        let RuledColumns { agents, species, dead, born, births, numbers } = block;
        let length = agents.id.len();
        let output = |number: usize| &planes[self.inputs.len() + number][..length];
        // Loops without branches, in which all slots are written.
        let is_in = old.map(|of| self.species >> (of & 15) & 1 == 1);
        let is_in = &is_in[..length];
        let mut all = 0;
        for assignment in &self.assignments {
            let Assignment { target, output: number, .. } = assignment;
            let values = output(*number);
            let mut not_written = 0_u32;
            let values = values.iter().copied().zip(is_in.iter().copied());
            match *target {
                Target::Velocity => {
                    let others = output(number + 1).iter().copied();
                    let velocities = agents.vx.iter_mut().zip(&mut *agents.vy);
                    for (((x, is_in), y), (vx, vy)) in values.zip(others).zip(velocities) {
                        let is_right = (x.abs() <= SPEED_MAX) & (y.abs() <= SPEED_MAX);
                        *vx = if is_in & is_right { x } else { *vx };
                        *vy = if is_in & is_right { y } else { *vy };
                        not_written += u32::from(is_in & !is_right);
                    }
                }
                Target::Own(column) => {
                    for ((value, is_in), number) in values.zip(&mut *numbers[column]) {
                        let is_right = value.is_finite();
                        *number = if is_in & is_right { value } else { *number };
                        not_written += u32::from(is_in & !is_right);
                    }
                }
                Target::Species => {
                    for ((value, is_in), species) in values.zip(&mut **species) {
                        *species = if is_in { value as u8 } else { *species };
                    }
                }
                Target::Death => {
                    for ((value, is_in), dead) in values.zip(&mut **dead) {
                        *dead |= u8::from(is_in & (value != 0.0));
                    }
                }
                Target::Births(kind) => {
                    let mut marks = [0; BLOCK];
                    for ((value, is_in), mark) in values.zip(&mut marks) {
                        let is_right = value.is_finite();
                        let count = value.clamp(0.0, BORN_MAX.into());
                        let count = if is_in & is_right { count as u8 } else { 0 };
                        *mark = BirthProgram::mark(program, count);
                        not_written += u32::from(is_in & !is_right);
                    }
                    // An agent is in one program at most, and its marks were 0.
                    let add = |(born, mark): (&mut u8, u8)| *born |= mark;
                    if *births == 1 {
                        born.iter_mut().zip(marks).for_each(add);
                    } else {
                        born.iter_mut().skip(kind).step_by(*births).zip(marks).for_each(add);
                    }
                }
                Target::Place => {}
            }
            if not_written > 0 {
                assignment.count_unwritten(not_written.into());
                all += u64::from(not_written);
            }
        }
        all
    }
}
