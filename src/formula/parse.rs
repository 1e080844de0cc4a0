//! The language: precedence climbing over the words of a text, into the graph.
//!
//! ```text
//! or  <  and  <  not  <  < <= > >= == !=  <  + -  <  * /  <  unary -
//! ```

use std::collections::HashSet;

use super::{
    error::FormulaError,
    graph::{Graph, NodeId},
    ops::Op,
    scope::{FUNCTIONS, Meaning, Scope, TypedValue, ValueKind, is_function},
    token::{Token, remedy, tokens},
};

/// Parentheses within parentheses.
const DEPTH_MAX: usize = 100;

/// Numbers of streams end below this, so that `f32` has all of them.
const STREAMS: f32 = 16_777_216.0;

type FormulaResult<T> = Result<T, FormulaError>;

/// Adds the value of a text to a graph.
///
/// # Errors
/// If the text is no formula, or names what the scope lacks.
pub(crate) fn parse(text: &str, scope: &Scope, graph: &mut Graph) -> FormulaResult<TypedValue> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, scope, graph };
    let value = parser.binary(0)?;
    match parser.peek() {
        Token::End if parser.graph.is_full() => {
            Err(FormulaError::new(0, "the formulas are too long; leave some out"))
        }
        Token::End => Ok(value),
        other => {
            let found = other.shown();
            Err(parser
                .fault(format!("expected an operator or the end of the formula, found {found}")))
        }
    }
}

/// The operators between two values, by how strongly they bind, the weakest first.
const LEVELS: [&[&str]; 5] =
    [&["or"], &["and"], &["<", "<=", ">", ">=", "==", "!="], &["+", "-"], &["*", "/"]];

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    at: usize,
    depth: usize,
    scope: &'a Scope,
    graph: &'a mut Graph,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    fn position(&self) -> usize {
        self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].1.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn fault(&self, message: String) -> FormulaError {
        FormulaError::new(self.position(), message)
    }

    fn expect(&mut self, sign: &'static str) -> FormulaResult<()> {
        if *self.peek() == Token::Sign(sign) {
            self.next();
            return Ok(());
        }
        Err(self.fault(format!("expected `{sign}`, found {}", self.peek().shown())))
    }

    /// The operator of a level that comes next.
    fn operator(&self, level: usize) -> Option<&'static str> {
        let word = match self.peek() {
            Token::Sign(sign) => sign,
            Token::Name(name) => name.as_str(),
            _ => return None,
        };
        LEVELS[level].iter().copied().find(|known| *known == word)
    }

    /// Values with operators of a level and stronger ones between them.
    fn binary(&mut self, level: usize) -> FormulaResult<TypedValue> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        let mut compared = false;
        while let Some(operator) = self.operator(level) {
            let position = self.position();
            if level == 2 && std::mem::replace(&mut compared, true) {
                let remedy = "write `a < b and b < c`";
                return Err(self.fault(format!("comparisons can't be chained; {remedy}")));
            }
            self.next();
            let right = self.binary(level + 1)?;
            let (op, takes, gives, swapped) = match operator {
                "or" => (Op::Or, ValueKind::Condition, ValueKind::Condition, false),
                "and" => (Op::And, ValueKind::Condition, ValueKind::Condition, false),
                "<" => (Op::Less, ValueKind::Number, ValueKind::Condition, false),
                "<=" => (Op::LessOrEqual, ValueKind::Number, ValueKind::Condition, false),
                ">" => (Op::Less, ValueKind::Number, ValueKind::Condition, true),
                ">=" => (Op::LessOrEqual, ValueKind::Number, ValueKind::Condition, true),
                "==" => (Op::Equal, ValueKind::Number, ValueKind::Condition, false),
                "!=" => (Op::NotEqual, ValueKind::Number, ValueKind::Condition, false),
                "+" => (Op::Add, ValueKind::Number, ValueKind::Number, false),
                "-" => (Op::Sub, ValueKind::Number, ValueKind::Number, false),
                "*" => (Op::Mul, ValueKind::Number, ValueKind::Number, false),
                _ => (Op::Div, ValueKind::Number, ValueKind::Number, false),
            };
            // What is no number is the same or not, and no more.
            let nominal = [left.kind, right.kind]
                .into_iter()
                .find(|kind| kind.is_nominal() && matches!(operator, "==" | "!="));
            let takes = nominal.unwrap_or(takes);
            for (side, value) in [("left", left), ("right", right)] {
                if !value.kind.fits(takes) {
                    let (takes, found) = (takes.shown(), value.kind.shown());
                    let remedy = nominal.map_or("", ValueKind::examples);
                    let message =
                        format!("`{operator}` takes {takes} on its {side}, found {found}{remedy}");
                    return Err(FormulaError::new(position, message));
                }
            }
            let op = match (nominal, op) {
                (Some(_), Op::Equal) => Op::Same,
                (Some(_), _) => Op::Differ,
                (None, op) => op,
            };
            let operands = if swapped { [right.id, left.id] } else { [left.id, right.id] };
            left = TypedValue { id: self.graph.operation(op, &operands), kind: gives };
        }
        Ok(left)
    }

    fn unary(&mut self) -> FormulaResult<TypedValue> {
        let position = self.position();
        let (op, word, kind) = match self.peek() {
            Token::Sign("-") => (Op::Neg, "-", ValueKind::Number),
            Token::Name(name) if name == "not" => (Op::Not, "not", ValueKind::Condition),
            _ => return self.value(),
        };
        self.next();
        // `not` holds for a whole comparison.
        let inner =
            self.nested(|parser| if op == Op::Not { parser.binary(2) } else { parser.unary() })?;
        if !inner.kind.fits(kind) {
            let (takes, found) = (kind.shown(), inner.kind.shown());
            return Err(FormulaError::new(
                position,
                format!("`{word}` takes {takes}, found {found}"),
            ));
        }
        Ok(TypedValue { id: self.graph.operation(op, &[inner.id]), kind })
    }

    /// Parses what lies one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> FormulaResult<T>) -> FormulaResult<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.fault(format!("more than {DEPTH_MAX} parts lie within each other")));
        }
        let parsed = parse(self)?;
        self.depth -= 1;
        Ok(parsed)
    }

    fn value(&mut self) -> FormulaResult<TypedValue> {
        let position = self.position();
        match self.next() {
            Token::Number(number) => Ok(TypedValue::number(self.graph.constant(number))),
            Token::Sign("(") => {
                let inner = self.nested(|parser| parser.binary(0))?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Name(name) => self.named(position, &name),
            other => {
                let message = format!("expected a value, found {}", other.shown());
                Err(FormulaError::new(position, message))
            }
        }
    }

    fn named(&mut self, position: usize, name: &str) -> FormulaResult<TypedValue> {
        let scope = self.scope;
        let called = *self.peek() == Token::Sign("(");
        if let (true, Some(&(_, takes))) =
            (called, FUNCTIONS.iter().find(|(known, _)| *known == name))
        {
            let values = self.arguments(position, name, takes)?;
            return self.call(position, name, &values);
        }
        match scope.find(name) {
            Some(Meaning::Value(_)) if called => {
                Err(FormulaError::new(position, format!("`{name}` is a value, not a function")))
            }
            Some(&Meaning::Value(value)) => Ok(value),
            Some(&Meaning::Table(table)) if called => {
                let values = self.arguments(position, name, 1)?;
                let [value] = numbers(position, name, &values)?;
                Ok(TypedValue::number(self.graph.operation(Op::Table(table), &[value])))
            }
            Some(Meaning::Table(_)) => {
                Err(FormulaError::new(position, format!("`{name}` is a table; write `{name}(x)`")))
            }
            Some(&Meaning::Matrix(matrix)) => self.entry(position, name, matrix),
            Some(Meaning::Several(longer)) => {
                let names: Vec<_> = longer.iter().map(|name| format!("`{name}`")).collect();
                let message = format!("`{name}` is in several pairs; write {}", names.join(" or "));
                Err(FormulaError::new(position, message))
            }
            None if is_function(name) => {
                let values = FUNCTIONS.iter().find(|(known, _)| *known == name);
                let values = ["a", "b", "c"][..values.map_or(0, |(_, takes)| *takes)].join(", ");
                let message = format!("`{name}` is a function; write `{name}({values})`");
                Err(FormulaError::new(position, message))
            }
            None => Err(self.unknown(position, name)),
        }
    }

    fn unknown(&self, position: usize, name: &str) -> FormulaError {
        if self.scope.is_of_agents && (name.starts_with("i.") || name.starts_with("j.")) {
            let message = format!(
                "`{name}` belongs to pairs, and an agent has no neighbor; write `{}`, or add up over \
                 the neighbors in a [pair]",
                &name[2..]
            );
            return FormulaError::new(position, message);
        }
        if let Some(remedy) = remedy(name) {
            let message = format!("there is no value or function `{name}`; {remedy}");
            return FormulaError::new(position, message);
        }
        let functions = FUNCTIONS.iter().map(|(known, _)| (*known).to_owned());
        let mut known: Vec<String> =
            self.scope.names.iter().map(|(name, _)| name.clone()).collect();
        known.extend(functions);
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(name.clone()));
        let message = format!("there is no value or function `{name}`");
        FormulaError {
            unknown: Some((name.to_owned(), known)),
            ..FormulaError::new(position, message)
        }
    }

    /// The values in parentheses behind a name.
    fn arguments(
        &mut self,
        position: usize,
        name: &str,
        takes: usize,
    ) -> FormulaResult<Vec<TypedValue>> {
        self.expect("(")?;
        let mut values = Vec::new();
        if *self.peek() != Token::Sign(")") {
            loop {
                values.push(self.nested(|parser| parser.binary(0))?);
                if *self.peek() != Token::Sign(",") {
                    break;
                }
                self.next();
            }
        }
        self.expect(")")?;
        if values.len() == takes {
            return Ok(values);
        }
        let plural = if takes == 1 { "value" } else { "values" };
        let message = format!("`{name}` takes {takes} {plural}, found {}", values.len());
        Err(FormulaError::new(position, message))
    }

    fn call(
        &mut self,
        position: usize,
        name: &str,
        values: &[TypedValue],
    ) -> FormulaResult<TypedValue> {
        let graph = &mut *self.graph;
        if name == "select" {
            let [condition, one, other] = [values[0], values[1], values[2]];
            if !condition.kind.fits(ValueKind::Condition) {
                let found = condition.kind.shown();
                let message = format!(
                    "`select` takes a condition first, found {found}; write `select(a < b, x, y)`"
                );
                return Err(FormulaError::new(position, message));
            }
            if !one.kind.fits(other.kind) && !other.kind.fits(one.kind) {
                let message = "`select` takes two values of one kind behind its condition";
                return Err(FormulaError::new(position, message));
            }
            let id = graph.operation(Op::Select, &[condition.id, one.id, other.id]);
            let kind = if one.kind == ValueKind::Unknown { other.kind } else { one.kind };
            return Ok(TypedValue { id, kind });
        }
        if name == "clamp" {
            let [value, low, high] = numbers(position, name, values)?;
            let raised = graph.operation(Op::Max, &[value, low]);
            return Ok(TypedValue::number(graph.operation(Op::Min, &[raised, high])));
        }
        if matches!(name, "random" | "normal") {
            return self.draw(position, name, values);
        }
        let op = match name {
            "min" => Op::Min,
            "max" => Op::Max,
            "abs" => Op::Abs,
            "sqrt" => Op::Sqrt,
            "floor" => Op::Floor,
            "exp" => Op::Exp,
            "log" => Op::Log,
            "sin" => Op::Sin,
            "cos" => Op::Cos,
            _ => Op::Atan2,
        };
        let operands: Vec<NodeId> = if matches!(op, Op::Min | Op::Max | Op::Atan2) {
            numbers::<2>(position, name, values)?.to_vec()
        } else {
            numbers::<1>(position, name, values)?.to_vec()
        };
        Ok(TypedValue::number(graph.operation(op, &operands)))
    }

    /// A random number of a stream.
    fn draw(
        &mut self,
        position: usize,
        name: &str,
        values: &[TypedValue],
    ) -> FormulaResult<TypedValue> {
        let [stream] = numbers(position, name, values)?;
        let constant = self.graph.constant_of(stream);
        let Some(number) = constant.filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n < STREAMS)
        else {
            let message = format!(
                "`{name}` takes the number of a stream: a whole number from 0, as in `{name}(1)`"
            );
            return Err(FormulaError::new(position, message));
        };
        let Some([Some(i), j]) = self.scope.ids else {
            return Err(FormulaError::new(position, format!("there is no `{name}` here")));
        };
        let Some(stream) = self.graph.stream(number as u64) else {
            return Err(FormulaError::new(
                position,
                "there are more than 256 streams; use one again",
            ));
        };
        let op = if name == "random" { Op::Random(stream) } else { Op::Normal(stream) };
        Ok(TypedValue::number(self.graph.operation(op, &[i, j.unwrap_or(i)])))
    }

    /// The entry of a matrix: `pull[i,j]` or `pull[j,i]`.
    fn entry(&mut self, position: usize, name: &str, matrix: u8) -> FormulaResult<TypedValue> {
        let Some(species) = self.scope.species else {
            let message = format!("`{name}` is a matrix, which only pairs have entries of");
            return Err(FormulaError::new(position, message));
        };
        let mut operands = [0; 2];
        for (sign, operand) in ["[", ","].into_iter().zip(&mut operands) {
            self.expect_in_entry(name, sign)?;
            *operand = match self.peek() {
                Token::Name(name) if name == "i" => species[0],
                Token::Name(name) if name == "j" => species[1],
                _ => return Err(self.no_entry(name)),
            };
            self.next();
        }
        self.expect_in_entry(name, "]")?;
        Ok(TypedValue::number(self.graph.operation(Op::Matrix(matrix), &operands)))
    }

    fn expect_in_entry(&mut self, name: &str, sign: &'static str) -> FormulaResult<()> {
        self.expect(sign).map_err(|_| self.no_entry(name))
    }

    /// The fault of what is no entry of a matrix.
    fn no_entry(&self, name: &str) -> FormulaError {
        let found = self.peek().shown();
        self.fault(format!(
            "`{name}` is a matrix, with an entry for the species of both; write `{name}[i,j]`, or \
             `{name}[j,i]` (found {found})"
        ))
    }
}

/// The values as numbers.
fn numbers<const N: usize>(
    position: usize,
    name: &str,
    values: &[TypedValue],
) -> FormulaResult<[NodeId; N]> {
    if let Some(other) = values.iter().find(|value| !value.kind.fits(ValueKind::Number)) {
        let (found, remedy) = (other.kind.shown(), other.kind.as_number());
        let message = format!("`{name}` takes numbers, found {found}; write `{remedy}`");
        return Err(FormulaError::new(position, message));
    }
    Ok(std::array::from_fn(|at| values[at].id))
}
