//! The final state as a table: CSV for spreadsheets, NPZ for numpy.
//!
//! Both hold id, x, y, vx, vy and radius, of units faction and health, and the columns of a run's own,
//! such as the spin, ordered by id, and parse to the same bits; positions are wrapped into a world that
//! repeats. With statics, the NPZ holds them, too: `static_id`, the edges of a core (`static_left`, `static_bottom`,
//! `static_right`, `static_top`) and the distance that the static extends around it
//! (`static_radius`). A box is its core with radius 0; the core of a disc is its center.

use std::{
    io::{self, Write},
    path::Path,
};

use crate::{Sim, agents::Units, statics::Rounded};
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
        Some("npz") => npz(sim, to),
        _ => csv(sim, to).map_err(|error| match error.into_kind() {
            // The error of the system itself, so that its kind stays visible.
            csv::ErrorKind::Io(error) => error,
            kind => io::Error::other(format!("{kind:?}")),
        }),
    }
}

fn csv(sim: &Sim, to: &mut dyn Write) -> csv::Result<()> {
    let (agents, space) = (sim.agents(), sim.space());
    let mut table = csv::Writer::from_writer(to);
    let mut names = vec!["id", "x", "y", "vx", "vy", "radius"];
    let units = agents.units.as_ref();
    names.extend(units.iter().flat_map(|_| ["faction", "health"]));
    let (species, numbers) =
        agents.own.as_ref().map_or((None, &[][..]), |own| (own.species.as_ref(), &own.numbers));
    names.extend(species.map(|_| "species"));
    names.extend(numbers.iter().map(|column| column.name.as_str()));
    table.write_record(names)?;
    for slot in agents.slots_by_id() {
        let slot = slot as usize;
        let agent = agents.get(slot);
        let position = space.wrapped(agent.position);
        let ([x, y], [vx, vy]) = (position.to_array(), agent.velocity.to_array());
        let columns = (agent.id, x, y, vx, vy, agent.radius);
        let units: Vec<u8> =
            units.iter().flat_map(|units| [units.faction[slot], units.health[slot]]).collect();
        let species: Vec<u8> = species.iter().map(|species| species[slot]).collect();
        let numbers: Vec<f32> = numbers.iter().map(|column| column.values[slot]).collect();
        table.serialize((columns, units, species, numbers))?;
    }
    Ok(table.flush()?)
}

fn npz(sim: &Sim, to: &mut dyn Write) -> io::Result<()> {
    let (agents, statics, space) = (sim.agents(), sim.statics(), sim.space());
    let slots = agents.slots_by_id();
    let by_id =
        |column: &[f32]| -> Vec<f32> { slots.iter().map(|&slot| column[slot as usize]).collect() };
    // As a stream, since stdout can't seek. Not compressed, as in `numpy.savez`: the low bits of
    // coordinates are noise.
    let mut archive = ZipWriter::new_stream(to);
    array(&mut archive, "id", slots.iter().map(|&slot| agents.id[slot as usize]))?;
    for (axis, (name, column)) in [("x", &agents.x), ("y", &agents.y)].into_iter().enumerate() {
        array(&mut archive, name, by_id(column).into_iter().map(|at| space.wrap(axis, at)))?;
    }
    for (name, column) in [("vx", &agents.vx), ("vy", &agents.vy), ("radius", &agents.radius)] {
        array(&mut archive, name, by_id(column).into_iter())?;
    }
    if let Some(Units { faction, health }) = &agents.units {
        for (name, column) in [("faction", faction), ("health", health)] {
            array(&mut archive, name, slots.iter().map(|&slot| column[slot as usize]))?;
        }
    }
    if let Some(own) = &agents.own {
        if let Some(species) = &own.species {
            array(&mut archive, "species", slots.iter().map(|&slot| species[slot as usize]))?;
        }
        for column in &own.numbers {
            array(&mut archive, &column.name, by_id(&column.values).into_iter())?;
        }
    }
    if !statics.is_empty() {
        let (ids, shapes): (Vec<u32>, Vec<Rounded>) = statics.rounded_by_id().unzip();
        array(&mut archive, "static_id", ids.into_iter())?;
        let names = ["static_left", "static_bottom", "static_right", "static_top", "static_radius"];
        for (index, name) in names.into_iter().enumerate() {
            let number = |shape: &Rounded| {
                let [a, b] = shape.ends();
                [a.x, a.y, b.x, b.y, shape.radius][index]
            };
            array(&mut archive, name, shapes.iter().map(number))?;
        }
    }
    archive.finish()?.into_inner().flush()
}

/// Writes one array.
fn array<W: Write + io::Seek, T: npyz::AutoSerialize + Copy>(
    archive: &mut ZipWriter<W>,
    name: &str,
    values: impl ExactSizeIterator<Item = T>,
) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    archive.start_file(npyz::npz::file_name_from_array_name(name), options)?;
    let npy = npyz::WriteOptions::new().default_dtype().shape(&[values.len() as u64]);
    let mut npy = npy.writer(archive).begin_nd()?;
    npy.extend(values)?;
    npy.finish()
}
