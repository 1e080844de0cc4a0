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
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::output::extension;

/// Extensions of the formats.
pub(super) const EXTENSIONS: [&str; 2] = ["csv", "npz"];

/// Writes the agents and, in NPZ, the statics. A file without an extension is CSV.
///
/// # Errors
/// If they can't be written.
pub(super) fn write(file: &Path, sim: &Sim, to: &mut dyn Write) -> io::Result<()> {
    match extension(file).as_deref() {
        Some("npz") => npz(sim.agents(), sim.statics(), to),
        _ => csv(sim.agents(), to).map_err(|error| match error.into_kind() {
            // The error of the system itself, so that its kind stays visible.
            csv::ErrorKind::Io(error) => error,
            kind => io::Error::other(format!("{kind:?}")),
        }),
    }
}

fn csv(agents: &Agents, to: &mut dyn Write) -> csv::Result<()> {
    let mut table = csv::Writer::from_writer(to);
    table.write_record(["id", "x", "y", "vx", "vy", "radius"])?;
    for slot in agents.slots_by_id() {
        let agent = agents.get(slot as usize);
        let ([x, y], [vx, vy]) = (agent.position.to_array(), agent.velocity.to_array());
        table.serialize((agent.id, x, y, vx, vy, agent.radius))?;
    }
    Ok(table.flush()?)
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
