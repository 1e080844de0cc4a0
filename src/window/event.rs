//! Events of the window, as data for its caller, and errors as sentences of the window. The library
//! itself prints nothing.
//!
//! An event displays as one line. Notices are for users; tests wait for the other events instead of
//! sleeping.

use std::fmt;

use crate::{
    error::{Error, Field, FieldNames, Terms, Value},
    format,
    program::{ProgramError, ProgramResult as Result},
    raster::Camera,
    window::{
        hud::{HudBlock, PixelRect},
        plots::ShownPlot,
        run_stats::StateFigures,
        tool::UndoTurn,
    },
};

/// A text of the panel, and the physical pixel in its middle.
pub(crate) type PanelText = (String, [i32; 2]);

/// What the panel shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PanelContents {
    /// It scrolls or unfolds: the next layout will place its texts elsewhere.
    Moving,
    /// Its texts, where they stay until something changes.
    Texts(Vec<PanelText>),
}

/// Something that happened in the window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// A sentence for the user.
    Notice(String),
    /// A sentence for the user that only the window shows, for a while.
    Hint(String),
    /// The window is open and shows its first frame next.
    Ready {
        /// Width and height of the frame, physical pixels.
        size: [u32; 2],
        /// Library that presents frames: `pixels` or `softbuffer`.
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
        /// The parts of the HUD.
        hud: Vec<HudBlock>,
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
    /// The change that was undone or done again; `None` if there is nothing.
    Turned(UndoTurn, Option<String>),
    /// This number of agents of another run are being placed, while the current run goes on.
    Placing(u32),
    /// The run was started again.
    Restarted,
    /// Another run began.
    Run {
        /// Its scene, or its world file.
        name: String,
        /// Its number of agents.
        agents: u32,
    },
    /// A parameter of the run, its style, its tools or the window was set: its name and its new
    /// value.
    Set(&'static str, String),
    /// A command was rejected for the reason in this sentence.
    Refused(String),
    /// The frame has a new size in physical pixels. A minimized window may have a side of 0.
    Resized([u32; 2]),
    /// The panel shows these figures.
    Figures(StateFigures),
    /// The panel shows this plot: its name, the step, and its points.
    Plot(String),
    /// The panel shows something else.
    Panel(PanelContents),
    /// These warnings hold from now on; the window shows them below its status line.
    Warnings(Vec<String>),
    /// Parts of the work, each with the mean of its last times in milliseconds.
    Times([(&'static str, f64); 4]),
    /// The run is at that step, as the user asked for.
    Moment(u64),
    /// The window was closed.
    Closed,
}

impl Event {
    /// A parameter and its new value.
    pub(super) fn set(what: &'static str, value: impl fmt::Display) -> Self {
        Self::Set(what, value.to_string())
    }

    /// A part of the window that was turned on or off.
    pub(super) fn switched(what: &'static str, on: bool) -> Self {
        Self::set(what, if on { "on" } else { "off" })
    }

    /// The points of a plot.
    pub(super) fn plot(plot: &ShownPlot) -> Self {
        let points = |curve: &Vec<[f64; 2]>| {
            let points: Vec<String> = curve.iter().map(|[x, y]| format!("{x},{y}")).collect();
            points.join(" ")
        };
        let curves = plot.measured.iter().chain([&plot.expected]).map(points);
        let name =
            if plot.observable.name().is_empty() { &plot.title } else { plot.observable.name() };
        let step = plot.step.unwrap_or_default();
        Self::Plot(format!("{name} at {step}: {}", curves.collect::<Vec<String>>().join("; ")))
    }

    /// Turns a rejected change, after which the run goes on, into a notice.
    ///
    /// # Errors
    /// Errors after which the run can't go on, such as missing memory while agents are added.
    pub(super) fn notice_of(error: ProgramError) -> Result<Self> {
        match error {
            ProgramError::Library(Error::Memory { .. })
            | ProgramError::File { .. }
            | ProgramError::Display(_) => Err(error),
            refusal => Ok(Self::Notice(sentence(&refusal))),
        }
    }

    /// True for events that the window shows below its status line.
    pub(crate) fn is_message(&self) -> bool {
        match self {
            Self::Notice(_)
            | Self::Hint(_)
            | Self::Stroke(..)
            | Self::Turned(..)
            | Self::Refused(_) => true,
            // Names that a key went on to.
            Self::Set(what, _) => matches!(*what, "colors" | "exposure"),
            _ => false,
        }
    }

    /// True if a command was rejected.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_))
    }

    /// True for events that are meant for users.
    pub(crate) fn is_notice(&self) -> bool {
        matches!(self, Self::Notice(_))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Notice(text) | Self::Hint(text) => f.write_str(text),
            Self::Ready { size: [width, height], presenter, scale_factor } => {
                write!(f, "ready {width}x{height} {presenter} scale {scale_factor}")
            }
            Self::Frame { number, steps, size: [width, height], camera, hud } => {
                let Camera { center, scale, .. } = camera;
                write!(f, "frame {number} steps {steps} size {width}x{height} ")?;
                write!(f, "center {},{} scale {scale}", center.x, center.y)?;
                hud.iter().try_for_each(|(name, PixelRect { x, y, width, height })| {
                    write!(f, "; {name} {x},{y} {width}x{height}")
                })
            }
            Self::Paused => f.write_str("paused"),
            Self::Running => f.write_str("running"),
            Self::View(change) => f.write_str(change),
            Self::Stroke(tool, what) => write!(f, "{tool}: {what}"),
            Self::Turned(UndoTurn::Undo, None) => f.write_str("nothing to undo"),
            Self::Turned(UndoTurn::Redo, None) => f.write_str("nothing to redo"),
            Self::Turned(UndoTurn::Undo, Some(what)) => write!(f, "undone: {what}"),
            Self::Turned(UndoTurn::Redo, Some(what)) => write!(f, "redone: {what}"),
            Self::Placing(agents) => write!(f, "placing {agents}"),
            Self::Restarted => f.write_str("restarted"),
            Self::Run { name, agents } => write!(f, "run {name} {agents}"),
            Self::Set(what, value) => write!(f, "{what} {value}"),
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::Resized([width, height]) => write!(f, "resized {width}x{height}"),
            Self::Figures(figures) => write!(f, "figures {figures}"),
            Self::Plot(plot) => write!(f, "plot {plot}"),
            Self::Panel(PanelContents::Moving) => f.write_str("texts move"),
            Self::Panel(PanelContents::Texts(texts)) => {
                f.write_str("texts")?;
                texts.iter().try_for_each(|(text, [x, y])| write!(f, "; {x},{y} {text}"))
            }
            Self::Warnings(sentences) if sentences.is_empty() => f.write_str("no warnings"),
            Self::Warnings(sentences) => write!(f, "warning: {}", sentences.join("; ")),
            Self::Times(parts) => {
                f.write_str("times")?;
                parts.iter().try_for_each(|(part, ms)| write!(f, " {part} {ms:.3}"))
            }
            Self::Moment(step) => write!(f, "at step {step}"),
            Self::Closed => f.write_str("closed"),
        }
    }
}

/// An error as one sentence without flags: fields as the panel labels them, thousands apart.
pub(super) fn sentence(error: &ProgramError) -> String {
    error.sentence(&PanelTerms)
}

struct PanelTerms;

impl Terms for PanelTerms {
    fn name(&self, field: Field) -> String {
        match field {
            Field::Hz => "steps/s".to_owned(),
            _ => FieldNames.name(field),
        }
    }

    fn given(&self, field: Field, value: Value) -> String {
        match (field, value) {
            (Field::Agents, Value::Count(agents)) => format::plural(agents as usize, "agent"),
            (_, Value::Count(count)) => format!("{} {}", self.name(field), self.count(count)),
            _ => format!("{} {value}", self.name(field)),
        }
    }

    fn count(&self, count: u64) -> String {
        format::grouped(count)
    }

    fn bytes(&self, bytes: u64) -> String {
        format::bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Limit, Purpose, Remedy};

    #[test]
    fn errors_name_labels_and_missing_memory_is_no_notice() {
        let limit = Limit::Numbers(-1e9..=1e9);
        let error = Error::invalid(Field::Gravity, Value::Number(1e10), limit).into();
        let notice = "gravity 1e10 is out of range: expected -1e9 to 1e9";
        assert_eq!(Event::notice_of(error).expect("it goes on"), Event::Notice(notice.into()));
        let error = ProgramError::Library(Error::Memory {
            purpose: Purpose::Run { agents: 20_000_000, scene: "gas" },
            needed: 3 << 30,
            available: Some(2 << 30),
            remedy: Remedy::set(Field::Agents, Value::Count(15_000_000)),
        });
        let expected = "20,000,000 agents of gas would take 3 GiB, and 2 GiB is available; \
                        try 15,000,000 agents";
        assert_eq!(sentence(&error), expected);
        assert!(Event::notice_of(error).is_err());
    }
}
