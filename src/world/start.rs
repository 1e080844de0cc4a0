//! The agents of a world file.

use glam::Vec2;

use super::{
    groups::{GroupShape, WorldGroup},
    plan::WorldPlan,
    shares::{numbers, portions},
};
use crate::{
    agents::{Agent, Agents, OwnColumn, OwnColumns},
    alloc,
    error::{Error, Result},
    format::plural,
    geometry::{Rect, Space},
    rng::Rng,
    rules::RuleMoment,
    scene::{self, PlacementProgress, Start},
    statics::Statics,
};

/// Streams of random numbers, apart from those of scenes.
const STREAMS: u64 = 0x776f_726c_6400;
const BESIDE_STATICS: u64 = STREAMS + 1;
const SIZES: u64 = STREAMS + 2;

/// What the memory of species and of columns of the agents' own is for.
const OWN: &str = "the agents' own columns";

/// Draws of a place beside all statics: enough where a tenth of the world is free.
const DRAWS: usize = 100;

impl WorldPlan {
    /// What each group is, in words.
    pub(crate) fn groups_shown(&self) -> impl Iterator<Item = String> {
        self.groups.iter().map(|group| {
            let [x, y] = group.shape.bounds().center().to_array();
            let agents = plural(group.agents as usize, "agent");
            match (&group.shape, &group.table) {
                (GroupShape::Table | GroupShape::Picture(_), table) => {
                    let file = table.as_ref().map_or("a table", |table| &table.file);
                    format!("{agents} from {file}")
                }
                (shape, _) => format!("{agents} in a {} around {x}, {y}", shape.name()),
            }
        })
    }

    /// Places the agents and the obstacles.
    ///
    /// # Errors
    /// If the agents can't be placed.
    pub(crate) fn start(&self) -> Result<Start> {
        self.start_while(&PlacementProgress::new())
    }

    /// As [`Self::start`], until it is canceled.
    ///
    /// # Errors
    /// As [`Self::start`], and if it is canceled.
    pub(crate) fn start_while(&self, progress: &PlacementProgress) -> Result<Start> {
        let is_missing = |group: &WorldGroup| {
            let is_of_file = matches!(group.shape, GroupShape::Table | GroupShape::Picture(_));
            is_of_file && group.table.is_none()
        };
        if self.groups.iter().any(is_missing) {
            let message =
                "the text of the run has groups from other files; open the world file itself";
            return Err(Error::World { line: 0, column: 0, message: message.to_owned() });
        }
        let mut rng = Rng::new(self.setup.seed ^ STREAMS);
        let (mut start, species) = if self.groups.is_empty() {
            let species = dealt(&numbers(&self.species, self.setup.agents as usize), &mut rng);
            (self.scatter(&species, progress)?, species)
        } else {
            let drawn = self.draw(&mut rng);
            let species = self.species_of_groups(&mut rng);
            (self.place(&drawn, &species)?, species)
        };
        start.statics.extend_from_slice(&self.statics);
        if self.groups.is_empty() && !self.statics.is_empty() {
            self.clear_statics(&mut start)?;
        }
        let count = start.agents.len();
        let mut own = OwnColumns::new();
        if !species.is_empty() {
            own = own.with_species(species);
        }
        for (index, (name, &initial)) in self.formulas.columns.iter().zip(&self.initial).enumerate()
        {
            let mut values = alloc::with_capacity(count, OWN)?;
            if self.groups.is_empty() {
                values.resize(count, initial);
            }
            for group in &self.groups {
                let mut columns = group.table.iter().flat_map(|table| &table.columns);
                match columns.find(|(column, _)| *column == index) {
                    Some((_, stated)) => values.extend_from_slice(stated),
                    None => values.extend(std::iter::repeat_n(initial, group.agents as usize)),
                }
            }
            own = own.with_numbers(OwnColumn::new(name, initial, values));
        }
        if own != OwnColumns::new() {
            start.agents.own = Some(Box::new(own));
        }
        let space = Space::new(start.world, self.setup.boundary);
        let moment = RuleMoment::new(0, 1.0 / self.setup.hz, self.setup.seed);
        let mut first = 0;
        for group in &self.groups {
            let slots = first..first + group.agents as usize;
            first = slots.end;
            if let Some(program) = &group.program {
                program.apply(&mut start.agents, slots, &space, moment);
            }
        }
        Ok(start)
    }

    /// Moves agents that overlap statics to places beside them, anywhere in the world. An agent for
    /// which none is found stays.
    fn clear_statics(&self, start: &mut Start) -> Result<()> {
        let Start { world, agents, statics, .. } = start;
        let statics = Statics::new(*world, statics, 0)?;
        let space = Space::new(*world, self.setup.boundary);
        let mut rng = Rng::new(self.setup.seed ^ BESIDE_STATICS);
        for slot in 0..agents.len() {
            let Agent { position, radius, .. } = agents.get(slot);
            let is_free = |at: &Vec2| {
                let mut is_free = true;
                statics.visit_near(&Rect::around(*at, radius), |index| {
                    is_free &= !statics.rounded(index).overlaps(*at, radius);
                });
                is_free
            };
            if is_free(&position) {
                continue;
            }
            let free = space.centers(radius);
            let mut draws =
                (0..DRAWS).map(|_| free.min + free.size() * Vec2::new(rng.unit(), rng.unit()));
            if let Some(place) = draws.find(is_free) {
                [agents.x[slot], agents.y[slot]] = place.to_array();
            }
        }
        Ok(())
    }

    /// Agents all over the world, of these species by their ids.
    fn scatter(&self, species: &[u8], progress: &PlacementProgress) -> Result<Start> {
        if self.has_scene || !self.has_own_starts() {
            return scene::place_while(&self.setup, progress);
        }
        // In random order, so that an id is unrelated to a size.
        let mut ids: Vec<usize> = (0..species.len()).collect();
        shuffle(&mut ids, &mut Rng::new(self.setup.seed ^ SIZES));
        let mut sizes = self.sizes(&numbers(&self.species, species.len()));
        let mut radii = vec![0.0; species.len()];
        for id in ids {
            radii[id] = sizes.next_of(species[id]);
        }
        let speeds: Vec<f32> = species.iter().map(|&of| self.speed_of(Some(of))).collect();
        let placed = scene::place_discs(&self.setup, &radii, &speeds, progress)?;
        placed.ok_or_else(|| {
            let size = self.bounds().size().as_dvec2();
            let share = self.covered() / (size.x * size.y);
            let message = format!(
                "no room is found for the discs of all species, which cover {share:.2} of the world; \
                 lower `agents` or `radius`, or enlarge `size`"
            );
            Error::World { line: 0, column: 0, message }
        })
    }

    /// The mean speed of agents of a species, where no group states another.
    fn speed_of(&self, species: Option<u8>) -> f32 {
        let others = if self.has_own_speeds() { self.speed } else { self.setup.speed };
        let own = species.and_then(|of| self.species[usize::from(of)].speed);
        own.unwrap_or(others)
    }

    /// The radii of agents, of which each species has that many.
    fn sizes(&self, numbers: &[usize]) -> Sizes {
        let radii = self.species.iter().map(|it| it.radius.unwrap_or(self.common_radius()));
        let of = |(radius, &agents)| SizeRow { radius, agents, taken: 0 };
        Sizes(radii.zip(numbers).map(of).collect())
    }

    /// Positions and motions of the agents of all groups.
    fn draw(&self, rng: &mut Rng) -> Vec<Draw> {
        let mut drawn = Vec::with_capacity(self.setup.agents as usize);
        for group in &self.groups {
            drawn.extend(positions(group, rng).map(|position| Draw {
                position,
                direction: rng.direction(),
                pace: rng.between(0.5, 1.5),
            }));
        }
        drawn
    }

    /// How many agents of a group are of each species.
    pub(super) fn numbers_in(&self, group: &WorldGroup) -> Vec<usize> {
        let agents = group.agents as usize;
        if let Some(stated) = group.table.as_ref().and_then(|it| it.species.as_ref()) {
            let mut numbers = vec![0; self.species.len()];
            for &of in stated {
                numbers[usize::from(of)] += 1;
            }
            return numbers;
        }
        match &group.species {
            Some(shares) => portions(shares.iter().copied(), agents),
            None => numbers(&self.species, agents),
        }
    }

    /// The species of the agents of all groups; none without species.
    fn species_of_groups(&self, rng: &mut Rng) -> Vec<u8> {
        let mut species = Vec::new();
        for group in self.groups.iter().filter(|_| !self.species.is_empty()) {
            match group.table.as_ref().and_then(|it| it.species.as_ref()) {
                Some(stated) => species.extend_from_slice(stated),
                None => species.extend(dealt(&self.numbers_in(group), rng)),
            }
        }
        species
    }

    /// The agents of all groups, by their ids.
    fn place(&self, drawn: &[Draw], species: &[u8]) -> Result<Start> {
        let world = self.bounds();
        let space = Space::new(world, self.setup.boundary);
        let mut agents = Agents::default();
        agents.reserve(drawn.len())?;
        let common = if self.has_own_radii() { self.common_radius() } else { self.setup.radius };
        for group in &self.groups {
            let radii = group.radius.unwrap_or(common);
            let mut sizes = self.sizes(&self.numbers_in(group));
            for at in 0..group.agents as usize {
                let id = agents.len();
                let Draw { position, direction, pace } = drawn[id];
                let of = species.get(id).copied();
                let own = of.filter(|&of| self.species[usize::from(of)].radius.is_some());
                let mut radius = match own.filter(|_| group.radius.is_none()) {
                    Some(of) => sizes.next_of(of),
                    None => part_of(radii, at, group.agents as usize),
                };
                let mut velocity = direction * (self.speed_of(of) * pace);
                if let Some(table) = &group.table {
                    radius = table.radius.as_ref().map_or(radius, |radii| radii[at]);
                    let stated = table.velocity.as_ref();
                    velocity = stated.map_or(velocity, |[vx, vy]| Vec2::new(vx[at], vy[at]));
                }
                // Agents of a table lie across the border of a world that repeats, as they were
                // written.
                let free = match group.shape {
                    GroupShape::Table => space.centers(radius),
                    _ => world.expanded(-radius),
                };
                let inside = free.nearest(position);
                agents.push(Agent { position: inside, velocity, radius, id: id as u32 });
            }
        }
        let populated = f64::from(world.width()) * f64::from(world.height());
        Ok(Start { world, agents, statics: Vec::new(), populated })
    }
}

/// What is drawn for an agent of a group.
#[derive(Clone, Copy)]
struct Draw {
    position: Vec2,
    direction: Vec2,
    /// The speed as a share of the mean.
    pace: f32,
}

/// The radii of some agents, of each species from the smallest to the largest.
struct Sizes(Vec<SizeRow>);

struct SizeRow {
    radius: [f32; 2],
    agents: usize,
    taken: usize,
}

impl Sizes {
    /// The radius of the next agent of a species.
    fn next_of(&mut self, species: u8) -> f32 {
        let SizeRow { radius, agents, taken } = &mut self.0[usize::from(species)];
        *taken += 1;
        part_of(*radius, *taken - 1, *agents)
    }
}

/// The middle of one of some equal parts between two radii.
fn part_of([low, high]: [f32; 2], at: usize, of: usize) -> f32 {
    low + (high - low) * ((at as f32 + 0.5) / of as f32)
}

/// The positions of a group.
fn positions<'a>(group: &'a WorldGroup, rng: &mut Rng) -> impl Iterator<Item = Vec2> + 'a {
    let count = group.agents;
    let mut draws = Rng::new(rng.bits());
    let shape = group.shape;
    let columns = match shape {
        GroupShape::Lattice(area) => {
            let wide =
                f64::from(count) * f64::from(area.width()) / f64::from(area.height().max(1e-6));
            (wide.sqrt().ceil() as u32).clamp(1, count)
        }
        _ => 1,
    };
    let rows = count.div_ceil(columns);
    (0..count).map(move |at| match shape {
        GroupShape::Rectangle(area) => {
            area.min + area.size() * Vec2::new(draws.unit(), draws.unit())
        }
        GroupShape::Ring { center, inner, outer } => {
            // Uniform in the area.
            let square = draws.between(inner * inner, outer * outer);
            center + draws.direction() * square.sqrt()
        }
        GroupShape::Lattice(area) => {
            let (column, row) = (at % columns, at / columns);
            let share = Vec2::new(column as f32 + 0.5, row as f32 + 0.5)
                / Vec2::new(columns as f32, rows as f32);
            area.min + area.size() * share
        }
        GroupShape::Table => {
            let at = at as usize;
            group.table.as_ref().map_or(Vec2::ZERO, |table| Vec2::new(table.x[at], table.y[at]))
        }
        GroupShape::Picture(frame) => group.table.as_ref().map_or(Vec2::ZERO, |table| {
            // As many in each part of the picture as it has dark pixels.
            let share = (f64::from(at) + f64::from(draws.unit())) / f64::from(count);
            let dark = ((share * table.x.len() as f64) as usize).min(table.x.len() - 1);
            let beside = Vec2::new(draws.unit(), draws.unit()) - 0.5;
            table.place_beside(dark, beside, &frame)
        }),
        GroupShape::Line([from, to]) => from + (to - from) * ((at as f32 + 0.5) / count as f32),
    })
}

/// Species of some agents, that many of each, in random order.
fn dealt(numbers: &[usize], rng: &mut Rng) -> Vec<u8> {
    let mut species = Vec::with_capacity(numbers.iter().sum());
    for (of, &number) in (0..).zip(numbers) {
        species.resize(species.len() + number, of);
    }
    shuffle(&mut species, rng);
    species
}

/// Puts items into random order (Fisher and Yates).
fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for left in (1..items.len()).rev() {
        items.swap(left, rng.below(left as u32 + 1) as usize);
    }
}
