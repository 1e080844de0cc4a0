//! Colors of the places that agents started from: they stay with the agents, and are forgotten with them.

use std::collections::{BTreeMap, BTreeSet};

use jostle::{
    Rect,
    raster::{ColorBy, Frame, Renderer, Style},
    rng::Rng,
};

use crate::canvas::{Canvas, discs, pixelwise};

#[test]
fn start_places_stay_with_their_ids() {
    // In the middle of their fields, where the id decides nothing.
    let world = Rect::from_size(60.0, 60.0);
    let first = Canvas::new(world, 10.0, &discs(&[(12.0, 12.0, 3.0), (48.0, 48.0, 3.0)]));
    let second = Canvas::new(world, 10.0, &discs(&[(48.0, 48.0, 3.0), (12.0, 12.0, 3.0)]));
    let look = Style { color_by: ColorBy::Start, ..Style::default() };
    let mut renderer = Renderer::new(60, 60, look);
    let mut frames = [Frame::new(60, 60), Frame::new(60, 60)];
    renderer.record_starts(&first.picture());
    renderer.draw(&mut frames[0], &pixelwise(60, 60), &first.picture());
    renderer.record_starts(&second.picture());
    renderer.draw(&mut frames[1], &pixelwise(60, 60), &second.picture());
    let (low, high) = (48 * 60 + 12, 12 * 60 + 48);
    assert_ne!(frames[0].pixels[low], frames[0].pixels[high]);
    assert_eq!(frames[0].pixels[low], frames[1].pixels[high], "agent 0 took its color along");
    renderer.clear_starts();
    renderer.record_starts(&second.picture());
    renderer.draw(&mut frames[1], &pixelwise(60, 60), &second.picture());
    assert_eq!(frames[0].pixels[low], frames[1].pixels[low], "the place decides anew");
}

/// Places for as many agents, none of which hides another: 10 × 10 in a frame of 100 × 100.
const PLACES: usize = 100;

/// The colors of agents, each in the middle of its place.
fn colors(renderer: &mut Renderer, alive: &[(u32, usize)]) -> BTreeMap<u32, [u8; 4]> {
    let place = |at: usize| [at % 10 * 10 + 5, at / 10 * 10 + 5];
    let mut agents = discs(&vec![(0.0, 0.0, 3.0); alive.len()]);
    for (slot, &(id, at)) in alive.iter().enumerate() {
        let [x, y] = place(at).map(|middle| middle as f32 + 0.5);
        (agents.id[slot], agents.x[slot], agents.y[slot]) = (id, x, y);
    }
    let canvas = Canvas::new(Rect::from_size(100.0, 100.0), 10.0, &agents);
    let mut frame = Frame::new(100, 100);
    renderer.record_starts(&canvas.picture());
    renderer.draw(&mut frame, &pixelwise(100, 100), &canvas.picture());
    let pixel = |&(id, at): &(u32, usize)| {
        let [x, y] = place(at);
        (id, frame.pixels[(99 - y) * 100 + x])
    };
    alive.iter().map(pixel).collect()
}

#[test]
fn they_stay_however_many_come_and_go_and_take_no_more_room_for_it() {
    let look = Style { color_by: ColorBy::Start, shading: 0.0, ..Style::default() };
    let mut renderer = Renderer::new(100, 100, look);
    let mut rng = Rng::new(41);
    let mut alive: Vec<(u32, usize)> = (0..60).map(|id| (id, id as usize)).collect();
    let mut expected = colors(&mut renderer, &alive);
    let (mut next, mut seen) = (3_000_000, BTreeSet::new());
    let memory = renderer.memory();
    for round in 0..60 {
        // Some leave; those who come instead have ids in a row, with a gap here and there.
        alive.retain(|_| rng.below(3) > 0);
        while alive.len() < PLACES - 20 {
            next += if rng.below(4) == 0 { 1 + rng.below(900_000) } else { 1 };
            alive.push((next, 0));
        }
        let mut places: Vec<usize> = (0..PLACES).collect();
        for (agent, left) in alive.iter_mut().zip((1..=PLACES as u32).rev()) {
            agent.1 = places.swap_remove(rng.below(left) as usize);
        }
        let now = colors(&mut renderer, &alive);
        for (id, color) in &now {
            let first = *expected.entry(*id).or_insert(*color);
            assert_eq!(*color, first, "agent {id} in round {round}");
            seen.insert(first);
        }
        assert!(
            renderer.memory() <= memory + 16 * PLACES,
            "{} in round {round}",
            renderer.memory()
        );
    }
    assert!(seen.len() > 50 && expected.len() > 1_000);
}
