//! Drawing into one's own RGBA buffer, such as a texture of a game engine.
//!
//! Run `cargo run --release --no-default-features --example own_buffer`.

use jostle::{
    Result, Scene, Setup, Sim,
    raster::{Camera, Renderer, Style, View},
};

pub(crate) fn main() -> Result<()> {
    let setup = Setup { agents: 5_000, ..Setup::new(Scene::Gas) };
    let mut sim = Sim::new(&setup)?;

    // Four bytes per pixel: red, green, blue, alpha; the top row first.
    let (width, height) = (640_u32, 360_u32);
    let mut buffer = vec![0_u8; width as usize * height as usize * 4];
    let camera = Camera::fit(&sim.world(), width, height);
    let mut renderer = Renderer::new(width, height, Style::from_setup(&setup))?;

    for _frame in 0..10 {
        sim.step()?;
        renderer.draw_into(&mut buffer, &camera, &View::from_sim(&sim));
    }
    let (pixels, _) = buffer.as_chunks::<4>();
    let background = pixels[0];
    let drawn = pixels.iter().filter(|&&pixel| pixel != background).count();
    println!("{drawn} of {} pixels show agents", pixels.len());
    assert!(drawn > 1_000);
    Ok(())
}
