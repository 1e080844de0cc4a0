//! Enums whose variants have names, and what to say of a name that is unknown.

/// Lists all variants of an enum, with their names, as `ALL`, `name` and `Display`.
///
/// The names are those of flags, files and lists; users of the library get them from `Display`. An
/// attribute in front applies to `ALL`. A variant without a name does not compile.
macro_rules! names {
    ($(#[$attribute:meta])* $vis:vis $type:ident: $($variant:ident = $name:literal),+ $(,)?) => {
        impl $type {
            /// All variants, in the order in which lists show them and keys go through them.
            $(#[$attribute])*
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name.
            // Public for benches, which need it to be static.
            #[doc(hidden)]
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use names;

/// The end of an error message about a name that is not among the known ones.
#[cfg(feature = "cli")]
pub(crate) fn unknown(text: &str, what: &str, names: &[&str]) -> String {
    let message = format!("is no known {what}{}", near(text, names));
    with_list(message, &names.join(", "))
}

/// The nearest of some names, as the end of a message, if one is near.
#[cfg(feature = "cli")]
pub(crate) fn near(text: &str, names: &[&str]) -> String {
    let near = names.iter().filter(|name| may_mean(text, name));
    let nearest = near.min_by_key(|name| changes(text, name));
    nearest.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// A message that ends with all names that are possible.
#[cfg(feature = "cli")]
pub(crate) fn with_list(message: String, all: &str) -> String {
    let joint = if message.ends_with('?') { " There" } else { "; there" };
    let all = if all.is_empty() { "none" } else { all };
    message + joint + " are " + all
}

/// True if at most half of the word's letters must change to give the name. Upper and lower case
/// are the same.
#[cfg(feature = "cli")]
pub(crate) fn may_mean(word: &str, name: &str) -> bool {
    2 * changes(word, name) <= word.chars().count()
}

/// The number of letters that differ between a word and a name.
#[cfg(feature = "cli")]
fn changes(word: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_lowercase(), name)
}
