//! Style and position of the panel: small and dark, at the left edge below the status line.

use egui::{
    Align, Align2, Color32, ComboBox, Context, FontId, Frame, Layout, Margin, Rect, RichText,
    ScrollArea, Sense, Stroke, TextStyle, Ui, UiBuilder, Vec2, Visuals, WidgetText,
    style::ScrollStyle,
};

use crate::window::hud::{TEXT_SIZE, fonts};

/// Identifies the panel.
pub(super) const PANEL: &str = "panel";

/// Width of the contents in points.
pub(super) const WIDTH: f32 = 272.0;

/// Width of text fields and lists in points.
pub(super) const FIELD: f32 = 92.0;
const NARROW_FIELD: f32 = 60.0;

/// Width of the scroll bar beside the contents, points.
const SCROLL: f32 = 4.0;

/// Width of the label at the left of a row, in points.
const LABEL: f32 = 62.0;

/// Space between the panel, the window's edges and the status line, in points.
const MARGIN: f32 = 8.0;

/// Smallest height in points. A lower window shows only a part of the panel.
const HEIGHT_MIN: f32 = 60.0;

/// Smallest height in which a part of the panel stays where it is, points.
const PINNED_MIN: f32 = 330.0;

/// Largest width of a hint, points.
const HINT: f32 = 250.0;

/// Colors of plain text and of labels, as in the status line.
pub(super) const PLAIN: Color32 = Color32::from_rgb(222, 226, 235);
pub(super) const QUIET: Color32 = Color32::from_rgb(150, 158, 176);

/// egui without any state, and in the panel's style without animations: a change takes one frame, and an idle panel
/// costs nothing.
pub(super) fn context() -> Context {
    let context = Context::default();
    context.set_fonts(fonts());
    context.set_theme(egui::Theme::Dark);
    // Press and release of a button are in two layouts, which may be seconds apart on a busy machine.
    context.options_mut(|options| {
        options.input_options.max_click_duration = f64::INFINITY;
        // The window has these keys, for its own text too.
        options.zoom_with_keyboard = false;
    });
    context.all_styles_mut(|style| {
        style.animation_time = 0.0;
        // There is no clipboard.
        style.interaction.selectable_labels = false;
        style.visuals = Visuals {
            override_text_color: Some(PLAIN),
            window_shadow: egui::Shadow::NONE,
            popup_shadow: egui::Shadow::NONE,
            ..Visuals::dark()
        };
        style.visuals.text_cursor.blink = false;
        style.spacing.item_spacing = Vec2::new(6.0, 2.0);
        style.spacing.interact_size = Vec2::new(32.0, 16.0);
        style.spacing.button_padding = Vec2::new(5.0, 1.0);
        style.spacing.slider_width = 80.0;
        style.spacing.combo_width = FIELD;
        style.spacing.tooltip_width = HINT;
        // The bar shows the user that there is more below.
        style.spacing.scroll = ScrollStyle {
            floating: true,
            floating_width: SCROLL,
            dormant_handle_opacity: 1.0,
            ..ScrollStyle::floating()
        };
        for (name, size) in [
            (TextStyle::Body, TEXT_SIZE),
            (TextStyle::Button, TEXT_SIZE),
            (TextStyle::Small, 10.0),
            (TextStyle::Heading, 13.0),
        ] {
            style.text_styles.insert(name, FontId::proportional(size));
        }
        style.text_styles.insert(TextStyle::Monospace, FontId::monospace(11.0));
    });
    context
}

/// Shows the panel below the first `top` physical pixels: `pinned` stays where it is, and `rest` is
/// scrolled below it; in a low window, with it. Returns the right edge in points.
pub(super) fn frame<T>(
    context: &Context,
    top: u32,
    state: &mut T,
    pinned: impl FnOnce(&mut Ui, &mut T),
    rest: impl FnOnce(&mut Ui, &mut T),
) -> f32 {
    let top = top as f32 / context.pixels_per_point() + MARGIN;
    let height = (context.content_rect().height() - top - MARGIN).max(HEIGHT_MIN);
    let position = Vec2::new(MARGIN, top);
    let area = egui::Area::new(PANEL.into()).anchor(Align2::LEFT_TOP, position);
    let shown = area.show(context, |ui| {
        // egui remembers the size of an area, even if the window was larger then.
        ui.set_max_size(Vec2::new(WIDTH + 18.0, height));
        ground().show(ui, |ui| {
            ui.set_width(WIDTH);
            let begin = ui.cursor().top();
            let pins = height >= PINNED_MIN;
            let mut pinned = Some(pinned);
            if pins && let Some(pinned) = pinned.take() {
                pinned(ui, state);
            }
            let left = height - 18.0 - (ui.cursor().top() - begin);
            ScrollArea::vertical().max_height(left).show(ui, |ui| {
                ui.set_width(WIDTH);
                if let Some(pinned) = pinned {
                    pinned(ui, state);
                }
                rest(ui, state);
            });
        });
    });
    shown.response.rect.right()
}

/// The ground of the panel.
pub(super) fn ground() -> Frame {
    Frame::new()
        .fill(Color32::from_rgb(18, 21, 31))
        .stroke(Stroke::new(1.0, Color32::from_rgb(58, 66, 92)))
        .inner_margin(Margin::same(8))
}

/// Shows a section. Its widgets are the same ones whatever comes above it, so that one that is dragged stays dragged
/// when a row appears there.
pub(super) fn section(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui)) {
    ui.scope_builder(UiBuilder::new().id(("section", name)), contents);
}

/// Shows the heading of a chart.
pub(super) fn headline(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.label(RichText::new(text).color(QUIET).size(10.5));
}

/// Shows a row: a label, and `contents` beside it. The mouse over any of it brings the hint up.
pub(super) fn row(ui: &mut Ui, name: &str, about: &str, contents: impl FnOnce(&mut Ui)) {
    let row = ui.horizontal(|ui| {
        label(ui, name);
        contents(ui);
    });
    hint(ui, row.response.rect, about);
}

/// Shows `contents`, with a hint.
pub(super) fn hinted(ui: &mut Ui, about: &str, contents: impl FnOnce(&mut Ui)) {
    let shown = ui.scope(contents);
    hint(ui, shown.response.rect, about);
}

/// Lets the mouse over an area bring a text up. The area is above its widgets, which would hide it, and
/// leaves clicks to them.
fn hint(ui: &Ui, area: Rect, about: &str) {
    ui.interact(area, ui.id().with(about), Sense::hover()).on_hover_text(about);
}

/// Shows the label of a row. All labels have the same width.
pub(super) fn label(ui: &mut Ui, text: &str) {
    let size = Vec2::new(LABEL, ui.spacing().interact_size.y);
    let layout = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_width(LABEL);
        ui.label(RichText::new(text).color(QUIET));
    });
}

/// Shows a text beside a value.
pub(super) fn quiet(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).color(QUIET));
}

/// Makes the lists of a row narrow, for short names.
pub(super) fn narrow_lists(ui: &mut Ui) {
    ui.spacing_mut().combo_width = NARROW_FIELD;
}

/// Shows a list; returns the value that the user chose, unless it is the current one.
pub(super) fn choice<T: Copy + PartialEq, S: Into<WidgetText>>(
    ui: &mut Ui,
    name: &str,
    now: T,
    all: impl IntoIterator<Item = T>,
    name_of: impl Fn(T) -> S,
) -> Option<T> {
    let mut chosen = now;
    let list = ComboBox::from_id_salt(name).selected_text(name_of(now));
    list.show_ui(ui, |ui| {
        for value in all {
            ui.selectable_value(&mut chosen, value, name_of(value).into());
        }
    });
    (chosen != now).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use egui::{Event, Modifiers, PointerButton, Pos2, RawInput};

    use super::*;

    #[test]
    fn a_click_on_a_busy_machine_is_a_click() {
        let context = context();
        let pos = Pos2::new(20.0, 20.0);
        let layout = |time: f64, event: Event| {
            let input = RawInput { time: Some(time), events: vec![event], ..RawInput::default() };
            let mut clicked = false;
            let _ = context.run(input, |context| {
                egui::CentralPanel::default().show(context, |ui| {
                    clicked = ui.add_sized([100.0, 100.0], egui::Button::new("restart")).clicked();
                });
            });
            clicked
        };
        let button = |pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        assert!(!layout(0.0, Event::PointerMoved(pos)));
        assert!(!layout(1.0, button(true)));
        assert!(layout(4.0, button(false)));
    }
}
