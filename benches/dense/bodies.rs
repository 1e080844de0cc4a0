//! Bodies in the form in which every engine reports them, and the figures that are computed from
//! bodies alone.

use jostle::{Disc, Grid, GridConfig, Rect, Result, Vec2};

/// Positions and velocities, in the order of the state that the engines started from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) positions: Vec<Vec2>,
    pub(crate) velocities: Vec<Vec2>,
}

impl Bodies {
    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.velocities.clear();
    }

    pub(crate) fn push(&mut self, position: Vec2, velocity: Vec2) {
        self.positions.push(position);
        self.velocities.push(velocity);
    }

    /// Root of the mean square of the speeds.
    pub(crate) fn rms_speed(&self) -> f64 {
        mean(&self.velocities, Vec2::length_squared).sqrt()
    }

    /// Mean height of the centers, and mean vertical velocity.
    pub(crate) fn mean_height_and_rise(&self) -> [f64; 2] {
        [mean(&self.positions, |position| position.y), mean(&self.velocities, |rise| rise.y)]
    }

    /// Number of bodies with a center outside an area; a center that is not a number is outside.
    pub(crate) fn outside(&self, area: &Rect) -> usize {
        self.positions.iter().filter(|&&position| !area.contains(position)).count()
    }

    /// Share of the bodies at exactly the position of an earlier moment: bodies that sleep.
    pub(crate) fn still_since(&self, earlier: &Self) -> f64 {
        let pairs = self.positions.iter().zip(&earlier.positions);
        pairs.filter(|(now, then)| now == then).count() as f64 / self.positions.len() as f64
    }
}

fn mean(column: &[Vec2], value: impl Fn(Vec2) -> f32) -> f64 {
    column.iter().map(|&entry| f64::from(value(entry))).sum::<f64>() / column.len() as f64
}

/// Overlaps of pairs, as shares of the smaller radius.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overlaps {
    pub(crate) largest: f64,
    /// Mean over the pairs that overlap.
    pub(crate) mean: f64,
}

impl Overlaps {
    /// Finds the pairs through a grid, the same for every engine.
    pub(crate) fn measure(world: Rect, bodies: &Bodies, radii: &[f32]) -> Result<Self> {
        let discs: Vec<Disc> = bodies
            .positions
            .iter()
            .zip(radii)
            .map(|(&center, &radius)| Disc::new(center, radius))
            .collect();
        let widest = radii.iter().copied().fold(0.0, f32::max);
        let mut grid = Grid::new(GridConfig::new(world, 2.5 * widest, discs.len()))?;
        grid.rebuild(&discs)?;
        let (mut pairs, mut sum, mut largest) = (0_u32, 0.0, 0.0_f64);
        grid.visit_pairs(&discs, 0.0, |a, b| {
            let [a, b] = [a, b].map(|index| discs[index as usize]);
            let depth = a.radius + b.radius - a.center.distance(b.center);
            let share = f64::from(depth / a.radius.min(b.radius));
            pairs += 1;
            sum += share;
            largest = largest.max(share);
        });
        Ok(Self { largest, mean: sum / f64::from(pairs.max(1)) })
    }
}
