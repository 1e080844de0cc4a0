//! Validation of set-ups: every value that can't be used, alone or with the others, with its limit
//! and a remedy.
//!
//! Validation places nothing. Where it is not certain that agents fit, the placement finds out.

use glam::Vec2;

use super::{
    Setup, Solver, clusters,
    extent::coordinate_step,
    feasibility::{self, Crowded},
    fields::FIELDS,
    radii::Radii,
    setup::CANNON_WORLD,
    suggest::{self, round_up},
};
use crate::{
    error::{Adjust, Error, Field, Limit, Remedy, Result, Value},
    geometry::{Boundary, Space},
    limits,
};

/// A coefficient of friction that remedies name.
const TRY_FRICTION: f32 = 0.5;

impl Setup {
    /// Whether every value can be used, alone and with the others. Places nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] for the first value that can't.
    pub fn validate(&self) -> Result<()> {
        self.check().map_err(|error| self.with_remedy(error))
    }

    /// The same, without remedies that take a search.
    pub(super) fn check(&self) -> Result<()> {
        self.numbers()?;
        self.check_rolling()?;
        self.check_sizes()?;
        self.check_own_world()?;
        self.check_giants()?;
        self.check_precision()?;
        self.check_period()?;
        feasibility::crowded(self).map_or(Ok(()), |crowded| Err(self.refusal(crowded)))?;
        self.check_cells(self.world().size())
    }

    /// As [`Self::validate`], for agents that a caller places.
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "cli")]
    pub(crate) fn validate_placed(&self) -> Result<()> {
        let checked = self
            .numbers()
            .and_then(|()| self.check_rolling())
            .and_then(|()| self.check_sizes())
            .and_then(|()| self.check_precision())
            .and_then(|()| self.check_period())
            .and_then(|()| self.check_cells(self.world().size()));
        checked.map_err(|error| self.with_remedy(error))
    }

    /// True if the set-up is valid and its agents can be placed for certain.
    pub(super) fn is_accepted(&self) -> bool {
        (0.0..=limits::DENSITY_MAX).contains(&self.density)
            && self.check().is_ok()
            && feasibility::surely_fits(self)
    }

    /// Adds the remedies that take a search.
    pub(super) fn with_remedy(&self, error: Error) -> Error {
        let Error::Invalid(invalid) = &error else { return error };
        let remedy = match invalid.limit {
            Limit::Giants { .. } => suggest::smaller_giants(self),
            Limit::Precision { .. } => suggest::smaller_world(self),
            Limit::Clusters { .. }
            | Limit::Agents { .. }
            | Limit::Packing(_)
            | Limit::Period { .. } => suggest::more_room(self),
            Limit::Above0(_) if self.density > 0.0 => suggest::more_room(self),
            _ => suggest::complete(self, invalid.remedy.clone()),
        };
        // Radii that no density and no number of agents brings into one world.
        if remedy == Remedy::Adjust(&[Adjust::Narrow(Field::Radius)]) {
            let radius = Value::Span(self.radius);
            return Error::invalid(Field::Radius, radius, invalid.limit.clone())
                .with_remedy(remedy);
        }
        error.with_remedy(remedy)
    }

    /// Each number in its own range.
    pub(crate) fn numbers(&self) -> Result<()> {
        FIELDS.iter().try_for_each(|entry| entry.check(self))?;
        // Agents and spare agents need ids.
        let spare_max = u64::from(limits::AGENTS_MAX - self.agents);
        let spare = u64::from(self.spare_agents);
        if spare > spare_max {
            let limit = Limit::Counts(0..=spare_max);
            return Err(Error::invalid(Field::SpareAgents, Value::Count(spare), limit));
        }
        self.check_boundary()?;
        self.check_collisions()?;
        self.check_radii()
    }

    /// Whether there is friction for what resists rolling.
    pub(crate) fn check_rolling(&self) -> Result<()> {
        if self.rolling == 0.0 || self.friction > 0.0 {
            return Ok(());
        }
        let remedy = Remedy::set(Field::Friction, Value::Number(TRY_FRICTION));
        let rolling = Value::Number(self.rolling);
        Err(Error::invalid(Field::Rolling, rolling, Limit::Friction).with_remedy(remedy))
    }

    /// Whether the scene, the gravity and the solver can do without the walls that there are not.
    fn check_boundary(&self) -> Result<()> {
        let [x, y] = self.boundary.repeats();
        let broken = |limit, remedy| {
            let name = Value::Name(self.boundary.name());
            Err(Error::invalid(Field::Boundary, name, limit).with_remedy(remedy))
        };
        if (x || y) && self.scene.needs_walls() {
            let walls = Remedy::set(Field::Boundary, Value::Name(Boundary::Walls.name()));
            return broken(Limit::NeedsWalls(self.scene.name()), walls);
        }
        if y && self.gravity != 0.0 {
            let none = Remedy::set(Field::Gravity, Value::Number(0.0));
            let given = Value::Number(self.gravity);
            return Err(Error::invalid(Field::Gravity, given, Limit::Endless).with_remedy(none));
        }
        if (x || y) && self.uses_contact_solver() {
            let impulse = Remedy::set(Field::Solver, Value::Name(Solver::Impulse.name()));
            return broken(Limit::ImpulseSolver, impulse);
        }
        Ok(())
    }

    /// Whether the solver lets agents collide as they should.
    fn check_collisions(&self) -> Result<()> {
        if !(self.sweeps() && self.uses_contact_solver()) {
            return Ok(());
        }
        let name = Value::Name(self.collisions.name());
        let impulse = Remedy::set(Field::Solver, Value::Name(Solver::Impulse.name()));
        Err(Error::invalid(Field::Collisions, name, Limit::Impulses).with_remedy(impulse))
    }

    fn check_radii(&self) -> Result<()> {
        let [low, high] = self.radius;
        let range = limits::RADIUS_MIN..=limits::RADIUS_MAX;
        if let Some(radius) = self.radius.into_iter().find(|radius| !range.contains(radius)) {
            let limit = Limit::Numbers(range);
            return Err(Error::invalid(Field::Radius, Value::Number(radius), limit));
        }
        if low <= high {
            return Ok(());
        }
        Err(Error::invalid(Field::Radius, Value::Span([low, high]), Limit::Ascending)
            .with_remedy(Remedy::set(Field::Radius, Value::Span([high, low]))))
    }

    /// Whether the world has a size, given or by the density.
    fn check_sizes(&self) -> Result<()> {
        if let Some(size) = self.world
            && !(size.is_finite() && size.min_element() > 0.0)
        {
            let example = Value::Size(Vec2::new(1600.0, 900.0));
            return Err(Error::invalid(Field::World, Value::Size(size), Limit::Extent)
                .with_remedy(Remedy::set(Field::World, example)));
        }
        let density = self.density;
        let counts = self.world.is_none() || self.is_clustered();
        if !counts || (density > 0.0 && density <= limits::DENSITY_MAX) {
            return Ok(());
        }
        let usual = Value::Number(Self::new(self.scene).density);
        let limit = Limit::Above0(limits::DENSITY_MAX);
        Err(Error::invalid(Field::Density, Value::Number(density), limit)
            .with_remedy(Remedy::set(Field::Density, usual)))
    }

    /// Whether the world is the scene's own, where there is no other.
    fn check_own_world(&self) -> Result<()> {
        if !self.scene.has_own_world() || self.world == Some(CANNON_WORLD) {
            return Ok(());
        }
        let own = (Field::World, Value::Size(CANNON_WORLD));
        let (field, value) = self.world_or_density();
        let mut remedy = vec![own];
        if self.world.is_none() {
            remedy.push((Field::Density, Value::Missing));
        }
        let limit = Limit::OwnWorld { scene: self.scene.name(), world: CANNON_WORLD };
        Err(Error::invalid(field, value, limit).with_remedy(Remedy::Set(remedy)))
    }

    /// The value that decides the size of the world.
    fn world_or_density(&self) -> (Field, Value) {
        let density = (Field::Density, Value::Number(self.density));
        self.world.map_or(density, |size| (Field::World, Value::Size(size)))
    }

    /// Whether giants, if there are any, are no larger than a disc may be.
    fn check_giants(&self) -> Result<()> {
        let largest = Radii::new(self).largest();
        if largest <= limits::RADIUS_MAX {
            return Ok(());
        }
        let limit = Limit::Giants { agents: self.agents, radius: largest, max: limits::RADIUS_MAX };
        Err(Error::invalid(Field::Radius, Value::Span(self.radius), limit))
    }

    /// Whether f32 is fine enough for positions everywhere in the world.
    fn check_precision(&self) -> Result<()> {
        let world = self.world();
        if coordinate_step(&world) <= self.radius[0] * limits::COORDINATE_STEP_MAX {
            return Ok(());
        }
        let (field, value) = self.world_or_density();
        let limit = Limit::Precision { world: world.size(), radius: self.radius[0] };
        Err(Error::invalid(field, value, limit))
    }

    /// Whether no disc could touch another on both sides of a world that repeats.
    fn check_period(&self) -> Result<()> {
        let (world, radius) = (self.world(), Radii::new(self).largest());
        if radius <= Space::new(world, self.boundary).radius_max()
            || self.boundary == Boundary::Walls
        {
            return Ok(());
        }
        let (field, value) = self.world_or_density();
        let least = round_up(f64::from(radius / Space::RADIUS_MAX));
        let limit = Limit::Period { world: world.size(), radius, least };
        Err(Error::invalid(field, value, limit))
    }

    /// Why there is no room.
    pub(super) fn refusal(&self, crowded: Crowded) -> Error {
        let agents = self.agents;
        let packing = (Field::Density, Value::Number(self.density), Limit::Packing(agents));
        let (field, value, limit) = match (self.world, crowded) {
            (Some(size), Crowded::Clusters) => {
                let width = round_up(self.cluster_width());
                let limit = Limit::Clusters { clusters: clusters::count(self), width };
                (Field::World, Value::Size(size), limit)
            }
            (Some(size), Crowded::Discs) if !self.is_clustered() => {
                let widest = Radii::new(self).largest() * 2.0;
                let share = round_up(self.covered() / (f64::from(size.x) * f64::from(size.y)));
                (Field::World, Value::Size(size), Limit::Agents { agents, widest, share })
            }
            _ => packing,
        };
        Error::invalid(field, value, limit)
    }

    /// Whether the grid of a world of that size can have the given cells, if any.
    pub(crate) fn check_cells(&self, size: Vec2) -> Result<()> {
        let least = f64::from(size.max_element()) / f64::from(limits::CELLS_PER_SIDE_MAX);
        let fits = |cell: f32| cell.is_finite() && cell > 0.0 && f64::from(cell) >= least;
        let Some(cell) = self.cell.filter(|&cell| !fits(cell)) else { return Ok(()) };
        let usual = round_up(least.max(f64::from(self.radius[0] * 4.0)));
        let limit = Limit::Cells { world: size, max: limits::CELLS_PER_SIDE_MAX };
        Err(Error::invalid(Field::Cell, Value::Number(cell), limit)
            .with_remedy(Remedy::set(Field::Cell, Value::Number(usual))))
    }
}
