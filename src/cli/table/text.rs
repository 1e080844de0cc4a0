//! Tables as text: CSV with a line of names, separated by commas, semicolons or tabs.

use std::{
    io::{BufRead, BufReader, Cursor, Read},
    path::Path,
    str,
};

use csv::{ByteRecord, ErrorKind, ReaderBuilder};

use super::columns::{Column, ColumnSpec, ColumnTable, Places, refused};
use crate::cli::{Failure, Outcome, input::unreadable};

/// Bytes of the first line that are searched for separators.
const HEAD: u64 = 1 << 16;

/// Separators; of those that are equally frequent in the first line, the last counts.
const SEPARATORS: [u8; 3] = [b'\t', b';', b','];

/// Reads the columns that are among `specs`.
pub(super) fn read(path: &Path, from: impl Read, specs: &[ColumnSpec<'_>]) -> Outcome<ColumnTable> {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut head = Vec::new();
    let taken = Read::by_ref(&mut from).take(HEAD).read_until(b'\n', &mut head);
    taken.map_err(|error| unreadable(path, &error))?;
    if head.contains(&0) || head.starts_with(&[0xff, 0xfe]) {
        return Err(refused(path, "it is neither CSV nor NPZ; save it as CSV in UTF-8"));
    }
    let frequency = |separator: &u8| head.split(|byte| byte == separator).count();
    let separator = SEPARATORS.into_iter().max_by_key(frequency).unwrap_or(b',');
    // A line break at the end, so that every line has one.
    let all = Cursor::new(head).chain(from).chain(&b"\n"[..]);
    let mut reader = ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(all);
    let failed = |error| failure(path, error);
    let name = |name: &[u8]| {
        let name = String::from_utf8_lossy(name);
        name.trim_start_matches('\u{feff}').trim_start_matches('#').trim().to_owned()
    };
    let names: Vec<String> = reader.byte_headers().map_err(failed)?.iter().map(name).collect();
    if names.is_empty() {
        return Err(refused(path, "it is empty; its first line is to name the columns"));
    }
    let mut columns = Vec::new();
    for &spec in specs {
        // Columns of the same letters in another size count where no column has the very name.
        let has_exact = names.iter().any(|name| name == spec.name());
        let is_it = |name: &String| {
            name == spec.name() || (!has_exact && name.eq_ignore_ascii_case(spec.name()))
        };
        let mut places = (0..names.len()).filter(|&place| is_it(&names[place]));
        let Some(place) = places.next() else { continue };
        if places.next().is_some() {
            let reason = format!("it has two columns {}; rename one of them", spec.name());
            return Err(refused(path, &reason));
        }
        columns.push((spec, place, spec.column()));
    }
    let (mut rows, mut lines, mut next) = (0, Vec::new(), 0);
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(failed)? {
        if record.iter().all(|field| field.trim_ascii().is_empty()) {
            continue;
        }
        // The reader is at the next line; the record's own position is before the empty lines.
        let line = reader.position().line() - 1;
        if line != next {
            lines.push((rows, line));
        }
        next = line + 1;
        let fault = |reason: String| Places::Lines(lines.clone()).fault(path, rows, &reason);
        if record.len() != names.len() {
            return Err(fault(format!(
                "it has {} fields, and the first line has {}; mend the line, or remove it",
                record.len(),
                names.len()
            )));
        }
        for (spec, place, column) in &mut columns {
            let field = record.get(*place).unwrap_or_default();
            let is_pushed = match spec.choice(field.trim_ascii()) {
                Some(number) => column.push(number)?,
                None => push(column, field, separator != b',')?,
            };
            if !is_pushed {
                return Err(fault(format!(
                    "{} {:?} is not {}; mend the line, or remove it",
                    spec.name(),
                    String::from_utf8_lossy(&field[..field.len().min(40)]),
                    spec.kind()
                )));
            }
        }
        rows += 1;
    }
    let columns = columns.into_iter();
    let columns = columns.map(|(spec, _, column)| (spec.name().to_owned(), column)).collect();
    let names = names.into_iter().filter(|name| !name.is_empty());
    let names = names.map(|name| name.to_lowercase()).collect();
    Ok(ColumnTable { path: path.to_path_buf(), columns, names, rows, places: Places::Lines(lines) })
}

/// Appends the value of a field. False if it has none.
fn push(column: &mut Column, field: &[u8], has_decimal_commas: bool) -> crate::Result<bool> {
    let Ok(text) = str::from_utf8(field.trim_ascii()) else { return Ok(false) };
    // A number is not read in f64 first, which would round it twice.
    if let (Column::Numbers(_), Ok(number)) = (&*column, text.parse::<f32>()) {
        return column.push(f64::from(number));
    }
    if let Ok(number) = text.parse::<f64>() {
        return column.push(number);
    }
    match text.replacen(',', ".", 1).parse::<f32>() {
        Ok(number) if has_decimal_commas => column.push(f64::from(number)),
        _ => Ok(false),
    }
}

/// The failure for a file that can't be read.
fn failure(path: &Path, error: csv::Error) -> Failure {
    match error.into_kind() {
        ErrorKind::Io(error) => unreadable(path, &error),
        kind => refused(path, &format!("{kind:?}; name another file")),
    }
}
