//! The input of benches of frames: the scenes and sizes of their flags, a run, and the cold cache
//! that a step leaves.

use std::{fmt, hint::black_box, str::FromStr};

use jostle::{Scene, Setup, Sim};

/// Steps before the first frame, after which agents overlap and lie in memory as they do in a run.
const WARMUP: usize = 20;

/// Bytes of more memory than a second-level cache holds.
const EVICTED: usize = 8 << 20;

/// Size of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || "expected a size such as 1280x720".to_owned();
        let (width, height) = text.split_once('x').ok_or_else(error)?;
        let parse = |number: &str| number.parse().map_err(|_| error());
        Ok(Self { width: parse(width)?, height: parse(height)? })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.width, self.height))
    }
}

/// The scene with a name.
pub(crate) fn scene(name: &str) -> Result<Scene, String> {
    let all = Scene::ALL.into_iter();
    all.clone().find(|scene| scene.name() == name).ok_or_else(|| {
        format!("expected one of {}", all.map(Scene::name).collect::<Vec<_>>().join(", "))
    })
}

/// A run of a scene after some steps.
pub(crate) fn warm(scene: Scene, agents: u32) -> jostle::Result<Sim> {
    let mut sim = Sim::new(&Setup::with_agents(scene, agents))?;
    (0..WARMUP).try_for_each(|_| sim.step())?;
    Ok(sim)
}

/// Bytes that evict the contents of the cache.
pub(crate) struct Evictor(Vec<u64>);

impl Evictor {
    pub(crate) fn new() -> Self {
        Self(vec![0; EVICTED / size_of::<u64>()])
    }

    /// Changes all of them.
    pub(crate) fn evict(&mut self) {
        for word in &mut self.0 {
            *word = word.wrapping_add(1);
        }
        black_box(&mut self.0);
    }
}
