//! The screen: how the run looks, what part of it is shown, and what lies over the picture.

use glam::Vec2;
use rayon::ThreadPool;

use crate::{
    alloc,
    error::Result,
    geometry::Rect,
    journal::JournalView,
    raster::{
        Camera, ColorBy, Exposure, Glow, Interpolation, Overlay, Palette, Renderer, Style, View,
    },
    scene::Scene,
    sim::Sim,
    simd::SimdLevel,
    window::{
        command::Choice,
        event::Event,
        hud::{
            HudBlock, HudText, Inspection, MapPlace, Minimap, TimelinePlace, ToolBarPlace, corner,
            key_help, status, text_scale, timeline_bar,
        },
        timeline::Timeline,
        view_control::ViewControl,
    },
};

/// Sizes of text and panel, relative to the size that the screen asks for.
pub(in crate::window) const INTERFACE_SCALES: [f32; 9] =
    [0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0];

/// Smallest radius of the inspected agent after it was clicked, pixels of a screen of scale 1.
const INSPECTED_RADIUS: f32 = 14.0;

/// The left half of a split picture.
pub(in crate::window) struct OtherHalf {
    pub(super) renderer: Renderer,
    pub(super) pixels: Vec<u8>,
    /// The colors before.
    pub(super) color_by: ColorBy,
    /// Whether the pointer is there.
    pub(super) pointed: bool,
    /// What this half and the other one show.
    pub(super) names: [String; 2],
}

/// The picture of the run, and what is drawn over it.
pub(in crate::window) struct Screen {
    pub(super) renderer: Renderer,
    /// The part of the world that is shown.
    pub(in crate::window) view: ViewControl,
    pub(super) size: [u32; 2],
    /// Draws films of another size than the window's, while there is one.
    captured: Option<Renderer>,
    /// Physical pixels per logical pixel.
    scale_factor: f64,
    /// The user's factor for the size of text and panel.
    pub(in crate::window) interface_scale: f32,
    /// Pixels per point of text.
    pub(super) text_scale: f32,
    /// Columns of pixels at the left that the panel takes.
    pub(super) beside: u32,
    /// The other half of the picture, while it is split.
    pub(super) split: Option<OtherHalf>,
    /// Whether rows at the bottom are taken by the timeline, and of how many branches.
    has_timeline: bool,
    branches: usize,
    /// The page of the keys that is shown, from 1; 0 if none is.
    pub(super) help: u32,
    /// Whether dense places glow.
    pub(in crate::window) glow: bool,
    light: Glow,
    /// The inspected agent.
    pub(super) inspection: Option<Inspection>,
    pub(super) minimap: Minimap,
    /// Whether the tool bar is shown.
    pub(in crate::window) tool_bar: bool,
    /// The parts of the HUD in the frame that was drawn last.
    pub(in crate::window) hud_blocks: Vec<HudBlock>,
}

impl Screen {
    /// Shows the whole world in a frame of one pixel.
    pub(super) fn new(renderer: Renderer, world: Rect, has_timeline: bool) -> Self {
        Self {
            renderer,
            view: ViewControl::new(world, [1, 1], [0; 4]),
            size: [1, 1],
            captured: None,
            scale_factor: 1.0,
            interface_scale: 1.0,
            text_scale: 1.0,
            beside: 0,
            split: None,
            has_timeline,
            branches: 0,
            help: 0,
            glow: false,
            light: Glow::default(),
            inspection: None,
            minimap: Minimap::default(),
            tool_bar: true,
            hud_blocks: Vec::new(),
        }
    }

    /// How agents look.
    pub(in crate::window) fn style(&self) -> &Style {
        self.renderer.style()
    }

    /// Rows of pixels at the top that the status line takes, without a message.
    pub(in crate::window) fn text_height(&self) -> u32 {
        status::height(1, self.text_scale)
    }

    /// Rows of pixels at the bottom that the timeline takes.
    fn timeline_height(&self) -> u32 {
        let height = timeline_bar::height(self.text_scale, self.branches);
        if self.has_timeline { height } else { 0 }
    }

    /// Columns at the left, and rows at the top and at the bottom, that the interface takes.
    pub(super) fn interface(&self) -> [u32; 3] {
        [self.beside, self.text_height(), self.timeline_height()]
    }

    /// The same for the table of keys, with a line of the messages at the top.
    pub(super) fn beside_keys(&self) -> [u32; 3] {
        let [columns, _, bottom] = self.interface();
        [columns, status::height(2, self.text_scale), bottom]
    }

    /// Columns at the left, and rows at the top and at the bottom, in which the run is not shown; and rows
    /// of the legends below it.
    pub(super) fn taken(&self) -> [u32; 4] {
        let [_, top, bottom] = self.interface();
        [self.halves()[1], top, bottom, corner::height(self.text_scale, bottom)]
    }

    /// The part of the world that is in sight beside the panel or the other half.
    pub(super) fn seen(&self) -> Rect {
        let [corner, end] = [Vec2::new(self.halves()[1] as f32, 0.0), self.view.camera().size];
        let [upper, lower] = [corner, end].map(|pixel| self.view.camera().to_world(pixel));
        Rect::new(upper.min(lower), upper.max(lower))
    }

    /// Fits the whole world beside this many columns of pixels at the left.
    pub(in crate::window) fn fit_beside(&mut self, columns: u32) {
        if self.beside != columns {
            self.beside = columns;
            self.view.resize(self.size, self.taken());
        }
    }

    /// Fits the whole world above a timeline with that many branches.
    pub(super) fn fit_above(&mut self, branches: usize) {
        if self.branches != branches {
            self.branches = branches;
            self.view.resize(self.size, self.taken());
        }
    }

    /// Sets the frame's width and height in pixels, and the screen's scale factor.
    pub(in crate::window) fn resize(&mut self, size: [u32; 2], scale_factor: f64) {
        (self.size, self.scale_factor) = (size, scale_factor);
        self.text_scale = text_scale(scale_factor * f64::from(self.interface_scale));
        self.view.resize(size, self.taken());
        alloc::demanded(self.renderer.resize(size[0], size[1]));
    }

    /// Whether the keys take the place of a panel of that many columns: there is no room beside it.
    pub(in crate::window) fn help_covers(&self, columns: u32) -> bool {
        self.help > 0 && !key_help::fits(self.size, columns, self.text_scale)
    }

    /// Shows the next page of the keys; after the last, hides them.
    pub(super) fn turn_page(&mut self, text: &mut HudText) -> Event {
        let pages = key_help::pages(self.size, self.beside_keys(), text, self.text_scale);
        self.help = if self.help < pages { self.help + 1 } else { 0 };
        Event::switched("help", self.help > 0)
    }

    /// Sets the palette. The event tells if the colors in use have none.
    pub(super) fn set_palette(&mut self, choice: Choice<Palette>) -> Event {
        let event = self.restyle(|style| style.palette = choice.or_next(|| style.palette.next()));
        let Style { palette, color_by, .. } = self.style();
        if self.style().uses_palette() {
            return event;
        }
        Event::set(
            "colors",
            format!("{color_by}, the same in every palette: {palette} is for others"),
        )
    }

    /// Sets how bright a crowd of small discs is.
    pub(super) fn set_exposure(&mut self, choice: Choice<Exposure>) -> Event {
        self.restyle(|style| style.exposure = choice.or_next(|| style.exposure.toggled()));
        Event::set("exposure", self.style().exposure)
    }

    /// Sets the overlay.
    pub(super) fn set_overlay(&mut self, choice: Choice<Overlay>) -> Event {
        self.restyle(|style| style.overlay = choice.or_next(|| style.overlay.next()));
        Event::set("overlay", self.style().overlay)
    }

    /// Lets dense places glow, or not.
    pub(super) fn set_glow(&mut self, choice: Choice<bool>) -> Event {
        self.glow = choice.or_next(|| !self.glow);
        Event::switched("glow", self.glow)
    }

    /// Makes text and panel this many sizes larger; 0 gives them the usual size.
    pub(super) fn resize_interface(&mut self, sizes: isize) -> Event {
        self.set_interface_scale(resized(self.interface_scale, sizes))
    }

    /// Sets the size of text and panel.
    pub(super) fn set_interface_scale(&mut self, scale: f32) -> Event {
        let [least, most] = [INTERFACE_SCALES[0], INTERFACE_SCALES[INTERFACE_SCALES.len() - 1]];
        self.interface_scale = scale.clamp(least, most);
        self.resize(self.size, self.scale_factor);
        Event::set("interface scale", self.interface_scale)
    }

    /// Changes the style. The event names the colors.
    pub(super) fn restyle(&mut self, change: impl FnOnce(&mut Style)) -> Event {
        let mut style = self.style().clone();
        change(&mut style);
        let colors = style.colors_name();
        self.renderer.set_style(style);
        Event::set("colors", colors)
    }

    /// Shows the whole world of a run that replaces the one of `before`, in the style of the user.
    pub(super) fn adapt_to(&mut self, sim: &Sim, before: Scene) {
        let Style { color_by, palette, exposure, overlay, species, .. } = *self.style();
        let own = Style::from_setup(sim.setup());
        let mut style = Style { palette, overlay, exposure, species, ..own };
        // The user's choice stays, unless there are factions or were some, or nothing spins any
        // more.
        let stays = ColorBy::all_of(sim.agents()).any(|possible| possible == color_by);
        if stays && color_by != ColorBy::best_in(before) && style.color_by != ColorBy::Faction {
            style.color_by = color_by;
        }
        self.renderer.set_style(style);
        self.view = ViewControl::new(sim.world(), self.size, self.taken());
    }

    /// Forgets the agents of the run before this one; ids start again.
    pub(super) fn restart(&mut self, sim: &Sim) {
        self.renderer.clear_starts();
        self.renderer.record_starts(&View::from_sim(sim));
        self.inspection = None;
    }

    /// Shows what another window showed.
    pub(super) fn show(&mut self, view: JournalView) {
        match view {
            JournalView::Whole => self.view.fit(),
            JournalView::Part(middle, width) => self.view.show_part(middle, width),
        }
    }

    /// Keeps the view where it is instead of over the inspected agent.
    pub(super) fn stop_following(&mut self) {
        self.inspection.iter_mut().for_each(|inspection| inspection.follows = false);
    }

    /// Centers the view on a pixel of the mini-map, if the map is shown.
    pub(super) fn look_at_map(&mut self, world: Rect, pixel: Vec2) -> Option<Event> {
        let place = self.map_place(world)?;
        self.view.look_at(place.to_world(pixel));
        self.stop_following();
        Some(Event::View("mapped"))
    }

    /// Inspects the agent at a pixel and centers the view on it; without an agent there, ends the
    /// inspection.
    pub(super) fn inspect(&mut self, sim: &Sim, pixel: Vec2) -> Event {
        let (view, camera) = (View::from_sim(sim), *self.view.camera());
        self.inspection = Inspection::at(&view, camera.to_world(pixel), camera.scale);
        let found = self.inspection.as_mut().and_then(|it| Some((it.update(&view)?, it.id)));
        let Some((agent, id)) = found else { return Event::set("inspect", "nothing") };
        let scale = INSPECTED_RADIUS * self.text_scale / agent.radius;
        self.view.look_close(sim.space().wrapped(agent.position), scale);
        Event::set("inspect", id)
    }

    /// Updates the inspection and keeps the view over its agent; ends it if the agent is gone.
    pub(super) fn follow(&mut self, sim: &Sim, interpolation: Interpolation) {
        let space = sim.space();
        let Some(inspection) = &mut self.inspection else { return };
        match inspection.update(&View::from_sim(sim)) {
            Some(agent) if inspection.follows => {
                self.view.look_at(space.wrapped(interpolation.position(&agent, &space)));
            }
            Some(_) => {}
            None => self.inspection = None,
        }
    }

    /// The mini-map's place in the frame; `None` while the whole world is in view.
    pub(super) fn map_place(&self, world: Rect) -> Option<MapPlace> {
        let above = Vec2::new(0.0, self.timeline_height() as f32);
        let place = MapPlace::new(world, self.view.camera().size - above, self.text_scale);
        place.filter(|_| self.view.is_close())
    }

    /// The place of the tool bar in the frame; `None` if it is hidden or there is no room.
    pub(super) fn tool_bar_place(&self) -> Option<ToolBarPlace> {
        ToolBarPlace::new(self.size, self.text_scale).filter(|_| self.tool_bar)
    }

    /// The place of the timeline in the frame; `None` if nothing is kept or there is no room.
    pub(super) fn timeline_place(&self, timeline: &Timeline) -> Option<TimelinePlace> {
        let (span, branches) = (timeline.span(), timeline.branches().len());
        let place = TimelinePlace::new(self.size, self.beside, self.text_scale, span, branches);
        place.filter(|_| timeline.goes_back())
    }

    /// World units of a length in pixels of a screen of scale factor 1.
    pub(super) fn to_world_length(&self, pixels: f32) -> f32 {
        pixels * self.text_scale / self.view.camera().scale
    }

    /// Draws the agents into the bytes of a frame.
    pub(super) fn draw_agents(
        &mut self,
        bytes: &mut [u8],
        camera: &Camera,
        pool: &ThreadPool,
        sim: &Sim,
        interpolation: Interpolation,
    ) {
        let Self { renderer, .. } = self;
        renderer.set_simd(sim.simd());
        renderer.set_interpolation(interpolation);
        pool.install(|| renderer.draw_into(bytes, camera, &View::from_sim(sim)));
    }

    /// Prepares frames of this size for a film.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(in crate::window) fn capture_at(&mut self, [width, height]: [u32; 2]) -> Result<()> {
        let other = self.size != [width, height];
        let renderer = other.then(|| Renderer::new(width, height, self.style().clone()));
        self.captured = renderer.transpose()?;
        Ok(())
    }

    /// Frees what a film has taken.
    pub(in crate::window) fn end_capture(&mut self) {
        self.captured = None;
    }

    /// As [`Self::draw_agents`], for a camera of another size than the window's, too.
    pub(super) fn draw_captured(
        &mut self,
        bytes: &mut [u8],
        camera: &Camera,
        pool: &ThreadPool,
        sim: &Sim,
        interpolation: Interpolation,
    ) {
        let [width, height] = camera.size.to_array().map(|side| side as u32);
        if self.size == [width, height] {
            return self.draw_agents(bytes, camera, pool, sim, interpolation);
        }
        // The window may have had that size when the film began.
        let captured = self.captured.take().map_or_else(
            || Renderer::new(width, height, self.style().clone()),
            |mut captured| captured.resize(width, height).map(|()| captured),
        );
        let mut captured = alloc::demanded(captured);
        if captured.style() != self.style() {
            captured.set_style(self.style().clone());
        }
        // The tones know where the agents started.
        captured.swap_tones(&mut self.renderer);
        std::mem::swap(&mut captured, &mut self.renderer);
        self.draw_agents(bytes, camera, pool, sim, interpolation);
        std::mem::swap(&mut captured, &mut self.renderer);
        captured.swap_tones(&mut self.renderer);
        self.captured = Some(captured);
    }

    /// Adds glow to the bytes of a frame of `size` pixels, if dense places glow.
    pub(super) fn add_glow(
        &mut self,
        bytes: &mut [u8],
        size: [u32; 2],
        pool: &ThreadPool,
        simd: SimdLevel,
    ) {
        if self.glow {
            let (pixels, _) = bytes.as_chunks_mut();
            pool.install(|| self.light.add(pixels, size, simd));
        }
    }
}

/// A scale of the interface that is `sizes` sizes larger; the usual one for 0 sizes.
fn resized(scale: f32, sizes: isize) -> f32 {
    if sizes == 0 {
        return 1.0;
    }
    let below = INTERFACE_SCALES.iter().filter(|size| **size < scale).count();
    let at =
        if sizes > 0 { INTERFACE_SCALES.partition_point(|size| *size <= scale) } else { below };
    let to = at.saturating_add_signed(if sizes > 0 { sizes - 1 } else { sizes });
    INTERFACE_SCALES[to.min(INTERFACE_SCALES.len() - 1)]
}
