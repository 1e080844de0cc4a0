//! The examples of the documents give the results that are printed there.

use std::collections::BTreeSet;

use jostle::{
    Rect, Vec2,
    index::teaching::{SpatialHash, UnitGrid},
};

/// The world of the book's cannon: 9.6 × 6.4 m, targets of 0.5 m, cells five times as large.
fn cannon() -> SpatialHash {
    SpatialHash::new(Rect::from_size(9.6, 6.4), 2.5, 100).expect("it fits")
}

fn ids(grid: &SpatialHash, bounds: Rect) -> Vec<u32> {
    grid.cell_ids(&bounds).collect()
}

fn colliders(grid: &mut SpatialHash, bounds: Rect) -> Vec<u32> {
    let mut found = Vec::new();
    grid.potential_colliders(grid.cell_ids(&bounds), |id| found.push(id));
    found
}

#[test]
fn the_example_world_has_12_cells_and_the_point_3_4_is_in_cell_5() {
    let grid = cannon();
    assert_eq!(grid.cells(), 12);
    assert_eq!(grid.cell_of(Vec2::new(3.0, 4.0)), Some(5));
    assert_eq!(grid.cell_of(Vec2::ZERO), Some(0), "the bottom-left cell gets the id 0");
}

#[test]
fn an_object_is_in_one_two_or_four_cells() {
    let grid = cannon();
    let target = |x, y| Rect::around(Vec2::new(x, y), 0.25);
    assert_eq!(ids(&grid, target(1.0, 1.0)), [0]);
    assert_eq!(ids(&grid, target(2.5, 1.0)), [0, 1]);
    assert_eq!(ids(&grid, target(1.0, 2.5)), [0, 4]);
    assert_eq!(ids(&grid, target(2.5, 2.5)), [0, 1, 5, 4]);
}

#[test]
fn corners_outside_the_world_are_ignored() {
    let grid = cannon();
    assert_eq!(ids(&grid, Rect::around(Vec2::new(0.0, 0.0), 0.25)), [0]);
    assert_eq!(ids(&grid, Rect::around(Vec2::new(0.0, 2.5), 0.25)), [0, 4]);
    assert_eq!(ids(&grid, Rect::around(Vec2::new(-3.0, 2.0), 0.25)), [0_u32; 0]);
    // "The top cells actually extend outside of our world."
    assert_eq!(ids(&grid, Rect::around(Vec2::new(9.7, 7.0), 0.25)), [11]);
}

#[test]
fn static_objects_stay_when_dynamic_objects_are_cleared() {
    let mut grid = cannon();
    let target = Rect::around(Vec2::new(2.5, 2.5), 0.25);
    let ball = Rect::around(Vec2::new(2.4, 2.4), 0.2);
    grid.insert_static(3, grid.cell_ids(&target)).expect("there is memory");
    grid.insert_dynamic(8, grid.cell_ids(&ball)).expect("there is memory");
    assert_eq!(colliders(&mut grid, ball), [8, 3], "each once, though both are in four cells");
    grid.clear_dynamic();
    assert_eq!(colliders(&mut grid, ball), [3]);
    grid.insert_dynamic(8, grid.cell_ids(&ball)).expect("there is memory");
    grid.remove(3, grid.cell_ids(&target));
    assert_eq!(colliders(&mut grid, ball), [8], "a target that is hit goes away");
    grid.remove(8, grid.cell_ids(&ball));
    assert_eq!(colliders(&mut grid, ball), [0_u32; 0]);
}

#[test]
fn a_list_of_many_objects_keeps_all_that_are_not_removed() {
    let mut grid = cannon();
    let at = Rect::around(Vec2::new(1.0, 1.0), 0.1);
    let mut expected = BTreeSet::new();
    for id in 0..100 {
        grid.insert_dynamic(id, grid.cell_ids(&at)).expect("there is memory");
        expected.insert(id);
        if id % 3 == 2 {
            grid.remove(id / 2, grid.cell_ids(&at));
            expected.remove(&(id / 2));
        }
    }
    let found = colliders(&mut grid, at);
    assert_eq!(found.len(), expected.len());
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
}

/// The field of the text: 10 × 10 cells of 20.
fn field(units: &[Vec2]) -> UnitGrid {
    let mut grid =
        UnitGrid::new(Rect::from_size(200.0, 200.0), 20.0, units.len()).expect("it fits");
    assert_eq!(grid.cells(), [10, 10]);
    (0..).zip(units).for_each(|(unit, &at)| grid.add(unit, at));
    grid
}

fn struck(grid: &UnitGrid) -> Vec<(u32, u32)> {
    let mut struck = Vec::new();
    grid.handle_melee(|a, b| struck.push((a.min(b), a.max(b))));
    struck.sort_unstable();
    struck
}

/// One unit in the middle of each of the 100 cells.
fn ranks() -> Vec<Vec2> {
    let middle = |i: u32| 10.0 + 20.0 * i as f32;
    (0..100).map(|i| Vec2::new(middle(i % 10), middle(i / 10))).collect()
}

#[test]
fn units_strike_each_unit_within_the_attack_distance_once() {
    let units = ranks();
    let mut grid = field(&units);
    for distance in [19.0, 21.0, 29.0, 41.0, 57.0, 1_000.0] {
        grid.set_attack_distance(distance);
        let near = |a: u32, b: u32| units[a as usize].distance(units[b as usize]) < distance;
        let expected: Vec<_> = (0..100)
            .flat_map(|a| (a + 1..100).map(move |b| (a, b)))
            .filter(|&(a, b)| near(a, b))
            .collect();
        assert_eq!(struck(&grid), expected, "within {distance}");
    }
}

#[test]
fn a_unit_is_linked_again_only_if_it_leaves_its_cell() {
    let mut grid = field(&ranks());
    let go = |grid: &mut UnitGrid, to| grid.move_to(44, to);
    assert!(!go(&mut grid, Vec2::new(99.0, 81.0)), "from (90, 90), in the cell from 80 to 100");
    assert!(go(&mut grid, Vec2::new(101.0, 81.0)));
    assert!(!go(&mut grid, Vec2::new(119.0, 99.0)));
    grid.set_attack_distance(10.0);
    assert!(!go(&mut grid, Vec2::new(111.0, 91.0)));
    assert_eq!(struck(&grid), [(44, 45)]);
}

#[test]
fn removed_units_are_not_struck() {
    let units = [Vec2::new(5.0, 5.0), Vec2::new(6.0, 5.0), Vec2::new(7.0, 5.0)];
    for dead in 0..3 {
        let mut grid = field(&units);
        grid.remove(dead);
        let [a, b] = [[1, 2], [0, 2], [0, 1]][dead as usize];
        assert_eq!(struck(&grid), [(a, b)]);
        assert!(!grid.contains(dead));
    }
}
