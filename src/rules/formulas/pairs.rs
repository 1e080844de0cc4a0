//! A pair rule of formulas, over the stream of the gather.

use std::{cell::Cell, sync::Arc};

use super::{named::NamedTables, uniforms};
use crate::{
    contacts::Band,
    formula::{BLOCK, Block, Code, NamedData, PLANES, Workspace},
    geometry::Space,
    rules::{
        agent::RuleMoment,
        any::{AnyPairRule, PairTask},
        pair::RuleColumn,
        picks::Picking,
        stream::{Between, ROOM, Stream, StreamRule},
        sums::SumsMut,
    },
};

/// Columns that a pair may read.
pub(super) const COLUMNS: usize = 8;

/// Sums of a pair, with one for what it picks.
pub(super) const SUMS: usize = 16;

/// Registers of a program.
pub(super) const REGISTERS: usize = PLANES - 2 * COLUMNS - 2 - SUMS;

/// Columns, sums and registers of most rules: clearing the memory of a task takes time, too.
const FEW: [usize; 3] = [3, 4, 24];

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
    /// If agents pick: which column has the ids, and which stream the random numbers. The code has
    /// an output for it behind those of the sums.
    pub(super) pick: Option<(usize, u64)>,
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
        self.code.outputs - usize::from(self.pick.is_some())
    }

    fn picks(&self) -> bool {
        self.pick.is_some()
    }

    fn gather(&self, task: PairTask<'_>, bands: &mut [Band], sums: SumsMut<'_>) {
        let PairTask { moment, space, .. } = task;
        let mut keys = [0; 256];
        for (key, &stream) in keys.iter_mut().zip(&self.code.streams) {
            *key = moment.key(stream);
        }
        let Self { code, reads, range, .. } = self;
        let picking = self.pick.map(|(ids, stream)| Picking { ids, key: moment.key(stream) });
        let needs = [reads.len(), code.outputs, code.registers];
        if needs.iter().zip(FEW).all(|(&needed, few)| needed <= few) {
            let run = PairRun::<{ FEW[2] }> { program: self, moment, space, keys, picking };
            task.gather::<_, { FEW[0] }, { FEW[1] }>(&run, *range, reads, bands, sums);
        } else {
            let run = PairRun::<REGISTERS> { program: self, moment, space, keys, picking };
            task.gather::<_, COLUMNS, SUMS>(&run, *range, reads, bands, sums);
        }
    }
}

/// A pair rule in a step, with room for `R` registers.
struct PairRun<'a, const R: usize> {
    program: &'a PairProgram,
    moment: RuleMoment,
    space: &'a Space,
    keys: [u64; 256],
    picking: Option<Picking>,
}

impl<const C: usize, const K: usize, const R: usize> StreamRule<C, K> for PairRun<'_, R> {
    type Scratch = Workspace<R>;

    #[inline(always)]
    fn scratch(&self) -> Workspace<R> {
        let Code { inputs, outputs, constants, uniforms, .. } = &self.program.code;
        let first = inputs.len() + outputs;
        let mut registers = Workspace::new();
        let mut set = |plane: u8, number| {
            registers.0[usize::from(plane) - first] = [number; BLOCK];
        };
        for &(plane, number) in constants {
            set(plane, number);
        }
        for &(plane, number) in uniforms {
            set(plane, uniforms::value(number, self.moment, self.space));
        }
        registers
    }

    #[inline(always)]
    fn columns(&self) -> usize {
        self.program.reads.len().min(C)
    }

    #[inline(always)]
    fn sums(&self) -> usize {
        self.program.width().min(K)
    }

    #[inline(always)]
    fn picking(&self) -> Option<Picking> {
        self.picking
    }

    #[inline(always)]
    fn between(&self) -> Option<Between> {
        self.program.between
    }

    #[inline(always)]
    fn evaluate(
        &self,
        stream: &mut Stream<C>,
        out: &mut [[f32; ROOM]; K],
        scratch: &mut Workspace<R>,
    ) {
        let PairProgram { code, inputs, named, .. } = self.program;
        let Stream { dx, dy, i, j, count, .. } = stream;
        let tables =
            NamedData { matrices: &named.matrices, tables: &named.tables, keys: &self.keys };
        let (dx, dy) = (cells(dx), cells(dy));
        let (i, j, out) = (columns(i), columns(j), columns(out));
        let registers = Cell::from_mut(&mut scratch.0).as_array_of_cells();
        for first in (0..*count).step_by(BLOCK) {
            let mut planes: [&Block; PLANES] = [block(dx, first); PLANES];
            let (of_inputs, rest) = planes.split_at_mut(inputs.len());
            let (of_outputs, of_registers) = rest.split_at_mut(code.outputs);
            for (plane, (input, column)) in of_inputs.iter_mut().zip(inputs) {
                let numbers = match input {
                    PairInput::Dx => dx,
                    PairInput::Dy => dy,
                    PairInput::Column(_, Side::I) => i[*column].as_array_of_cells(),
                    PairInput::Column(_, Side::J) => j[*column].as_array_of_cells(),
                };
                *plane = block(numbers, first);
            }
            for (plane, numbers) in of_outputs.iter_mut().zip(out) {
                *plane = block(numbers.as_array_of_cells(), first);
            }
            for (plane, register) in of_registers.iter_mut().zip(registers) {
                *plane = register.as_array_of_cells();
            }
            code.run(&planes, (*count - first).min(BLOCK), tables);
        }
    }
}

#[inline(always)]
fn cells(numbers: &mut [f32; ROOM]) -> &[Cell<f32>; ROOM] {
    Cell::from_mut(numbers).as_array_of_cells()
}

#[inline(always)]
fn columns<const N: usize>(columns: &mut [[f32; ROOM]; N]) -> &[Cell<[f32; ROOM]>; N] {
    Cell::from_mut(columns).as_array_of_cells()
}

/// The block from an entry on.
#[inline(always)]
fn block(numbers: &[Cell<f32>; ROOM], first: usize) -> &Block {
    numbers[first..].first_chunk().expect("whole blocks")
}
