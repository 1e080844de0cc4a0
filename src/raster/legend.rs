//! Legends: the meaning of the colors of a style, as data for a user interface to draw.

use std::f32::consts::FRAC_PI_4;

use super::{
    field::{density_share, temperature_share},
    overlay::OVERLAY_FULL,
    style::{ColorBy, Overlay, Style},
    tones::{rim_share, twin_share},
};

/// The meaning of the colors of a style.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Legend {
    /// The quantity, with its unit.
    pub(crate) title: &'static str,
    pub(crate) key: LegendKey,
}

/// The colors of a legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LegendKey {
    /// Single colors have no meaning.
    None,
    /// The colors of all scalar tones side by side, and values at shares of the way.
    Scale(Vec<(f32, String)>),
    /// The same with the colors of the palette, in any color mode.
    Heat(Vec<(f32, String)>),
    /// The colors of all directions, and lines that explain them.
    Wheel(Vec<String>),
    /// The fields of the world, as they were at the start.
    Map,
    /// A name for each of the first tones.
    Names(Vec<String>),
}

impl Style {
    /// The legend of the style, for species of these names.
    pub(crate) fn legend(&self, species: &[String]) -> Legend {
        let scale = |marks: Vec<(f32, f32)>| {
            LegendKey::Scale(marks.into_iter().map(|(at, value)| (at, number(value))).collect())
        };
        let (title, key) = match self.color_by {
            ColorBy::Speed => {
                let share = |times: f32| 1.0 - (-FRAC_PI_4 * times * times).exp();
                let mark = |times: f32| (share(times), times * self.mean_speed);
                ("speed, units/s", scale(vec![(0.0, 0.0), mark(1.0), mark(2.0)]))
            }
            ColorBy::Size => {
                let [least, most] = self.radius;
                let ends =
                    if most > least { vec![(0.0, least), (1.0, most)] } else { vec![(0.0, least)] };
                ("radius, units", scale(ends))
            }
            ColorBy::Temperature => {
                let mark = |times: f32| {
                    let kt = times * self.temperature;
                    (temperature_share(kt, self.temperature), kt)
                };
                ("temperature, kT", scale(vec![(0.0, 0.0), mark(1.0), mark(4.0)]))
            }
            ColorBy::Density => {
                let marks = [0.0, 0.1, 0.3, 0.6];
                let marks = marks.map(|share| (density_share(share), percent(share)));
                ("ground covered", LegendKey::Scale(marks.into()))
            }
            ColorBy::Contacts => {
                let marks = [0.0, 2.0, 4.0, 6.0].map(|count: f32| (count / 6.0, number(count)));
                ("contacts", LegendKey::Scale(marks.into()))
            }
            ColorBy::Flow => {
                let rim = number(self.mean_speed);
                ("flow, units/s", LegendKey::Wheel(vec!["gray: 0".into(), format!("rim: {rim}+")]))
            }
            ColorBy::Order => {
                let lines = vec!["hue: bonds".into(), "gray: 0".into(), "rim: 1".into()];
                ("bond order ψ6", LegendKey::Wheel(lines))
            }
            ColorBy::Spin => {
                let marks = [-1.0, 0.0, 1.0]
                    .map(|times: f32| (rim_share(times, 1.0), times * self.speed_scale()));
                ("rim spin, units/s", scale(marks.into()))
            }
            ColorBy::Start => ("start position", LegendKey::Map),
            ColorBy::Cell => ("cell of the grid", LegendKey::None),
            ColorBy::Faction => ("faction", LegendKey::Names(vec!["left".into(), "right".into()])),
            ColorBy::Species => ("species", LegendKey::Names(species.to_vec())),
            ColorBy::Twin => {
                let marks = [1e-4, 1.0, 100.0].map(|radii| (twin_share(radii * radii), radii));
                ("radii from twin", scale(marks.into()))
            }
        };
        Legend { title, key }
    }

    /// The legend of the overlay, if its colors stand for numbers.
    pub(crate) fn overlay_legend(&self) -> Option<Legend> {
        let marks = [0.0, 0.3, 0.6, OVERLAY_FULL];
        let marks = marks.map(|share| (share / OVERLAY_FULL, percent(share)));
        let key = LegendKey::Heat(marks.into());
        (self.overlay == Overlay::Density).then_some(Legend { title: "overlay: covered", key })
    }

    /// Whether the palette decides about any color.
    pub(crate) fn uses_palette(&self) -> bool {
        self.color_by.has_palette() || self.overlay == Overlay::Density
    }

    /// The names of the color mode, and of the palette if the mode uses it.
    pub(crate) fn colors_name(&self) -> String {
        let (color_by, palette) = (self.color_by.name(), self.palette.name());
        if self.uses_palette() { format!("{color_by} {palette}") } else { color_by.to_owned() }
    }
}

fn percent(share: f32) -> String {
    format!("{:.0}%", share * 100.0)
}

/// A number with two digits, without trailing zeros.
fn number(value: f32) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(0.001..100_000.0).contains(&size) {
        return format!("{value:.0e}");
    }
    let digits = (1 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_digits() {
        let numbers = [0.0, 6.0, 12.5, 0.0317, 999.4, 1e-7, 3e7, 0.25].map(number);
        assert_eq!(numbers, ["0", "6", "12", "0.032", "999", "1e-7", "3e7", "0.25"]);
    }

    fn check(Legend { title, key }: Legend) {
        assert!(title.len() <= 17, "{title}");
        if let LegendKey::Scale(marks) | LegendKey::Heat(marks) = key {
            assert!(marks.is_sorted_by(|a, b| a.0 < b.0 && (0.0..=1.0).contains(&b.0)));
        } else if let LegendKey::Wheel(lines) = key {
            // What a color is and its value are on one line.
            assert!(lines.iter().all(|line| line.contains(": ")), "{lines:?}");
        }
    }

    #[test]
    fn every_mark_is_on_its_scale() {
        for color_by in ColorBy::ALL {
            let style = Style { color_by, ..Style::default() };
            let legend = style.legend(&[]);
            check(legend);
        }
        check(Style { overlay: Overlay::Density, ..Style::default() }.overlay_legend().unwrap());
    }
}
