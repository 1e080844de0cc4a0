//! The section `[view]`: how a world wants to be seen.

use glam::Vec2;

use super::{
    reader::{Item, Reader, TomlEntry},
    tables::TableReader,
};
use crate::scene::Setup;

/// How a world wants to be seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorldView {
    /// Names of a color mode and of a palette.
    pub(crate) color_by: Option<String>,
    pub(crate) palette: Option<String>,
    /// The middle and the width of the part of the world that is shown first.
    pub(crate) camera: Option<(Vec2, f32)>,
    /// The colors of the species that state one.
    pub(crate) colors: Vec<Option<[u8; 3]>>,
    /// A sentence about what there is to see.
    pub(crate) caption: Option<String>,
}

/// The names that a view may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewNames<'a> {
    pub(crate) color_by: &'a [&'a str],
    pub(crate) palette: &'a [&'a str],
    /// Quantities that each run has.
    pub(crate) observed: &'a [&'a str],
    /// Reads the tables of groups and polylines; none if no agents are placed.
    pub(crate) tables: Option<TableReader<'a>>,
}

/// Longest caption, characters.
const CAPTION_MAX: usize = 200;

impl Reader<'_> {
    /// A color as `"#ff8000"`.
    pub(super) fn color(&mut self, item: &Item<'_>) -> Option<[u8; 3]> {
        const COLOR: &str = "a color in quotes, such as \"#ff8000\"";
        let text = self.string(item, "color", COLOR)?;
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let number = digits
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if number.is_none() {
            self.wrong(item, "color", COLOR);
        }
        let [_, red, green, blue] = number?.to_be_bytes();
        Some([red, green, blue])
    }

    pub(super) fn view(
        &mut self,
        section: &TomlEntry<'_>,
        names: ViewNames<'_>,
        setup: &Setup,
    ) -> WorldView {
        const CAMERA: &str = "[x, y, width], a width above 0";
        let mut view = WorldView::default();
        let keys = ["color_by", "palette", "camera", "caption"];
        for entry in self.known(section.value, "view", &keys) {
            match entry.key {
                "color_by" => {
                    view.color_by = self.choice(entry.value, "color mode", names.color_by);
                    let lacking = match view.color_by.as_deref() {
                        Some("spin") if setup.friction == 0.0 => {
                            "`spin` needs agents that spin; add `friction = 0.5` to [world]"
                        }
                        Some("faction") if !setup.scene.has_factions() => {
                            "`faction` needs factions; add `rule = \"melee\"` to [world]"
                        }
                        _ => continue,
                    };
                    self.fault(entry.value.span().start, lacking);
                }
                "palette" => view.palette = self.choice(entry.value, "palette", names.palette),
                "camera" => {
                    if let Some([x, y, width]) = self.numbers(entry.value, "camera", CAMERA) {
                        if width > 0.0 {
                            view.camera = Some((Vec2::new(x, y), width));
                        } else {
                            self.wrong(entry.value, "camera", CAMERA);
                        }
                    }
                }
                "caption" => {
                    let expected = "a sentence in quotes, at most 200 letters in one line";
                    let caption = self.string(entry.value, "caption", expected).map(str::to_owned);
                    let is_line = |text: &String| {
                        text.chars().count() <= CAPTION_MAX && !text.contains(char::is_control)
                    };
                    if caption.as_ref().is_some_and(|text| !is_line(text)) {
                        self.wrong(entry.value, "caption", expected);
                    }
                    view.caption = caption;
                }
                _ => {}
            }
        }
        view
    }
}
