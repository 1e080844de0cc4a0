//! The world file that rules come from, with those of its values that may change during a run.

#[cfg(feature = "window")]
use std::fmt::Write;
use std::{ops::Range, sync::Arc};

use glam::Vec2;

use crate::geometry::Rect;

/// A world file: its text, the values that were set beside it, and what both together say.
#[derive(Clone, Debug)]
pub(crate) struct RuleSource {
    /// What people call it: the name of the file without its ending.
    pub(crate) name: String,
    pub(crate) text: String,
    /// Params by their names, and cells of matrices as `pull[red,blue]`.
    pub(crate) settings: Vec<(String, f32)>,
    pub(crate) species: Vec<String>,
    pub(crate) values: WorldValues,
    /// The tables of its groups and polylines, if they have been read.
    pub(crate) tables: Vec<Arc<GroupTable>>,
}

/// The values of a world file that may change during a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorldValues {
    pub(crate) params: Vec<WorldParam>,
    pub(crate) matrices: Vec<WorldMatrix>,
}

/// The agents or the points of a table, a picture or a drawing, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GroupTable {
    /// The name of the file.
    pub(crate) file: String,
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) velocity: Option<[Vec<f32>; 2]>,
    pub(crate) radius: Option<Vec<f32>>,
    pub(crate) species: Option<Vec<u8>>,
    /// Own columns, by their index.
    pub(crate) columns: Vec<(usize, Vec<f32>)>,
    /// Of a drawing, the rows where its lines begin; else none.
    pub(crate) begins: Vec<usize>,
    /// Width and height of a picture or a drawing, whose places are within it; of a table, none: its
    /// places are those of the world.
    pub(crate) size: Option<[f32; 2]>,
}

impl GroupTable {
    /// The rows of each line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let begins = if self.begins.is_empty() { &[0][..] } else { &self.begins };
        let ends = begins[1..].iter().copied().chain([self.x.len()]);
        begins.iter().copied().zip(ends).map(|(begin, end)| begin..end)
    }

    /// The place of a point of a row in the world. A picture or a drawing fits into a frame.
    pub(crate) fn place(&self, row: usize, frame: &Rect) -> Vec2 {
        self.place_beside(row, Vec2::ZERO, frame)
    }

    /// The same for a point beside that of the row, in units of the table.
    pub(crate) fn place_beside(&self, row: usize, by: Vec2, frame: &Rect) -> Vec2 {
        let point = Vec2::new(self.x[row], self.y[row]) + by;
        let Some(size) = self.size.map(Vec2::from) else { return point };
        let scale = (frame.size() / size).min_element();
        frame.center() + (point - 0.5 * size) * scale
    }
}

/// A named number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WorldParam {
    pub(crate) name: String,
    pub(crate) value: f32,
    /// The smallest and the largest value, as far as the file states them.
    pub(crate) range: [Option<f32>; 2],
    /// The distance of values that a slider offers.
    pub(crate) step: Option<f32>,
    /// Where the text has the value.
    pub(crate) place: Range<usize>,
}

/// A number for each pair of species.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WorldMatrix {
    pub(crate) name: String,
    /// A row for each species that feels.
    pub(crate) rows: Vec<Vec<f32>>,
    /// Where the text has the numbers.
    pub(crate) places: Vec<Vec<Range<usize>>>,
}

/// The name of a cell: the species that feels, then the one that is felt.
pub(crate) fn cell_name(matrix: &str, feels: &str, felt: &str) -> String {
    format!("{matrix}[{feels},{felt}]")
}

impl RuleSource {
    /// The settings with other ones in place of those of the same name.
    pub(crate) fn settings_with(&self, more: &[(String, f32)]) -> Vec<(String, f32)> {
        let is_kept = |(name, _): &&(String, f32)| more.iter().all(|(other, _)| other != name);
        self.settings.iter().filter(is_kept).chain(more).cloned().collect()
    }
}

/// What the window shows, changes and saves.
#[cfg(feature = "window")]
impl RuleSource {
    /// All values that can be set, by their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (String, f32)> {
        let params = self.values.params.iter().map(|param| (param.name.clone(), param.value));
        params.chain(self.cells())
    }

    /// The cells of all matrices.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (String, f32)> {
        self.values.matrices.iter().flat_map(|matrix| {
            let names = self.species.iter().flat_map(|feels| {
                self.species.iter().map(|felt| cell_name(&matrix.name, feels, felt))
            });
            names.zip(matrix.rows.iter().flatten().copied())
        })
    }

    /// The text with the values that were set in place of those that it has.
    pub(crate) fn with_values(&self) -> String {
        let WorldValues { params, matrices } = &self.values;
        let cells = matrices.iter().flat_map(|matrix| {
            matrix.places.iter().flatten().cloned().zip(matrix.rows.iter().flatten().copied())
        });
        let params = params.iter().map(|param| (param.place.clone(), param.value));
        let mut places: Vec<(Range<usize>, f32)> = params.chain(cells).collect();
        places.sort_by_key(|(place, _)| place.start);
        let (mut written, mut from) = (String::with_capacity(self.text.len()), 0);
        for (place, value) in places {
            let (before, old) = (&self.text[from..place.start], &self.text[place.clone()]);
            written.push_str(before);
            if old.replace('_', "").parse() == Ok(value) {
                written.push_str(old);
            } else {
                // Writing to a string does not fail.
                let _ = write!(written, "{value:?}");
            }
            from = place.end;
        }
        written + &self.text[from..]
    }
}
