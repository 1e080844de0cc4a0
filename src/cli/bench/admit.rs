//! Admission of a comparison: every case is valid and fits into memory, before the first one runs.

use crate::{
    Boundary, Error, Scene, Setup, Sim,
    cli::{
        Failure, Outcome,
        args::{BenchArgs, names::SceneArg},
        memory, sentence,
        snapshots::Beginning,
    },
    error::{Field, Remedy, Value},
    index::IndexKind,
    scene::Collisions,
};

use super::case;

/// Checks all cases. Of the errors, the one with a remedy that helps in all cases is returned: what is
/// enough for few agents is too little for many.
///
/// # Errors
/// As [`memory::check`].
pub(super) fn admit(args: &BenchArgs) -> Outcome<()> {
    let given = |field| args.start.get(field);
    let has_scenes = args.named_scenes().next().is_some();
    if let (Some((name, _)), true) = (args.params().first(), has_scenes) {
        return Err(Failure::usage(format!(
            "--set {name} belongs to a world file; compare --scene FILE.toml alone"
        )));
    }
    let walls = Value::Name(Boundary::Walls.name());
    if let Some(boundary) =
        given(Field::Boundary).filter(|&boundary| has_scenes && boundary != walls)
    {
        return Err(Failure::usage(format!(
            "--boundary {boundary} can't be used with bench, which compares indexes in a world with \
             walls; leave out --boundary"
        )));
    }
    if given(Field::Collisions) == Some(Value::Name(Collisions::Swept.name())) {
        return Err(Failure::usage(
            "--collisions swept can't be used with bench, which compares how indexes find overlaps; \
             leave out --collisions"
                .to_owned(),
        ));
    }
    if args.state.file.is_some() {
        let threads = args.threads().last().copied().unwrap_or(1);
        for beginning in args.scenes().iter().map(|scene| case::beginnings(args, scene)) {
            beginning?.iter().try_for_each(|it| {
                it.admit(&|setup| beside(args, setup, Sim::memory_for(setup)), threads)
            })?;
        }
        return Ok(());
    }
    admit_files(args)?;
    let mut refused = refusals(args);
    if refused.is_empty() {
        return Ok(());
    }
    let helpful = refused.iter().position(|(_, error)| helps_everywhere(args, error));
    let (scene, error) = refused.swap_remove(helpful.unwrap_or(0));
    if helpful.is_some() || args.named_scenes().count() == 1 {
        return Err(error.into());
    }
    let problem = sentence(&error.with_remedy(Remedy::None));
    Err(Failure::usage(format!("{problem}; compare --scene {} alone", scene.name())))
}

/// Checks the cases of world files.
fn admit_files(args: &BenchArgs) -> Outcome<()> {
    let threads = args.threads().last().copied().unwrap_or(1);
    for scene in args.scenes().iter().filter(|scene| matches!(scene, SceneArg::File(_))) {
        for beginning in case::beginnings(args, scene)? {
            if beginning.setup().sweeps() {
                return Err(Failure::usage(format!(
                    "{} has swept collisions, and bench compares how indexes find overlaps; add \
                     --collisions overlap",
                    beginning.scene()
                )));
            }
            let run = |setup: &Setup| match &beginning {
                Beginning::World(world) => Sim::memory_of_world(&world.plan, setup),
                _ => Sim::memory_for(setup),
            };
            beginning.admit(&|setup| beside(args, setup, run(setup)), threads)?;
        }
    }
    Ok(())
}

/// True if no case is refused any more once the remedy is applied, for that reason or for what the
/// remedy sets.
fn helps_everywhere(args: &BenchArgs, error: &Error) -> bool {
    let remedy = match error {
        Error::Invalid(invalid) => &invalid.remedy,
        Error::Memory { remedy, .. } => remedy,
        _ => return false,
    };
    let Remedy::Set(settings) = remedy else { return false };
    let mut mended = args.clone();
    for &(field, value) in settings {
        mended.set(field, value);
    }
    let concerned: Vec<Field> =
        settings.iter().map(|&(field, _)| field).chain(reason(error)).collect();
    refusals(&mended)
        .iter()
        .all(|(_, other)| reason(other).is_some_and(|it| !concerned.contains(&it)))
}

/// The field that is refused; none if memory is short.
fn reason(error: &Error) -> Option<Field> {
    match error {
        Error::Invalid(invalid) => Some(invalid.field),
        _ => None,
    }
}

/// Why cases are refused, in their order.
fn refusals(args: &BenchArgs) -> Vec<(Scene, Error)> {
    let most_threads = args.threads().last().copied().unwrap_or(1);
    let mut refusals = Vec::new();
    for scene in args.named_scenes() {
        for agents in args.agents() {
            let beside = |setup: &Setup| beside(args, setup, Sim::memory_for(setup));
            let checked = memory::check(&args.setup(scene, agents), &beside, most_threads);
            refusals.extend(checked.err().map(|error| (scene, error)));
        }
    }
    refusals
}

/// Bytes of all indexes, each alone and in a simulation of its own, which takes `run` bytes.
fn beside(args: &BenchArgs, setup: &Setup, run: u64) -> u64 {
    let one = |kind: IndexKind| memory::index_alone(setup) + run + memory::index(setup, kind);
    args.indexes().into_iter().map(one).sum()
}
