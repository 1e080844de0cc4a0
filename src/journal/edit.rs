//! The text of edits: each is a line of a journal.

#[cfg(feature = "window")]
use std::fmt::{self, Display};
use std::str::{FromStr, SplitAsciiWhitespace};

use glam::Vec2;

use crate::{agents::Spawn, geometry::Rect, sim::Edit, statics::Static};

/// An edit as the text of a line, after its step. Only the window records edits.
#[cfg(feature = "window")]
pub(super) struct EditLine<'a>(pub(super) &'a Edit);

/// The edit of a line with that name, after its step; `None` if it is none.
pub(super) fn parse(name: &str, words: &mut Words<'_>) -> Option<Edit> {
    Some(match name {
        "restitution" => Edit::Restitution(words.value()?),
        "friction" => Edit::Friction(words.value()?),
        "rolling" => Edit::Rolling(words.value()?),
        "gravity" => Edit::Gravity(words.value()?),
        "scale_speeds" => Edit::ScaleSpeeds(words.value()?),
        "steer" => Edit::Steer(words.point()?, words.value()?, words.value()?),
        "spawn" => Edit::Spawn(words.list(Words::spawn)?),
        "spawn_species" => Edit::Spawn(words.list(Words::spawn_of_species)?),
        "remove" => Edit::Remove(words.list(Words::value)?),
        "add_statics" => Edit::AddStatics(words.list(Words::shape)?),
        "remove_statics" => Edit::RemoveStatics(words.list(Words::value)?),
        "position" => Edit::Position(words.value()?, words.point()?),
        "velocity" => Edit::Velocity(words.value()?, words.point()?),
        "force" => Edit::Force(words.value()?, words.point()?),
        "values" => Edit::Values(words.list(Words::named)?),
        "world" => Edit::World(words.quoted()?, words.quoted()?, words.list(Words::named)?),
        _ => return None,
    })
}

#[cfg(feature = "window")]
impl Display for EditLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Edit::Restitution(restitution) => write!(f, "restitution {restitution}"),
            Edit::Friction(friction) => write!(f, "friction {friction}"),
            Edit::Rolling(rolling) => write!(f, "rolling {rolling}"),
            Edit::Gravity(gravity) => write!(f, "gravity {gravity}"),
            Edit::ScaleSpeeds(factor) => write!(f, "scale_speeds {factor}"),
            Edit::Steer(center, radius, speed) => {
                write!(f, "steer {} {} {radius} {speed}", center.x, center.y)
            }
            Edit::Spawn(spawns) => {
                // Runs without species have the lines that earlier versions read.
                let plain = spawns.iter().all(|spawn| spawn.species == 0);
                f.write_str(if plain { "spawn" } else { "spawn_species" })?;
                spawns.iter().try_for_each(|spawn| {
                    let Spawn { position, velocity, radius, faction, health, species } = spawn;
                    let (Vec2 { x, y }, Vec2 { x: vx, y: vy }) = (position, velocity);
                    write!(f, " {x} {y} {vx} {vy} {radius} {faction} {health}")?;
                    if plain { Ok(()) } else { write!(f, " {species}") }
                })
            }
            Edit::Remove(ids) => ids_line(f, "remove", ids),
            Edit::AddStatics(shapes) => {
                f.write_str("add_statics")?;
                shapes.iter().try_for_each(|shape| match shape {
                    Static::Disc(disc) => {
                        write!(f, " disc {} {} {}", disc.center.x, disc.center.y, disc.radius)
                    }
                    Static::Box(Rect { min, max }) => {
                        write!(f, " box {} {} {} {}", min.x, min.y, max.x, max.y)
                    }
                    Static::Capsule { ends: [a, b], radius } => {
                        write!(f, " capsule {} {} {} {} {radius}", a.x, a.y, b.x, b.y)
                    }
                })
            }
            Edit::RemoveStatics(ids) => ids_line(f, "remove_statics", ids),
            Edit::Position(id, Vec2 { x, y }) => write!(f, "position {id} {x} {y}"),
            Edit::Velocity(id, Vec2 { x, y }) => write!(f, "velocity {id} {x} {y}"),
            Edit::Force(id, Vec2 { x, y }) => write!(f, "force {id} {x} {y}"),
            Edit::Values(values) => {
                f.write_str("values")?;
                values.iter().try_for_each(|named| write_named(f, named))
            }
            Edit::World(name, text, values) => {
                write!(f, "world {} {}", Quoted(name), Quoted(text))?;
                values.iter().try_for_each(|named| write_named(f, named))
            }
        }
    }
}

#[cfg(feature = "window")]
fn ids_line(f: &mut fmt::Formatter<'_>, name: &str, ids: &[u32]) -> fmt::Result {
    f.write_str(name)?;
    ids.iter().try_for_each(|id| write!(f, " {id}"))
}

#[cfg(feature = "window")]
fn write_named(f: &mut fmt::Formatter<'_>, (name, value): &(String, f32)) -> fmt::Result {
    write!(f, " {} {value}", Quoted(name))
}

/// A text as one word: what is not a visible character of ASCII, and `%`, is written as the bytes
/// that it has in UTF-8, each as `%` and two digits. The empty text is `%`.
#[cfg(feature = "window")]
pub(super) struct Quoted<'a>(pub(super) &'a str);

#[cfg(feature = "window")]
impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("%");
        }
        // Runs of plain bytes at once, for texts are long.
        for part in self.0.split_inclusive(|letter: char| !is_plain(letter)) {
            let plain = part.trim_end_matches(|letter: char| !is_plain(letter));
            f.write_str(plain)?;
            part[plain.len()..].bytes().try_for_each(|byte| write!(f, "%{byte:02x}"))?;
        }
        Ok(())
    }
}

/// True for a character that stands for itself.
#[cfg(feature = "window")]
fn is_plain(letter: char) -> bool {
    letter.is_ascii_graphic() && letter != '%'
}

/// The text of a word.
fn unquoted(word: &str) -> Option<String> {
    if word == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(word.len());
    let mut parts = word.split('%');
    bytes.extend(parts.next()?.bytes());
    for part in parts {
        let digits = part.get(..2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).ok()
}

/// The words of a line that are not read yet.
#[derive(Clone, Debug)]
pub(super) struct Words<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    /// The words of a line.
    pub(super) fn new(line: &'a str) -> Self {
        Self(line.split_ascii_whitespace())
    }

    /// The next word.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    /// The value of the next word.
    pub(super) fn value<T: FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    /// The text of the next word.
    pub(super) fn quoted(&mut self) -> Option<String> {
        unquoted(self.word()?)
    }

    fn named(&mut self) -> Option<(String, f32)> {
        Some((self.quoted()?, self.value()?))
    }

    fn point(&mut self) -> Option<Vec2> {
        Some(Vec2::new(self.value()?, self.value()?))
    }

    fn spawn(&mut self) -> Option<Spawn> {
        let (position, velocity, radius) = (self.point()?, self.point()?, self.value()?);
        let (faction, health) = (self.value()?, self.value()?);
        Some(Spawn { position, velocity, radius, faction, health, species: 0 })
    }

    fn spawn_of_species(&mut self) -> Option<Spawn> {
        let spawn = self.spawn()?;
        Some(spawn.with_species(self.value()?))
    }

    fn shape(&mut self) -> Option<Static> {
        match self.word()? {
            "disc" => Some(Static::disc(self.point()?, self.value()?)),
            "box" => Some(Static::Box(Rect { min: self.point()?, max: self.point()? })),
            "capsule" => Some(Static::capsule([self.point()?, self.point()?], self.value()?)),
            _ => None,
        }
    }

    /// All that is left, each by `read`.
    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        while !self.is_empty() {
            list.push(read(self)?);
        }
        Some(list)
    }

    /// True if no word is left.
    pub(super) fn is_empty(&self) -> bool {
        self.0.clone().next().is_none()
    }
}
