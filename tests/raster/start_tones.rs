//! Colors of start positions: they stay with the agents, and are forgotten with them.

use std::collections::{BTreeMap, BTreeSet};

use jostle::{
    Rect,
    raster::{ColorBy, Frame, Renderer, Style},
    rng::Rng,
};

use crate::canvas::{Canvas, discs, pixelwise};

#[test]
fn start_colors_stay_with_their_ids() {
    // In the middle of their fields, where the id does not affect the color.
    let world = Rect::from_size(60.0, 60.0);
    let first = Canvas::new(world, 10.0, &discs(&[(12.0, 12.0, 3.0), (48.0, 48.0, 3.0)]));
    let second = Canvas::new(world, 10.0, &discs(&[(48.0, 48.0, 3.0), (12.0, 12.0, 3.0)]));
    let style = Style { color_by: ColorBy::Start, ..Style::default() };
    let mut renderer = Renderer::new(60, 60, style).unwrap();
    let mut frames = [Frame::new(60, 60).unwrap(), Frame::new(60, 60).unwrap()];
    renderer.record_starts(&first.view());
    renderer.draw(&mut frames[0], &pixelwise(60, 60), &first.view());
    renderer.record_starts(&second.view());
    renderer.draw(&mut frames[1], &pixelwise(60, 60), &second.view());
    let (low, high) = (48 * 60 + 12, 12 * 60 + 48);
    assert_ne!(frames[0].pixels[low], frames[0].pixels[high]);
    assert_eq!(frames[0].pixels[low], frames[1].pixels[high], "agent 0 lost its color");
    renderer.clear_starts();
    renderer.record_starts(&second.view());
    renderer.draw(&mut frames[1], &pixelwise(60, 60), &second.view());
    assert_eq!(frames[0].pixels[low], frames[1].pixels[low], "the position decides again");
}

/// Positions of agents that don't hide each other: 10 × 10 in a frame of 100 × 100.
const POSITIONS: usize = 100;

/// The color of each agent by id, from id and position index.
fn colors(renderer: &mut Renderer, alive: &[(u32, usize)]) -> BTreeMap<u32, [u8; 4]> {
    let center = |at: usize| [at % 10 * 10 + 5, at / 10 * 10 + 5];
    let mut agents = discs(&vec![(0.0, 0.0, 3.0); alive.len()]);
    for (slot, &(id, at)) in alive.iter().enumerate() {
        let [x, y] = center(at).map(|middle| middle as f32 + 0.5);
        (agents.id[slot], agents.x[slot], agents.y[slot]) = (id, x, y);
    }
    let canvas = Canvas::new(Rect::from_size(100.0, 100.0), 10.0, &agents);
    let mut frame = Frame::new(100, 100).unwrap();
    renderer.record_starts(&canvas.view());
    renderer.draw(&mut frame, &pixelwise(100, 100), &canvas.view());
    let pixel = |&(id, at): &(u32, usize)| {
        let [x, y] = center(at);
        (id, frame.pixels[(99 - y) * 100 + x])
    };
    alive.iter().map(pixel).collect()
}

#[test]
fn start_colors_survive_turnover() {
    let style = Style { color_by: ColorBy::Start, shading: 0.0, ..Style::default() };
    let mut renderer = Renderer::new(100, 100, style).unwrap();
    let mut rng = Rng::new(41);
    let mut alive: Vec<(u32, usize)> = (0..60).map(|id| (id, id as usize)).collect();
    let mut expected = colors(&mut renderer, &alive);
    let (mut next, mut seen) = (3_000_000, BTreeSet::new());
    for round in 0..60 {
        // Some agents leave. Their replacements have consecutive ids with occasional gaps.
        alive.retain(|_| rng.below(3) > 0);
        while alive.len() < POSITIONS - 20 {
            next += if rng.below(4) == 0 { 1 + rng.below(900_000) } else { 1 };
            alive.push((next, 0));
        }
        let mut positions: Vec<usize> = (0..POSITIONS).collect();
        for (agent, left) in alive.iter_mut().zip((1..=POSITIONS as u32).rev()) {
            agent.1 = positions.swap_remove(rng.below(left) as usize);
        }
        let now = colors(&mut renderer, &alive);
        for (id, color) in &now {
            let first = *expected.entry(*id).or_insert(*color);
            assert_eq!(*color, first, "agent {id} in round {round}");
            seen.insert(first);
        }
    }
    assert!(seen.len() > 50 && expected.len() > 1_000);
}
