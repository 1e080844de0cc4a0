//! The menu of all scenes and worlds. Its pictures are drawn once, one after the other, while it is shown.

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
    /// True if the pointer is over the selected entry.
    pointed: bool,
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
        let entry = |stop| MenuEntry { stop, picture: None, shrink: 0, shown: Vec::new() };
        Ok(Self {
            entries: TourStop::all().map(entry).collect(),
            open: false,
            selected: 0,
            pointed: false,
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
        let taken = screen.interface();
        MenuPlace::new(screen.size, taken, screen.text_scale, self.entries.len(), SIZE)
    }

    /// Selects what is under the pointer.
    pub(super) fn point(&mut self, pixel: Vec2, screen: &Screen) {
        let entry = self.place(screen).entry_at(pixel, self.selected);
        self.pointed = entry.is_some();
        self.selected = entry.unwrap_or(self.selected);
    }

    /// Selects the entry that many columns and rows away; stays at the ends.
    pub(super) fn select_by(&mut self, [columns, rows]: [isize; 2], screen: &Screen) {
        let by = columns + rows * self.place(screen).columns.cast_signed();
        let to = self.selected.checked_add_signed(by).filter(|to| *to < self.entries.len());
        self.selected = to.unwrap_or(self.selected);
        self.pointed = false;
    }

    /// Draws it if it is shown.
    pub(super) fn draw(&mut self, canvas: &mut HudCanvas<'_>, screen: &Screen) {
        if !self.open {
            return;
        }
        let place = self.place(screen);
        for entry in &mut self.entries {
            if let Some(picture) = entry.picture.as_ref().filter(|_| entry.shrink != place.shrink) {
                (entry.shrink, entry.shown) = (place.shrink, picture.shrunk(place.shrink));
            }
        }
        let tiles = self.entries.iter().map(|entry| MenuTile {
            name: entry.stop.name(),
            picture: entry.picture.is_some().then_some(entry.shown.as_slice()),
        });
        let tiles: Vec<_> = tiles.collect();
        let picture = self.entries[self.selected].picture.as_ref();
        let sentence = picture.map_or("", |picture| &picture.sentence);
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
            menu.point(self.tools.cursor, screen);
            menu.take_pictures();
        }
        Event::switched("menu", self.menu.open)
    }

    /// What a command of the mouse is while the menu is shown; `None` if it is what it always is.
    pub(super) fn menu_command(&mut self, command: Command) -> Option<Command> {
        if !self.menu.open {
            return None;
        }
        if command.starts_run() || command == Command::NextHelpPage {
            self.menu.close();
        }
        match command {
            Command::PressTool if self.menu.pointed => Some(Command::StartSelected),
            Command::PressTool => Some(Command::ToggleMenu),
            // A wheel that turns sideways has notches of 0.
            Command::Zoom(0.0) => Some(Command::Select([0, 0])),
            Command::Zoom(notches) => Some(Command::Select([0, -notches.signum() as isize])),
            _ => None,
        }
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
