//! The words of a formula.

use super::error::FormulaError;

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f32),
    /// Letters, digits, `_`, and dots between them.
    Name(String),
    Sign(&'static str),
    End,
}

/// Signs, those of two characters first.
const SIGNS: [&str; 18] =
    ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", "[", "]", ",", "−", "×", "÷"];

/// How a formula says what other languages have a sign for.
const FOREIGN: [(&str, &str); 14] = [
    ("**", POWER),
    ("^", POWER),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("&", "write `and`"),
    ("|", "write `or`"),
    ("=>", "write `>=`"),
    ("=<", "write `<=`"),
    ("=", "compare with `==`"),
    ("!", "write `not`"),
    ("%", REMAINDER),
    ("?", CHOICE),
    (";", "give each value its own `let`"),
    ("{", "use `(` and `)`"),
];

/// The same for names.
const FOREIGN_NAMES: [(&str, &str); 13] = [
    ("pow", POWER),
    ("power", POWER),
    ("mod", REMAINDER),
    ("fmod", REMAINDER),
    ("if", CHOICE),
    ("ln", "write `log(x)`"),
    ("tan", "write `sin(x) / cos(x)`"),
    ("round", "write `floor(x + 0.5)`"),
    ("ceil", "write `-floor(-x)`"),
    ("sign", "write `select(x < 0, -1, 1)`"),
    ("rand", "write `random(1)`"),
    ("true", "write `1 > 0`"),
    ("false", "write `1 < 0`"),
];

const POWER: &str = "write `x * x` for a square, or `exp(y * log(x))` for x to the power of y";
const REMAINDER: &str = "write `x - y * floor(x / y)`";
const CHOICE: &str = "write `select(c, a, b)`";

/// What takes the place of a name that other languages have.
pub(super) fn remedy(name: &str) -> Option<&'static str> {
    FOREIGN_NAMES.iter().find(|(known, _)| *known == name).map(|(_, remedy)| *remedy)
}

impl Token {
    /// The word for a message.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number) => format!("`{number}`"),
            Self::Name(name) => format!("`{name}`"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end of the formula".to_owned(),
        }
    }
}

/// The words of a text, each with the byte where it begins. The last is the end.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, FormulaError> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (length, token) = if first.is_ascii_digit() || first == '.' {
            number(at, rest)?
        } else if first.is_ascii_alphabetic() || first == '_' {
            let part = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.');
            let length = rest.find(part).unwrap_or(rest.len());
            (length, Token::Name(rest[..length].to_owned()))
        } else if let Some(sign) =
            SIGNS.into_iter().find(|sign| rest.starts_with(sign) && !rest.starts_with("**"))
        {
            let plain = match sign {
                "−" => "-",
                "×" => "*",
                "÷" => "/",
                other => other,
            };
            (sign.len(), Token::Sign(plain))
        } else {
            let foreign = FOREIGN.iter().find(|(sign, _)| rest.starts_with(sign));
            let message = match foreign {
                Some((sign, remedy)) => format!("a formula has no `{sign}`; {remedy}"),
                None => format!("a formula has no `{first}`; leave it out"),
            };
            return Err(FormulaError::new(at, message));
        };
        all.push((at, token));
        at += length;
    }
    all.push((text.len(), Token::End));
    Ok(all)
}

/// The number that a text begins with, and its length.
fn number(at: usize, text: &str) -> Result<(usize, Token), FormulaError> {
    let bytes = text.as_bytes();
    let digits = |mut from: usize| {
        while bytes.get(from).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'_') {
            from += 1;
        }
        from
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    let word = &text[..end];
    match word.replace('_', "").parse::<f32>() {
        Ok(number) if number.is_finite() => Ok((end, Token::Number(number))),
        Ok(_) => {
            Err(FormulaError::new(at, format!("`{word}` is out of range: expected at most 3.4e38")))
        }
        Err(_) => Err(FormulaError::new(at, format!("`{word}` is no number"))),
    }
}

/// The names in a text, if it consists of words of formulas.
pub(crate) fn words(text: &str) -> Vec<String> {
    let name = |(_, token)| if let Token::Name(name) = token { Some(name) } else { None };
    tokens(text).into_iter().flatten().filter_map(name).collect()
}
