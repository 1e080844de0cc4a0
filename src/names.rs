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
    match names.iter().filter(|name| may_mean(word, name)).min_by_key(|name| changes(word, name)) {
        Some(name) => format!("did you mean {name}? There are {all}"),
        None => format!("there are {all}"),
    }
}

/// True if no more than half of a word must be changed to come to a name: any other is a guess that helps nobody.
/// Capital letters are no change.
///
/// ```
/// use jostle::names::may_mean;
///
/// assert!(may_mean("BRUST", "burst"));
/// assert!(!may_mean("water", "burst"));
/// ```
pub fn may_mean(word: &str, name: &str) -> bool {
    2 * changes(word, name) <= word.chars().count()
}

/// Letters to change to come from a word to a name.
fn changes(word: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_lowercase(), &name.to_lowercase())
}
