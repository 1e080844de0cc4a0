//! Suggestions for mistyped names.

/// The known name that a mistyped one may mean, if one is near, and all known names, as the end of a message.
pub(super) fn suggestion(word: &str, names: &[&str]) -> String {
    let all = names.join(", ");
    match names.iter().filter(|name| may_mean(word, name)).min_by_key(|name| changes(word, name)) {
        Some(name) => format!("did you mean {name}? There are {all}"),
        None => format!("there are {all}"),
    }
}

/// True if at most half of the word's letters must change to give the name. Upper and lower case are the same.
pub(super) fn may_mean(word: &str, name: &str) -> bool {
    2 * changes(word, name) <= word.chars().count()
}

/// The number of letters that differ between a word and a name.
fn changes(word: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_lowercase(), &name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_a_near_name_and_lists_all() {
        let names = ["gas", "burst"];
        assert_eq!(suggestion("brust", &names), "did you mean burst? There are gas, burst");
        assert_eq!(suggestion("water", &names), "there are gas, burst");
        assert!(may_mean("BRUST", "burst"));
    }
}
