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
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            let plain = match sign {
                "−" => "-",
                "×" => "*",
                "÷" => "/",
                other => other,
            };
            (sign.len(), Token::Sign(plain))
        } else {
            return Err(FormulaError::new(at, format!("a formula has no `{first}`")));
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
