//! Names that people mistype: what is said to one that isn't known.

/// Which of some names a word may mean, if one is near, and which there are, as the end of a sentence.
///
/// ```
/// use jostle::names::suggestion;
///
/// assert_eq!(suggestion("brust", &["gas", "burst"]), "did you mean burst? There are gas, burst");
/// assert_eq!(suggestion("water", &["gas", "burst"]), "there are gas, burst");
/// ```
pub fn suggestion(word: &str, names: &[&str]) -> String {
    let all = names.join(", ");
    let word = word.to_lowercase();
    let nearest = names.iter().min_by_key(|name| strsim::damerau_levenshtein(&word, name));
    match nearest.filter(|name| may_mean(&word, name)) {
        Some(name) => format!("did you mean {name}? There are {all}"),
        None => format!("there are {all}"),
    }
}

/// True if no more than half of a word must be changed to come to a name: any other is a guess that helps nobody.
pub fn may_mean(word: &str, name: &str) -> bool {
    2 * strsim::damerau_levenshtein(word, name) <= word.chars().count()
}
