//! A band: some rows of the frame, drawn by one thread and clipped to its borders.
//!
//! ```text
//!   frame                          grid (y up)
//!   ┌──────────────────┐  band 0   rows_reaching(band) ─► grid rows, and in each of them one range of
//!   ├──────────────────┤  band 1                          slots, since agents lie in cell order
//!   ├──────────────────┤  band 2
//!   └──────────────────┘
//! ```
//!
//! What a pixel becomes depends on the agents that meet it and on their order, never on where bands
//! begin: an agent that meets two bands is drawn in both, and each keeps its own rows of it.

use crate::raster::{
    batch::{Batch, LEN},
    blend::Pixel,
    density::{self, Sum},
    shot::Shot,
    span::{self, Disc},
    sprite, walk, whole,
};

/// Rows of the frame, to be drawn.
#[derive(Debug)]
pub(crate) struct Band<'a> {
    /// Its first row, counted from the frame's top.
    pub(crate) top: i32,
    /// Rows.
    pub(crate) rows: i32,
    /// Pixels a row.
    pub(crate) width: i32,
    /// Its part of the frame.
    pub(crate) pixels: &'a mut [Pixel],
    /// As many sums, all zero between draws.
    pub(crate) density: &'a mut [Sum],
    /// True if anything was added to them.
    pub(crate) dense: bool,
}

impl Band<'_> {
    /// Row `y` of the frame, which has to be one of the band's.
    pub(crate) fn row(&mut self, y: i32) -> &mut [Pixel] {
        let at = ((y - self.top) * self.width) as usize;
        &mut self.pixels[at..at + self.width as usize]
    }
}

/// Draws a band: ground, wide agents, narrow agents in cell order, density. A profile shows it by name.
#[inline(never)]
pub(crate) fn draw_band(band: &mut Band<'_>, shot: &Shot<'_>) {
    let mut batch = Batch::new();
    shot.ground.fill(band);
    let area = shot.area(band);
    shot.for_each_wide(&area, |slots| {
        batch.gather(shot, slots);
        draw_batch(band, shot, &batch);
    });
    if shot.random {
        shot.for_each_scattered(|slots| {
            batch.gather_narrow(shot, slots);
            draw_batch(band, shot, &batch);
        });
    } else {
        for slots in walk::rows(shot.picture.grid, area) {
            for start in slots.clone().step_by(LEN) {
                batch.load_narrow(shot, start..slots.end.min(start + LEN));
                draw_batch(band, shot, &batch);
            }
        }
    }
    density::resolve(band);
}

/// Draws a batch of agents, each as what its radius makes it.
fn draw_batch(band: &mut Band<'_>, shot: &Shot<'_>, batch: &Batch) {
    match batch.sprite_rows {
        Some(2) => draw_sprites::<2>(band, shot, batch),
        Some(3) => draw_sprites::<3>(band, shot, batch),
        Some(_) => draw_sprites::<4>(band, shot, batch),
        None => (0..batch.len).for_each(|k| draw_one(band, shot, batch, k)),
    }
}

/// Draws a batch of nothing but small discs.
fn draw_sprites<const ROWS: usize>(band: &mut Band<'_>, shot: &Shot<'_>, batch: &Batch) {
    let table = sprite::table();
    for k in 0..batch.len {
        let color = shot.swatches.lanes[usize::from(batch.tone[k])];
        sprite::draw::<ROWS>(band, table, batch.placed(k), color);
    }
}

/// Draws an agent of any size.
fn draw_one(band: &mut Band<'_>, shot: &Shot<'_>, batch: &Batch, k: usize) {
    let (x, y, radius) = (batch.x[k], batch.y[k], batch.radius[k]);
    let tone = usize::from(batch.tone[k]);
    let disc = Disc { x, y, radius, color: shot.swatches.pixels[tone], shading: shot.shading };
    if radius > whole::RADIUS_MAX {
        span::draw(band, disc);
    } else if radius > sprite::RADIUS_MAX {
        whole::draw(band, disc);
    } else if radius >= density::RADIUS {
        sprite::draw::<4>(band, sprite::table(), batch.placed(k), shot.swatches.lanes[tone]);
    } else if radius > 0.0 {
        density::add(band, x, y, radius, shot.swatches.sums[tone]);
        if radius > density::RADIUS_ALL {
            let share = 1.0 - density::share(radius);
            let color = shot.swatches.lanes[tone];
            sprite::draw_faint(band, sprite::table(), batch.placed(k), color, share);
        }
    }
}
