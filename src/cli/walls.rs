//! Walls from a file: boxes, discs and capsules that never move.
//!
//! A row is a box (`left`, `bottom`, `right`, `top`) or a disc (`x`, `y`, `radius`). In the archive
//! of `--export` it is a core and a radius, which is 0 for a box: with a radius, the core is the center
//! of a disc or the segment of a capsule, from `left`, `bottom` to `right`, `top`.

use std::path::Path;

use super::{
    Failure, Outcome, sentence,
    table::{self, ColumnSpec, listed},
};
use crate::{Rect, Static, Vec2};

/// The edges of a core.
const EDGES: [&str; 4] = ["left", "bottom", "right", "top"];

const COLUMNS: [ColumnSpec<'static>; 7] = [
    ColumnSpec::Number(EDGES[0]),
    ColumnSpec::Number(EDGES[1]),
    ColumnSpec::Number(EDGES[2]),
    ColumnSpec::Number(EDGES[3]),
    ColumnSpec::Number("x"),
    ColumnSpec::Number("y"),
    ColumnSpec::Number("radius"),
];

/// Beginning of their names in an archive, which has the columns of agents beside them.
const PREFIX: &str = "static_";

/// The walls of a file; none if it has no columns of walls.
///
/// # Errors
/// If the file can't be read, or has a wall that a world can't have.
pub(super) fn read(path: &Path, world: &Rect) -> Outcome<Option<Vec<Static>>> {
    let mut table = table::read(path, &COLUMNS, PREFIX)?;
    let edges = EDGES.map(|name| table.take_numbers(name));
    let center = ["x", "y"].map(|name| table.take_numbers(name));
    let radius = table.take_numbers("radius");
    let row = match (&edges, &center, &radius) {
        ([Some(left), Some(bottom), Some(right), Some(top)], [None, None], radius) => {
            let (mins, maxs) = (left.iter().zip(bottom), right.iter().zip(top));
            let corners = mins.zip(maxs).map(|((&left, &bottom), (&right, &top))| {
                [Vec2::new(left, bottom), Vec2::new(right, top)]
            });
            let radius = |row: usize| radius.as_ref().map_or(0.0, |radius| radius[row]);
            corners.enumerate().map(|(row, ends)| (ends, radius(row))).collect::<Vec<_>>()
        }
        ([None, None, None, None], [Some(x), Some(y)], Some(radius)) => {
            let centers = x.iter().zip(y).map(|(&x, &y)| Vec2::new(x, y));
            centers.zip(radius).map(|(at, &radius)| ([at, at], radius)).collect()
        }
        ([None, None, None, None], [None, None], None) => return Ok(None),
        _ => return Err(unnamed(path, table.names())),
    };
    let walls = row.into_iter().enumerate().map(|(row, (ends, radius))| {
        let wall = Static::of_core(ends, radius);
        wall.check(world).map_err(|error| table.fault(row, &sentence(&error)))?;
        Ok(wall)
    });
    walls.collect::<Outcome<_>>().map(Some)
}

/// The failure for a file that names no walls.
pub(super) fn unnamed(path: &Path, names: &[String]) -> Failure {
    Failure::usage(format!(
        "{} can't be used: it has the columns {}; walls are left,bottom,right,top or x,y,radius",
        path.display(),
        listed(names)
    ))
}
