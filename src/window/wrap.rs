//! Text in lines of so many letters.

/// The lines of a text, as many words in each as have room, which is for one letter at least. A word that is
/// longer than a line is cut; a text without words has no line.
pub(super) fn wrap(text: &str, letters: u32) -> impl Iterator<Item = &str> + Clone {
    let letters = letters.max(1) as usize;
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(letters).map_or(rest.len(), |(end, _)| end);
        let whole = end == rest.len() || rest[end..].starts_with(' ');
        let end = if whole { end } else { rest[..end].rfind(' ').unwrap_or(end) };
        let (line, beyond) = rest.split_at(end);
        rest = beyond.trim_start();
        (!line.is_empty()).then(|| line.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, letters: u32) -> Vec<&str> {
        wrap(text, letters).collect()
    }

    #[test]
    fn lines_are_whole_words_where_they_have_room() {
        assert_eq!(lines("one two three", 20), ["one two three"]);
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 6), ["one", "two", "three"]);
        assert_eq!(lines("one  two", 4), ["one", "two"]);
    }

    #[test]
    fn a_long_word_is_cut_and_no_text_is_no_line() {
        assert_eq!(lines("an endless word", 3), ["an", "end", "les", "s", "wor", "d"]);
        assert_eq!(lines("éèü", 2), ["éè", "ü"]);
        assert_eq!(lines("ab", 0), ["a", "b"]);
        assert!(lines(" ", 5).is_empty() && lines("", 5).is_empty());
    }
}
