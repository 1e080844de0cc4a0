//! The keys of `[world]` that name a scene: the agents begin as its agents do.

use super::reader::{Reader, TomlEntry};
use crate::scene::Scene;

/// For scenes without a rule of their own, and for those with one.
pub(super) const START: [&str; 2] = ["start", "rule"];

/// True if the scene does something beside physics.
pub(super) fn has_rule(scene: Scene) -> bool {
    matches!(scene, Scene::Cannon | Scene::Melee | Scene::Shock)
}

impl Reader<'_> {
    /// The scene that `[world]` names.
    pub(super) fn scene(&mut self, section: &TomlEntry<'_>) -> Option<Scene> {
        let mut found = None;
        for entry in self.entries(section.value, "world") {
            let Some(key) = START.iter().position(|key| *key == entry.key) else { continue };
            let Some(text) = self.string(entry.value, entry.key, "a name in quotes") else {
                continue;
            };
            let fits = |scene: &Scene| has_rule(*scene) == (key == 1);
            let all: Vec<&str> =
                Scene::ALL.iter().filter(|it| fits(it)).map(|it| it.name()).collect();
            let scene = Scene::ALL.into_iter().filter(|it| fits(it)).find(|it| it.name() == text);
            if scene.is_none() {
                self.no_such(entry.value.span().start, text, entry.key, &all);
            }
            if found.is_some() {
                self.fault(entry.at, "[world] has both a start and a rule; remove one of them");
            }
            found = found.or(scene);
        }
        found
    }
}
