//! Groups and polylines of a world file that are in another file: a table, as `--export` writes one, a
//! picture or a drawing.

use std::path::Path;

use super::{
    drawings, pictures, say,
    table::{self, ColumnSpec, ColumnTable},
};
use crate::{
    limits,
    rules::GroupTable,
    world::{TableKind, TableRequest},
};

/// Reads a file beside a world file.
///
/// # Errors
/// Why it can't be used, as the end of a sentence.
pub(super) fn read(folder: &Path, request: TableRequest<'_>) -> Result<GroupTable, String> {
    let path = folder.join(request.file);
    // What never ends can't be read whole.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(format!("{} can't be used: it is no file; name a table", path.display()));
    }
    match request.kind {
        TableKind::Table => {}
        TableKind::Picture => return pictures::read(&path, request.file),
        TableKind::Drawing => return drawings::read(&path, request.file),
    }
    let mut specs = ["x", "y", "vx", "vy", "radius"].map(ColumnSpec::Number).to_vec();
    if !request.species.is_empty() {
        specs.push(ColumnSpec::Choice("species", request.species));
    }
    specs.extend(request.columns.iter().map(|name| ColumnSpec::Number(name)));
    let mut table = table::read(&path, &specs, "").map_err(|failure| failure.message)?;
    let refused = |reason: &str| format!("{} can't be used: {reason}", path.display());
    for (name, needed) in
        [("x", true), ("y", true), ("vx", table.has("vy")), ("vy", table.has("vx"))]
    {
        if needed && !table.has(name) {
            let listed = table::listed(table.names());
            return Err(refused(&format!("it has no column {name} among {listed}")));
        }
    }
    if !(1..=limits::AGENTS_MAX as usize).contains(&table.rows()) {
        let rows = table.rows();
        return Err(refused(&format!("it has {rows} rows: expected 1 to {}", limits::AGENTS_MAX)));
    }
    let kinds = table.take_counts("species");
    let wrong = kinds
        .iter()
        .flatten()
        .position(|&of| usize::try_from(of).is_ok_and(|of| of >= request.species.len()));
    if let (Some(row), Some(kinds)) = (wrong, &kinds) {
        let last = request.species.len().saturating_sub(1);
        let why = format!("species {} is out of range: expected 0 to {last}", kinds[row]);
        return Err(table.fault(row, &why).message);
    }
    // The ids of a run are in the order of its groups.
    let is_known = |name: &&String| {
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        is_it("id") || specs.iter().any(|spec| is_it(spec.name()))
    };
    let unused: Vec<String> =
        table.names().iter().filter(|name| !is_known(name)).cloned().collect();
    if !unused.is_empty() {
        say(&format!("{}: not used: {}", path.display(), table::listed(&unused)));
    }
    let number = |table: &mut ColumnTable, name: &str| table.take_numbers(name);
    let found = GroupTable {
        file: request.file.to_owned(),
        x: number(&mut table, "x").unwrap_or_default(),
        y: number(&mut table, "y").unwrap_or_default(),
        velocity: number(&mut table, "vx").zip(number(&mut table, "vy")).map(Into::into),
        radius: number(&mut table, "radius"),
        species: kinds.map(|all| all.into_iter().map(|of| of as u8).collect()),
        columns: (0..)
            .zip(request.columns)
            .filter_map(|(column, name)| Some((column, number(&mut table, name)?)))
            .collect(),
        ..GroupTable::default()
    };
    for row in 0..table.rows() {
        if let Some(why) = fault(&found, row, request) {
            return Err(table.fault(row, &why).message);
        }
    }
    Ok(found)
}

/// What is wrong with a row.
fn fault(table: &GroupTable, row: usize, request: TableRequest<'_>) -> Option<String> {
    let TableRequest { size: [width, height], columns, .. } = request;
    let within = |name: &str, value: f32, low: f32, high: f32| {
        let is_within = (low..=high).contains(&value);
        (!is_within).then(|| format!("{name} {value} is out of range: expected {low} to {high}"))
    };
    let place = within("x", table.x[row], 0.0, width);
    let place = place.or_else(|| within("y", table.y[row], 0.0, height));
    let most = limits::SPEED_MAX;
    let speed = table.velocity.as_ref().and_then(|[vx, vy]| {
        within("vx", vx[row], -most, most).or_else(|| within("vy", vy[row], -most, most))
    });
    let radius = table
        .radius
        .as_ref()
        .and_then(|radii| within("radius", radii[row], limits::RADIUS_MIN, limits::RADIUS_MAX));
    let own = || {
        let mut all = table.columns.iter();
        let (column, values) = all.find(|(_, values)| !values[row].is_finite())?;
        let name = columns.get(*column).map_or("column", String::as_str);
        Some(format!("{name} {} is no finite number", values[row]))
    };
    place.or(speed).or(radius).or_else(own)
}
