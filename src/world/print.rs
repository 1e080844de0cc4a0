//! World files that begin as a scene does.

use std::fmt::Write;

use super::start_keys::{START, has_rule};
use crate::{
    error::{Field, Value},
    scene::{FIELDS, Setup},
};

/// A world file that begins and goes on as the set-up does.
pub(crate) fn written(setup: &Setup) -> String {
    let scene = setup.scene;
    let key = if has_rule(scene) { START[1] } else { START[0] };
    let mut text = format!(
        "# {scene}: {}\n#\n\
         # Agents begin as those of the scene do. To place them otherwise, leave `{key}` and `density` out,\n\
         # and state `size`; see docs/worlds.md for what else there is. Without `hz`, steps are as short as\n\
         # these agents and this gravity need.\n[world]\n{key} = \"{scene}\"\n",
        scene.summary()
    );
    for entry in FIELDS {
        let name = match entry.field {
            Field::Scene | Field::SpareAgents | Field::SpareStatics => continue,
            Field::World => "size",
            field => field.name(),
        };
        let value = match (entry.get)(setup) {
            Value::Missing => continue,
            Value::Count(count) => count.to_string(),
            Value::Number(number) => format!("{number:?}"),
            Value::Span([low, high]) => format!("[{low:?}, {high:?}]"),
            Value::Size(size) => format!("[{:?}, {:?}]", size.x, size.y),
            Value::Switch(on) => on.to_string(),
            value => format!("\"{value}\""),
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name} = {value}");
    }
    text
}
