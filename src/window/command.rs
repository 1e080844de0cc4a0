//! Commands: everything that a user can do to the run and to its view, as data.
//!
//! ```text
//! keys  ─┐              ┌─ Session::apply  the run, the view and the tools
//! mouse ─┼─► Command ─► App::apply
//! panel ─┘              └─ App             full screen, capture, the panel, the end
//! ```
//!
//! A command holds neither references nor closures, so that a list of commands can be recorded and
//! replayed. A relative command, such as the next palette, has the same effect on the same state.

use glam::Vec2;

use crate::{
    error::{Field, Value},
    index::IndexKind,
    journal::BranchName,
    observe::Observable,
    raster::{ColorBy, Exposure, Overlay, Palette},
    scene::Scene,
    window::{
        film_options::FilmOptions,
        tool::{Tool, UndoTurn},
    },
};

/// One change that a user asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Command {
    /// Starts another run. Without a number of agents, the scene starts with its own number or with
    /// the number that the user chose last.
    Start { scene: Scene, agents: Option<u32> },
    /// Starts a run of the scene that many places after the one in the window.
    StartAnother(usize),
    /// Shows or hides the menu of all scenes and worlds.
    ToggleMenu,
    /// Selects the entry of the menu that many places ahead, at most the last, and so many rows below.
    Select([isize; 2]),
    /// Turns that many pages of the menu ahead, or back if negative.
    TurnMenu(isize),
    /// Starts the selected entry of the menu.
    StartSelected,
    /// Shows scene after scene until a user does something, or ends that.
    ToggleTour,
    /// Starts another run that differs in one field of its set-up.
    StartWith(Field, Value),
    /// Starts a run of the scene with its own values of all fields but the seed and the number of
    /// agents.
    StartAsUsual,
    /// Starts the same run again.
    Restart,
    /// Lets the walls of the tools stay when the run is started again, or not.
    KeepWalls(bool),
    /// Pauses the simulation, or resumes it.
    TogglePause,
    /// Takes one step and pauses.
    SingleStep,
    /// Shows the run beside its twin, which has another future, or alone again.
    ToggleSplit,
    /// Goes to another step of the run.
    Jump(Jump),
    /// Goes on as that branch, from a step of it, or from the step nearest to the present one.
    GoToBranch(u32, Option<u64>),
    /// Gives the line or a branch another name.
    RenameBranch(u32, BranchName),
    /// Lets [`Self::ToggleSplit`] show the run beside that branch, or else as
    /// [`Timeline::beside`](super::timeline::Timeline::beside) says.
    ChooseBranch(Option<u32>),
    /// Sets the simulated seconds per second of wall time.
    TimeScale(f64),
    /// Multiplies the time scale.
    MultiplyTimeScale(f64),
    /// Skips frames, rather than slowing time, when the machine can't keep up.
    SkipFrames(bool),
    /// Scales all speeds to this mean speed, world units per second.
    MeanSpeed(f32),
    /// Sets the coefficient of restitution.
    Restitution(f32),
    /// Sets the coefficient of friction.
    Friction(f32),
    /// Sets the coefficient of rolling resistance.
    Rolling(f32),
    /// Sets the downward acceleration, world units per second squared.
    Gravity(f32),
    /// Sets a param of the world file, by its index.
    Param(usize, f32),
    /// Sets a cell of a matrix of the world file: matrix, species that feels, species that is felt.
    Cell([usize; 3], f32),
    /// Draws new values for all matrices of the world file.
    DrawMatrices,
    /// Takes the hand; with the hand, draws new values for the matrices, if there are any.
    TakeHandOrDraw,
    /// Sets the number of threads that step and draw.
    Threads(usize),
    /// Sets the index that finds the contacts.
    Index(Choice<IndexKind>),
    /// Sets the meaning of colors.
    ColorBy(Choice<ColorBy>),
    /// Sets the palette.
    Palette(Choice<Palette>),
    /// Sets how bright a crowd of small discs is.
    Exposure(Choice<Exposure>),
    /// Sets the overlay.
    Overlay(Choice<Overlay>),
    /// Lets dense places glow, or not.
    Glow(Choice<bool>),
    /// Plots an observable in the panel, or ends that.
    Plot(Observable),
    /// Saves a plot of the panel.
    SavePlot(Observable, PlotFile),
    /// Sets format and time of films.
    FilmOptions(FilmOptions),
    /// Sets the size of text and panel, relative to the size that the screen asks for.
    InterfaceScale(f32),
    /// Makes text and panel this many sizes larger; 0 gives them the size that the screen asks for.
    ResizeInterface(isize),
    /// Shows the whole world.
    FitView,
    /// Zooms at the pointer by this many notches of a wheel, in if positive.
    Zoom(f32),
    /// Takes another tool.
    Tool(Tool),
    /// Shows or hides the tool bar.
    ToggleToolBar,
    /// Makes the tool this many sizes larger.
    ResizeTool(isize),
    /// Sets the faction of spawned agents; `None` draws each one's faction at random.
    Faction(Option<u8>),
    /// Moves the pointer, physical pixels from the top left corner.
    MovePointer(Vec2),
    /// Presses the tool's button.
    PressTool,
    /// Presses the button that drags the view with any tool.
    GrabView,
    /// Releases the button that is pressed.
    ReleaseButton,
    /// Undoes the last spawn, erase or wall, or does it again.
    Turn(UndoTurn),
    /// Shows the next page of the keys; after the last page, hides them.
    NextHelpPage,
    /// Leaves full screen, else hides the menu or the keys, else ends a tour, a split or a replay, else
    /// takes the hand as tool, else ends a film, else hides the panel, else is [`Self::Quit`].
    Cancel,
    /// Shows or hides the panel.
    TogglePanel,
    /// Switches between a window and full screen.
    ToggleFullScreen,
    /// Saves a snapshot of the run.
    Save,
    /// Goes back to the snapshot that was saved or opened last.
    Open,
    /// Saves a world file like the run, with the values that were set.
    SaveWorld,
    /// Opens what the clipboard has.
    Paste,
    /// Copies the world file that [`Self::SaveWorld`] saves to the clipboard.
    CopyWorld,
    /// Copies the picture that [`Self::Screenshot`] saves to the clipboard.
    CopyPicture,
    /// Saves a picture of the window.
    Screenshot,
    /// Starts a film of the window, or ends it.
    ToggleFilm,
    /// Asks whether to close the window; closes it if that was asked before.
    Quit,
    /// Closes the window.
    Close,
}

impl Command {
    /// Whether a key that is held down repeats the command.
    pub(super) fn repeats(self) -> bool {
        matches!(
            self,
            Self::SingleStep
                | Self::Jump(_)
                | Self::Select(_)
                | Self::TurnMenu(_)
                | Self::MultiplyTimeScale(_)
                | Self::ResizeTool(_)
                | Self::ResizeInterface(_)
                | Self::Turn(_)
        )
    }

    /// Whether a tour ends with the command. Commands that go with a tour don't end it.
    pub(super) fn ends_tour(self) -> bool {
        !matches!(
            self,
            Self::MovePointer(_)
                | Self::ReleaseButton
                | Self::ToggleTour
                | Self::Cancel
                | Self::ToggleFullScreen
                | Self::CopyWorld
                | Self::CopyPicture
                | Self::Screenshot
                | Self::ToggleFilm
                | Self::Quit
                | Self::Close
        )
    }

    /// Whether a text field that has the keyboard gets the keys of the command.
    pub(super) fn is_of_clipboard(self) -> bool {
        matches!(self, Self::Paste | Self::CopyWorld | Self::CopyPicture)
    }

    /// Whether the command starts another run, with values of the user's.
    pub(super) fn starts_run(self) -> bool {
        matches!(
            self,
            Self::Start { .. } | Self::StartAnother(_) | Self::StartWith(..) | Self::StartAsUsual
        )
    }

    /// Whether the command changes the run or starts another, whatever tool is in use.
    pub(super) fn changes_run(self) -> bool {
        matches!(
            self,
            Self::Start { .. }
                | Self::StartAnother(_)
                | Self::StartSelected
                | Self::ToggleTour
                | Self::StartWith(..)
                | Self::StartAsUsual
                | Self::Restart
                | Self::MeanSpeed(_)
                | Self::Restitution(_)
                | Self::Friction(_)
                | Self::Rolling(_)
                | Self::Gravity(_)
                | Self::Param(..)
                | Self::Cell(..)
                | Self::DrawMatrices
                | Self::Turn(_)
                | Self::GoToBranch(..)
                | Self::Open
        )
    }
}

/// The format of a saved plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlotFile {
    /// A table of points.
    Csv,
    /// A chart.
    Svg,
}

impl PlotFile {
    /// Both formats.
    pub(super) const ALL: [Self; 2] = [Self::Csv, Self::Svg];

    /// The name, which is also the extension of its files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Svg => "svg",
        }
    }
}

/// Another step of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Jump {
    /// The step before; pauses.
    Step,
    /// This many simulated seconds later, or earlier if negative.
    Seconds(f64),
    /// The last one.
    End,
}

/// A value, or the one that follows the value in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice<T> {
    /// The one that follows; after the last, the first.
    Next,
    /// This one.
    Value(T),
}

impl<T> Choice<T> {
    /// The chosen value, if `next` follows the value in use.
    pub(super) fn or_next(self, next: impl FnOnce() -> T) -> T {
        match self {
            Self::Next => next(),
            Self::Value(value) => value,
        }
    }
}
