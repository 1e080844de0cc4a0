//! Code: the live values of a graph as instructions over planes, blocks of numbers of one meaning.
//!
//! ```text
//! planes   [ inputs … | outputs … | registers: constants, uniforms, and values while they are needed ]
//! ```

use super::{
    error::FormulaError,
    graph::{Graph, Node, NodeId},
    ops::Op,
};

/// Planes of a program: inputs, outputs and registers.
pub(crate) const PLANES: usize = 96;

/// An operation on planes: its operands, and where the result goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) op: Op,
    pub(super) from: [u8; 3],
    pub(super) to: u8,
}

/// Compiled formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// The numbers of the inputs that are read, in the order of their planes.
    pub(crate) inputs: Vec<u16>,
    /// Number of outputs, whose planes follow.
    pub(crate) outputs: usize,
    /// Number of registers, whose planes follow.
    pub(crate) registers: usize,
    /// Registers with a constant: the plane and the number.
    pub(crate) constants: Vec<(u8, f32)>,
    /// Registers with a uniform: the plane and which.
    pub(crate) uniforms: Vec<(u8, u16)>,
    /// The streams of random numbers.
    pub(crate) streams: Vec<u64>,
    pub(super) instructions: Vec<Instruction>,
}

/// The state of the assignment of planes.
struct Planes {
    of: Vec<Option<u8>>,
    free: Vec<u8>,
    next: usize,
}

impl Planes {
    fn take(&mut self) -> usize {
        self.free.pop().map_or_else(
            || {
                self.next += 1;
                self.next - 1
            },
            usize::from,
        )
    }
}

impl Code {
    /// The code that computes some values of a graph.
    ///
    /// # Errors
    /// If it needs more registers than there are.
    pub(crate) fn new(graph: &Graph, outputs: &[NodeId]) -> Result<Self, FormulaError> {
        let nodes = &graph.nodes;
        // The last use of each value: the index of its user, or the end.
        let mut last = vec![None; nodes.len()];
        for &id in outputs {
            last[usize::from(id)] = Some(nodes.len());
        }
        for at in (0..nodes.len()).rev() {
            if let (Some(_), Node::Operation(_, operands)) = (last[at], nodes[at]) {
                for id in operands.map(usize::from) {
                    last[id] = last[id].max(Some(at));
                }
            }
        }
        let mut code =
            Self { outputs: outputs.len(), streams: graph.streams.clone(), ..Self::default() };
        let live = |at: &usize| last[*at].is_some();
        let mut planes = Planes { of: vec![None; nodes.len()], free: Vec::new(), next: 0 };
        for at in (0..nodes.len()).filter(live) {
            if let Node::Input(number) = nodes[at] {
                planes.of[at] = Some(planes.take() as u8);
                code.inputs.push(number);
            }
        }
        let first_output = planes.next;
        planes.next += outputs.len();
        let first_register = planes.next;
        let too_many = || {
            let message =
                "the formulas hold too many values at once; split them, or leave some out";
            FormulaError::new(0, message)
        };
        let plane = |number: usize| u8::try_from(number).map_err(|_| too_many());
        for at in (0..nodes.len()).filter(live) {
            match nodes[at] {
                Node::Constant(bits) => {
                    let register = plane(planes.take())?;
                    code.constants.push((register, f32::from_bits(bits)));
                    planes.of[at] = Some(register);
                }
                Node::Uniform(number) => {
                    let register = plane(planes.take())?;
                    code.uniforms.push((register, number));
                    planes.of[at] = Some(register);
                }
                Node::Input(_) | Node::Operation(..) => {}
            }
        }
        for at in (0..nodes.len()).filter(live) {
            let Node::Operation(op, operands) = nodes[at] else { continue };
            let from = operands.map(|id| planes.of[usize::from(id)].unwrap_or(0));
            let output = outputs.iter().position(|id| usize::from(*id) == at);
            let to = output.map_or_else(|| planes.take(), |output| first_output + output);
            let to = plane(to)?;
            // Only now, so that no instruction writes to a plane that it reads.
            for (which, id) in operands.iter().enumerate() {
                let is_temporary = matches!(nodes[usize::from(*id)], Node::Operation(..));
                let is_first = !operands[..which].contains(id);
                if is_temporary && is_first && last[usize::from(*id)] == Some(at) {
                    planes.free.extend(planes.of[usize::from(*id)]);
                }
            }
            planes.of[at] = Some(to);
            code.instructions.push(Instruction { op, from, to });
        }
        // Outputs that are not computed, or computed for another output.
        for (output, id) in outputs.iter().enumerate() {
            let from = planes.of[usize::from(*id)].unwrap_or(0);
            let to = plane(first_output + output)?;
            if from != to {
                code.instructions.push(Instruction { op: Op::Copy, from: [from; 3], to });
            }
        }
        code.registers = planes.next - first_register;
        if planes.next > PLANES { Err(too_many()) } else { Ok(code) }
    }
}
