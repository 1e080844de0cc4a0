//! What is written into a frame: the status line, and the keys when somebody asks for them.

use std::fmt::Write as _;

use crate::{
    app::{
        canvas::{Area, Canvas, LETTER},
        keys,
        meter::Figures,
        tool::Tool,
    },
    index::DoubleGrid,
    raster::Overlay,
};

/// Colours of what is plain, of what stands out, and of what is amiss: told apart in greys too.
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
    /// What colours mean.
    pub(super) colours: &'static str,
    /// Steps done.
    pub(super) steps: u64,
    /// What the mouse does.
    pub(super) tool: Tool,
    /// Seconds that a film of the window lasts so far, if there is one.
    pub(super) filmed: Option<u64>,
    /// The last thing that was said.
    pub(super) said: &'a str,
}

/// The fields of a status line, kept so that writing one allocates nothing after the first.
#[derive(Clone, Debug, Default)]
pub(super) struct StatusLine {
    text: String,
    fields: Vec<(usize, [u8; 3])>,
}

impl StatusLine {
    /// Writes the status at the top of the canvas, in as many lines as its width asks for.
    pub(super) fn status(&mut self, canvas: &mut Canvas<'_>, scale: u32, status: &Status<'_>) {
        self.compose(status);
        let letters = (canvas.size()[0] / scale).saturating_sub(2 * PADDING) / LETTER;
        let lines = 1 + self.places(letters).map(|(_, line, _, _)| line).max().unwrap_or(0);
        let backing = Area { x: 0, y: 0, width: canvas.size()[0], height: height(lines, scale) };
        canvas.darken(backing);
        for (column, line, colour, text) in self.places(letters) {
            let x = PADDING + column * LETTER;
            let y = PADDING + line * (LETTER + LEADING);
            canvas.write(x * scale, y * scale, scale, colour, text);
        }
    }

    /// Column, line, colour and text of each field, wrapped at that many letters.
    fn places(&self, letters: u32) -> impl Iterator<Item = (u32, u32, [u8; 3], &str)> {
        let (mut start, mut column, mut line) = (0, 0, 0);
        self.fields.iter().map(move |&(end, colour)| {
            let text = &self.text[start..end];
            let width = text.len() as u32;
            if column > 0 && column + width > letters {
                (column, line) = (0, line + 1);
            }
            let place = (column, line, colour, text);
            (start, column) = (end, column + width + GAP);
            place
        })
    }

    fn compose(&mut self, status: &Status<'_>) {
        self.text.clear();
        self.fields.clear();
        let figures = &status.figures;
        self.grouped(status.agents as u64);
        self.end(PLAIN, " agents");
        self.number(figures.steps_per_s);
        self.end(PLAIN, " steps/s");
        for (name, ms) in
            [("step", figures.step_ms), ("draw", figures.draw_ms), ("present", figures.present_ms)]
        {
            self.text.push_str(name);
            self.text.push(' ');
            self.number(ms);
            self.end(PLAIN, " ms");
        }
        if status.speed != 1.0 {
            let _ = write!(self.text, "speed x{}", status.speed);
            self.end(PLAIN, "");
        }
        if status.paused {
            self.text.push_str("paused at step ");
            self.grouped(status.steps);
            self.end(AMISS, "");
        } else if figures.behind {
            let _ = write!(self.text, "falls behind {:.0} steps/s", status.rate);
            self.end(AMISS, "");
        }
        if let Some(seconds) = status.filmed {
            let _ = write!(self.text, "filming {seconds} s");
            self.end(AMISS, "");
        }
        if status.tool != Tool::Hand {
            let _ = write!(self.text, "tool: {}", status.tool.name());
            self.end(PLAIN, "");
        }
        if status.index != DoubleGrid::KIND.name {
            let _ = write!(self.text, "index: {}", status.index);
            self.end(PLAIN, "");
        }
        if status.overlay != Overlay::None {
            let _ = write!(self.text, "overlay: {}", status.overlay.name());
            self.end(PLAIN, "");
        }
        self.text.push_str("colour: ");
        self.text.push_str(status.colours);
        self.end(QUIET, "");
        self.end(QUIET, "H: keys");
        if !status.said.is_empty() {
            self.end(AMISS, status.said);
        }
    }

    fn end(&mut self, colour: [u8; 3], rest: &str) {
        self.text.push_str(rest);
        self.fields.push((self.text.len(), colour));
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

/// Writes the table of keys into the middle of the canvas.
pub(super) fn help(canvas: &mut Canvas<'_>, scale: u32) {
    let size = canvas.size();
    let column = 2 + keys::lines().map(|(keys, _)| keys.len() as u32).max().unwrap_or(0);
    let letters = column + keys::lines().map(|(_, what)| what.len() as u32).max().unwrap_or(0);
    let lines = keys::lines().count() as u32;
    let width = (letters * LETTER + 4 * PADDING) * scale;
    let height = (lines * (LETTER + LEADING) - LEADING + 4 * PADDING) * scale;
    let x = size[0].saturating_sub(width) / 2;
    let y = size[1].saturating_sub(height) / 2;
    // Twice, as a list is read for longer than a line.
    canvas.darken(Area { x, y, width, height });
    canvas.darken(Area { x, y, width, height });
    for (line, (keys, what)) in (0..).zip(keys::lines()) {
        let left = x + 2 * PADDING * scale;
        let top = y + (2 * PADDING + line * (LETTER + LEADING)) * scale;
        canvas.write(left, top, scale, AMISS, keys);
        canvas.write(left + column * LETTER * scale, top, scale, PLAIN, what);
    }
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
            colours: "speed",
            steps: 1234,
            tool: Tool::Hand,
            filmed: None,
            said: "",
        }
    }

    fn fields(status: &Status<'_>) -> Vec<String> {
        let mut line = StatusLine::default();
        line.compose(status);
        line.places(1000).map(|(_, _, _, text)| text.to_owned()).collect()
    }

    #[test]
    fn the_line_shows_agents_rate_and_milliseconds() {
        let expected = [
            "500,000 agents",
            " 60.0 steps/s",
            "step  8.21 ms",
            "draw  12.3 ms",
            "present     - ms",
            "colour: speed",
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
        let busy = Status { tool: Tool::Poke, filmed: Some(12), said: "saved", ..status() };
        for field in ["tool: poke", "filming 12 s", "saved"] {
            assert!(fields(&busy).contains(&field.to_owned()), "{field}");
        }
    }

    #[test]
    fn fields_wrap_in_a_narrow_window_and_none_is_lost() {
        let mut line = StatusLine::default();
        line.compose(&status());
        for letters in [0, 10, 20, 40, 80] {
            let places: Vec<_> = line.places(letters).collect();
            assert_eq!(places.len(), line.fields.len());
            for (column, _, _, text) in places {
                assert!(column == 0 || column + text.len() as u32 <= letters);
            }
        }
    }

    #[test]
    fn everything_fits_any_canvas() {
        for size in [[0, 0], [1, 1], [13, 7], [200, 100], [1280, 720]] {
            for factor in [0.5, 1.0, 1.5, 2.0, 3.0] {
                let scale = text_scale(factor);
                let mut bytes = vec![0; (size[0] * size[1] * 4) as usize];
                let mut canvas = Canvas::new(size, &mut bytes);
                StatusLine::default().status(&mut canvas, scale, &status());
                help(&mut canvas, scale);
            }
        }
    }
}
