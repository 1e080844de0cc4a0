//! GSD 2.0, the file format of HOOMD-blue: named chunks of numbers per frame, and one index of them.
//!
//! ```text
//! 0       256      512    index
//! header  names           first frame     other frames    index, twice as long       a frame
//!         of      (zeros) [ 16 + 2      │ 16 │ 16 …       [ 18 │ 16 │ 16 │ … zeros   [ position, …
//!         chunks          └ its entries                   └ copied when it is full   └ written before
//!                                                                                      its entries
//! ```
//!
//! Invariant: the file is whole up to its last frame at any time. The entries of a frame are written
//! last, in one write that crosses no page (they are a power of two, at a multiple of their bytes),
//! which a kill leaves done or undone. The index is where the header says; the header changes after
//! the copy is complete.
//!
//! No crate writes such files without losing frames when the program is killed, unless it waits for
//! the disk after each frame.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

use glam::Vec2;

use crate::{agents::Agents, geometry::Space};

/// Bytes of an index entry.
const ENTRY: u64 = 32;

/// Where the names are. They take units of 64 bytes.
const HEADER: u64 = 256;
const NAMES_UNIT: u64 = 64;

/// Frames that the first index has room for.
const FRAMES: u64 = 1_024;

/// Bytes per agent of the chunks that all runs have.
const BYTES_PER_AGENT: u64 = 36;

/// What a chunk says.
#[derive(Clone, Debug, PartialEq)]
enum Content {
    Step,
    Size,
    Count,
    Position,
    Velocity,
    Diameter,
    Type,
    Id,
    /// The angle, as a quaternion about the axis that points out of the plane.
    Orientation,
    /// Of units.
    Health,
    /// The column of that name.
    Own(String),
    /// Nothing: it makes the number of entries a power of two.
    Filler,
    Dimensions,
    Types,
}

/// A named array of numbers in each frame.
#[derive(Clone, Debug)]
struct GsdChunk {
    name: String,
    content: Content,
    kind: Kind,
    cols: u64,
}

impl GsdChunk {
    fn new(name: &str, content: Content, kind: Kind, cols: u64) -> Self {
        Self { name: name.to_owned(), content, kind, cols }
    }

    /// The chunks of a frame with the columns of these agents. The last two are in the first frame
    /// alone, and all frames have them.
    fn all(agents: &Agents, type_bytes: u64) -> Vec<Self> {
        let mut chunks = vec![
            Self::new("configuration/step", Content::Step, Kind::U64, 1),
            Self::new("configuration/box", Content::Size, Kind::F32, 1),
            Self::new("particles/N", Content::Count, Kind::U32, 1),
            Self::new("particles/position", Content::Position, Kind::F32, 3),
            Self::new("particles/velocity", Content::Velocity, Kind::F32, 3),
            Self::new("particles/diameter", Content::Diameter, Kind::F32, 1),
            Self::new("particles/typeid", Content::Type, Kind::U32, 1),
            Self::new("log/particles/id", Content::Id, Kind::U32, 1),
        ];
        if agents.angles().is_some() {
            let name = "particles/orientation";
            chunks.push(Self::new(name, Content::Orientation, Kind::F32, 4));
        }
        if agents.units.is_some() {
            chunks.push(Self::new("log/particles/health", Content::Health, Kind::U32, 1));
        }
        for column in agents.own.iter().flat_map(|own| &own.numbers) {
            let (name, content) = (format!("log/particles/{}", column.name), column.name.clone());
            chunks.push(Self::new(&name, Content::Own(content), Kind::F32, 1));
        }
        for filler in chunks.len()..chunks.len().next_power_of_two() {
            chunks.push(Self::new(&format!("jostle/{filler}"), Content::Filler, Kind::U8, 1));
        }
        chunks.push(Self::new("configuration/dimensions", Content::Dimensions, Kind::U8, 1));
        chunks.push(Self::new("particles/types", Content::Types, Kind::I8, type_bytes));
        chunks
    }

    /// The number of rows.
    fn rows(&self, agents: u64, types: u64) -> u64 {
        match self.content {
            Content::Size => 6,
            Content::Step | Content::Count | Content::Filler | Content::Dimensions => 1,
            Content::Types => types,
            _ => agents,
        }
    }
}

/// Bytes per agent of a frame that logs so many columns beside the id.
pub(super) fn bytes_per_agent(columns: u64) -> u64 {
    BYTES_PER_AGENT + 4 * columns + if columns > 0 { 16 } else { 0 }
}

/// Bytes of the rest of a frame: its index entries twice, since the index doubles.
pub(super) fn bytes_per_frame(columns: u64) -> u64 {
    2 * ENTRY * (9 + columns).next_power_of_two() + 64
}

/// The type of the values of a chunk, by its number in the format.
#[derive(Clone, Copy, Debug)]
enum Kind {
    U8 = 1,
    U32 = 3,
    U64 = 4,
    I8 = 5,
    F32 = 9,
}

/// The state of a frame.
#[derive(Debug)]
pub(super) struct FrameState {
    pub(super) step: u64,
    pub(super) space: Space,
    pub(super) agents: Agents,
}

/// A file that frames are appended to.
#[derive(Debug)]
pub(super) struct GsdWriter {
    file: File,
    chunks: Vec<GsdChunk>,
    frames: u64,
    /// Bytes of whole frames and the index.
    end: u64,
    /// Where the index is, its bytes that are used, and all of them.
    index: u64,
    used: u64,
    length: u64,
    /// The names of the types, filled up with zeros to the same length, and their number.
    types: Vec<u8>,
    type_count: u64,
    /// The bytes of a frame, its entries, and the order of the agents.
    data: Vec<u8>,
    entries: Vec<u8>,
    slots: Vec<u32>,
}

impl GsdWriter {
    /// Begins an empty file, which can be read, with the columns of these agents and room for frames
    /// of `capacity` of them. `types` are names of their types, from type 0 on.
    ///
    /// # Errors
    /// If it can't be written, as in all functions here.
    pub(super) fn new(
        file: File,
        agents: &Agents,
        capacity: usize,
        types: &[String],
    ) -> io::Result<Self> {
        let columns = agents.own.as_ref().map_or(0, |own| own.numbers.len() as u64)
            + u64::from(agents.units.is_some());
        let longest = types.iter().map(|name| name.len() + 1).max().unwrap_or(1);
        let chunks = GsdChunk::all(agents, longest as u64);
        let mut names: Vec<u8> = Vec::new();
        for chunk in &chunks {
            names.extend_from_slice(chunk.name.as_bytes());
            names.push(0);
        }
        let names_bytes = (names.len() as u64).next_multiple_of(NAMES_UNIT);
        let mut begun = Self {
            file,
            frames: 0,
            end: 0,
            index: 0,
            used: 0,
            length: 0,
            types: types.iter().flat_map(|name| padded(name, longest)).collect(),
            type_count: types.len() as u64,
            data: Vec::with_capacity(capacity * bytes_per_agent(columns) as usize + 256),
            entries: Vec::with_capacity(chunks.len() * ENTRY as usize),
            slots: Vec::with_capacity(capacity),
            chunks,
        };
        begun.length = begun.first_entries() + FRAMES * begun.frame_entries();
        begun.index = begun.index_after(HEADER + names_bytes);
        begun.end = begun.index + begun.length;
        let numbers =
            [0x65df_65df_65df_65df, begun.index, begun.length / ENTRY, HEADER, names_bytes / 64];
        // Version 1.4 of HOOMD's schema, and 2.0 of the format.
        let versions = [1_u32 << 16 | 4, 2 << 16].map(u32::to_le);
        let mut header = [0; HEADER as usize];
        header[..40].copy_from_slice(bytemuck::bytes_of(&numbers.map(u64::to_le)));
        header[40..48].copy_from_slice(bytemuck::bytes_of(&versions));
        for (at, text) in [(48, "jostle"), (112, "hoomd")] {
            header[at..at + text.len()].copy_from_slice(text.as_bytes());
        }
        begun.file.set_len(begun.end)?;
        write_at(&begun.file, &[&header[..], &names].concat(), 0)?;
        Ok(begun)
    }

    /// Whole frames, and bytes.
    pub(super) fn written(&self) -> [u64; 2] {
        [self.frames, self.end]
    }

    /// Bytes of the entries of a frame after the first.
    fn frame_entries(&self) -> u64 {
        (self.chunks.len() as u64 - 2) * ENTRY
    }

    /// Bytes of the entries of the first frame.
    fn first_entries(&self) -> u64 {
        self.chunks.len() as u64 * ENTRY
    }

    /// The first place at which an index may begin: the entries of its second frame begin at a
    /// multiple of their length.
    fn index_after(&self, end: u64) -> u64 {
        let first = self.first_entries();
        (end + first).next_multiple_of(self.frame_entries()) - first
    }

    /// Appends a frame, in the order of ids and with the middle of the world at 0. A state without
    /// agents has none: the format has no empty chunks. Columns that the file does not have are left
    /// out, and those that the agents do not have are 0.
    pub(super) fn append(&mut self, state: &FrameState) -> io::Result<()> {
        let count = state.agents.len() as u64;
        if count == 0 {
            return Ok(());
        }
        state.agents.slots_by_id_in(&mut self.slots);
        let written = self.chunks.len() - if self.frames == 0 { 0 } else { 2 };
        if self.used + written as u64 * ENTRY > self.length {
            self.lengthen_index()?;
        }
        self.data.clear();
        self.entries.clear();
        let last_type = self.type_count.saturating_sub(1) as u32;
        for (id, chunk) in self.chunks[..written].iter().enumerate() {
            let at = self.end + self.data.len() as u64;
            put_chunk(&mut self.data, chunk, state, &self.slots, last_type);
            if chunk.content == Content::Types {
                self.data.extend_from_slice(&self.types);
            }
            let words = [self.frames, chunk.rows(count, self.type_count), at];
            self.entries.extend_from_slice(bytemuck::bytes_of(&words.map(u64::to_le)));
            self.entries.extend_from_slice(&(chunk.cols as u32).to_le_bytes());
            self.entries.extend_from_slice(&(id as u16).to_le_bytes());
            self.entries.extend_from_slice(&[chunk.kind as u8, 0]);
        }
        if let Err(error) = write_at(&self.file, &self.data, self.end) {
            // If that fails too, readers pass over what no entry refers to.
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        write_at(&self.file, &self.entries, self.index + self.used)?;
        self.used += self.entries.len() as u64;
        (self.end, self.frames) = (self.end + self.data.len() as u64, self.frames + 1);
        Ok(())
    }

    /// Copies the index behind the last frame, with room for twice as many.
    fn lengthen_index(&mut self) -> io::Result<()> {
        let length = 2 * self.length - self.first_entries();
        let index = self.index_after(self.end);
        self.file.set_len(index + length)?;
        let mut piece = [0; 1 << 12];
        let mut copied = 0;
        while copied < self.used {
            let piece = &mut piece[..(self.used - copied).min(1 << 12) as usize];
            self.file.seek(SeekFrom::Start(self.index + copied))?;
            self.file.read_exact(piece)?;
            write_at(&self.file, piece, index + copied)?;
            copied += piece.len() as u64;
        }
        let place = [index, length / ENTRY].map(u64::to_le);
        write_at(&self.file, bytemuck::bytes_of(&place), 8)?;
        (self.index, self.length, self.end) = (index, length, index + length);
        Ok(())
    }
}

/// Writes all bytes at a position.
fn write_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

/// Appends the numbers of a chunk; its types are appended by the caller.
fn put_chunk(
    data: &mut Vec<u8>,
    chunk: &GsdChunk,
    state: &FrameState,
    slots: &[u32],
    last_type: u32,
) {
    let FrameState { step, space, agents } = state;
    let slots = slots.iter().map(|&slot| slot as usize);
    let (size, center) = (space.world().size(), space.world().center());
    match &chunk.content {
        Content::Step => put(data, [*step as u32, (step >> 32) as u32]),
        Content::Size => put(data, [size.x, size.y, 1.0, 0.0, 0.0, 0.0].map(f32::to_bits)),
        Content::Count => put(data, [agents.len() as u32]),
        Content::Position => slots.for_each(|slot| {
            let at = space.wrapped(Vec2::new(agents.x[slot], agents.y[slot])) - center;
            put(data, [at.x, at.y, 0.0].map(f32::to_bits));
        }),
        Content::Velocity => slots.for_each(|slot| {
            put(data, [agents.vx[slot], agents.vy[slot], 0.0].map(f32::to_bits));
        }),
        Content::Diameter => slots.for_each(|slot| {
            put(data, [(2.0 * agents.radius[slot]).to_bits()]);
        }),
        Content::Type => {
            let species = agents.own.as_ref().and_then(|own| own.species.as_deref());
            let factions = agents.units.as_ref().map(|units| &units.faction[..]);
            let types = species.or(factions);
            slots.for_each(|slot| {
                put(data, [types.map_or(0, |types| u32::from(types[slot])).min(last_type)]);
            });
        }
        Content::Id => slots.for_each(|slot| put(data, [agents.id[slot]])),
        Content::Orientation => {
            let angles = agents.angles();
            slots.for_each(|slot| {
                let half = angles.map_or(0.0, |angles| 0.5 * angles[slot]);
                put(data, [half.cos(), 0.0, 0.0, half.sin()].map(f32::to_bits));
            });
        }
        Content::Health => {
            let health = agents.units.as_ref().map(|units| &units.health[..]);
            slots.for_each(|slot| put(data, [health.map_or(0, |health| health[slot].into())]));
        }
        Content::Own(name) => {
            let own = agents.own.as_ref();
            let values = own.and_then(|own| Some(&own.numbers[own.find(name)?].values));
            slots.for_each(|slot| {
                put(data, [values.map_or(0.0, |values| values[slot]).to_bits()]);
            });
        }
        Content::Filler => data.push(0),
        Content::Dimensions => data.push(2),
        Content::Types => {}
    }
}

fn put<const N: usize>(to: &mut Vec<u8>, words: [u32; N]) {
    to.extend_from_slice(bytemuck::cast_slice(&words.map(u32::to_le)));
}

/// The bytes of a name, and zeros.
fn padded(name: &str, length: usize) -> impl Iterator<Item = u8> {
    name.bytes().chain(std::iter::repeat(0)).take(length)
}
