//! Where random sequential addition places discs: as evenly as at random, whatever the tiles and threads.

use super::*;
use crate::{parallel::pool, scene::progress::PlacementProgress};

const DISCS: usize = 100_000;

/// Discs whose radii are evenly spread, in a square of which they cover that share.
fn square(low: f32, share: f32) -> (Region, Vec<f32>) {
    let radius = |rank: usize| 1.0 - (1.0 - low) * (rank as f32 + 0.5) / DISCS as f32;
    let radii: Vec<f32> = (0..DISCS).map(radius).collect();
    let squares: f32 = radii.chunks(100).map(|it| it.iter().map(|r| r * r).sum::<f32>()).sum();
    let side = (squares * std::f32::consts::PI / share).sqrt();
    (Region::Rect(Rect::from_size(side, side)), radii)
}

/// The discs by spot: those of a level follow those of the level before.
fn scattered(region: &Region, radii: &[f32], key: u64) -> Vec<(Vec2, f32)> {
    let progress = PlacementProgress::new();
    let packing = scatter(region, radii, key, &PlacementShare::new(&progress));
    let discs = packing.expect("there is memory").expect("there is room").into_discs();
    assert_eq!(progress.placed() as usize, radii.len());
    let discs: Vec<(Vec2, f32)> = discs.iter().collect();
    let mut placed: Vec<f32> = discs.iter().map(|disc| disc.1).collect();
    placed.sort_unstable_by(|one, other| other.total_cmp(one));
    assert!(placed == radii);
    discs
}

/// Small discs lie as uniform points do: in parts of any shape, in worlds of any shape, their
/// numbers have the variance of a multinomial distribution.
#[test]
fn few_discs_are_uniform_in_any_part() {
    let worlds = [[20_000.0, 4.0], [4.0, 20_000.0], [300.0, 300.0]];
    for (size, discs, keys) in
        worlds.iter().flat_map(|&size| [(size, 100, 40), (size, 10_000, 4), (size, 500_000, 1)])
    {
        let size = Vec2::from_array(size);
        // They cover half a percent, so that hardly any is drawn again.
        let radius = (0.005 * size.x * size.y / (discs as f32 * std::f32::consts::PI)).sqrt();
        let bounds = Rect::from_size(size.x, size.y);
        let region = Region::Rect(bounds);
        let layout = Packing::cells(&bounds, radius, discs);
        let tiles = Tiles::new(&region, &layout, discs).expect("there is memory");
        assert!(tiles.len() * 100 <= discs, "{size} {discs}: {} tiles", tiles.len());
        let tile = tiles.shares(0).size();
        // Strips and blocks, the tiles, and what lies around their corners and middles.
        let grids = [
            (Vec2::new(0.1, 1.0), 0.0),
            (Vec2::new(1.0, 0.1), 0.0),
            (Vec2::splat(0.2), 0.0),
            (tile, 0.0),
            (tile, 0.5),
            (tile * 0.5, 0.25),
            (Vec2::new(tile.x * 0.25, 1.0), 0.125),
            (Vec2::new(1.0, tile.y * 0.25), 0.125),
        ];
        let all = vec![radius; discs];
        let placed: Vec<_> = (0..keys).map(|key| scattered(&region, &all, key)).collect();
        for (part, shift) in grids {
            let (mut square, mut freedom) = (0.0, 0.0);
            for discs in &placed {
                let [found, degrees] = chi_square(&bounds, radius, discs, part, shift);
                square += found;
                freedom += degrees;
            }
            // Five standard deviations, and what discs keep others away by.
            let most = 5.0 * (2.0_f64 * freedom).sqrt() + 0.03 * freedom;
            assert!(
                (square - freedom).abs() <= most,
                "{size}, {discs} discs, parts of {part} from {shift}: {square} of {freedom}"
            );
        }
    }
}

/// Chi-square of the numbers of discs in the parts of a grid over the area of their centers, and
/// its degrees of freedom. Parts are given as shares of the area, as is the grid's shift in parts.
fn chi_square(
    bounds: &Rect,
    radius: f32,
    discs: &[(Vec2, f32)],
    part: Vec2,
    shift: f32,
) -> [f64; 2] {
    let free = bounds.expanded(-radius);
    let cells = (1.0 / part + shift).ceil().as_uvec2() + 1;
    let mut counts = vec![0.0_f64; (cells.x * cells.y) as usize];
    for (at, _) in discs {
        let cell = ((*at - free.min) / free.size() / part + shift).as_uvec2().min(cells - 1);
        counts[(cell.y * cells.x + cell.x) as usize] += 1.0;
    }
    let length = |cell: u32, part: f32| {
        let [low, high] = [cell, cell + 1].map(|end| ((end as f32 - shift) * part).clamp(0.0, 1.0));
        f64::from(high - low)
    };
    let (mut square, mut parts, mut rest) = (0.0, 0.0, [0.0; 2]);
    for (index, &count) in (0..).zip(&counts) {
        let share = length(index % cells.x, part.x) * length(index / cells.x, part.y);
        let mean = share * discs.len() as f64;
        if mean < 5.0 {
            // Too small for the distribution of chi-square: together with others.
            rest = [rest[0] + mean, rest[1] + count];
            continue;
        }
        square += (count - mean).powi(2) / mean;
        parts += 1.0;
    }
    if rest[0] >= 5.0 {
        square += (rest[1] - rest[0]).powi(2) / rest[0];
        parts += 1.0;
    }
    [square, parts - 1.0]
}

#[test]
fn any_number_of_threads_places_the_same_discs() {
    let (region, radii) = square(0.1, 0.4);
    let placed =
        |threads| pool(threads).expect("threads").install(|| scattered(&region, &radii, 5));
    let one = scattered(&region, &radii, 5);
    assert!(placed(2) == one && placed(3) == one);
    assert!(scattered(&region, &radii, 6) != one);
}

/// Discs lie as densely at the borders of tiles as inside, have as many close neighbors there,
/// and are counted with the same variance.
#[test]
fn tiles_have_no_seams() {
    for (low, share) in [(0.5, 0.4), (0.5, 0.59), (0.1, 0.4), (0.1, 0.59)] {
        let (region, radii) = square(low, share);
        let bounds = region.bounds();
        // Discs of the finest level, which is the first if there is only one.
        let level = levels(&radii, region.area()).max_by_key(Range::len).expect("discs");
        let layout = Packing::cells(&bounds, radii[level.start], level.len());
        let tiles = Tiles::new(&region, &layout, level.len()).expect("there is memory");
        let tile = bounds.size() * tiles.shares(0).size();
        let (mut near, mut inner, mut boxes) = ([0.0_f64; 2], [0.0_f64; 2], [[0.0_f64; 3]; 2]);
        for key in 0..6 {
            let mut discs = scattered(&region, &radii, key);
            let of_level: Vec<Vec2> = discs[level.clone()].iter().map(|it| it.0).collect();
            discs.sort_unstable_by(|a, b| a.0.x.total_cmp(&b.0.x));
            for (index, &(at, radius)) in discs.iter().enumerate() {
                // Where the walls are far.
                if !Rect::new(tile * 0.5, bounds.max - tile * 0.5).contains(at) {
                    continue;
                }
                let beside = (at / tile - (at / tile).round()).abs() * tile;
                let border = beside.min_element();
                let counts = match border {
                    ..1.0 => &mut near,
                    4.0.. => &mut inner,
                    _ => continue,
                };
                counts[0] += 1.0;
                let behind = discs[index + 1..].iter();
                let window = behind.take_while(|other| other.0.x < at.x + 2.2);
                let close = window.filter(|other| other.0.distance(at) < 1.1 * (radius + other.1));
                counts[1] += close.count() as f64;
            }
            // Boxes of a quarter of a tile's sides, around corners and around middles.
            let cols = (bounds.size() / tile).round();
            let mut counts = [(); 2].map(|()| vec![0.0_f64; (cols.x * cols.y) as usize]);
            for at in of_level {
                for (shift, counts) in [0.0, 0.5].into_iter().zip(&mut counts) {
                    let share = at / tile - shift;
                    let beside = (share - share.round()).abs().max_element();
                    let [col, row] = share.round().to_array().map(|it| it as usize);
                    let is_inner = col > 0 && row > 0 && share.round().cmplt(cols - 1.0).all();
                    if beside < 0.125 && is_inner {
                        counts[row * cols.x as usize + col] += 1.0;
                    }
                }
            }
            for (counts, sums) in counts.iter().zip(&mut boxes) {
                for &count in counts.iter().filter(|count| **count > 0.0) {
                    sums[0] += 1.0;
                    sums[1] += count;
                    sums[2] += count * count;
                }
            }
        }
        let area = |from: f64, to: f64| {
            // Of a tile, the part with a distance in this range from its border.
            let [width, height] = tile.to_array().map(f64::from);
            (width - 2.0 * from) * (height - 2.0 * from) - (width - 2.0 * to) * (height - 2.0 * to)
        };
        let half = f64::from(tile.min_element()) * 0.5;
        let density = near[0] / area(0.0, 1.0) / (inner[0] / area(4.0, half));
        let close = near[1] / near[0] / (inner[1] / inner[0]);
        let [corners, middles] = boxes.map(|[n, sum, squares]| {
            let mean = sum / n;
            [mean, (squares / n - mean * mean) / mean]
        });
        assert!((density - 1.0).abs() < 0.02, "{low} {share}: {density}");
        assert!((close - 1.0).abs() < 0.05, "{low} {share}: {close}");
        assert!((corners[0] / middles[0] - 1.0).abs() < 0.02, "{corners:?} {middles:?}");
        assert!((0.6..1.6).contains(&(corners[1] / middles[1])), "{corners:?} {middles:?}");
    }
}
