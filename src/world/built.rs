//! The walls that were built in a run, as entries of its world file.

use std::{collections::BTreeMap, fmt::Write};

use toml::de::DeValue;

use super::reader::parsed;
use crate::{
    format::plural,
    geometry::{Disc, Rect},
    statics::Static,
};

/// A world file with the statics of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunAsText {
    pub(crate) text: String,
    /// Number of statics that it begins with and that are gone in the run.
    pub(crate) gone: usize,
}

/// A text that begins with some statics and gets those of a run beside them.
pub(crate) fn with_statics(
    text: String,
    begins: &[Static],
    now: impl Iterator<Item = Static>,
) -> RunAsText {
    // Walls that an undo has rebuilt are others with the same shapes.
    let mut said = BTreeMap::<String, usize>::new();
    for shape in begins {
        *said.entry(shape_entry(shape)).or_default() += 1;
    }
    let mut more = Vec::new();
    for entry in now.map(|shape| shape_entry(&shape)) {
        match said.get_mut(&entry).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => more.push(entry),
        }
    }
    let gone = said.values().sum();
    let mut text = with_entries(text, &more);
    if gone > 0 {
        // Writing to a string does not fail.
        let _ = write!(text, "\n# The run has lost {} of these.\n", plural(gone, "wall"));
    }
    RunAsText { text, gone }
}

/// A text with more entries of `static`: in the list, if it has one in brackets, which admits no
/// sections beside it.
fn with_entries(mut text: String, entries: &[String]) -> String {
    if entries.is_empty() {
        return text;
    }
    let list = parsed(&text).ok().and_then(|table| {
        let list = table.get_ref().get("static")?;
        let is_list = matches!(list.get_ref(), DeValue::Array(_));
        let begin = list.span().start;
        let is_in_brackets = text[begin..].starts_with('[') && !text[begin..].starts_with("[[");
        (is_list && is_in_brackets).then_some(begin + 1)
    });
    if let Some(begin) = list {
        let all = format!("\n    {{ {} }},\n    ", entries.join(" },\n    { "));
        text.insert_str(begin, &all);
        return text;
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str("\n# Built in the run.\n");
    text.extend(entries.iter().map(|entry| format!("[[static]]\n{entry}\n")));
    text
}

/// The key and the value of a static in a world file.
fn shape_entry(shape: &Static) -> String {
    match shape {
        Static::Disc(Disc { center, radius }) => {
            format!("disc = [{:?}, {:?}, {radius:?}]", center.x, center.y)
        }
        Static::Box(Rect { min, max }) => {
            format!("box = [{:?}, {:?}, {:?}, {:?}]", min.x, min.y, max.x, max.y)
        }
        Static::Capsule { ends: [a, b], radius } => {
            format!("capsule = [{:?}, {:?}, {:?}, {:?}, {radius:?}]", a.x, a.y, b.x, b.y)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorldPlan;

    /// Each kind of static is read as it was written, wherever the file has its own.
    #[test]
    fn walls_come_back_from_any_file() {
        const WORLD: &str =
            "world = { size = [200, 100], agents = 9, radius = 0.3, collisions = false }\n";
        let all = |text: &str| {
            let plan = WorldPlan::read("it", text, &[], None);
            plan.unwrap_or_else(|faults| panic!("{faults:?}\n{text}")).statics
        };
        let point = glam::Vec2::new;
        let built = [
            Static::disc(point(20.1, 1e-3 + 4.0), 2.7),
            Static::Box(Rect::new(point(30.0, 10.0), point(31.5, 12.0))),
            Static::capsule([point(50.0, 50.0), point(60.3, 50.0)], 1.1),
            Static::capsule([point(50.0, 20.0), point(60.3, 31.7)], 1.1),
        ];
        for own in [
            "",
            "static = []",
            "static = [\n    { disc = [9, 9, 1] }, # the first\n    { disc = [9, 9, 1] }\n]\n",
            "[[static]]\ndisc = [9, 9, 1]\n[[static]]\ndisc = [9, 9, 1]",
        ] {
            let text = format!("{WORLD}{own}");
            let begins = all(&text);
            let now = || begins.iter().skip(1).chain(&built).copied();
            let RunAsText { text, gone } = with_statics(text, &begins, now());
            let mut opened = all(&text);
            assert_eq!((opened.len(), gone), (begins.len() + 4, begins.len().min(1)), "{text}");
            for shape in now() {
                let at = opened.iter().position(|other| *other == shape);
                opened.remove(at.unwrap_or_else(|| panic!("no {shape:?} in {text}")));
            }
            assert_eq!(text.contains("# The run has lost 1 wall of these."), gone == 1, "{text}");
            // What is said already is not said again.
            let again = with_statics(text.clone(), &all(&text), all(&text).into_iter());
            assert_eq!(again, RunAsText { text, gone: 0 });
        }
    }
}
