//! The operations of formulas, each defined once: for the folding of constants, and for the lanes.
//!
//! A condition is the number 1 or 0.

use super::functions;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Copy,
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    /// Whether two numbers have the same bits: those of ids.
    Same,
    /// Whether two numbers differ in their bits.
    Differ,
    And,
    Or,
    Not,
    Select,
    Min,
    Max,
    Abs,
    Sqrt,
    Floor,
    Exp,
    Log,
    Sin,
    Cos,
    Atan2,
    /// Uniform numbers of a stream.
    Random(u8),
    /// Normally distributed numbers of a stream.
    Normal(u8),
    /// The entry of a matrix for two species.
    Matrix(u8),
    /// The value of a table.
    Table(u8),
}

/// Chooses the expression of an operation that depends on its three operands alone, and passes it to a
/// macro; operations with data of their own go to `$other`.
macro_rules! by_op {
    ($op:expr, $lanes:ident, $other:expr) => {
        match $op {
            Op::Copy => $lanes!(a b c => a),
            Op::Add => $lanes!(a b c => a + b),
            Op::Sub => $lanes!(a b c => a - b),
            Op::Mul => $lanes!(a b c => a * b),
            Op::Div => $lanes!(a b c => { let q = a / b; if b == 0.0 { 0.0 } else { q } }),
            Op::Neg => $lanes!(a b c => -a),
            Op::Less => $lanes!(a b c => if a < b { 1.0 } else { 0.0 }),
            Op::LessOrEqual => $lanes!(a b c => if a <= b { 1.0 } else { 0.0 }),
            Op::Equal => $lanes!(a b c => if a == b { 1.0 } else { 0.0 }),
            Op::NotEqual => $lanes!(a b c => if a == b { 0.0 } else { 1.0 }),
            Op::Same => $lanes!(a b c => if a.to_bits() == b.to_bits() { 1.0 } else { 0.0 }),
            Op::Differ => $lanes!(a b c => if a.to_bits() == b.to_bits() { 0.0 } else { 1.0 }),
            Op::And => $lanes!(a b c => a * b),
            Op::Or => $lanes!(a b c => if a == 0.0 { b } else { a }),
            Op::Not => $lanes!(a b c => 1.0 - a),
            Op::Select => $lanes!(a b c => if a == 0.0 { c } else { b }),
            Op::Min => $lanes!(a b c => if a < b { a } else { b }),
            Op::Max => $lanes!(a b c => if a > b { a } else { b }),
            Op::Abs => $lanes!(a b c => a.abs()),
            Op::Sqrt => $lanes!(a b c => (if a < 0.0 { 0.0 } else { a }).sqrt()),
            Op::Floor => $lanes!(a b c => a.floor()),
            Op::Exp => $lanes!(a b c => functions::exp(a)),
            Op::Log => $lanes!(a b c => functions::log(a)),
            Op::Sin => $lanes!(a b c => functions::sin(a)),
            Op::Cos => $lanes!(a b c => functions::cos(a)),
            Op::Atan2 => $lanes!(a b c => functions::atan2(a, b)),
            Op::Random(_) | Op::Normal(_) | Op::Matrix(_) | Op::Table(_) => $other,
        }
    };
}
pub(super) use by_op;

impl Op {
    /// The value of three operands, of which the operation may use fewer; none if it depends on more.
    pub(super) fn apply(self, [a, b, c]: [f32; 3]) -> Option<f32> {
        macro_rules! once {
            ($a:ident $b:ident $c:ident => $value:expr) => {{
                let ($a, $b, $c) = (a, b, c);
                let _ = ($a, $b, $c);
                Some($value)
            }};
        }
        by_op!(self, once, None)
    }
}
