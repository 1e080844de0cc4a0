//! Tables as archives of `NumPy`, as `numpy.savez` and `numpy.savez_compressed` write them: one
//! array per column.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use npyz::{DType, Endianness, NpyFile, TypeChar};
use zip::ZipArchive;

use super::columns::{ColumnSpec, ColumnTable, Places, refused};
use crate::{
    cli::{Outcome, format::grouped, memory},
    limits::AGENTS_MAX,
};

/// Longest text of an array, letters.
const TEXT_MAX: usize = 1024;

/// Values, which are read one by one.
type ArrayValues<'a> = Box<dyn Iterator<Item = io::Result<f64>> + 'a>;

/// Reads the arrays whose names are `prefix` and a name of `specs`.
pub(super) fn read(
    path: &Path,
    file: File,
    specs: &[ColumnSpec<'_>],
    prefix: &str,
) -> Outcome<ColumnTable> {
    let broken =
        |error: &dyn std::fmt::Display| refused(path, &format!("{error}; name another file"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    let names: Vec<String> = archive
        .file_names()
        .flatten()
        .map(|name| name.strip_suffix(".npy").unwrap_or(&name).to_owned())
        .collect();
    let mut columns = Vec::new();
    let mut rows = None;
    for &spec in specs {
        let name = format!("{prefix}{}", spec.name());
        if !names.contains(&name) {
            continue;
        }
        let file = npyz::npz::file_name_from_array_name(&name);
        let mut entry = archive.by_name(&file).map_err(|error| broken(&error))?;
        let in_array =
            |error: io::Error| refused(path, &format!("array {name}: {error}; name another file"));
        let npy = NpyFile::new(&mut entry).map_err(in_array)?;
        let [length] = *npy.shape() else {
            let reason = format!("array {name} has {} dimensions: expected 1", npy.shape().len());
            return Err(refused(path, &reason));
        };
        match rows {
            None => admit(path, length, specs.len())?,
            Some(rows) if rows == length => {}
            Some(rows) => {
                let [rows, length] = [rows, length].map(grouped);
                let reason = format!("array {name} has {length} values, and the first has {rows}");
                return Err(refused(path, &reason));
            }
        }
        rows = Some(length);
        let mut column = spec.column();
        if let Some(kind) = TextKind::of(&npy.dtype()) {
            let texts = npy.into_inner();
            let mut bytes = vec![0; kind.width];
            for row in 0..length as usize {
                texts.read_exact(&mut bytes).map_err(in_array)?;
                let text = kind.text(&bytes);
                let Some(number) = spec.choice(text.as_bytes()) else {
                    let reason = format!("{} {text:?} is not {}", spec.name(), spec.kind());
                    return Err(Places::Indices.fault(path, row, &reason));
                };
                column.push(number)?;
            }
            io::copy(&mut entry, &mut io::sink()).map_err(in_array)?;
            columns.push((spec.name().to_owned(), column));
            continue;
        }
        let Some(values) = values(npy) else {
            let reason = format!("array {name} does not hold numbers of 8 to 64 bits");
            return Err(refused(path, &reason));
        };
        for (row, value) in values.enumerate() {
            let value = value.map_err(in_array)?;
            if !column.push(value)? {
                let reason = format!("{name} {value} is not {}", spec.kind());
                return Err(Places::Indices.fault(path, row, &reason));
            }
        }
        // Only the end of an entry shows whether its checksum is right.
        io::copy(&mut entry, &mut io::sink()).map_err(in_array)?;
        columns.push((spec.name().to_owned(), column));
    }
    let rows = rows.unwrap_or(0) as usize;
    Ok(ColumnTable { path: path.to_path_buf(), columns, names, rows, places: Places::Indices })
}

/// How an array holds texts, each padded with zeros.
struct TextKind {
    /// Bytes per text.
    width: usize,
    /// Makes letters of four bytes each; none if the bytes are the text.
    letter: Option<fn([u8; 4]) -> u32>,
}

impl TextKind {
    /// That of an array of texts.
    fn of(kind: &DType) -> Option<Self> {
        let DType::Plain(kind) = kind else { return None };
        let length =
            usize::try_from(kind.size_field()).ok().filter(|&length| length <= TEXT_MAX)?;
        match (kind.type_char(), kind.endianness()) {
            (TypeChar::ByteStr, _) => Some(Self { width: length, letter: None }),
            (TypeChar::UnicodeStr, Endianness::Big) => {
                Some(Self { width: 4 * length, letter: Some(u32::from_be_bytes) })
            }
            (TypeChar::UnicodeStr, _) => {
                Some(Self { width: 4 * length, letter: Some(u32::from_le_bytes) })
            }
            _ => None,
        }
    }

    fn text(&self, bytes: &[u8]) -> String {
        let text = match self.letter {
            None => String::from_utf8_lossy(bytes).into_owned(),
            Some(letter) => {
                let letters = bytes.as_chunks::<4>().0.iter().map(|&four| letter(four));
                letters.map(|code| char::from_u32(code).unwrap_or('\u{fffd}')).collect()
            }
        };
        text.trim_end_matches('\0').to_owned()
    }
}

/// Refuses arrays that don't fit into memory: a short entry may unpack to a long array.
fn admit(path: &Path, length: u64, columns: usize) -> Outcome<()> {
    if length > u64::from(AGENTS_MAX) {
        let [length, most] = [length, AGENTS_MAX.into()].map(grouped);
        return Err(refused(path, &format!("it has {length} rows: expected at most {most}")));
    }
    memory::check_saved(4 * length * columns as u64, 1).map_err(|[needed, available]| {
        let reason = format!(
            "it would take {needed}, and {available} is available; close other programs, or load it \
             where there is more memory"
        );
        refused(path, &reason)
    })
}

/// The values of an array; none if they are no numbers. All that fit into a column are exact in
/// f64.
fn values<'a>(npy: NpyFile<impl Read + 'a>) -> Option<ArrayValues<'a>> {
    let DType::Plain(kind) = npy.dtype() else { return None };
    match (kind.type_char(), kind.size_field()) {
        (TypeChar::Float, 4) => widened::<f32>(npy, f64::from),
        (TypeChar::Float, 8) => widened::<f64>(npy, |value| value),
        (TypeChar::Int, 1) => widened::<i8>(npy, f64::from),
        (TypeChar::Int, 2) => widened::<i16>(npy, f64::from),
        (TypeChar::Int, 4) => widened::<i32>(npy, f64::from),
        (TypeChar::Int, 8) => widened::<i64>(npy, |value| value as f64),
        (TypeChar::Uint, 1) => widened::<u8>(npy, f64::from),
        (TypeChar::Uint, 2) => widened::<u16>(npy, f64::from),
        (TypeChar::Uint, 4) => widened::<u32>(npy, f64::from),
        (TypeChar::Uint, 8) => widened::<u64>(npy, |value| value as f64),
        _ => None,
    }
}

/// The values of an array of that type.
fn widened<'a, T: npyz::Deserialize + 'a>(
    npy: NpyFile<impl Read + 'a>,
    wide: fn(T) -> f64,
) -> Option<ArrayValues<'a>> {
    let values = npy.data::<T>().ok()?;
    Some(Box::new(values.map(move |value| value.map(wide))))
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Write};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::{ColumnSpec, read};

    /// An array of two values as `NumPy` writes it.
    fn array(kind: &str, values: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2,), }}\n");
        let length = u16::try_from(header.len()).expect("a short header");
        let begin = [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..]].concat();
        [&begin, header.as_bytes(), values].concat()
    }

    #[test]
    fn texts_are_the_numbers_of_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.npz");
        let names = ["well".to_owned(), "ill\u{e9}".to_owned()];
        let specs = [ColumnSpec::Choice("species", &names)];
        let read_array = |array: &[u8]| {
            let mut archive = ZipWriter::new(File::create(&path).expect("a file"));
            archive.start_file("species.npy", SimpleFileOptions::default()).expect("an entry");
            archive.write_all(array).expect("room");
            archive.finish().expect("an archive");
            let table = read(&path, File::open(&path).expect("the file"), &specs, "");
            table.map(|mut table| table.take_counts("species").expect("a column"))
        };
        let letters = |texts: [&str; 2], bytes: fn(u32) -> [u8; 4]| -> Vec<u8> {
            let padded = |text: &str| text.chars().chain(['\0'; 6]).take(6).collect::<String>();
            texts
                .iter()
                .flat_map(|text| padded(text).chars().collect::<Vec<_>>())
                .flat_map(|letter| bytes(letter.into()))
                .collect()
        };
        let texts = ["ill\u{e9}", "well"];
        for (kind, values) in [
            ("<U6", letters(texts, u32::to_le_bytes)),
            (">U6", letters(texts, u32::to_be_bytes)),
            ("|S5", "ill\u{e9}well\0".as_bytes().to_vec()),
            ("|u1", vec![1, 0]),
        ] {
            assert_eq!(read_array(&array(kind, &values)).expect(kind), [1, 0], "{kind}");
        }
        for (kind, values, expected) in [
            (
                "|S4",
                &b"wellsick"[..],
                "index 1: species \"sick\" is not the number or the name of one of well",
            ),
            ("|u1", &[1], "a.npz"),
            ("|S4", b"wellsic", "a.npz"),
            ("<f4", &[0, 0, 0, 63, 0, 0, 0, 0], "index 0: species 0.5 is not the number"),
        ] {
            let failure = read_array(&array(kind, values)).expect_err(kind);
            assert!(failure.message.contains(expected), "{}", failure.message);
        }
    }
}
