//! The menu of all scenes and worlds. Its pictures are drawn once, one after the other, while it is shown.

use std::time::Instant;

use glam::Vec2;

use super::{
    Session,
    pictures::{SIZE, ScenePicture},
    screen::Screen,
    tour::TourStop,
};
use crate::{
    program::ProgramResult as Result,
    window::{
        command::Command,
        event::Event,
        hud::{HudCanvas, MenuPlace, MenuTile},
        worker::{Worker, caught},
    },
};

/// A scene or a world to choose.
struct MenuEntry {
    stop: TourStop,
    /// What people say about it, once it was selected.
    sentence: Option<String>,
    /// `None` until it is drawn, and if that fails.
    picture: Option<ScenePicture>,
    /// By which factor `shown` is smaller than the picture, and its pixels.
    shrink: u32,
    shown: Vec<[u8; 4]>,
}

/// The entries, and the one that is selected.
pub(in crate::window) struct SceneMenu {
    entries: Vec<MenuEntry>,
    open: bool,
    selected: usize,
    /// The pixel under the pointer.
    pointer: Vec2,
    /// Rows of pixels of the status line and what was below it since the menu is shown.
    top: u32,
    /// The part of a row by which the wheel has turned since the last.
    turned: f32,
    painter: Worker<TourStop, Result<ScenePicture>>,
    /// Number of pictures that were ordered, and of those that were taken.
    ordered: usize,
    taken: usize,
}

impl SceneMenu {
    /// A menu that is hidden. `wake` is called when there is a picture to take.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(super) fn new(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let paint = |stop| Some(caught("a picture has failed", || ScenePicture::of(stop)));
        let entry =
            |stop| MenuEntry { stop, sentence: None, picture: None, shrink: 0, shown: Vec::new() };
        Ok(Self {
            entries: TourStop::all().map(entry).collect(),
            open: false,
            selected: 0,
            pointer: Vec2::ZERO,
            top: 0,
            turned: 0.0,
            painter: Worker::new("picture", paint, wake)?,
            ordered: 0,
            taken: 0,
        })
    }

    /// Whether it is shown.
    pub(in crate::window) fn is_open(&self) -> bool {
        self.open
    }

    /// What is selected.
    pub(super) fn selected(&self) -> TourStop {
        self.entries[self.selected].stop
    }

    /// Hides it.
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    /// Takes a picture that was drawn, and orders the next one while the menu is shown. True if there
    /// is something new to see.
    pub(in crate::window) fn take_pictures(&mut self) -> bool {
        let before = self.taken;
        for picture in self.painter.take() {
            self.entries[self.taken].picture = picture.ok();
            self.taken += 1;
        }
        if self.open && self.ordered == self.taken && self.ordered < self.entries.len() {
            self.painter.order(self.entries[self.ordered].stop);
            self.ordered += 1;
        }
        self.open && self.taken > before
    }

    /// Where its entries are.
    pub(super) fn place(&self, screen: &Screen) -> MenuPlace {
        let [left, top, bottom] = screen.interface();
        let taken = [left, self.top.max(top), bottom];
        MenuPlace::new(screen.size, taken, screen.text_scale, self.entries.len(), SIZE)
    }

    /// Notes where the pointer is; selects what is under it while the menu is shown.
    pub(super) fn move_pointer(&mut self, to: Vec2, screen: &Screen) {
        self.pointer = to;
        if self.open {
            self.select_pointed(screen);
        }
    }

    /// Selects what is under the pointer; false if nothing is.
    fn select_pointed(&mut self, screen: &Screen) -> bool {
        let entry = self.place(screen).entry_at(self.pointer, self.selected);
        self.selected = entry.unwrap_or(self.selected);
        entry.is_some()
    }

    /// Selects the entry that many places ahead, or the first or last one, and so many rows below, if it is there.
    pub(super) fn select_by(&mut self, [places, rows]: [isize; 2], screen: &Screen) {
        let last = self.entries.len() - 1;
        let ahead = self.selected.saturating_add_signed(places).min(last);
        let below = ahead.checked_add_signed(rows * self.place(screen).columns.cast_signed());
        self.selected = below.filter(|to| *to <= last).unwrap_or(ahead);
    }

    /// Selects the entry in the same place that many pages ahead, or the last one; stays at the ends.
    pub(super) fn turn_page(&mut self, pages: isize, screen: &Screen) {
        let to = self.place(screen).on_page(self.selected, pages);
        self.selected = to.unwrap_or(self.selected);
    }

    /// Rows by which the wheel has turned upwards, with what a touchpad left of the last one.
    fn turn_wheel(&mut self, notches: f32) -> isize {
        let turned = self.turned + notches;
        self.turned = turned.fract();
        turned as isize
    }

    /// Draws it if it is shown, below the rows of a status of that height: it stays there when a
    /// message leaves.
    pub(super) fn draw(&mut self, canvas: &mut HudCanvas<'_>, screen: &Screen, top: u32) {
        if !self.open {
            return;
        }
        self.top = self.top.max(top);
        let place = self.place(screen);
        for entry in &mut self.entries {
            if let Some(picture) = entry.picture.as_ref().filter(|_| entry.shrink != place.shrink) {
                (entry.shrink, entry.shown) = (place.shrink, picture.shrunk(place.shrink));
            }
        }
        let MenuEntry { stop, sentence, .. } = &mut self.entries[self.selected];
        sentence.get_or_insert_with(|| stop.sentence());
        let tiles = self.entries.iter().map(|entry| MenuTile {
            name: entry.stop.name(),
            picture: entry.picture.is_some().then_some(entry.shown.as_slice()),
        });
        let tiles: Vec<_> = tiles.collect();
        let sentence = self.entries[self.selected].sentence.as_deref().unwrap_or_default();
        place.draw(canvas, &tiles, self.selected, sentence);
    }
}

/// The menu.
impl Session {
    /// Shows the menu, or hides it.
    pub(super) fn toggle_menu(&mut self) -> Event {
        let Self { menu, screen, .. } = self;
        menu.open = !menu.open;
        if menu.open {
            screen.help = 0;
            let shown = TourStop::of(&self.host.sim);
            let at = menu.entries.iter().position(|entry| entry.stop == shown);
            menu.selected = at.unwrap_or(menu.selected);
            (menu.turned, menu.top) = (0.0, 0);
            menu.take_pictures();
        }
        Event::switched("menu", self.menu.open)
    }

    /// What a command does while the menu is shown; `None` if it does what it always does. What
    /// replaces the run, or is shown in the menu's place, hides the menu.
    pub(super) fn menu_command(&mut self, command: Command) -> Option<Command> {
        if !self.menu.open {
            return None;
        }
        let Self { menu, screen, .. } = self;
        match command {
            Command::PressTool if menu.select_pointed(screen) => {
                // The second click of a double-click is none on the run that leaves.
                self.tools.state.ignore_second(Instant::now(), self.tools.cursor);
                return Some(Command::StartSelected);
            }
            Command::PressTool => return Some(Command::ToggleMenu),
            Command::Zoom(notches) => {
                return Some(Command::Select([0, -menu.turn_wheel(notches)]));
            }
            Command::NextHelpPage | Command::TogglePanel | Command::ToggleSplit => menu.close(),
            command if command.changes_run() && command != Command::StartSelected => menu.close(),
            _ => {}
        }
        None
    }

    /// Starts what is selected, if the menu is shown.
    ///
    /// # Errors
    /// As [`Session::start_stop`].
    pub(super) fn start_selected(&mut self) -> Result<Option<Event>> {
        if !std::mem::take(&mut self.menu.open) {
            return Ok(None);
        }
        self.start_stop(self.menu.selected()).map(Some)
    }
}
