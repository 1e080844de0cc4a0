//! A run of a host.

use std::path::Path;

use super::{
    error::{HostError, HostResult},
    flags::{ArgumentScope, HostArgument, is_of_frame, parse},
    look::RunLook,
    named,
};
use crate::{
    Error, Result, Setup, Sim,
    cli::{
        args::{PictureArgs, RunArgs},
        frames::{FrameRenderer, write_png},
        memory, notes, saves,
        series_row::{ObservedInterval, RunObserver},
        snapshots::Beginning,
        worlds::{StatedWorld, WorldFlags},
    },
    names::unknown,
    observe::{Meter, Observable, ValueSource},
    raster::{Frame, Style},
};

/// Room for agents and statics that come later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpareRoom {
    /// As [`Setup::spare_agents`].
    pub agents: u32,
    /// As [`Setup::spare_statics`].
    pub statics: u32,
}

/// The world file of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct HostedWorld<'a> {
    /// The name of the file without its ending.
    pub name: &'a str,
    /// Its params with their current values.
    pub params: Vec<(&'a str, f32)>,
}

/// The values of an observable.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedValues {
    /// A number, or those of a curve; not a number where one is not available.
    pub values: Vec<f64>,
    /// Number of curves of the same length; none for a number.
    pub curves: Option<usize>,
}

/// A run, with what its frames and observables remember of it.
#[derive(Debug)]
pub struct HostRun {
    sim: Sim,
    /// Arguments of the run that are about its frames.
    look: Vec<HostArgument>,
    /// What a world file says of pictures.
    stated_look: PictureArgs,
    renderer: FrameRenderer,
    meter: Meter,
    seen: RunLook,
    /// None until something is observed.
    observer: Option<RunObserver>,
    /// The interval that ended last, with the steps of the run by then.
    interval: Option<(u64, ObservedInterval)>,
    /// True if memory was refused in the middle of a step or a change: its agents can be read, and
    /// nothing else can be done.
    is_lost: bool,
}

impl HostRun {
    /// Begins a run as `jostle run` does with these arguments; `world` is the text of a world file,
    /// with files relative to the current folder.
    ///
    /// # Errors
    /// If an argument or a file can't be used, or there is not enough memory.
    pub fn begin(
        arguments: &[HostArgument],
        world: Option<&str>,
        room: SpareRoom,
    ) -> HostResult<Self> {
        let args = parse(ArgumentScope::Run, arguments)?;
        let load = args.snapshot.load.as_deref();
        let beginning = match world {
            None => Beginning::new(&args.world, load),
            Some(_) if load.is_some() || args.world.names_scene() => {
                let other = if load.is_some() { "load" } else { "scene" };
                return Err(HostError::Value(format!(
                    "world and {other} both say what a run begins with; leave out one of them"
                )));
            }
            Some(text) => StatedWorld::of_text(text, &WorldFlags::new(&args.world))
                .map(|world| Beginning::World(Box::new(world))),
        };
        let beginning =
            named(beginning.and_then(|beginning| beginning.with_room(room.agents, room.statics)))?;
        let index = |setup: &Setup| memory::index(setup, args.world.index);
        match &beginning {
            Beginning::Start(setup) => memory::check(setup, &index, 0)?,
            beginning => named(beginning.admit(&index, 0))?,
        }
        let setup = beginning.setup();
        let stated_look = beginning.pictured(&parse(ArgumentScope::Frame, &[])?.picture);
        let picture = args.picture.clone().or(&stated_look);
        let style = named(styled(&args, &picture, setup))?;
        notes::print(setup, 1, args.world.simd);
        let mut sim = named(beginning.sim())?;
        named(beginning.note(&sim))?;
        sim.set_simd(args.world.simd.usable());
        sim.set_index(args.world.index)?;
        let nothing = PictureArgs { size: Some([0, 0]), ..picture };
        let renderer = FrameRenderer::new(&nothing, style, &sim)?;
        let look = arguments.iter().filter(|(name, _)| is_of_frame(name)).cloned().collect();
        let (meter, seen) = (Meter::new(&sim), RunLook::begin(&sim));
        Ok(Self {
            sim,
            look,
            stated_look,
            renderer,
            meter,
            seen,
            observer: None,
            interval: None,
            is_lost: false,
        })
    }

    /// The run.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Advances the run by one step, on the threads of the pool that the caller is in.
    ///
    /// # Errors
    /// As [`Sim::step`], and if the run was lost before.
    pub fn step(&mut self) -> HostResult<()> {
        self.change(Sim::step)?;
        self.seen.step(&self.sim);
        if let Some(observer) = &mut self.observer {
            observer.step(&self.sim);
        }
        Ok(())
    }

    /// Notes what may be wrong with the run so far, as `jostle run` does at its end; each kind once.
    ///
    /// # Errors
    /// If there is not enough memory for the contacts.
    pub fn note(&mut self) -> HostResult<()> {
        Ok(self.seen.note(&self.sim)?)
    }

    /// The number of species and their names; none in a run without species.
    pub fn species(&self) -> Option<&[String]> {
        let has_species = self.sim.agents().own.as_ref()?.species.is_some();
        self.sim.rule_source().map(|source| &*source.species).filter(|_| has_species)
    }

    /// Makes a change.
    ///
    /// # Errors
    /// As the change, and if the run was lost before.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Sim) -> Result<T>) -> HostResult<T> {
        self.check()?;
        // A panic in the middle leaves it set.
        self.is_lost = true;
        let changed = change(&mut self.sim);
        self.is_lost = matches!(changed, Err(Error::Memory { .. }));
        Ok(changed?)
    }

    /// Refuses a run that is lost.
    fn check(&self) -> HostResult<()> {
        if !self.is_lost {
            return Ok(());
        }
        Err(HostError::Memory(
            "this run has run out of memory and can't go on; begin a new one, or load one that was \
             saved"
                .to_owned(),
        ))
    }

    /// The world file that the run goes by.
    pub fn world_file(&self) -> Option<HostedWorld<'_>> {
        self.sim.rule_source().map(|source| {
            let params = source.values.params.iter();
            HostedWorld {
                name: &source.name,
                params: params.map(|param| (&*param.name, param.value)).collect(),
            }
        })
    }

    /// The names of all observables: the columns of `--series`, then the quantities of a world file.
    pub fn observables(&self) -> Vec<String> {
        let own = Observable::observed(&self.sim);
        Observable::columns().chain(own).map(|it| self.name_of(it)).collect()
    }

    fn name_of(&self, observable: Observable) -> String {
        let own = observable.name_in(&self.sim);
        own.unwrap_or(observable.column).to_owned()
    }

    /// The value of every observable, in the order of [`Self::observables`]. Pressures and rates are
    /// means since the last earlier step at which something was observed, or since the run began;
    /// displacements and correlations are those since the first time that something was observed.
    ///
    /// # Errors
    /// If there is not enough memory for the contacts.
    pub fn observe_all(&mut self) -> HostResult<Vec<f64>> {
        let own = Observable::observed(&self.sim);
        let all: Vec<_> = Observable::columns().chain(own).collect();
        self.values_of(&all)
    }

    /// The value of an observable, or of a curve of `--series-columns`, as [`Self::observe_all`].
    ///
    /// # Errors
    /// If there is none of that name, or not enough memory for the contacts.
    pub fn observe(&mut self, name: &str) -> HostResult<ObservedValues> {
        let own = Observable::observed(&self.sim);
        let mut all = Observable::columns().chain(own).chain(Observable::curves());
        let found = all.find(|&it| self.name_of(it) == name);
        drop(all);
        let Some(observable) = found else {
            let mut known = self.observables();
            known.extend(Observable::curves().map(|curve| curve.column.to_owned()));
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            return Err(HostError::Value(format!(
                "{name} {}",
                unknown(name, "observable", &known)
            )));
        };
        let curves = match observable.source {
            ValueSource::Radial => Some(1),
            ValueSource::Profile(_, columns, _) => Some(columns.len()),
            _ => None,
        };
        Ok(ObservedValues { values: self.values_of(&[observable])?, curves })
    }

    fn values_of(&mut self, observables: &[Observable]) -> HostResult<Vec<f64>> {
        self.check()?;
        let Self { sim, observer, interval, meter, .. } = self;
        let observer = observer.get_or_insert_with(|| RunObserver::new(sim, *meter));
        let steps = sim.steps();
        let (_, interval) = match interval {
            Some(ended) if ended.0 == steps => ended,
            _ => interval.insert((steps, observer.end_interval(sim))),
        };
        let mut moment = observer.moment(sim, interval)?;
        let mut values = Vec::new();
        for &observable in observables {
            moment.values(observable, |value| values.push(value));
        }
        Ok(values)
    }

    /// A frame of the current state, with the look of the run but for these arguments.
    ///
    /// # Errors
    /// If an argument can't be used, or there is not enough memory.
    pub fn frame(&mut self, arguments: &[HostArgument]) -> HostResult<Frame> {
        self.check()?;
        let is_given = |name: &str| arguments.iter().any(|(given, _)| given == name);
        let kept = self.look.iter().filter(|(name, _)| !is_given(name));
        let all: Vec<_> = kept.chain(arguments).cloned().collect();
        let args = parse(ArgumentScope::Frame, &all)?;
        let picture = args.picture.clone().or(&self.stated_look);
        let style = named(styled(&args, &picture, self.sim.setup()))?;
        let [width, height] = picture.size();
        let mut frame = Frame::new(width, height)?;
        self.renderer.show(&picture, style, &self.sim)?;
        self.renderer.draw(&mut frame, &self.sim);
        Ok(frame)
    }

    /// The same as the bytes of a PNG.
    ///
    /// # Errors
    /// As [`Self::frame`].
    pub fn png(&mut self, arguments: &[HostArgument]) -> HostResult<Vec<u8>> {
        let frame = self.frame(arguments)?;
        let mut bytes = Vec::new();
        write_png(&frame, &mut bytes).map_err(|error| HostError::File(error.to_string()))?;
        Ok(bytes)
    }

    /// Writes a snapshot of the run: whole, or not at all.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn save(&self, path: &Path) -> HostResult<()> {
        self.check()?;
        named(saves::save(path, &self.sim))
    }
}

/// The style of a picture.
fn styled(args: &RunArgs, picture: &PictureArgs, setup: &Setup) -> crate::cli::Outcome<Style> {
    let style = picture.style.style(setup)?;
    Ok(Style { order: args.draw_order.unwrap_or_default(), ..style })
}
