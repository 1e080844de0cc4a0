//! A pair rule of formulas, over the stream of the gather.

use std::{cell::Cell, sync::Arc};

use super::{named::NamedTables, uniforms};
use crate::{
    contacts::Band,
    formula::{BLOCK, Block, Code, Lane, PLANES, Tables, Workspace},
    geometry::Space,
    rules::{
        agent::RuleMoment,
        any::{AnyPairRule, PairTask},
        pair::RuleColumn,
        stream::{Between, ROOM, Stream, StreamRule},
    },
};

/// Columns that a pair may read.
pub(super) const COLUMNS: usize = 8;

/// Sums of a pair.
pub(super) const SUMS: usize = 16;

/// Registers of a program.
const REGISTERS: usize = PLANES - 2 * COLUMNS - 2 - SUMS;

/// An input of a program: its number is the position in the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PairInput {
    Dx,
    Dy,
    /// A column of `i` or of `j`.
    Column(RuleColumn, Side),
}

/// One of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    I,
    J,
}

/// A compiled pair rule.
#[derive(Debug)]
pub(super) struct PairProgram {
    pub(super) range: f32,
    pub(super) code: Code,
    /// The inputs that the code reads, in the order of their planes: the columns by their index.
    pub(super) inputs: Vec<(PairInput, usize)>,
    pub(super) reads: Vec<RuleColumn>,
    pub(super) between: Option<Between>,
    pub(super) named: Arc<NamedTables>,
}

impl AnyPairRule for PairProgram {
    fn range(&self) -> f32 {
        self.range
    }

    fn reads(&self) -> &[RuleColumn] {
        &self.reads
    }

    fn width(&self) -> usize {
        self.code.outputs
    }

    fn gather(&self, task: PairTask<'_>, bands: &mut [Band], sums: &mut [f32]) {
        let PairTask { moment, space, .. } = task;
        let mut keys = [0; 256];
        for (key, &stream) in keys.iter_mut().zip(&self.code.streams) {
            *key = moment.key(stream);
        }
        let run = PairRun { program: self, moment, space, keys };
        task.gather::<_, COLUMNS, SUMS>(&run, self.range, &self.reads, bands, sums);
    }
}

/// A pair rule in a step.
struct PairRun<'a> {
    program: &'a PairProgram,
    moment: RuleMoment,
    space: &'a Space,
    keys: [u64; 256],
}

impl StreamRule<COLUMNS, SUMS> for PairRun<'_> {
    type Scratch = Workspace<REGISTERS>;

    #[inline(always)]
    fn scratch(&self) -> Workspace<REGISTERS> {
        let Code { inputs, outputs, constants, uniforms, .. } = &self.program.code;
        let first = inputs.len() + outputs;
        let mut registers = Workspace::new();
        let mut set = |plane: u8, number| {
            registers.0[usize::from(plane) - first] = [[number; 16]; BLOCK / 16];
        };
        constants.iter().for_each(|&(plane, number)| set(plane, number));
        for &(plane, number) in uniforms {
            set(plane, uniforms::value(number, self.moment, self.space));
        }
        registers
    }

    #[inline(always)]
    fn columns(&self) -> usize {
        self.program.reads.len().min(COLUMNS)
    }

    #[inline(always)]
    fn sums(&self) -> usize {
        self.program.code.outputs.min(SUMS)
    }

    #[inline(always)]
    fn between(&self) -> Option<Between> {
        self.program.between
    }

    #[inline(always)]
    fn evaluate(
        &self,
        stream: &mut Stream<COLUMNS>,
        out: &mut [[f32; ROOM]; SUMS],
        scratch: &mut Workspace<REGISTERS>,
    ) {
        let PairProgram { code, inputs, named, .. } = self.program;
        let count = stream.count;
        let tables = Tables { matrices: &named.matrices, tables: &named.tables, keys: &self.keys };
        let (dx, dy) = (lanes(&mut stream.dx), lanes(&mut stream.dy));
        let i = stream.i.each_mut().map(|column| lanes(column));
        let j = stream.j.each_mut().map(|column| lanes(column));
        let out = out.each_mut().map(|sum| lanes(sum));
        let registers =
            scratch.0.each_mut().map(|block| &*Cell::from_mut(block).as_array_of_cells());
        for first in (0..count).step_by(BLOCK) {
            let mut planes: [&Block; PLANES] = [registers[0]; PLANES];
            let (of_inputs, rest) = planes.split_at_mut(inputs.len());
            let (of_outputs, of_registers) = rest.split_at_mut(code.outputs);
            for (plane, (input, column)) in of_inputs.iter_mut().zip(inputs) {
                let numbers = match input {
                    PairInput::Dx => dx,
                    PairInput::Dy => dy,
                    PairInput::Column(_, Side::I) => i[*column],
                    PairInput::Column(_, Side::J) => j[*column],
                };
                *plane = block(numbers, first);
            }
            for (plane, numbers) in of_outputs.iter_mut().zip(&out) {
                *plane = block(numbers, first);
            }
            for (plane, register) in of_registers.iter_mut().zip(registers) {
                *plane = register;
            }
            code.run(&planes, (count - first).min(BLOCK).div_ceil(16), tables);
        }
    }
}

/// A column of the stream as lanes.
#[inline(always)]
fn lanes(numbers: &mut [f32; ROOM]) -> &[Cell<Lane>] {
    Cell::from_mut(numbers.as_chunks_mut().0).as_slice_of_cells()
}

/// The block from an entry on.
#[inline(always)]
fn block(lanes: &[Cell<Lane>], first: usize) -> &Block {
    lanes[first / 16..].first_chunk().expect("whole blocks")
}
