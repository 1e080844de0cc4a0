//! The agents of a world file.

use glam::Vec2;

use super::{
    groups::{GroupShape, WorldGroup},
    plan::WorldPlan,
};
use crate::{
    agents::{Agent, Agents, OwnColumn, OwnColumns},
    error::{Error, Result},
    format::grouped,
    geometry::{Rect, Space},
    rng::Rng,
    rules::RuleMoment,
    scene::{self, PlacementProgress, Start},
    statics::Statics,
};

/// Streams of random numbers, apart from those of scenes.
const STREAMS: u64 = 0x776f_726c_6400;
const BESIDE_STATICS: u64 = STREAMS + 1;

/// Draws of a place beside all statics: enough where a tenth of the world is free.
const DRAWS: usize = 100;

impl WorldPlan {
    /// What each group is, in words.
    pub(crate) fn groups_shown(&self) -> impl Iterator<Item = String> {
        self.groups.iter().map(|group| {
            let [x, y] = group.shape.bounds().center().to_array();
            let count = grouped(group.agents);
            match (&group.shape, &group.table) {
                (GroupShape::Table | GroupShape::Picture(_), table) => {
                    let file = table.as_ref().map_or("a table", |table| &table.file);
                    format!("{count} agents from {file}")
                }
                (shape, _) => format!("{count} agents in a {} around {x}, {y}", shape.name()),
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
        let mut start = if self.groups.is_empty() {
            scene::place_while(&self.setup, progress)?
        } else {
            self.place(&mut rng)
        };
        start.statics.extend_from_slice(&self.statics);
        if self.groups.is_empty() && !self.statics.is_empty() {
            self.clear_statics(&mut start)?;
        }
        let count = start.agents.len();
        let mut own = OwnColumns::new();
        if !self.shares.is_empty() {
            let mut species = Vec::with_capacity(count);
            if self.groups.is_empty() {
                species = shared(&self.shares, count, &mut rng);
            }
            for group in &self.groups {
                if let Some(stated) = group.table.as_ref().and_then(|it| it.species.as_ref()) {
                    species.extend_from_slice(stated);
                    continue;
                }
                let shares = group.species.as_ref().unwrap_or(&self.shares);
                species.extend(shared(shares, group.agents as usize, &mut rng));
            }
            own = own.with_species(species);
        }
        for (index, (name, &initial)) in self.formulas.columns.iter().zip(&self.initial).enumerate()
        {
            let mut values = vec![initial; if self.groups.is_empty() { count } else { 0 }];
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

    /// The agents of all groups, by their ids.
    fn place(&self, rng: &mut Rng) -> Start {
        let world = self.bounds();
        let space = Space::new(world, self.setup.boundary);
        let mut agents = Agents::with_capacity(self.setup.agents as usize);
        for group in &self.groups {
            let [low, high] = group.radius.unwrap_or(self.setup.radius);
            for (at, position) in positions(group, rng).enumerate() {
                let share = (at as f32 + 0.5) / group.agents as f32;
                let radius = low + (high - low) * share;
                let drawn = rng.direction() * (self.setup.speed * rng.between(0.5, 1.5));
                let (mut velocity, mut radius) = (drawn, radius);
                if let Some(table) = &group.table {
                    radius = table.radius.as_ref().map_or(radius, |radii| radii[at]);
                    let stated = table.velocity.as_ref();
                    velocity = stated.map_or(drawn, |[vx, vy]| Vec2::new(vx[at], vy[at]));
                }
                // Agents of a table lie across the border of a world that repeats, as they were
                // written.
                let free = match group.shape {
                    GroupShape::Table => space.centers(radius),
                    _ => world.expanded(-radius),
                };
                let inside = free.nearest(position);
                let id = agents.len() as u32;
                agents.push(Agent { position: inside, velocity, radius, id });
            }
        }
        let populated = f64::from(world.width()) * f64::from(world.height());
        Start { world, agents, statics: Vec::new(), populated }
    }
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

/// Species for some agents: as many of each as its share says, in random order.
fn shared(shares: &[f32], count: usize, rng: &mut Rng) -> Vec<u8> {
    let all: f64 = shares.iter().map(|&share| f64::from(share)).sum();
    let mut species = Vec::with_capacity(count);
    let mut sum = 0.0;
    for (of, &share) in (0..).zip(shares) {
        sum += f64::from(share);
        let end = ((sum / all * count as f64).round() as usize).min(count);
        species.resize(end.max(species.len()), of);
    }
    species.resize(count, 0);
    for left in (1..count).rev() {
        species.swap(left, rng.below(left as u32 + 1) as usize);
    }
    species
}
