//! What happens in the window, told to whoever opened it: the library itself prints nothing.
//!
//! An event's text is one line. Notices are for everybody; the others are for tests, which wait for
//! them instead of sleeping.

use std::{fmt, path::PathBuf};

use crate::{
    error::{Error, Result},
    raster::Camera,
    window::terms::sentence,
};

/// Something that happened in the window.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Something the user should know, as a sentence.
    Notice(String),
    /// The window is there and shows its first frame next.
    Ready {
        /// Width and height of the frame, physical pixels.
        size: [u32; 2],
        /// Who puts frames into the window: `wgpu` or `softbuffer`.
        presenter: &'static str,
        /// Pixels of the screen for a pixel as its user knows them.
        scale_factor: f64,
    },
    /// A frame was handed to the screen.
    Frame {
        /// Counts from 1.
        number: u64,
        /// Steps of the simulation that it shows.
        steps: u64,
        /// Width and height, physical pixels.
        size: [u32; 2],
        /// What part of the world it shows.
        camera: Camera,
    },
    /// What a frame took of late, on average: milliseconds of its steps, and of what else is done.
    Work {
        /// All its steps.
        step: f64,
        /// Drawing.
        draw: f64,
        /// Laying the panel out.
        panel: f64,
        /// Handing it to the screen.
        present: f64,
    },
    /// The simulation stands still.
    Paused,
    /// The simulation goes on.
    Running,
    /// Times the speed of real time.
    Speed(f64),
    /// The view moved.
    View(ViewCause),
    /// What the mouse does from now on.
    Tool(&'static str),
    /// How far the tool reaches, pixels of a screen of scale factor 1.
    Reach(f32),
    /// What a tool has done, from the press of the button to its release.
    Stroke(&'static str, String),
    /// What was undone; `None` if the history is empty.
    Undone(Option<String>),
    /// The id of the agent under the glass, if there is one.
    Inspect(Option<u32>),
    /// A film of the window begins.
    Filming(PathBuf),
    /// The window fills the screen, or not any more.
    FullScreen(bool),
    /// So many agents of another run are being placed, while this one goes on.
    Placing(u32),
    /// The same start again.
    Restarted,
    /// What colors mean now, and which they are.
    GifColors {
        /// What they mean.
        color_by: &'static str,
        /// Which they are.
        palette: &'static str,
    },
    /// What is drawn over the agents now.
    Overlay(&'static str),
    /// What finds the contacts from now on.
    Index(&'static str),
    /// Another run began.
    Run {
        /// Which start.
        scene: &'static str,
        /// How many agents.
        agents: u32,
    },
    /// Something was changed in the panel.
    Set {
        /// What.
        what: &'static str,
        /// What it is now.
        value: String,
    },
    /// A command was refused, for the reason in this sentence; the panel shows it, too.
    Refused(String),
    /// The panel is shown, or not any more.
    Panel(bool),
    /// The list of keys is shown, or not any more.
    Help(bool),
    /// The frame has a new size, physical pixels; a side of 0 if there is nothing to show it on.
    Resized([u32; 2]),
    /// A pixel as the user knows it is now so many pixels of the screen.
    Rescaled(f64),
    /// The simulation falls behind (true), or keeps up again (false).
    Behind(bool),
    /// The window closes.
    Closed,
}

/// Why the view moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewCause {
    /// The wheel turned.
    Zoomed,
    /// The mouse dragged.
    Panned,
    /// A place was clicked on the mini-map.
    Mapped,
    /// The whole world was asked for.
    Fitted,
}

impl Event {
    /// A refusal, told: everything is as it was, and goes on.
    ///
    /// # Errors
    /// What is more than a refusal: memory that ran out while agents came or went, after which there is no run to
    /// go on with.
    pub(super) fn refused(error: Error) -> Result<Self> {
        match error {
            Error::Memory { .. } | Error::File { .. } | Error::Display(_) => Err(error),
            refusal => Ok(Self::Notice(sentence(&refusal))),
        }
    }

    /// True for what the window itself says in its status line.
    pub fn is_said(&self) -> bool {
        matches!(self, Self::Notice(_) | Self::Stroke(..) | Self::Undone(_) | Self::Refused(_))
    }

    /// Why a command was refused, if this is a refusal.
    pub(super) fn refusal(&self) -> Option<&str> {
        if let Self::Refused(reason) = self { Some(reason) } else { None }
    }

    /// True for what every user should see.
    pub fn is_notice(&self) -> bool {
        matches!(self, Self::Notice(_))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Notice(text) => f.write_str(text),
            Self::Ready { size: [width, height], presenter, scale_factor } => {
                write!(f, "ready {width}x{height} {presenter} scale {scale_factor}")
            }
            Self::Frame { number, steps, size: [width, height], camera } => {
                let Camera { center, scale, .. } = camera;
                write!(f, "frame {number} steps {steps} size {width}x{height} ")?;
                write!(f, "center {},{} scale {scale}", center.x, center.y)
            }
            Self::Work { step, draw, panel, present } => {
                write!(f, "work step {step:.3} draw {draw:.3} panel {panel:.3} ")?;
                write!(f, "present {present:.3}")
            }
            Self::Paused => f.write_str("paused"),
            Self::Running => f.write_str("running"),
            Self::Speed(speed) => write!(f, "speed {speed}"),
            Self::View(ViewCause::Zoomed) => f.write_str("zoomed"),
            Self::View(ViewCause::Panned) => f.write_str("panned"),
            Self::View(ViewCause::Mapped) => f.write_str("mapped"),
            Self::Tool(name) => write!(f, "tool {name}"),
            Self::Reach(radius) => write!(f, "reach {radius}"),
            Self::Stroke(tool, what) => write!(f, "{tool}: {what}"),
            Self::Undone(None) => f.write_str("nothing to undo"),
            Self::Undone(Some(what)) => write!(f, "undone: {what}"),
            Self::Inspect(None) => f.write_str("inspect nobody"),
            Self::Inspect(Some(id)) => write!(f, "inspect {id}"),
            Self::Filming(path) => write!(f, "filming {}", path.display()),
            Self::FullScreen(full) => write!(f, "full screen {}", if *full { "on" } else { "off" }),
            Self::View(ViewCause::Fitted) => f.write_str("fitted"),
            Self::Placing(agents) => write!(f, "placing {agents}"),
            Self::Restarted => f.write_str("restarted"),
            Self::GifColors { color_by, palette } => write!(f, "colors {color_by} {palette}"),
            Self::Overlay(name) => write!(f, "overlay {name}"),
            Self::Index(name) => write!(f, "index {name}"),
            Self::Run { scene, agents } => write!(f, "run {scene} {agents}"),
            Self::Set { what, value } => write!(f, "set {what} {value}"),
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::Panel(shown) => write!(f, "panel {}", if *shown { "on" } else { "off" }),
            Self::Help(shown) => write!(f, "help {}", if *shown { "on" } else { "off" }),
            Self::Resized([width, height]) => write!(f, "resized {width}x{height}"),
            Self::Rescaled(factor) => write!(f, "rescaled {factor}"),
            Self::Behind(behind) => f.write_str(if *behind { "behind" } else { "keeps up" }),
            Self::Closed => f.write_str("closed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Purpose, Remedy};

    #[test]
    fn a_refusal_is_told_and_a_run_without_memory_ends() {
        let told = Event::refused(Error::refused("no room")).expect("it goes on");
        assert_eq!(told, Event::Notice("no room".into()));
        let memory = Error::Memory {
            purpose: Purpose::Part("the grid"),
            needed: 2 << 30,
            available: None,
            remedy: Remedy::None,
        };
        assert!(Event::refused(memory).is_err());
    }
}
