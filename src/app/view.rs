//! What the window shows of the world. While nobody has moved the view it follows the window: the
//! whole world, whatever the size.

use glam::Vec2;

use crate::{camera::Camera, rect::Rect};

/// What a notch of the wheel magnifies by.
const NOTCH: f32 = 1.2;

/// Notches at a time, at most: a wheel that claims more is broken, and a factor must stay finite.
const NOTCHES_MAX: f32 = 50.0;

/// The camera, and whether it still shows the whole world.
#[derive(Clone, Debug)]
pub(super) struct View {
    world: Rect,
    size: [u32; 2],
    camera: Camera,
    fitted: bool,
}

impl View {
    /// The whole of `world` in a frame of that many pixels.
    pub(super) fn new(world: Rect, size: [u32; 2]) -> Self {
        Self { world, size, camera: Camera::fit(&world, size[0], size[1]), fitted: true }
    }

    /// Where it looks.
    pub(super) fn camera(&self) -> &Camera {
        &self.camera
    }

    /// The whole world.
    pub(super) fn fit(&mut self) {
        *self = Self::new(self.world, self.size);
    }

    /// A frame of another size.
    pub(super) fn resize(&mut self, size: [u32; 2]) {
        self.size = size;
        if self.fitted {
            self.fit();
        } else {
            self.camera.resize(size[0], size[1]);
        }
    }

    /// Zooms in by that many notches of the wheel (out if negative); what is under `cursor` stays.
    pub(super) fn zoom(&mut self, notches: f32, cursor: Vec2) {
        let notches = notches.clamp(-NOTCHES_MAX, NOTCHES_MAX);
        self.camera.zoom_at(cursor, NOTCH.powf(notches), &self.world);
        self.fitted = false;
    }

    /// Moves what is seen by that many pixels, y down.
    pub(super) fn pan(&mut self, pixels: Vec2) {
        self.camera.pan(pixels, &self.world);
        self.fitted = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: Rect = Rect::new(Vec2::new(-100.0, 50.0), Vec2::new(1500.0, 950.0));

    #[test]
    fn a_fitted_view_follows_the_window() {
        let mut view = View::new(WORLD, [800, 450]);
        view.resize([400, 450]);
        assert_eq!(*view.camera(), Camera::fit(&WORLD, 400, 450));
    }

    #[test]
    fn a_moved_view_stays_where_it_is_until_fitted() {
        let mut view = View::new(WORLD, [800, 450]);
        view.zoom(4.0, Vec2::new(10.0, 10.0));
        view.pan(Vec2::new(-30.0, 5.0));
        let before = *view.camera();
        for size in [[1, 1], [0, 0], [800, 450]] {
            view.resize(size);
        }
        assert_eq!(view.camera().center, before.center);
        assert!((view.camera().scale / before.scale - 1.0).abs() < 1e-4);
        view.fit();
        assert_eq!(*view.camera(), Camera::fit(&WORLD, 800, 450));
    }

    #[test]
    fn a_broken_wheel_loses_nothing() {
        let mut view = View::new(WORLD, [800, 450]);
        for notches in [1e30, -1e30, f32::NAN, f32::INFINITY] {
            view.zoom(notches, Vec2::new(3.0, 4.0));
            assert!(view.camera().scale.is_finite() && view.camera().scale > 0.0);
            assert!(WORLD.contains(view.camera().center));
        }
    }
}
