//! GSD 2.0, the file format of HOOMD-blue: named chunks of numbers per frame, and one index of them.
//!
//! ```text
//! 0       256      512    704
//! header  names           index                    index, twice as long       a frame
//!         of      (zeros) [ 10 entries │ 8 │ 8 …   [ 10 │ 8 │ 8 │ … zeros     [ position, velocity, …
//!         chunks          └ frame 0                └ copied when it is full   └ written before its
//!                                                                               entries
//! ```
//!
//! Invariant: the file is whole up to its last frame at any time. The entries of a frame are written
//! last, in one write that crosses no page (256 bytes at a multiple of 256), which a kill leaves done
//! or undone. The index is where the header says; the header changes after the copy is complete.
//!
//! No crate writes such files without losing frames when the program is killed, unless it waits for
//! the disk after each frame.

use std::{fs::File, io};

use glam::Vec2;

use crate::{
    agents::Agents,
    cli::system::positions::{read_exact_at, write_all_at},
    geometry::Space,
};

/// Names of the chunks; the index refers to them by their places here. The last two are in the first
/// frame alone, and all frames have them.
const NAMES: [(&str, Kind); 10] = [
    ("configuration/step", Kind::U64),
    ("configuration/box", Kind::F32),
    ("particles/N", Kind::U32),
    ("particles/position", Kind::F32),
    ("particles/velocity", Kind::F32),
    ("particles/diameter", Kind::F32),
    ("particles/typeid", Kind::U32),
    ("log/particles/id", Kind::U32),
    ("configuration/dimensions", Kind::U8),
    ("particles/types", Kind::I8),
];

/// Chunks per frame after the first.
const CHUNKS: usize = 8;

/// Bytes of an index entry, and of the index's first frame.
const ENTRY: u64 = 32;
const FIRST: u64 = NAMES.len() as u64 * ENTRY;

/// Bytes of the entries of a frame: the writes of later frames begin at its multiples.
const ENTRIES: u64 = CHUNKS as u64 * ENTRY;

/// Where the names and the first index are.
const HEADER: u64 = 256;
const NAMES_BYTES: u64 = 256;

/// Frames that the first index has room for.
const FRAMES: u64 = 1_024;

/// Bytes of a chunk that has one value per agent, for all of these chunks.
pub(super) const BYTES_PER_AGENT: u64 = 36;

/// Bytes of the rest of a frame: its index entries twice, since the index doubles.
pub(super) const BYTES_PER_FRAME: u64 = 2 * ENTRIES + 36;

/// The type of the values of a chunk, by its number in the format.
#[derive(Clone, Copy, Debug)]
enum Kind {
    U8 = 1,
    U32 = 3,
    U64 = 4,
    I8 = 5,
    F32 = 9,
}

impl Kind {
    fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U32 | Self::F32 => 4,
            Self::U64 => 8,
        }
    }
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
    frames: u64,
    /// Bytes of whole frames and the index.
    end: u64,
    /// Where the index is, its bytes that are used, and all of them.
    index: u64,
    used: u64,
    length: u64,
    /// Names of the types, each followed by a NUL.
    types: &'static [u8],
    /// The chunks of a frame, and the order of the agents.
    data: Vec<u8>,
    slots: Vec<u32>,
}

impl GsdWriter {
    /// Begins an empty file, which can be read, with room for frames of that many agents.
    ///
    /// # Errors
    /// If it can't be written, as in all functions here.
    pub(super) fn new(file: File, agents: usize, has_factions: bool) -> io::Result<Self> {
        let (index, length) = (index_after(HEADER + NAMES_BYTES), FIRST + FRAMES * ENTRIES);
        let mut header = [0; (HEADER + NAMES_BYTES) as usize];
        let numbers = [0x65df_65df_65df_65df, index, length / ENTRY, HEADER, NAMES_BYTES / 64];
        // Version 1.4 of HOOMD's schema, and 2.0 of the format.
        let versions = [1_u32 << 16 | 4, 2 << 16].map(u32::to_le);
        header[..40].copy_from_slice(bytemuck::bytes_of(&numbers.map(u64::to_le)));
        header[40..48].copy_from_slice(bytemuck::bytes_of(&versions));
        for (at, text) in [(48, "jostle"), (112, "hoomd")] {
            header[at..at + text.len()].copy_from_slice(text.as_bytes());
        }
        let mut at = HEADER as usize;
        for (name, _) in NAMES {
            header[at..at + name.len()].copy_from_slice(name.as_bytes());
            at += name.len() + 1;
        }
        let end = index + length;
        file.set_len(end)?;
        write_all_at(&file, &header, 0)?;
        Ok(Self {
            file,
            frames: 0,
            end,
            index,
            used: 0,
            length,
            types: if has_factions { b"A\0B\0" } else { b"A\0" },
            data: Vec::with_capacity(agents * BYTES_PER_AGENT as usize + 256),
            slots: Vec::with_capacity(agents),
        })
    }

    /// Whole frames, and bytes.
    pub(super) fn written(&self) -> [u64; 2] {
        [self.frames, self.end]
    }

    /// Appends a frame, in the order of ids and with the middle of the world at 0. A state without
    /// agents has none: the format has no empty chunks.
    pub(super) fn append(&mut self, state: &FrameState) -> io::Result<()> {
        let FrameState { step, space, agents } = state;
        let count = agents.len() as u64;
        if count == 0 {
            return Ok(());
        }
        agents.slots_by_id_in(&mut self.slots);
        let (size, center) = (space.world().size(), space.world().center());
        let Self { data, slots, types, .. } = self;
        data.clear();
        put(data, [*step as u32, (step >> 32) as u32]);
        put(data, [size.x, size.y, 1.0, 0.0, 0.0, 0.0].map(f32::to_bits));
        put(data, [count as u32]);
        for slot in slots.iter().map(|&slot| slot as usize) {
            let at = space.wrapped(Vec2::new(agents.x[slot], agents.y[slot])) - center;
            put(data, [at.x, at.y, 0.0].map(f32::to_bits));
        }
        for slot in slots.iter().map(|&slot| slot as usize) {
            put(data, [agents.vx[slot], agents.vy[slot], 0.0].map(f32::to_bits));
        }
        for slot in slots.iter().map(|&slot| slot as usize) {
            put(data, [(2.0 * agents.radius[slot]).to_bits()]);
        }
        for slot in slots.iter().map(|&slot| slot as usize) {
            put(data, [agents.units.as_ref().map_or(0, |units| units.faction[slot].into())]);
        }
        for slot in slots.iter().map(|&slot| slot as usize) {
            put(data, [agents.id[slot]]);
        }
        if self.frames == 0 {
            data.push(2);
            data.extend_from_slice(types);
        }
        let rows = [1, 6, 1, count, count, count, count, count, 1, types.len() as u64 / 2];
        let cols = [1, 1, 1, 3, 3, 1, 1, 1, 1, 2];
        let chunks = if self.frames == 0 { NAMES.len() } else { CHUNKS };
        if self.used + chunks as u64 * ENTRY > self.length {
            self.lengthen_index()?;
        }
        if let Err(error) = write_all_at(&self.file, &self.data, self.end) {
            // If that fails too, readers pass over what no entry refers to.
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        let mut entries = [0; FIRST as usize];
        let mut at = self.end;
        for (id, entry) in entries.chunks_exact_mut(ENTRY as usize).take(chunks).enumerate() {
            let kind = NAMES[id].1;
            entry[..8].copy_from_slice(&self.frames.to_le_bytes());
            entry[8..16].copy_from_slice(&rows[id].to_le_bytes());
            entry[16..24].copy_from_slice(&at.to_le_bytes());
            entry[24..28].copy_from_slice(&(cols[id] as u32).to_le_bytes());
            entry[28..30].copy_from_slice(&(id as u16).to_le_bytes());
            entry[30] = kind as u8;
            at += rows[id] * cols[id] * kind.bytes();
        }
        let entries = &entries[..chunks * ENTRY as usize];
        write_all_at(&self.file, entries, self.index + self.used)?;
        self.used += entries.len() as u64;
        (self.end, self.frames) = (at, self.frames + 1);
        Ok(())
    }

    /// Copies the index behind the last frame, with room for twice as many.
    fn lengthen_index(&mut self) -> io::Result<()> {
        let (index, length) = (index_after(self.end), 2 * self.length - FIRST);
        self.file.set_len(index + length)?;
        let mut piece = [0; 1 << 12];
        let mut copied = 0;
        while copied < self.used {
            let piece = &mut piece[..(self.used - copied).min(1 << 12) as usize];
            read_exact_at(&self.file, piece, self.index + copied)?;
            write_all_at(&self.file, piece, index + copied)?;
            copied += piece.len() as u64;
        }
        let place = [index, length / ENTRY].map(u64::to_le);
        write_all_at(&self.file, bytemuck::bytes_of(&place), 8)?;
        (self.index, self.length, self.end) = (index, length, index + length);
        Ok(())
    }
}

fn put<const N: usize>(to: &mut Vec<u8>, words: [u32; N]) {
    to.extend_from_slice(bytemuck::cast_slice(&words.map(u32::to_le)));
}

/// The first place at which an index may begin: the entries of its second frame begin at a multiple of
/// their length.
fn index_after(end: u64) -> u64 {
    (end + FIRST).next_multiple_of(ENTRIES) - FIRST
}
