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
    let far = |name: &&&str| strsim::damerau_levenshtein(&word, name);
    match names.iter().min_by_key(far) {
        // If more than half of the word must be changed, it is a guess that helps nobody.
        Some(name) if 2 * far(&name) <= word.chars().count() => {
            format!("did you mean {name}? There are {all}")
        }
        _ => format!("there are {all}"),
    }
}
