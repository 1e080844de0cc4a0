//! The world file of the run: values that change while the run goes on, another text, and its look.

use super::{
    Session,
    placement::{read, read_text},
    starts::with_room_in_world,
};
use crate::{
    agents::Agents,
    error::Field,
    format::plural,
    program::{ProgramError, ProgramResult as Result},
    raster::{ColorBy, Palette, Style, species_colors},
    rules::{RuleSource, cell_name},
    scene::FIELDS,
    sim::Edit,
    window::{
        command::Command,
        event::Event,
        tool::{Tool, ToolStroke, WorldText},
    },
    world::{RunAsText, WorldFault, WorldPlan, WorldView, with_statics, written},
};

/// The numbers of the motion, which change while a run goes on.
const MOTION: [Field; 5] =
    [Field::Gravity, Field::Restitution, Field::Friction, Field::Rolling, Field::Speed];

/// Drawn values are multiples of this share of the largest one.
const DRAWN_PARTS: f32 = 100.0;

/// What of a look is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookAt {
    /// The part of the world that is shown.
    Camera,
    /// The colors.
    Colors,
    /// Both.
    All,
}

impl Session {
    /// The sentence about the world file of the run: its caption, or else its first line, if that
    /// is a comment.
    pub(super) fn caption(&self) -> Option<String> {
        let source = self.sim().rule_source()?;
        Some(caption(&source.name, &source.text, look(source)))
    }

    /// Looks as the world file says, if there is one and it does.
    pub(super) fn look_as_stated(&mut self, what: LookAt) {
        let Some(view) = self.sim().rule_source().and_then(|source| look(source)) else { return };
        if let (Some((center, width)), true) = (view.camera, what != LookAt::Colors) {
            self.screen.view.show_part(center, width);
        }
        if what == LookAt::Camera {
            return;
        }
        // A palette that a user chose stays when another run begins.
        let palette = self.style().palette;
        let agents = self.host.sim.agents();
        self.screen.restyle(|style| {
            color(style, &view, agents);
            if what != LookAt::Colors {
                style.palette = palette;
            }
        });
    }

    /// Takes the colors of the world file if it wants to be seen otherwise than that before.
    pub(super) fn look_unless(&mut self, before: Option<&RuleSource>) {
        let now = self.sim().rule_source().cloned();
        let (Some(now), Some(before)) = (now, before) else { return };
        if now.text != before.text && look(&now) != look(before) {
            self.look_as_stated(LookAt::Colors);
        }
    }

    /// The text of a world file like the run: its own, with the values that were set, or one that
    /// begins as its scene does; and with the walls that were built.
    ///
    /// # Errors
    /// If the world file of the run can't be read any more.
    pub(in crate::window) fn as_world_file(&self) -> Result<RunAsText> {
        let mut begins = self.setup().fixed();
        let text = match self.sim().rule_source() {
            Some(source) => {
                begins.extend(read(source)?.statics());
                source.with_values()
            }
            None => written(self.setup()),
        };
        let now = self.sim().statics().iter().map(|(_, shape)| shape);
        Ok(with_statics(text, &begins, now))
    }

    /// What that file begins with otherwise than the run is now: the number of agents, and the numbers of
    /// the motion.
    ///
    /// # Errors
    /// As [`Self::as_world_file`].
    pub(in crate::window) fn begins_otherwise(&self) -> Result<Vec<String>> {
        let begins = match self.sim().rule_source() {
            Some(source) => read(source)?.setup,
            None => self.setup().clone(),
        };
        let agents = plural(begins.agents as usize, "agent");
        let agents = (begins.agents as usize != self.sim().agents().len()).then_some(agents);
        let differs = FIELDS.iter().filter(|entry| {
            MOTION.contains(&entry.field) && (entry.get)(&begins) != (entry.get)(self.setup())
        });
        let numbers = differs.map(|it| format!("{} {}", it.field.name(), (it.get)(&begins)));
        Ok(agents.into_iter().chain(numbers).collect())
    }

    /// Goes on with a text that the world file has now: at once if the agents can stay, else with
    /// another start. A text that is wrong changes nothing.
    ///
    /// # Errors
    /// As [`Starts::start`](super::starts::Starts::start), and as [`Edit::World`].
    pub(in crate::window) fn take_text(&mut self, name: &str, text: &str) -> Result<Option<Event>> {
        let Some(source) = self.sim().rule_source().filter(|source| source.name == name).cloned()
        else {
            return Ok(None);
        };
        if self.host.is_replaying() {
            let goes_on = format!("{name}.toml has changed; the replay goes on without that");
            return Ok((source.text != text).then_some(Event::Notice(goes_on)));
        }
        // A start that the file asked for before it changed again.
        let placing = self.starts.placement.job().and_then(|job| job.world.as_ref());
        if placing.is_some_and(|placing| placing.name == name && placing.text != source.text) {
            self.starts.placement.cancel();
        }
        if source.text == text {
            return Ok(None);
        }
        let (before, plain) = (plan_of(&source, &source.text, &[])?, plan_of(&source, text, &[])?);
        // What was set stays where the file has not changed the same value.
        let stated = |plan: &WorldPlan, name: &str| {
            let mut all = plan.rules.source()?.all();
            all.find(|(other, _)| other == name).map(|(_, value)| value)
        };
        let mut kept = source.settings.clone();
        kept.retain(|(name, _)| {
            stated(&plain, name).is_some_and(|value| stated(&before, name) == Some(value))
        });
        let (plan, settings) = match plan_of(&source, text, &kept) {
            Ok(plan) => (plan, kept),
            Err(_) => (plain, Vec::new()),
        };
        if plan.begins_as(&before) {
            self.host.sim.apply(Edit::World(name.to_owned(), text.to_owned(), settings))?;
            let (world, parts) = (Some(former(&source)), self.host.sim.take_parted());
            self.recall_strokes();
            let stroke = ToolStroke { world, parts, ..ToolStroke::default() };
            self.tools.state.add(stroke, self.host.sim.tick());
            self.keep_strokes();
            self.look_unless(Some(&source));
            let step = crate::format::grouped(self.sim().steps());
            let sentence =
                format!("{name}.toml has changed, and the run with it after step {step}");
            return Ok(Some(Event::Notice(sentence)));
        }
        // Flags and the panel may have set other values than the file.
        let mut setup = self.setup().clone();
        for entry in FIELDS {
            let now = (entry.get)(&plan.setup);
            if now != (entry.get)(&before.setup) {
                (entry.set)(&mut setup, now);
            }
        }
        // The cells were those of the radii before.
        if plan.typical_radii().is_some() {
            setup.cell = plan.setup.cell;
        }
        if plan.rules.collides() && !before.rules.collides() {
            (setup.solver, setup.substeps) = (plan.setup.solver, plan.setup.substeps);
        }
        let setup = with_room_in_world(&plan, &setup);
        let placing = self.starts.order(&self.host, setup, Some(&plan))?;
        self.reports.notice(format!("{name}.toml asks for another start: the run begins anew"));
        Ok(Some(placing))
    }

    /// The command of the key that takes the hand, or with the hand draws matrices.
    pub(super) fn hand_or_draw(&self) -> Command {
        let draws = self.tools.state.tool == Tool::Hand
            && self.sim().rule_source().is_some_and(|source| !source.values.matrices.is_empty());
        if draws { Command::DrawMatrices } else { Command::Tool(Tool::Hand) }
    }

    /// Sets a param.
    ///
    /// # Errors
    /// If there is no such param, or the value is out of its range.
    pub(super) fn set_param(&mut self, index: usize, value: f32) -> Result<Event> {
        let source = self.world_file()?;
        let Some(param) = source.values.params.get(index) else { return Err(no_value()) };
        let name = param.name.clone();
        let event = Event::set("param", format!("{name} {value}"));
        self.set_values(vec![(name, value)])?;
        Ok(event)
    }

    /// Sets a cell of a matrix.
    ///
    /// # Errors
    /// If there is no such cell.
    pub(super) fn set_cell(&mut self, cell: [usize; 3], value: f32) -> Result<Event> {
        let [matrix, feels, felt] = cell;
        let source = self.world_file()?;
        let matrix = source.values.matrices.get(matrix);
        let species = [feels, felt].map(|of| source.species.get(of));
        let (Some(matrix), [Some(feels), Some(felt)]) = (matrix, species) else {
            return Err(no_value());
        };
        let name = cell_name(&matrix.name, feels, felt);
        let event = Event::set("cell", format!("{name} {value}"));
        self.set_values(vec![(name, value)])?;
        Ok(event)
    }

    /// Draws all cells of all matrices: within the largest number that the file has in the matrix,
    /// and below 0 only if it has some there.
    ///
    /// # Errors
    /// If there is no matrix.
    pub(super) fn draw_matrices(&mut self) -> Result<Event> {
        let source = self.world_file()?;
        let mut most = Vec::new();
        for matrix in &source.values.matrices {
            let stated = |place: &std::ops::Range<usize>| {
                source.text[place.clone()].replace('_', "").parse().unwrap_or(0.0)
            };
            let all = || matrix.places.iter().flatten().map(stated);
            let largest = all().map(f64::abs).fold(0.0, f64::max);
            let largest = if largest > 0.0 { largest } else { 1.0 };
            let least = if all().any(|number| number < 0.0) { -DRAWN_PARTS } else { 0.0 };
            most.extend(all().map(|_| (least, largest)));
        }
        let mut values: Vec<(String, f32)> = source.cells().collect();
        if values.is_empty() {
            return Err(ProgramError::refused("the world file has no matrix to draw"));
        }
        for ((_, value), (least, largest)) in values.iter_mut().zip(most) {
            let [drawn, parts] =
                [self.tools.seeds.between(least, DRAWN_PARTS).round(), DRAWN_PARTS];
            // Rounded once: a decimal with few digits.
            *value = (f64::from(drawn) * largest / f64::from(parts)) as f32;
        }
        let count = values.len();
        self.set_values(values)?;
        Ok(Event::set("matrices", format!("{count} new values; Ctrl-Z takes them back")))
    }

    /// The world file of the run.
    fn world_file(&self) -> Result<std::sync::Arc<RuleSource>> {
        let source = self.sim().rule_source().cloned();
        source.ok_or_else(|| ProgramError::refused("the run has no world file"))
    }

    /// Sets values as one change, which undo takes back. A value that is set again and again, as a
    /// slider does, is one change.
    fn set_values(&mut self, values: Vec<(String, f32)>) -> Result<()> {
        let before = current(&*self.world_file()?, &values);
        self.host.sim.apply(Edit::Values(values))?;
        let parts = self.host.sim.take_parted();
        let stroke = ToolStroke { values: before, parts, ..ToolStroke::default() };
        self.tools.state.add(stroke, self.host.sim.tick());
        Ok(())
    }
}

/// The plan of another text of a world file, or why it has none.
fn plan_of(source: &RuleSource, text: &str, settings: &[(String, f32)]) -> Result<WorldPlan> {
    read_text(source, text, settings).map_err(|faults| {
        let (name, first) = (&source.name, WorldFault::first_of(&faults));
        let shown = first.shown(&format_args!("{name}.toml"), "");
        ProgramError::refused(format!("{shown}; the run goes on as it was"))
    })
}

/// The sentence about a world file: its caption, or else its first line, if that is a comment.
pub(super) fn caption(name: &str, text: &str, view: Option<WorldView>) -> String {
    let stated = view.and_then(|view| view.caption);
    let caption = stated.map_or_else(
        || text.lines().next()?.strip_prefix('#').map(|line| line.trim().to_owned()),
        |caption| Some(format!("{name}: {caption}")),
    );
    let caption = caption.filter(|line| (1..=200).contains(&line.chars().count()));
    let caption = caption.unwrap_or_else(|| format!("{name}: a world file"));
    caption.trim_end_matches('.').to_owned()
}

/// Sets the colors that a world file wants its agents to have.
pub(super) fn color(style: &mut Style, view: &WorldView, agents: &Agents) {
    let has_species = agents.own.as_ref().is_some_and(|own| own.species.is_some());
    let named = |name: &str| ColorBy::ALL.into_iter().find(|color_by| color_by.name() == name);
    let named = view.color_by.as_deref().and_then(named);
    let color_by = named.or(has_species.then_some(ColorBy::Species));
    let color_by =
        color_by.filter(|color_by| ColorBy::all_of(agents).any(|possible| possible == *color_by));
    let palette = |name: &str| Palette::ALL.into_iter().find(|palette| palette.name() == name);
    let palette = view.palette.as_deref().and_then(palette);
    style.color_by = color_by.unwrap_or(style.color_by);
    style.palette = palette.unwrap_or(style.palette);
    style.species = species_colors(&view.colors);
}

/// How a world file wants to be seen.
pub(super) fn look(source: &RuleSource) -> Option<WorldView> {
    Some(read_text(source, &source.text, &[]).ok()?.view)
}

fn no_value() -> ProgramError {
    ProgramError::refused("the world file has no such value")
}

/// A world file as undo brings it back.
pub(super) fn former(source: &RuleSource) -> WorldText {
    WorldText(source.name.clone(), source.text.clone(), source.settings.clone())
}

/// The values that a world file has now under these names.
pub(super) fn current(source: &RuleSource, names: &[(String, f32)]) -> Vec<(String, f32)> {
    source.all().filter(|(name, _)| names.iter().any(|(other, _)| other == name)).collect()
}
