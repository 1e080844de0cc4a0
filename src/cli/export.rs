//! The final state as a table: CSV for people and spreadsheets, NPZ for numpy.
//!
//! Both hold id, x, y, vx, vy and radius, ordered by id, and read back to the same bits. Where there are statics, the
//! NPZ has them, too: `static_id`, the borders of a core (`static_left`, `static_bottom`, `static_right`,
//! `static_top`) and how far the static reaches around it (`static_radius`). A box is its core, with radius 0; a
//! disc's core is its centre.

use std::{
    io::{self, Write},
    path::Path,
};

use crate::{Agents, Error, Result, Sim, Statics};
use npyz::WriterBuilder;
use serde::Serialize;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::output;

/// How the table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Npz,
}

impl Format {
    /// By the extension; a pipe or a device without one gets CSV.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an extension that nobody knows.
    pub(super) fn of(path: &Path) -> Result<Self> {
        match extension(path).as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("npz") => Ok(Self::Npz),
            None if output::is_special(path) => Ok(Self::Csv),
            _ => Err(unknown("--export", path, ".csv or .npz")),
        }
    }

    /// Writes the agents, and the statics if there is a way.
    pub(super) fn write(self, sim: &Sim, to: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Csv => csv(sim.agents(), to),
            Self::Npz => npz(sim.agents(), sim.statics(), to),
        }
    }
}

/// The extension in small letters.
pub(super) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_lowercase())
}

/// Nobody knows that extension.
pub(super) fn unknown(flag: &str, path: &Path, known: &str) -> Error {
    let has = extension(path).map_or("no extension".into(), |ext| format!("the extension .{ext}"));
    Error::invalid(format!("{flag} {} has {has}; name a file that ends in {known}", path.display()))
}

#[derive(Serialize)]
struct Row {
    id: u32,
    x: f32,
    y: f32,
    vx: f32,
    vy: f32,
    radius: f32,
}

fn csv(agents: &Agents, to: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(to);
    for slot in agents.slots_by_id() {
        let agent = agents.get(slot as usize);
        let row = Row {
            id: agent.id,
            x: agent.position.x,
            y: agent.position.y,
            vx: agent.velocity.x,
            vy: agent.velocity.y,
            radius: agent.radius,
        };
        table.serialize(row).map_err(io_error)?;
    }
    table.flush()
}

/// What the system said, not wrapped into anything that hides its kind.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

fn npz(agents: &Agents, statics: &Statics, to: &mut dyn Write) -> io::Result<()> {
    let slots = agents.slots_by_id();
    // As a stream, since stdout can't be wound back; stored as `numpy.savez` does, since the low bits
    // of coordinates are noise that doesn't shrink.
    let mut archive = ZipWriter::new_stream(to);
    array(&mut archive, "id", &slots, &agents.id)?;
    for (name, column) in [
        ("x", &agents.x),
        ("y", &agents.y),
        ("vx", &agents.vx),
        ("vy", &agents.vy),
        ("radius", &agents.radius),
    ] {
        array(&mut archive, name, &slots, column)?;
    }
    if !statics.is_empty() {
        let columns = statics.columns();
        let places: Vec<u32> = (0..statics.len() as u32).collect();
        array(&mut archive, "static_id", &places, columns.id)?;
        for (name, column) in [
            ("static_left", columns.left),
            ("static_bottom", columns.bottom),
            ("static_right", columns.right),
            ("static_top", columns.top),
            ("static_radius", columns.radius),
        ] {
            array(&mut archive, name, &places, column)?;
        }
    }
    archive.finish()?.into_inner().flush()
}

/// One member: a column, gathered in the order of the slots.
fn array<W: Write + io::Seek, T: npyz::AutoSerialize + Copy>(
    archive: &mut ZipWriter<W>,
    name: &str,
    slots: &[u32],
    column: &[T],
) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    archive.start_file(npyz::npz::file_name_from_array_name(name), options)?;
    let npy = npyz::WriteOptions::new().default_dtype().shape(&[slots.len() as u64]);
    let mut npy = npy.writer(archive).begin_nd()?;
    npy.extend(slots.iter().map(|&slot| column[slot as usize]))?;
    npy.finish()
}
