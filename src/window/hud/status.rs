//! The status line at the top of the frame, and below it the last message.

use std::fmt::Write as _;

use crate::{
    index::DoubleGrid,
    raster::Overlay,
    window::{
        frame_stats::Figures,
        hud::{
            canvas::Canvas,
            text::{self, ACCENT, PLAIN, QUIET, TextBlock, wrap},
        },
        tool::Tool,
    },
};

/// Letters between two fields.
const GAP: u32 = 3;

/// What the status line shows.
#[derive(Clone, Debug)]
pub(in crate::window) struct Status<'a> {
    /// Name of the scene.
    pub(in crate::window) scene: &'static str,
    /// Number of agents.
    pub(in crate::window) agents: usize,
    /// Rates and durations.
    pub(in crate::window) figures: Figures,
    /// Steps per second that the run is to reach.
    pub(in crate::window) rate: f64,
    /// Simulated seconds per second of wall time.
    pub(in crate::window) speed: f64,
    /// True if the simulation is paused.
    pub(in crate::window) paused: bool,
    /// Name of the spatial index.
    pub(in crate::window) index: &'static str,
    /// Overlay over the agents.
    pub(in crate::window) overlay: Overlay,
    /// Name of the color mode.
    pub(in crate::window) colors: &'static str,
    /// Steps done.
    pub(in crate::window) steps: u64,
    /// The tool in use.
    pub(in crate::window) tool: Tool,
    /// Number of agents of the run that is being placed in the background.
    pub(in crate::window) placing: Option<u32>,
    /// Length of the film in progress, seconds.
    pub(in crate::window) filmed: Option<u64>,
    /// The last message.
    pub(in crate::window) message: &'a str,
}

/// Priority of a field: 0 is shown in any window; the largest rank is dropped first.
type Rank = u8;

/// The largest rank.
const LAST: Rank = 11;

/// One field of the status line.
#[derive(Clone, Copy, Debug)]
struct StatusField {
    /// End of its text, which begins where the text of the previous field ends.
    end: usize,
    color: [u8; 3],
    rank: Rank,
}

/// The status line. It keeps its memory, so that only the first frame allocates.
#[derive(Clone, Debug, Default)]
pub(in crate::window) struct StatusLine {
    text: String,
    fields: Vec<StatusField>,
}

impl StatusLine {
    /// Draws the status line at the top of the canvas, without the fields of the largest ranks where
    /// all of them don't fit, and the message below it.
    pub(in crate::window) fn draw(
        &mut self,
        canvas: &mut Canvas<'_>,
        scale: u32,
        status: &Status<'_>,
    ) {
        self.compose(status);
        let size = canvas.size();
        let [letters, _] = text::room(size, scale);
        let message = wrap(status.message, letters);
        let lines = 1 + message.clone().count() as u32;
        let mut block =
            TextBlock::new(canvas, scale, [0, 0], [size[0], Self::height(lines, scale)], 1);
        for (column, color, text) in self.places(letters) {
            block.write(column, 0, color, text);
        }
        for (line, text) in (1..).zip(message) {
            block.write(0, line, ACCENT, text);
        }
    }

    /// Height of a status of that many lines, in pixels.
    pub(in crate::window) fn height(lines: u32, scale: u32) -> u32 {
        text::block_size(0, lines, scale)[1]
    }

    /// Column, color and text of each field that fits into `letters`.
    fn places(&self, letters: u32) -> impl Iterator<Item = (u32, [u8; 3], &str)> {
        let most = (1..=LAST).rev().find(|&rank| self.width(rank) <= letters).unwrap_or(0);
        self.of_rank(most).scan(0, |column, (field, text)| {
            let place = (*column, field.color, text);
            *column += text.len() as u32 + GAP;
            Some(place)
        })
    }

    /// Letters that the fields up to a rank take side by side.
    fn width(&self, most: Rank) -> u32 {
        let widths = self.of_rank(most).map(|(_, text)| text.len() as u32 + GAP);
        widths.sum::<u32>().saturating_sub(GAP)
    }

    /// The fields up to a rank, with their texts.
    fn of_rank(&self, most: Rank) -> impl Iterator<Item = (&StatusField, &str)> {
        let starts = std::iter::once(0).chain(self.fields.iter().map(|field| field.end));
        let fields = self.fields.iter().zip(starts);
        fields
            .filter(move |(field, _)| field.rank <= most)
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
            let _ = match status.speed {
                speed if speed < 1.0 => write!(self.text, "time x1/{}", 1.0 / speed),
                speed => write!(self.text, "time x{speed}"),
            };
            self.end(6, PLAIN, "");
        }
        if status.paused {
            self.text.push_str("paused at step ");
            self.grouped(status.steps);
            self.end(1, ACCENT, "");
        } else if figures.behind {
            let _ = write!(self.text, "can't keep up with {:.0} steps/s", status.rate);
            self.end(1, ACCENT, "");
        }
        if let Some(agents) = status.placing {
            self.text.push_str("placing ");
            self.grouped(agents.into());
            self.end(1, ACCENT, " agents");
        }
        if let Some(seconds) = status.filmed {
            let _ = write!(self.text, "filming {seconds} s");
            self.end(2, ACCENT, "");
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

    /// Appends three significant digits in five columns, so that fields keep their places.
    fn number(&mut self, value: Option<f64>) {
        let _ = match value {
            None => write!(self.text, "{:>5}", "-"),
            Some(value) if value < 9.995 => write!(self.text, "{value:5.2}"),
            Some(value) if value < 999.95 => write!(self.text, "{value:5.1}"),
            Some(value) => write!(self.text, "{value:5.0}"),
        };
    }

    /// Appends a number with separated thousands.
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
            message: "",
        }
    }

    fn fields(status: &Status<'_>) -> Vec<String> {
        let mut line = StatusLine::default();
        line.compose(status);
        line.places(1000).map(|(_, _, text)| text.to_owned()).collect()
    }

    #[test]
    fn shows_agents_rate_and_milliseconds() {
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
    fn shows_unusual_states() {
        let paused = Status { paused: true, ..status() };
        assert!(fields(&paused).contains(&"paused at step 1,234".to_owned()));
        let mut behind = status();
        behind.figures.behind = true;
        behind.rate = 240.0;
        behind.speed = 4.0;
        assert!(fields(&behind).contains(&"can't keep up with 240 steps/s".to_owned()));
        assert!(fields(&behind).contains(&"time x4".to_owned()));
        let busy = Status { tool: Tool::Poke, filmed: Some(12), placing: Some(5_000), ..status() };
        for field in ["tool: poke", "filming 12 s", "placing 5,000 agents"] {
            assert!(fields(&busy).contains(&field.to_owned()), "{field}");
        }
    }

    #[test]
    fn a_narrow_window_drops_the_largest_ranks() {
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

    #[test]
    fn a_window_of_1152_pixels_shows_every_field() {
        let mut line = StatusLine::default();
        line.compose(&Status { paused: true, ..status() });
        let [letters, _] = text::room([1152, 720], 1);
        assert_eq!(line.places(letters).count(), line.fields.len());
    }

    #[test]
    fn the_message_is_below_the_line() {
        let rows = |message| {
            let size = [320, 100];
            let mut bytes = vec![255; (size[0] * size[1] * 4) as usize];
            let mut canvas = Canvas::new(size, &mut bytes);
            StatusLine::default().draw(&mut canvas, 1, &Status { message, ..status() });
            let rows = bytes.chunks((size[0] * 4) as usize);
            rows.take_while(|row| row[0] < 255).count() as u32
        };
        assert_eq!(rows(""), StatusLine::height(1, 1));
        assert_eq!(rows("saved jostle.png"), StatusLine::height(2, 1));
        assert_eq!(rows(&"a sentence that is long ".repeat(3)), StatusLine::height(3, 1));
    }

    #[test]
    fn any_canvas_is_large_enough() {
        let message = "a sentence that is long ".repeat(20);
        for size in [[0, 0], [1, 1], [13, 7], [200, 100], [1280, 720]] {
            for scale in [0.5, 1.0, 1.5, 2.0, 3.0].map(text::text_scale) {
                let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
                let mut canvas = Canvas::new(size, &mut bytes);
                let status = Status { message: &message, ..status() };
                StatusLine::default().draw(&mut canvas, scale, &status);
            }
        }
    }
}
