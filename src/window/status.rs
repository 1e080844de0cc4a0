//! The status line: one line at the top of the frame, whatever its width, and below it what was said last.

use std::fmt::Write as _;

use crate::{
    index::DoubleGrid,
    raster::Overlay,
    window::{
        canvas::{Area, Canvas, LETTER},
        meter::Figures,
        tool::Tool,
        wrap::wrap,
    },
};

/// Colors of what is plain, of what stands out, and of what is amiss: told apart in greys too.
const PLAIN: [u8; 3] = [222, 226, 235];
const QUIET: [u8; 3] = [150, 158, 176];
const AMISS: [u8; 3] = [255, 196, 64];

/// Font pixels around text, between lines, and letters between two fields.
const PADDING: u32 = 6;
const LEADING: u32 = 5;
const GAP: u32 = 3;

/// Everything that the status line is about.
#[derive(Clone, Debug)]
pub(super) struct Status<'a> {
    /// What they began as.
    pub(super) scene: &'static str,
    /// Alive.
    pub(super) agents: usize,
    /// What was measured.
    pub(super) figures: Figures,
    /// Steps a second that are asked for.
    pub(super) rate: f64,
    /// Times the speed of real time.
    pub(super) speed: f64,
    /// True if the simulation stands still.
    pub(super) paused: bool,
    /// What finds the contacts.
    pub(super) index: &'static str,
    /// What is drawn over the agents.
    pub(super) overlay: Overlay,
    /// What colors mean.
    pub(super) colors: &'static str,
    /// Steps done.
    pub(super) steps: u64,
    /// What the mouse does.
    pub(super) tool: Tool,
    /// Agents of another run that are being placed, if there are any.
    pub(super) placing: Option<u32>,
    /// Seconds that a film of the window lasts so far, if there is one.
    pub(super) filmed: Option<u64>,
    /// The last thing that was said.
    pub(super) said: &'a str,
}

/// How much a field matters: 0 stays in any window, and what has the largest number goes first.
type Rank = u8;

/// The least that any field matters.
const LAST: Rank = 11;

/// A part of a status line.
#[derive(Clone, Copy, Debug)]
struct StatusField {
    /// Where its text ends, which begins where that of the field before it ends.
    end: usize,
    color: [u8; 3],
    rank: Rank,
}

/// The fields of a status line, kept so that writing one allocates nothing after the first.
#[derive(Clone, Debug, Default)]
pub(super) struct StatusLine {
    text: String,
    fields: Vec<StatusField>,
}

impl StatusLine {
    /// Writes the status at the top of the canvas in one line, without what matters least if that is too long
    /// for it; and below it what was said.
    pub(super) fn status(&mut self, canvas: &mut Canvas<'_>, scale: u32, status: &Status<'_>) {
        self.compose(status);
        let letters = (canvas.size()[0] / scale).saturating_sub(2 * PADDING) / LETTER;
        let said = wrap(status.said, letters);
        let lines = 1 + said.clone().count() as u32;
        let backing = Area { x: 0, y: 0, width: canvas.size()[0], height: height(lines, scale) };
        canvas.darken(backing);
        let top = |line: u32| (PADDING + line * (LETTER + LEADING)) * scale;
        for (column, color, text) in self.places(letters) {
            canvas.write((PADDING + column * LETTER) * scale, top(0), scale, color, text);
        }
        for (line, text) in (1..).zip(said) {
            canvas.write(PADDING * scale, top(line), scale, AMISS, text);
        }
    }

    /// Column, color and text of each field that has room in so many letters.
    fn places(&self, letters: u32) -> impl Iterator<Item = (u32, [u8; 3], &str)> {
        let least = (1..=LAST).rev().find(|&rank| self.width(rank) <= letters).unwrap_or(0);
        self.of_rank(least).scan(0, |column, (field, text)| {
            let place = (*column, field.color, text);
            *column += text.len() as u32 + GAP;
            Some(place)
        })
    }

    /// Letters of the fields that matter at least so much, side by side.
    fn width(&self, least: Rank) -> u32 {
        let widths = self.of_rank(least).map(|(_, text)| text.len() as u32 + GAP);
        widths.sum::<u32>().saturating_sub(GAP)
    }

    /// The fields that matter at least so much, and their texts.
    fn of_rank(&self, least: Rank) -> impl Iterator<Item = (&StatusField, &str)> {
        let starts = std::iter::once(0).chain(self.fields.iter().map(|field| field.end));
        let fields = self.fields.iter().zip(starts);
        fields
            .filter(move |(field, _)| field.rank <= least)
            .map(|(field, start)| (field, &self.text[start..field.end]))
    }

    fn compose(&mut self, status: &Status<'_>) {
        self.text.clear();
        self.fields.clear();
        let figures = &status.figures;
        self.text.push_str(status.scene);
        self.text.push_str(": ");
        self.grouped(status.agents as u64);
        self.end(0, PLAIN, " agents");
        self.number(figures.steps_per_s);
        self.end(3, PLAIN, " steps/s");
        for (rank, name, ms) in [
            (7, "step", figures.step_ms),
            (9, "draw", figures.draw_ms),
            (11, "present", figures.present_ms),
        ] {
            self.text.push_str(name);
            self.text.push(' ');
            self.number(ms);
            self.end(rank, PLAIN, " ms");
        }
        if status.speed != 1.0 {
            let _ = write!(self.text, "speed x{}", status.speed);
            self.end(6, PLAIN, "");
        }
        if status.paused {
            self.text.push_str("paused at step ");
            self.grouped(status.steps);
            self.end(1, AMISS, "");
        } else if figures.behind {
            let _ = write!(self.text, "falls behind {:.0} steps/s", status.rate);
            self.end(1, AMISS, "");
        }
        if let Some(agents) = status.placing {
            self.text.push_str("placing ");
            self.grouped(agents.into());
            self.end(1, AMISS, " agents");
        }
        if let Some(seconds) = status.filmed {
            let _ = write!(self.text, "filming {seconds} s");
            self.end(2, AMISS, "");
        }
        if status.tool != Tool::Hand {
            let _ = write!(self.text, "tool: {}", status.tool.name());
            self.end(4, PLAIN, "");
        }
        if status.index != DoubleGrid::KIND.name {
            let _ = write!(self.text, "index: {}", status.index);
            self.end(8, PLAIN, "");
        }
        if status.overlay != Overlay::None {
            let _ = write!(self.text, "overlay: {}", status.overlay.name());
            self.end(8, PLAIN, "");
        }
        self.text.push_str("color: ");
        self.text.push_str(status.colors);
        self.end(10, QUIET, "");
        self.end(5, QUIET, "H: keys");
    }

    fn end(&mut self, rank: Rank, color: [u8; 3], rest: &str) {
        self.text.push_str(rest);
        self.fields.push(StatusField { end: self.text.len(), color, rank });
    }

    /// Three digits that mean something, in five places so that fields don't jump about.
    fn number(&mut self, value: Option<f64>) {
        let _ = match value {
            None => write!(self.text, "{:>5}", "-"),
            Some(value) if value < 9.995 => write!(self.text, "{value:5.2}"),
            Some(value) if value < 999.95 => write!(self.text, "{value:5.1}"),
            Some(value) => write!(self.text, "{value:5.0}"),
        };
    }

    /// Thousands apart.
    fn grouped(&mut self, value: u64) {
        let start = self.text.len();
        let _ = write!(self.text, "{value}");
        let mut place = self.text.len();
        while place > start + 3 {
            place -= 3;
            self.text.insert(place, ',');
        }
    }
}

/// Pixels that so many lines of status take off the top.
pub(super) fn height(lines: u32, scale: u32) -> u32 {
    (lines * (LETTER + LEADING) - LEADING + 2 * PADDING) * scale
}

/// Pixels a font pixel, by the screen's scale factor: whole, and larger where pixels are smaller.
pub(super) fn text_scale(scale_factor: f64) -> u32 {
    (scale_factor.round() as u32).clamp(1, 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Status<'static> {
        Status {
            scene: "gas",
            agents: 500_000,
            figures: Figures {
                steps_per_s: Some(59.96),
                step_ms: Some(8.2149),
                draw_ms: Some(12.34),
                present_ms: None,
                behind: false,
            },
            rate: 60.0,
            speed: 1.0,
            paused: false,
            index: "double-grid",
            overlay: Overlay::None,
            colors: "speed",
            steps: 1234,
            tool: Tool::Hand,
            placing: None,
            filmed: None,
            said: "",
        }
    }

    fn fields(status: &Status<'_>) -> Vec<String> {
        let mut line = StatusLine::default();
        line.compose(status);
        line.places(1000).map(|(_, _, text)| text.to_owned()).collect()
    }

    #[test]
    fn the_line_shows_agents_rate_and_milliseconds() {
        let expected = [
            "gas: 500,000 agents",
            " 60.0 steps/s",
            "step  8.21 ms",
            "draw  12.3 ms",
            "present     - ms",
            "color: speed",
            "H: keys",
        ];
        assert_eq!(fields(&status()), expected);
    }

    #[test]
    fn what_is_out_of_the_ordinary_shows() {
        let paused = Status { paused: true, ..status() };
        assert!(fields(&paused).contains(&"paused at step 1,234".to_owned()));
        let mut behind = status();
        behind.figures.behind = true;
        behind.rate = 240.0;
        behind.speed = 4.0;
        assert!(fields(&behind).contains(&"falls behind 240 steps/s".to_owned()));
        assert!(fields(&behind).contains(&"speed x4".to_owned()));
        let busy = Status { tool: Tool::Poke, filmed: Some(12), placing: Some(5_000), ..status() };
        for field in ["tool: poke", "filming 12 s", "placing 5,000 agents"] {
            assert!(fields(&busy).contains(&field.to_owned()), "{field}");
        }
    }

    #[test]
    fn what_matters_least_goes_first_in_a_narrow_window() {
        let mut line = StatusLine::default();
        line.compose(&Status { paused: true, tool: Tool::Poke, ..status() });
        let texts = |letters| line.places(letters).map(|(_, _, text)| text).collect::<Vec<_>>();
        let all = texts(1000);
        for letters in 0..200 {
            let shown = texts(letters);
            let width: usize = shown.iter().map(|text| text.len() + GAP as usize).sum();
            assert!(shown.len() == 1 || width - GAP as usize <= letters as usize, "{shown:?}");
            assert!(shown.contains(&"gas: 500,000 agents"));
            assert!(shown.len() == all.len() || !shown.iter().any(|text| text.contains("present")));
        }
        let agents = "gas: 500,000 agents";
        let expected = [agents, " 60.0 steps/s", "paused at step 1,234", "tool: poke"];
        assert_eq!(texts(75), expected);
    }

    /// A window of 1152 pixels shows all that there is while nothing is out of the ordinary.
    #[test]
    fn a_usual_window_shows_everything() {
        let mut line = StatusLine::default();
        line.compose(&Status { paused: true, ..status() });
        let letters = (1152 - 2 * PADDING) / LETTER;
        assert_eq!(line.places(letters).count(), line.fields.len());
    }

    #[test]
    fn what_was_said_is_below_the_line() {
        let rows = |said| {
            let size = [320, 100];
            let mut bytes = vec![255; (size[0] * size[1] * 4) as usize];
            let mut canvas = Canvas::new(size, &mut bytes);
            StatusLine::default().status(&mut canvas, 1, &Status { said, ..status() });
            let rows = bytes.chunks((size[0] * 4) as usize);
            rows.take_while(|row| row[0] < 255).count() as u32
        };
        assert_eq!(rows(""), height(1, 1));
        assert_eq!(rows("saved jostle.png"), height(2, 1));
        assert_eq!(rows(&"a sentence that is long ".repeat(3)), height(3, 1));
    }

    #[test]
    fn everything_fits_any_canvas() {
        let said = "a sentence that is long ".repeat(20);
        for size in [[0, 0], [1, 1], [13, 7], [200, 100], [1280, 720]] {
            for factor in [0.5, 1.0, 1.5, 2.0, 3.0] {
                let scale = text_scale(factor);
                let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
                let mut canvas = Canvas::new(size, &mut bytes);
                StatusLine::default().status(
                    &mut canvas,
                    scale,
                    &Status { said: &said, ..status() },
                );
            }
        }
    }
}
