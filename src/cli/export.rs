//! The final state as a table: CSV for spreadsheets, NPZ for numpy.
//!
//! Both hold id, x, y, vx, vy and radius, ordered by id, and parse to the same bits. With statics,
//! the NPZ holds them, too: `static_id`, the edges of a core (`static_left`, `static_bottom`,
//! `static_right`, `static_top`) and the distance that the static extends around it
//! (`static_radius`). A box is its core with radius 0; the core of a disc is its center.

use std::{
    io::{self, Write},
    path::Path,
};

use crate::{Agents, Sim, Statics, statics::Rounded};
use npyz::WriterBuilder;
use serde::Serialize;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{Outcome, output::Output};

/// Format of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableFormat {
    Csv,
    Npz,
}

impl TableFormat {
    /// Opens the file and picks its format by the extension; a pipe or a device without one gets
    /// CSV.
    ///
    /// # Errors
    /// As [`Output::open_as`].
    pub(super) fn open(path: &Path) -> Outcome<(Output, Self)> {
        let (output, format) = Output::open_as("--export", path, &["csv", "npz"])?;
        Ok((output, [Self::Csv, Self::Npz][format]))
    }

    /// Writes the agents and, in NPZ, the statics.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn write(self, sim: &Sim, to: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Csv => csv(sim.agents(), to),
            Self::Npz => npz(sim.agents(), sim.statics(), to),
        }
    }
}

#[derive(Serialize)]
struct AgentRow {
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
        let row = AgentRow {
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

/// The error of the system itself, so that its kind stays visible.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

fn npz(agents: &Agents, statics: &Statics, to: &mut dyn Write) -> io::Result<()> {
    let slots = agents.slots_by_id();
    // As a stream, since stdout can't seek. Not compressed, as in `numpy.savez`: the low bits of
    // coordinates are noise.
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
        let (ids, shapes): (Vec<u32>, Vec<Rounded>) = statics.rounded_by_id().unzip();
        let all: Vec<u32> = (0..ids.len() as u32).collect();
        array(&mut archive, "static_id", &all, &ids)?;
        let names = ["static_left", "static_bottom", "static_right", "static_top", "static_radius"];
        for (index, name) in names.into_iter().enumerate() {
            let number = |shape: &Rounded| {
                let [min, max] = [shape.core.min, shape.core.max];
                [min.x, min.y, max.x, max.y, shape.radius][index]
            };
            array(&mut archive, name, &all, &shapes.iter().map(number).collect::<Vec<_>>())?;
        }
    }
    archive.finish()?.into_inner().flush()
}

/// Writes one array: a column in the order of the slots.
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
