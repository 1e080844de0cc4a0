//! The graph of some formulas: each value once, constants folded.

use super::ops::Op;

/// Values that the formulas of one program may have: far more than formulas have, and so few that
/// a search through them takes no time.
pub(super) const NODES_MAX: usize = 2_048;

/// A value, known by its index; operands come before what they are used in.
pub(crate) type NodeId = u16;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// The bits of a number.
    Constant(u32),
    /// A number that is the same for all, known when the code runs.
    Uniform(u16),
    /// A number per lane that the code is given.
    Input(u16),
    Operation(Op, [NodeId; 3]),
}

/// The values of some formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// The streams of random numbers.
    pub(super) streams: Vec<u64>,
    full: bool,
}

impl Graph {
    pub(crate) fn constant(&mut self, value: f32) -> NodeId {
        self.node(Node::Constant(value.to_bits()))
    }

    pub(crate) fn uniform(&mut self, index: u16) -> NodeId {
        self.node(Node::Uniform(index))
    }

    pub(crate) fn input(&mut self, index: u16) -> NodeId {
        self.node(Node::Input(index))
    }

    /// The number that a value always is.
    pub(crate) fn constant_of(&self, id: NodeId) -> Option<f32> {
        match self.nodes[usize::from(id)] {
            Node::Constant(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }

    /// An operation on up to three operands.
    pub(crate) fn operation(&mut self, op: Op, operands: &[NodeId]) -> NodeId {
        let first = operands.first().copied().unwrap_or(0);
        let all: [NodeId; 3] = std::array::from_fn(|at| operands.get(at).copied().unwrap_or(first));
        let constants = all.map(|id| self.constant_of(id));
        if let [Some(a), Some(b), Some(c)] = constants
            && let Some(value) = op.apply([a, b, c])
        {
            return self.constant(value);
        }
        self.node(Node::Operation(op, all))
    }

    /// The index of a stream; none if there are 256 others.
    pub(super) fn stream(&mut self, number: u64) -> Option<u8> {
        let at = self.streams.iter().position(|&stream| stream == number).unwrap_or_else(|| {
            self.streams.push(number);
            self.streams.len() - 1
        });
        u8::try_from(at).ok()
    }

    /// A random number of an agent, uniform in 0..1; none if there are 256 other streams.
    pub(crate) fn random(&mut self, stream: u64, id_bits: NodeId) -> Option<NodeId> {
        let stream = self.stream(stream)?;
        Some(self.operation(Op::Random(stream), &[id_bits]))
    }

    /// True if there was no room for all values.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    fn node(&mut self, node: Node) -> NodeId {
        let found = self.nodes.iter().position(|known| *known == node);
        let at = found.unwrap_or_else(|| {
            if self.nodes.len() < NODES_MAX {
                self.nodes.push(node);
            } else {
                self.full = true;
            }
            self.nodes.len() - 1
        });
        at as NodeId
    }
}
