//! Events of the window, as data for its caller. The library itself prints nothing.
//!
//! An event displays as one line. Notices are for users; tests wait for the other events instead of
//! sleeping.

use std::{fmt, path::PathBuf};

use crate::{
    error::{Error, Result},
    raster::Camera,
    window::terms::sentence,
};

/// Something that happened in the window.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub(crate) enum Event {
    /// A sentence for the user.
    Notice(String),
    /// The window is open and shows its first frame next.
    Ready {
        /// Width and height of the frame, physical pixels.
        size: [u32; 2],
        /// Library that presents frames: `wgpu` or `softbuffer`.
        presenter: &'static str,
        /// Physical pixels per logical pixel.
        scale_factor: f64,
    },
    /// A frame was presented.
    Frame {
        /// Number of the frame, from 1.
        number: u64,
        /// Steps of the simulation before this frame.
        steps: u64,
        /// Width and height, physical pixels.
        size: [u32; 2],
        /// The part of the world in the frame.
        camera: Camera,
    },
    /// The simulation was paused.
    Paused,
    /// The simulation was resumed.
    Running,
    /// The view was `zoomed` or `panned`, `mapped` by a click on the mini-map, or `fitted` to the
    /// whole world.
    View(&'static str),
    /// A tool and what it did between press and release of the button.
    Stroke(&'static str, String),
    /// What was undone; `None` if the history is empty.
    Undone(Option<String>),
    /// The id of the inspected agent; `None` without one.
    Inspect(Option<u32>),
    /// A film of the window began, in this file.
    Filming(PathBuf),
    /// Full screen began or ended.
    FullScreen(bool),
    /// This number of agents of another run are being placed, while the current run goes on.
    Placing(u32),
    /// The run was started again.
    Restarted,
    /// Another run began.
    Run {
        /// Its scene.
        scene: &'static str,
        /// Its number of agents.
        agents: u32,
    },
    /// A parameter of the run, its style or its tools was set.
    Set {
        /// Its name.
        what: &'static str,
        /// Its new value.
        value: String,
    },
    /// A command was rejected for the reason in this sentence, which the panel shows too.
    Refused(String),
    /// The panel was shown or hidden.
    Panel(bool),
    /// The frame has a new size in physical pixels. A minimized window may have a side of 0.
    Resized([u32; 2]),
    /// The scale factor has changed: physical pixels per logical pixel.
    Rescaled(f64),
    /// The window was closed.
    Closed,
}

impl Event {
    /// A parameter and its new value.
    pub(super) fn set(what: &'static str, value: impl fmt::Display) -> Self {
        Self::Set { what, value: value.to_string() }
    }

    /// Turns a rejected change, after which the run goes on, into a notice.
    ///
    /// # Errors
    /// Errors after which the run can't go on, such as missing memory while agents are added.
    pub(super) fn refused(error: Error) -> Result<Self> {
        match error {
            Error::Memory { .. } | Error::File { .. } | Error::Display(_) => Err(error),
            refusal => Ok(Self::Notice(sentence(&refusal))),
        }
    }

    /// True for events that the window shows below its status line.
    pub(crate) fn is_message(&self) -> bool {
        matches!(self, Self::Notice(_) | Self::Stroke(..) | Self::Undone(_) | Self::Refused(_))
    }

    /// Why a command was rejected, if this event says so.
    pub(super) fn refusal(&self) -> Option<&str> {
        if let Self::Refused(reason) = self { Some(reason) } else { None }
    }

    /// True for events that are meant for users.
    pub(crate) fn is_notice(&self) -> bool {
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
            Self::Paused => f.write_str("paused"),
            Self::Running => f.write_str("running"),
            Self::View(change) => f.write_str(change),
            Self::Stroke(tool, what) => write!(f, "{tool}: {what}"),
            Self::Undone(None) => f.write_str("nothing to undo"),
            Self::Undone(Some(what)) => write!(f, "undone: {what}"),
            Self::Inspect(None) => f.write_str("inspect nothing"),
            Self::Inspect(Some(id)) => write!(f, "inspect {id}"),
            Self::Filming(path) => write!(f, "filming {}", path.display()),
            Self::FullScreen(full) => write!(f, "full screen {}", if *full { "on" } else { "off" }),
            Self::Placing(agents) => write!(f, "placing {agents}"),
            Self::Restarted => f.write_str("restarted"),
            Self::Run { scene, agents } => write!(f, "run {scene} {agents}"),
            Self::Set { what, value } => write!(f, "{what} {value}"),
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::Panel(shown) => write!(f, "panel {}", if *shown { "on" } else { "off" }),
            Self::Resized([width, height]) => write!(f, "resized {width}x{height}"),
            Self::Rescaled(factor) => write!(f, "rescaled {factor}"),
            Self::Closed => f.write_str("closed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Purpose, Remedy};

    #[test]
    fn rejected_changes_are_notices_and_missing_memory_is_an_error() {
        let event = Event::refused(Error::refused("no room")).expect("it goes on");
        assert_eq!(event, Event::Notice("no room".into()));
        let memory = Error::Memory {
            purpose: Purpose::Part("the grid"),
            needed: 2 << 30,
            available: None,
            remedy: Remedy::None,
        };
        assert!(Event::refused(memory).is_err());
    }
}
