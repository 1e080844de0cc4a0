//! Edits of the published structures, one by one: any sequence of them finds what a search of every
//! pair and every box finds.

use std::collections::BTreeSet;

use jostle::{
    Rect, Vec2,
    index::teaching::{SpatialHash, UnitGrid},
    rng::Rng,
};

/// Units that join, move and leave a field, most of them near others.
#[test]
fn a_unit_grid_follows_any_edits() {
    let (world, reach) = (Rect::from_size(90.0, 35.0), 6.5);
    for cell in [1.3, 6.0, 90.0] {
        let mut grid = UnitGrid::new(world, cell, 60).expect("it fits");
        grid.set_attack_distance(reach);
        let mut units: [Option<Vec2>; 60] = [None; 60];
        let (mut rng, mut found_in_all) = (Rng::new(4), 0);
        for round in 0..600 {
            let id = rng.below(60);
            let at = Vec2::new(rng.between(-5.0, 95.0), rng.between(-5.0, 40.0));
            let unit = &mut units[id as usize];
            assert_eq!(grid.contains(id), unit.is_some());
            *unit = match unit {
                Some(_) if rng.below(3) == 0 => {
                    grid.remove(id);
                    None
                }
                Some(_) => {
                    grid.move_to(id, at);
                    Some(at)
                }
                None => {
                    grid.add(id, at);
                    Some(at)
                }
            };
            let near = |a: usize, b: usize| {
                units[a].zip(units[b]).is_some_and(|(a, b)| a.distance(b) < reach)
            };
            let expected: BTreeSet<_> = (0..60)
                .flat_map(|a| (a + 1..60).map(move |b| (a, b)))
                .filter(|&(a, b)| near(a, b))
                .collect();
            let mut found = Vec::new();
            grid.handle_melee(|a, b| found.push((a.min(b) as usize, a.max(b) as usize)));
            found_in_all += found.len();
            let once: BTreeSet<_> = found.iter().copied().collect();
            assert_eq!(once.len(), found.len(), "a pair is found twice in round {round}");
            assert_eq!(once, expected, "cells of {cell} in round {round}");
        }
        assert!(found_in_all > 2_000, "{found_in_all} pairs are found");
    }
}

/// Objects anywhere in the world, most of them in several cells.
#[test]
fn a_spatial_hash_follows_any_edits() {
    let mut grid = SpatialHash::new(Rect::from_size(40.0, 30.0), 5.0, 100).expect("it fits");
    let mut held: [Option<(Rect, bool)>; 100] = [None; 100];
    let mut rng = Rng::new(4);
    let mut found_in_all = 0;
    for round in 0..2_000 {
        let id = rng.below(100);
        let center = Vec2::new(rng.between(2.0, 38.0), rng.between(2.0, 28.0));
        let bounds = Rect::around(center, rng.between(0.1, 2.0));
        held[id as usize] = match held[id as usize] {
            Some((bounds, _)) => {
                grid.remove(id, grid.cell_ids(&bounds));
                None
            }
            None if rng.below(3) == 0 => {
                grid.insert_static(id, grid.cell_ids(&bounds)).expect("there is memory");
                Some((bounds, true))
            }
            None => {
                grid.insert_dynamic(id, grid.cell_ids(&bounds)).expect("there is memory");
                Some((bounds, false))
            }
        };
        if round % 500 == 499 {
            grid.clear_dynamic();
            for object in &mut held {
                *object = object.filter(|&(_, fixed)| fixed);
            }
        }
        let area = Rect::around(center, 1.0);
        let cells = |bounds: &Rect| grid.cell_ids(bounds).collect::<BTreeSet<_>>();
        let shares_a_cell =
            |bounds: &Rect| cells(bounds).intersection(&cells(&area)).next().is_some();
        let expected: Vec<u32> = (0..100)
            .filter(|&id| held[id as usize].is_some_and(|(bounds, _)| shares_a_cell(&bounds)))
            .collect();
        let mut found = Vec::new();
        grid.potential_colliders(grid.cell_ids(&area), |id| found.push(id));
        found.sort_unstable();
        assert_eq!(found, expected, "in round {round}");
        found_in_all += found.len();
    }
    assert!(found_in_all > 2_000, "{found_in_all} objects are found");
}
