//! Applies the remedy of a message to the command line that caused it.

use crate::line::Line;

/// The flag that a message is about: a message begins with its flag.
pub(crate) fn subject(message: &str) -> Option<&str> {
    let flag = message.strip_prefix("jostle: ")?.strip_prefix("--")?;
    Some(flag.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ';']))
}

/// The line with the remedy of the message; `None` if the message leaves the choice to the user.
pub(crate) fn applied(line: &Line, message: &str) -> Option<Line> {
    let subject = subject(message);
    let mut mended = line.clone();
    if let Some((_, meant)) = message.rsplit_once("did you mean ") {
        let (meant, _) = meant.split_once('?')?;
        let subject = subject.filter(|_| !meant.starts_with('-'))?;
        mended.set(subject, Some(meant.to_owned()));
        return Some(mended);
    }
    let (_, tried) = message.rsplit_once("; try ")?;
    let mut words = tried.split_whitespace().peekable();
    let mut changed = false;
    if let (Some(subject), Some(first)) = (subject, words.peek()) {
        let value = first.trim_end_matches([',', ';']);
        let named = message.contains("names more than one");
        let is_number = value.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        if is_number || named {
            mended.set(subject, Some(value.to_owned()));
            return Some(mended);
        }
    }
    let mut without = false;
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--") else {
            without |= word == "without";
            if word == "without" || word == "and" {
                continue;
            }
            break;
        };
        let flag = flag.trim_end_matches([',', ';']);
        if without {
            mended.flags.retain(|(name, _)| name != flag);
        } else {
            let value = words.next_if(|next| !next.starts_with("--") && *next != "without")?;
            let value = value.trim_end_matches([',', ';']);
            mended.set(flag, Some(value.to_owned()));
        }
        changed = true;
    }
    changed.then_some(mended)
}
