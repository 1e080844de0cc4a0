//! Enums whose variants have names.

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
