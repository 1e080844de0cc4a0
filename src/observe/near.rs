//! Pairs within a distance, by cells of that size.

use glam::Vec2;

use crate::Sim;

/// Cells per agent, at most: more would be empty, and cost memory.
const CELLS_PER_AGENT: f32 = 1.0;

/// Calls `visit` with the slots of each ordered pair whose centers are closer than `reach`, and with
/// the displacement from the first to the second. In a world that repeats, `reach` is at most a third
/// of each side that does.
pub(super) fn pairs(sim: &Sim, reach: f32, mut visit: impl FnMut(usize, usize, Vec2)) {
    let (agents, space, world) = (sim.agents(), sim.space(), sim.world());
    let repeats = space.repeats();
    let size = world.size();
    if agents.is_empty() || reach.is_nan() || reach <= 0.0 {
        return;
    }
    let fewest = (size.x * size.y / (CELLS_PER_AGENT * agents.len() as f32)).sqrt();
    let cells = |side: f32| ((side / reach.max(fewest)).floor() as usize).max(1);
    let (cols, rows) = (cells(size.x), cells(size.y));
    let at = |slot: usize| space.wrapped(Vec2::new(agents.x[slot], agents.y[slot]));
    let cell = |point: Vec2| {
        let share = (point - world.min) / size;
        let along = |share: f32, count: usize| ((share * count as f32) as usize).min(count - 1);
        [along(share.x, cols), along(share.y, rows)]
    };
    // Counting sort.
    let mut starts = vec![0_usize; cols * rows + 1];
    let home: Vec<usize> = (0..agents.len())
        .map(|slot| {
            let [col, row] = cell(at(slot));
            row * cols + col
        })
        .collect();
    for &cell in &home {
        starts[cell + 1] += 1;
    }
    for cell in 0..cols * rows {
        starts[cell + 1] += starts[cell];
    }
    let (mut next, mut order) = (starts.clone(), vec![0_usize; agents.len()]);
    for (slot, &cell) in home.iter().enumerate() {
        order[next[cell]] = slot;
        next[cell] += 1;
    }
    let square = reach * reach;
    for slot in 0..agents.len() {
        let here = at(slot);
        let [col, row] = cell(here);
        for row in around(row, rows, repeats[1]) {
            for col in around(col, cols, repeats[0]) {
                let cell = row * cols + col;
                for &other in &order[starts[cell]..starts[cell + 1]] {
                    let apart = space.minimum_image(at(other) - here);
                    if other != slot && apart.length_squared() < square {
                        visit(slot, other, apart);
                    }
                }
            }
        }
    }
}

/// A column and its neighbors, each once.
fn around(at: usize, count: usize, repeats: bool) -> impl Iterator<Item = usize> {
    let mut all = [at, at.wrapping_sub(1), at + 1]
        .map(|col| if repeats { (col.wrapping_add(count)) % count } else { col });
    // Of one or two columns, neighbors are the same.
    if all[1] == all[0] {
        all[1] = usize::MAX;
    }
    if all[2] == all[0] || all[2] == all[1] {
        all[2] = usize::MAX;
    }
    all.into_iter().filter(move |&col| col < count)
}
