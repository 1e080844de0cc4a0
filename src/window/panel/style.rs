//! What the panel looks like, and where it is: small, dark, at the left edge below the status line.

use egui::{
    Align, Align2, Color32, Context, FontId, Frame, Layout, Margin, Rect, RichText, ScrollArea,
    Stroke, TextStyle, Ui, Vec2, Visuals,
};

/// Width of what is in it, points.
pub(super) const WIDTH: f32 = 272.0;

/// Width of the words at the left of a row, points.
const WORD: f32 = 62.0;

/// Points between the panel and what is around it.
const MARGIN: f32 = 8.0;

/// Points that are left free below it, where the scale bar is.
const BELOW: f32 = 44.0;

/// Points that it is high, at least: in a smaller window, not all of it is seen.
const LEAST: f32 = 60.0;

/// Of what is plain, quiet, and amiss: those of the status line.
pub(super) const PLAIN: Color32 = Color32::from_rgb(222, 226, 235);
pub(super) const QUIET: Color32 = Color32::from_rgb(150, 158, 176);
pub(super) const AMISS: Color32 = Color32::from_rgb(255, 196, 64);

/// Nothing moves of its own accord: each change is one frame, and what is left alone costs nothing.
pub(super) fn apply(context: &Context) {
    context.set_theme(egui::Theme::Dark);
    context.all_styles_mut(|style| {
        style.animation_time = 0.0;
        style.visuals = visuals();
        style.spacing.item_spacing = Vec2::new(6.0, 2.0);
        style.spacing.interact_size = Vec2::new(32.0, 16.0);
        style.spacing.button_padding = Vec2::new(5.0, 1.0);
        style.spacing.slider_width = 116.0;
        style.spacing.combo_width = 116.0;
        style.spacing.scroll.floating = true;
        for (name, size) in [
            (TextStyle::Body, 12.0),
            (TextStyle::Button, 12.0),
            (TextStyle::Small, 10.0),
            (TextStyle::Heading, 13.0),
        ] {
            style.text_styles.insert(name, FontId::proportional(size));
        }
        style.text_styles.insert(TextStyle::Monospace, FontId::monospace(11.0));
    });
}

fn visuals() -> Visuals {
    let mut visuals = Visuals::dark();
    visuals.override_text_color = Some(PLAIN);
    visuals.text_cursor.blink = false;
    visuals.window_shadow = egui::Shadow::NONE;
    visuals.popup_shadow = egui::Shadow::NONE;
    visuals
}

/// Points of its border through which something shows: half of the line is soft.
pub(super) const SOFT: f32 = 2.0;

/// Shows the panel with `contents` in it; `top` physical pixels are taken. Returns where it is.
pub(super) fn frame(ui: &mut Ui, top: u32, contents: impl FnOnce(&mut Ui)) -> Rect {
    let context = ui.ctx().clone();
    let top = top as f32 / context.pixels_per_point() + MARGIN;
    let height = (context.content_rect().height() - top - BELOW).max(LEAST);
    let place = Vec2::new(MARGIN, top);
    let area = egui::Area::new("panel".into()).anchor(Align2::LEFT_TOP, place);
    let shown = area.show(&context, |ui| {
        // Whatever it was in another window: egui remembers how large an area was.
        ui.set_max_size(Vec2::new(WIDTH + 18.0, height));
        Frame::new()
            .fill(Color32::from_rgb(18, 21, 31))
            .stroke(Stroke::new(1.0, Color32::from_rgb(58, 66, 92)))
            .inner_margin(Margin::same(8))
            .show(ui, |ui| {
                ScrollArea::vertical().max_height(height - 18.0).show(ui, |ui| {
                    ui.set_width(WIDTH);
                    contents(ui);
                });
            });
    });
    shown.response.rect
}

/// A line above what belongs together.
pub(super) fn headline(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.label(RichText::new(text).color(QUIET).size(10.5));
}

/// Words at the left, and what belongs to them beside them.
pub(super) fn row(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        word(ui, name);
        contents(ui);
    });
}

/// Words at the left of a row, all of one width.
pub(super) fn word(ui: &mut Ui, text: &str) {
    let size = Vec2::new(WORD, ui.spacing().interact_size.y);
    let layout = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_width(WORD);
        ui.label(RichText::new(text).color(QUIET));
    });
}
