//! `--start`: a run that begins with the agents of a table, as `--export` writes one.
//!
//! What the table lacks is said by flags: the world, and speeds and radii, which are drawn then as
//! the scene draws them. What it has is not said twice.

use std::path::{Path, PathBuf};

#[cfg(feature = "window")]
use super::args::StartArgs;
use super::{
    Failure, Outcome,
    args::{StateArgs, WorldArgs},
    format::{four_digits, grouped, plural},
    memory, say, sentence,
    table::{self, ColumnSpec, ColumnTable, listed},
    walls,
};
use crate::{
    Error, Rect, Scene, Setup, Sim, Space, Static, Vec2,
    agents::{Agent, Agents, OwnColumn},
    error::{Field, Invalid, Value},
    limits,
    scene::{PartialStart, Start, coordinate_step},
    sim::{cell_for, check_agent, check_start},
};

const COLUMNS: [ColumnSpec<'static>; 10] = [
    ColumnSpec::Number("x"),
    ColumnSpec::Number("y"),
    ColumnSpec::Number("vx"),
    ColumnSpec::Number("vy"),
    ColumnSpec::Number("radius"),
    ColumnSpec::Count("id"),
    ColumnSpec::Count("faction"),
    ColumnSpec::Count("health"),
    ColumnSpec::Number("spin"),
    ColumnSpec::Number("angle"),
];

/// Bytes per wall of a run and of the list of its start.
const BYTES_PER_WALL: u64 = 128;

/// What becomes of a table if nothing says how large its world is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnstatedWorld {
    /// It is refused.
    Refused,
    /// Its world is as large as its agents need.
    Fitted,
}

/// The beginning that a table states.
#[derive(Debug)]
pub(super) struct StatedStart {
    path: PathBuf,
    pub(super) setup: Setup,
    start: Start,
    /// Names that are not used.
    unused: Vec<String>,
}

impl StatedStart {
    /// Reads the table and the walls that flags name.
    ///
    /// # Errors
    /// If a file can't be read, a run can't begin with what it states, or flags contradict it.
    pub(super) fn read(path: &Path, world: &WorldArgs) -> Outcome<Self> {
        // The statics of a scene are as large as its world.
        let fits = world.fits_table && !world.names_scene();
        let unstated = if fits { UnstatedWorld::Fitted } else { UnstatedWorld::Refused };
        let setup = |known: &[_]| world.setup_with(known);
        Self::read_with(path, &world.state, setup, |field| world.has(field), unstated)
    }

    /// Reads a table without flags. Its world is as large as its agents need.
    ///
    /// # Errors
    /// As [`Self::read`].
    #[cfg(feature = "window")]
    pub(super) fn alone(path: &Path) -> Outcome<Self> {
        let (state, none) = (StateArgs::default(), StartArgs::default());
        let setup = |known: &[(Field, Value)]| none.setup_with(Scene::Gas, known);
        Self::read_with(path, &state, setup, |_| false, UnstatedWorld::Fitted)
    }

    /// The same for flags of which `setup` makes a set-up with some values, and `is_given` tells
    /// which there are.
    pub(super) fn read_with(
        path: &Path,
        state: &StateArgs,
        setup: impl Fn(&[(Field, Value)]) -> Setup,
        is_given: impl Fn(Field) -> bool,
        unstated: UnstatedWorld,
    ) -> Outcome<Self> {
        let mut table = table::read(path, &COLUMNS, "")?;
        let count = agents(path, &table)?;
        let stated = |name| table.has(name);
        for (field, states) in [
            (Field::Agents, true),
            (Field::Density, true),
            (Field::Radius, stated("radius")),
            (Field::Speed, stated("vx")),
        ] {
            if states && is_given(field) {
                return Err(Failure::usage(format!(
                    "--{} has no effect, as {} says it; leave it out",
                    field.name(),
                    path.display()
                )));
            }
        }
        let mut given = PartialStart {
            x: table.take_numbers("x").unwrap_or_default(),
            y: table.take_numbers("y").unwrap_or_default(),
            velocity: table.take_numbers("vx").zip(table.take_numbers("vy")).map(Into::into),
            radius: table.take_numbers("radius"),
            id: table.take_counts("id"),
            faction: table.take_counts("faction").map(bytes),
            health: table.take_counts("health").map(bytes),
            statics: None,
        };
        let mut known = vec![(Field::Agents, Value::Count(count.into()))];
        known.extend(given.radius.as_ref().map(|radii| (Field::Radius, span(radii))));
        let mut setup = setup(&known);
        if setup.world.is_none() {
            // No world has room for such a position.
            let nowhere = |row: &usize| !(given.x[*row].is_finite() && given.y[*row].is_finite());
            if let Some(row) = (0..count as usize).find(nowhere) {
                let (x, y) = (given.x[row], given.y[row]);
                let reason =
                    format!("agent position ({x}, {y}) is not finite; mend the line, or remove it");
                return Err(table.fault(row, &reason));
            }
            let size = fitted(&table, &given, &setup)?;
            let has_walls = state.walls.is_some()
                || table.names().iter().any(|name| name.starts_with("static_"));
            if unstated == UnstatedWorld::Refused || has_walls {
                return Err(Failure::usage(format!(
                    "{} does not say how large its world is; add --world {}x{} or a larger one",
                    path.display(),
                    size.x,
                    size.y
                )));
            }
            setup.world = Some(size);
        }
        given.statics = statics(path, state, &setup.world())?;
        let mut start = given.complete(&setup);
        for name in ["spin", "angle"] {
            if let Some(values) = table.take_numbers(name).filter(|_| setup.friction > 0.0) {
                let own = start.agents.own.get_or_insert_default();
                own.numbers.push(OwnColumn::new(name, 0.0, values));
            }
        }
        check_start(&setup, &start).map_err(|error| located(&table, &setup, &start, &error))?;
        let covered: f64 =
            start.agents.radius.iter().map(|&radius| f64::from(radius).powi(2)).sum();
        let share = covered * std::f64::consts::PI / start.populated;
        setup.density = (share as f32).clamp(f32::MIN_POSITIVE, limits::DENSITY_MAX);
        setup.cell = setup.cell.or_else(|| Some(cell_for(&start)));
        let is_used = |name: &String| {
            name.starts_with("static_") || COLUMNS.iter().any(|spec| spec.name() == name)
        };
        let unused = table.names().iter().filter(|name| !is_used(name)).cloned().collect();
        Ok(Self { path: path.to_path_buf(), setup, start, unused })
    }

    /// True if the agents have factions and health.
    #[cfg(feature = "mpi")]
    pub(super) fn has_units(&self) -> bool {
        self.start.agents.units.is_some()
    }

    /// Checks that the run fits into memory beside the bytes that `beside` returns for its set-up
    /// and that many threads.
    ///
    /// # Errors
    /// If it does not.
    pub(super) fn admit(&self, beside: &dyn Fn(&Setup) -> u64, threads: usize) -> Outcome<()> {
        let Self { path, setup, start, .. } = self;
        let walls = start.statics.len() as u64 * BYTES_PER_WALL;
        // The run gets a copy of the start, and a copy of a run is a snapshot.
        let copies =
            2 * Agents::memory_for(start.agents.len(), start.agents.units.is_some()) as u64;
        let bytes = Sim::memory_for(setup) + beside(setup) + walls + copies;
        memory::check_saved(bytes, threads).map_err(|[needed, available]| {
            Failure::usage(format!(
                "{} can't be loaded: its {} would take {needed}, and {available} is available; \
                 close other programs, or load it where there is more memory",
                path.display(),
                plural(setup.agents as usize, "agent")
            ))
        })
    }

    /// The run at its start.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn sim(&self) -> crate::Result<Sim> {
        Sim::from_start(&self.setup, self.start.clone())
    }

    /// Says what is not used, and how much the agents overlap.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn note(&self, sim: &Sim) -> crate::Result<()> {
        let Self { path, unused, .. } = self;
        if !unused.is_empty() {
            say(&format!("{}: not used: {}", path.display(), listed(unused)));
        }
        let mut pairs = Overlaps::default();
        let (agents, space) = (sim.agents(), sim.space());
        for [i, j] in sim.contacts()? {
            let [i, j] = [i, j].map(|slot| agents.get(slot as usize));
            let apart = space.minimum_image(j.position - i.position).length();
            pairs.add(i.radius + j.radius - apart, i.radius.min(j.radius));
        }
        pairs.say(path, "pairs of agents overlap", "push them apart");
        let mut buried = Overlaps::default();
        for slot in 0..agents.len() {
            let Agent { position, radius, .. } = agents.get(slot);
            let mut depth = 0.0_f32;
            sim.statics().visit_near(&Rect::around(position, radius), |index| {
                let wall = sim.statics().rounded(index);
                depth = depth.max(-wall.separation(position, radius, &space.world()).1);
            });
            if depth > 0.0 {
                buried.add(depth, radius);
            }
        }
        buried.say(path, "agents overlap walls", "push them out");
        Ok(())
    }
}

/// How many overlap, and how much.
#[derive(Debug, Default)]
struct Overlaps {
    count: u64,
    /// World units, and a share of the smaller radius.
    deepest: [f32; 2],
}

impl Overlaps {
    fn add(&mut self, depth: f32, radius: f32) {
        self.count += 1;
        let [deepest, share] = self.deepest;
        self.deepest = [deepest.max(depth), share.max(depth / radius)];
    }

    /// Says it, if any do.
    fn say(&self, path: &Path, what: &str, remedy: &str) {
        let Self { count, deepest: [deepest, share] } = self;
        if *count > 0 {
            say(&format!(
                "{}: {what}: {}, by up to {} ({share:.2} of the smaller radius); the first steps {remedy}",
                path.display(),
                grouped(*count),
                four_digits(*deepest),
            ));
        }
    }
}

/// The number of agents in a table.
fn agents(path: &Path, table: &ColumnTable) -> Outcome<u32> {
    let refused =
        |reason: &str| Failure::usage(format!("{} can't be used: {reason}", path.display()));
    for name in ["x", "y"] {
        if !table.has(name) {
            return Err(refused(&format!(
                "it has no column {name} among {}; name the columns as --export does: x,y and any of \
                 vx,vy,radius,id",
                listed(table.names())
            )));
        }
    }
    for (one, other) in [("vx", "vy"), ("vy", "vx")] {
        if table.has(one) && !table.has(other) {
            return Err(refused(&format!("it has {one} and no {other}; add {other}")));
        }
    }
    match u32::try_from(table.rows()) {
        Ok(0) => Err(refused("it has no agents; name a file with one or more")),
        Ok(rows) if rows <= limits::AGENTS_MAX => Ok(rows),
        _ => Err(refused(&format!(
            "it has {} agents: expected at most {}",
            grouped(table.rows() as u64),
            grouped(limits::AGENTS_MAX)
        ))),
    }
}

/// The walls that are named, or those in an archive of agents.
fn statics(path: &Path, state: &StateArgs, world: &Rect) -> Outcome<Option<Vec<Static>>> {
    if let Some(path) = &state.walls {
        let walls = walls::read(path, world)?;
        return walls.map(Some).ok_or_else(|| walls::unnamed(path, &[]));
    }
    let is_archive = super::output::extension(path).is_some_and(|extension| extension == "npz");
    if is_archive { walls::read(path, world) } else { Ok(None) }
}

/// Whole numbers as bytes; what is too large stays out of range.
fn bytes(counts: Vec<u32>) -> Vec<u8> {
    counts.into_iter().map(|count| u8::try_from(count).unwrap_or(u8::MAX)).collect()
}

/// The smallest and the largest radius that a run may have.
fn span(radii: &[f32]) -> Value {
    let [low, high] = radii
        .iter()
        .fold([f32::MAX, f32::MIN], |[low, high], &radius| [low.min(radius), high.max(radius)]);
    Value::Span([low, high].map(|radius| radius.clamp(limits::RADIUS_MIN, limits::RADIUS_MAX)))
}

/// A world that holds the discs.
///
/// # Errors
/// If one of them is so far away that no such world has positions that are fine enough.
fn fitted(table: &ColumnTable, given: &PartialStart, setup: &Setup) -> Outcome<Vec2> {
    // Radii that can't be are named by the check of each agent.
    let is_sound = |radius: &f32| (limits::RADIUS_MIN..=limits::RADIUS_MAX).contains(radius);
    let stated = |row: usize| given.radius.as_ref().map(|radii| radii[row]).filter(is_sound);
    let radius = |row| stated(row).unwrap_or(setup.radius[1]);
    let reach = |column: &[f32], row: usize| column[row].abs() + radius(row);
    let rows = || 0..given.x.len();
    let far = |column: &[f32]| rows().map(|row| reach(column, row)).fold(0.0, f32::max);
    let far = Vec2::new(far(&given.x), far(&given.y));
    let radii = given.radius.iter().flatten().copied().filter(is_sound);
    let smallest = radii.reduce(f32::min).unwrap_or(setup.radius[0]);
    let is_fine = |size: Vec2| {
        coordinate_step(&Rect::from_size(size.x, size.y)) <= smallest * limits::COORDINATE_STEP_MAX
    };
    if !is_fine(far) && given.radius.iter().flatten().all(is_sound) {
        let reach = |row: usize| reach(&given.x, row).max(reach(&given.y, row));
        let farthest = rows().max_by(|one, other| reach(*one).total_cmp(&reach(*other)));
        let row = farthest.unwrap_or(0);
        let reason = format!(
            "agent of radius {:?} at ({:?}, {:?}) is too far away for agents of radius {smallest}: positions \
             there would be rounded by more than 1 % of that; mend the line, or remove it",
            radius(row),
            given.x[row],
            given.y[row]
        );
        return Err(table.fault(row, &reason));
    }
    // To three digits, where there is room for that.
    let rounded = far.map(|far| {
        let far = if setup.scene == Scene::Sparse { 2.0 * far } else { far };
        let unit = 10_f32.powf(far.log10().floor() - 2.0);
        (far / unit).ceil() * unit
    });
    Ok(if is_fine(rounded) { rounded } else { far.map(f32::next_up) })
}

/// The failure for a start that is rejected, with the row that is at fault.
fn located(table: &ColumnTable, setup: &Setup, start: &Start, error: &Error) -> Failure {
    let reason = sentence(error);
    let agents = &start.agents;
    let space = Space::new(start.world, setup.boundary);
    let row = match error {
        Error::Invalid(invalid) => match **invalid {
            // The second of two.
            Invalid { field: Field::Id, value: Value::Count(id), .. } => {
                agents.id.iter().rposition(|&own| u64::from(own) == id)
            }
            Invalid {
                field:
                    Field::AgentRadius
                    | Field::Position
                    | Field::Velocity
                    | Field::Faction
                    | Field::Health,
                ..
            } => (0..agents.len()).find(|&row| check_agent(&agents.as_spawn(row), &space).is_err()),
            _ => None,
        },
        _ => None,
    };
    match row {
        Some(row) => table.fault(row, &format!("{reason}; mend the line, or remove it")),
        None => Failure::usage(reason),
    }
}

#[cfg(all(test, feature = "window"))]
mod tests {
    use super::*;

    /// A table that is opened has the world that it needs, or the line at fault is named.
    #[test]
    fn tables_without_world_get_one_if_their_lines_are_sound() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let opened = |rows: &str| {
            std::fs::write(&path, format!("x,y,radius\n{rows}")).expect("a file");
            StatedStart::alone(&path)
        };
        for (rows, expected) in [
            ("30,40,0\n90,40,1\n", ", line 2: agent radius 0 is out of range: "),
            ("0,5,0\n0,6,0\n", ", line 2: agent radius 0 is out of range: "),
            ("5,5,inf\n", ", line 2: agent radius inf is out of range: "),
            ("5,5,1\n15,5,-3\n27,7,1\n", ", line 3: agent radius -3 is out of range: "),
            ("2,2,1\n1,-1e30,1\n", ", line 3: agent of radius 1.0 at (1.0, -1e30) is too far away"),
            ("127,3,0.001\n100,100,100\n", ", line 3: agent of radius 100.0 at (100.0, 100.0) is"),
        ] {
            let Err(failure) = opened(rows) else { panic!("{rows} is accepted") };
            assert!(failure.message.contains(expected), "{}", failure.message);
        }
        for (rows, world) in [
            ("30.2,41,1\n", [31.2, 42.0]),
            ("312.2,41,1\n", [314.0, 42.0]),
            // Three digits would be too coarse.
            ("65530,2,0.5\n", [65_530.504, 2.500_000_2]),
        ] {
            let start = opened(rows).unwrap_or_else(|failure| panic!("{}", failure.message));
            assert_eq!(start.setup.world, Some(world.into()), "{rows}");
        }
    }
}
