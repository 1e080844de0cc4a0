//! Numbers and names of the panel: shown exactly, dragged, or clicked and typed.
//!
//! ```text
//! a click ─► typing ─┬─ Enter, Tab, or a click elsewhere ─► a command ─┬─ accepted: the number is shown
//!                    └─ Esc, or nothing was changed                   └─ refused: typing goes on
//! ```
//!
//! A text that is refused keeps the keyboard: its correction must not be taken for other keys. A press elsewhere
//! ends what is typed before anything else sees the press; one at another number drops what is refused.

use egui::{
    Button, CursorIcon, DragValue, Id, Key, Margin, Pos2, Rect, Response, TextEdit, Ui, Vec2,
    emath::Numeric,
    text::{CCursor, CCursorRange},
    widgets::text_edit::TextEditState,
};

use crate::{format, journal::BranchName};

/// Width of a number in points.
pub(super) const WIDTH: f32 = 64.0;

/// A number, or another value, that is shown and typed without loss.
pub(super) trait Typed: Copy + PartialEq {
    /// The value as text, which reads back as the same value.
    fn text(self) -> String;

    /// Reads a text. An error is the second part of a sentence that begins with the text.
    fn read(text: &str) -> Result<Self, String>;
}

macro_rules! typed {
    ($($type:ty: $text:expr, $read:expr;)*) => {$(
        impl Typed for $type {
            fn text(self) -> String {
                $text(self)
            }

            fn read(text: &str) -> Result<Self, String> {
                $read(text)
            }
        }
    )*};
}

typed! {
    f32: |number: f32| number.to_string(), format::number;
    f64: |number: f64| number.to_string(), format::number;
    u32: format::grouped, format::agents;
    u64: |number: u64| number.to_string(), format::seed;
    usize: |number: usize| number.to_string(), format::whole;
    BranchName: |name: BranchName| name.to_string(), BranchName::new;
}

/// A number that is being typed.
#[derive(Debug)]
pub(super) struct Typing {
    id: Id,
    text: String,
    /// The text when typing began.
    before: String,
    /// True from the time when the text was refused until it is changed.
    refused: bool,
    /// Where it is.
    place: Rect,
}

/// The way of Tab from a number to the next one.
#[derive(Debug)]
struct TabWay {
    from: Id,
    /// True if the field drawn last is that one: the next one gets the keyboard.
    passed: bool,
    /// True once a whole layout was free to take it.
    tried: bool,
}

/// The number that is being typed, and what became of the one before.
#[derive(Debug, Default)]
pub(super) struct Keyboard {
    typing: Option<Typing>,
    tab: Option<TabWay>,
    /// The number that started a run which is not shown yet: the run may still be refused.
    ordered: Option<Typing>,
    /// True if the next layout ends what is typed.
    leaves: bool,
    /// True if the pointer is at a number that is not typed.
    pointed: bool,
    /// Why the text that was just typed is no number.
    pub(super) invalid: Option<String>,
}

impl Keyboard {
    /// True if what was typed is refused, and nothing was changed since.
    pub(super) fn has_refused(&self) -> bool {
        self.typing.as_ref().is_some_and(|typing| typing.refused)
    }

    /// Lets a press at that point end what is typed in the next layout; false if nothing is typed, or there.
    pub(super) fn leave(&mut self, at: Pos2) -> bool {
        self.leaves = self.typing.as_ref().is_some_and(|typing| !typing.place.contains(at));
        self.leaves
    }

    /// Drops what is typed if the pointer is at another number; false if that is not so.
    pub(super) fn drop_at_pointer(&mut self, context: &egui::Context) -> bool {
        if self.pointed
            && let Some(Typing { id, .. }) = self.typing.take()
        {
            context.memory_mut(|memory| memory.surrender_focus(id));
        }
        self.pointed
    }

    /// True while a number is typed: Tab ends it as Enter does, and drops what was refused.
    pub(super) fn takes_tab(&self) -> bool {
        self.typing.is_some()
    }

    /// The panel is laid out again. Behind the last number, Tab gives the keyboard back to the window.
    pub(super) fn begin_layout(&mut self) {
        self.pointed = false;
        let is_free = self.typing.is_none();
        self.tab.take_if(|tab| tab.tried && is_free);
        if let Some(tab) = &mut self.tab {
            (tab.passed, tab.tried) = (false, is_free);
        }
    }

    /// Whether Tab leads to that number, which is drawn next.
    fn is_next(&mut self, id: Id) -> bool {
        let is_free = self.typing.is_none();
        let Some(tab) = &mut self.tab else { return false };
        std::mem::replace(&mut tab.passed, tab.from == id) && is_free
    }

    /// What was typed is accepted, or a command of another widget is. A number that starts a run
    /// may still be refused.
    pub(super) fn accept(&mut self, context: &egui::Context, starts: bool) {
        let typed = self.typing.take();
        if let Some(Typing { id, .. }) = &typed {
            context.memory_mut(|memory| memory.surrender_focus(*id));
        }
        if starts {
            self.ordered = typed;
        }
    }

    /// The run that was ordered is refused: the user corrects the number that started it, unless
    /// another one is being typed by now, which stays.
    pub(super) fn refuse_run(&mut self, context: &egui::Context) {
        let ordered = self.ordered.take();
        if self.typing.is_none() {
            self.typing = ordered;
            self.refuse(context);
        }
    }

    /// What was typed is refused: the user corrects it, or clicks into it and types another value.
    pub(super) fn refuse(&mut self, context: &egui::Context) {
        if let Some(Typing { id, refused, .. }) = &mut self.typing {
            *refused = true;
            self.tab = None;
            context.memory_mut(|memory| memory.request_focus(*id));
        }
    }

    /// Another run is shown. What is being typed stays.
    pub(super) fn show_run(&mut self) {
        self.ordered = None;
    }

    /// Shows a number of that width; with a `speed` per point, it can be dragged. The number that the
    /// user has set, if it is another.
    pub(super) fn number<T: Typed + Numeric + Send + Sync>(
        &mut self,
        ui: &mut Ui,
        name: &str,
        value: T,
        width: f32,
        speed: Option<f64>,
    ) -> Option<T> {
        let Some(speed) = speed else { return self.field(ui, name, value, width) };
        let dragged = Id::new(("dragged", name));
        let mut shown = ui.data(|data| data.get_temp(dragged)).unwrap_or(value);
        let mut drag = None;
        let typed = self.typed(ui, name, value, width, |ui, size| {
            let number = DragValue::new(&mut shown).speed(speed);
            let number = number.custom_formatter(|number, _| T::from_f64(number).text());
            drag.insert(ui.add_sized(size, number)).clone()
        });
        match drag {
            Some(drag) if drag.drag_stopped() => {
                ui.data_mut(|data| data.remove::<T>(dragged));
                self.unless_same(ui, shown, value)
            }
            Some(drag) if drag.dragged() => {
                ui.data_mut(|data| data.insert_temp(dragged, shown));
                typed
            }
            _ => typed,
        }
    }

    /// Shows a value of that width. The one that the user has typed, if it is another.
    pub(super) fn field<T: Typed>(
        &mut self,
        ui: &mut Ui,
        name: &str,
        value: T,
        width: f32,
    ) -> Option<T> {
        let show = |ui: &mut Ui, size| ui.add_sized(size, Button::new(value.text()).truncate());
        self.typed(ui, name, value, width, show)
    }

    /// Shows a value by `show`, or the text that is typed in its place. The value that was typed, if it is
    /// another.
    fn typed<T: Typed>(
        &mut self,
        ui: &mut Ui,
        name: &str,
        value: T,
        width: f32,
        show: impl FnOnce(&mut Ui, Vec2) -> Response,
    ) -> Option<T> {
        let id = Id::new(("number", name));
        let size = Vec2::new(width, ui.spacing().interact_size.y);
        if self.typing.as_ref().is_some_and(|typing| typing.id == id) {
            return self.edit(ui, size).and_then(|typed| self.unless_same(ui, typed, value));
        }
        let is_next = self.is_next(id);
        let response = show(ui, size).on_hover_cursor(CursorIcon::Text);
        self.pointed |= response.contains_pointer();
        if response.clicked() {
            response.request_focus();
        }
        // A number that is typed elsewhere comes to its end first.
        if (response.has_focus() || is_next) && self.typing.is_none() {
            if is_next {
                self.tab = None;
                response.scroll_to_me(None);
            }
            let text = value.text();
            // The text before was another one: Ctrl-Z must not bring it back.
            TextEditState::default().store(ui.ctx(), id);
            select_all(ui.ctx(), id, &text);
            ui.memory_mut(|memory| {
                memory.surrender_focus(response.id);
                memory.request_focus(id);
            });
            let (before, place) = (text.clone(), response.rect);
            self.typing = Some(Typing { id, text, before, refused: false, place });
            self.leaves = false;
            ui.ctx().request_repaint();
        }
        None
    }

    /// A value that the user has set, unless it is the one before.
    fn unless_same<T: Typed>(&mut self, ui: &Ui, set: T, value: T) -> Option<T> {
        if set == value {
            self.accept(ui.ctx(), false);
        }
        (set != value).then_some(set)
    }

    /// Shows the number that is typed; returns it at its end.
    fn edit<T: Typed>(&mut self, ui: &mut Ui, size: Vec2) -> Option<T> {
        let typing = self.typing.as_mut()?;
        let edit = TextEdit::singleline(&mut typing.text).id(typing.id).return_key(None);
        // As high as the number that it replaces: the rows below stay.
        let edit = edit.margin(Margin::symmetric(4, 0));
        // Tab ends it as Enter does, and goes to the next number: no other widget gets the keyboard.
        let edit = edit.lock_focus(true);
        let field = ui.add_sized(size, edit);
        typing.refused &= !field.changed();
        if typing.refused && field.clicked() {
            select_all(ui.ctx(), typing.id, &typing.text);
        }
        let [enter, tab, escape] =
            [Key::Enter, Key::Tab, Key::Escape].map(|key| ui.input(|it| it.key_pressed(key)));
        typing.place = field.rect;
        let left = field.lost_focus() | std::mem::take(&mut self.leaves);
        if !(left || (enter || tab) && field.has_focus()) {
            return None;
        }
        if tab && !ui.input(|it| it.modifiers.shift) {
            self.tab = Some(TabWay { from: typing.id, passed: true, tried: false });
            ui.ctx().request_repaint();
        }
        let is_dropped = left && (escape || typing.refused) || tab && typing.refused;
        if typing.text == typing.before || is_dropped {
            ui.memory_mut(|memory| memory.surrender_focus(typing.id));
            self.typing = None;
            return None;
        }
        let text = typing.text.trim();
        T::read(text)
            .map_err(|why| self.invalid = Some(format!("\"{}\" {why}", format::printable(text))))
            .ok()
    }
}

/// Selects the text of a field: what is typed next replaces it.
fn select_all(context: &egui::Context, id: Id, text: &str) {
    let all = CCursorRange::two(CCursor::new(0), CCursor::new(text.chars().count()));
    let mut state = TextEditState::load(context, id).unwrap_or_default();
    state.cursor.set_char_range(Some(all));
    state.store(context, id);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typing(name: &str) -> Typing {
        let (text, before) = (name.to_owned(), String::new());
        Typing { id: Id::new(name), text, before, refused: false, place: Rect::NOTHING }
    }

    /// The number in the field, and whether it was refused.
    fn typed(keyboard: &Keyboard) -> Option<(&str, bool)> {
        keyboard.typing.as_ref().map(|typing| (&*typing.text, typing.refused))
    }

    #[test]
    fn what_is_typed_while_a_run_is_placed_stays() {
        let context = egui::Context::default();
        let mut keyboard = Keyboard { typing: Some(typing("agents")), ..Keyboard::default() };
        keyboard.accept(&context, true);
        assert_eq!(typed(&keyboard), None);
        keyboard.typing = Some(typing("gravity"));
        keyboard.refuse_run(&context);
        assert_eq!(typed(&keyboard), Some(("gravity", false)));
        // What was accepted meanwhile is not the number of the run that is refused.
        keyboard.accept(&context, false);
        keyboard.typing = Some(typing("agents"));
        keyboard.accept(&context, true);
        keyboard.typing = Some(typing("gravity"));
        keyboard.accept(&context, false);
        keyboard.refuse_run(&context);
        assert_eq!(typed(&keyboard), Some(("agents", true)));
    }
}
