//! The film under way, and those before it that are still being written: the window waits for none of them
//! before it closes.

use std::{path::PathBuf, time::Instant};

use crate::{
    error::Result,
    window::{capture::Film, filming::Filming},
};

/// Films of the window.
#[derive(Default)]
pub(super) struct Films {
    under_way: Option<Filming>,
    ended: Vec<Ended>,
}

/// A film that no frame comes after.
struct Ended {
    film: Box<dyn Film>,
    /// True if nobody ended it but the window, by its size.
    resized: bool,
}

impl Ended {
    fn finish(self) -> Result<String> {
        let why = if self.resized { "; it ended as the window got another size" } else { "" };
        Ok(self.film.finish()? + why)
    }
}

impl Films {
    /// True while one is under way.
    pub(super) fn is_on(&self) -> bool {
        self.under_way.is_some()
    }

    /// Begins one of frames of that size, after the one that was under way; returns the name of its file.
    pub(super) fn begin(&mut self, film: Box<dyn Film>, size: [u32; 2], now: Instant) -> PathBuf {
        self.end();
        let filming = Filming::new(film, size, now);
        self.under_way.insert(filming).path()
    }

    /// Whole seconds that the one under way lasts so far.
    pub(super) fn seconds(&self) -> Option<u64> {
        self.under_way.as_ref().map(Filming::seconds)
    }

    /// A frame was shown. False if that ended the film under way.
    pub(super) fn shown(&mut self, now: Instant, size: [u32; 2], pixels: &[u8]) -> bool {
        let Some(filming) = &mut self.under_way else { return true };
        let fits = filming.fits(size);
        let on = fits && filming.shown(now, pixels);
        if !on {
            self.end_as(!fits);
        }
        on
    }

    /// Ends the one under way.
    pub(super) fn end(&mut self) {
        self.end_as(false);
    }

    fn end_as(&mut self, resized: bool) {
        let film = self.under_way.take().map(Filming::end);
        self.ended.extend(film.map(|film| Ended { film, resized }));
    }

    /// What became of those that have been written since this was asked last. The one under way is among them if
    /// it can't be written any further, which needs no other frame to be known.
    pub(super) fn written(&mut self) -> Vec<Result<String>> {
        if self.under_way.as_ref().is_some_and(Filming::is_written) {
            self.end();
        }
        self.ended.extract_if(.., |ended| ended.film.is_written()).map(Ended::finish).collect()
    }

    /// Ends all of them, and waits until they are written.
    pub(super) fn finish(&mut self) -> Vec<Result<String>> {
        self.end();
        self.ended.drain(..).map(Ended::finish).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, rc::Rc};

    use super::*;
    use crate::window::capture::Taken;

    /// A film that is written when it is told so.
    struct Told(&'static str, Rc<Cell<bool>>);

    impl Film for Told {
        fn path(&self) -> PathBuf {
            self.0.into()
        }
        fn put(&mut self, _: u64, _: &[u8]) -> Taken {
            Taken::Yes
        }
        fn end(&mut self) {}
        fn is_written(&self) -> bool {
            self.1.get()
        }
        fn finish(self: Box<Self>) -> Result<String> {
            Ok(format!("saved {}", self.0))
        }
    }

    fn sentences(outcomes: Vec<Result<String>>) -> Vec<String> {
        outcomes.into_iter().map(|outcome| outcome.expect("a film")).collect()
    }

    #[test]
    fn films_that_end_are_told_of_when_they_are_written_and_not_before() {
        let (mut films, now, size) = (Films::default(), Instant::now(), [1, 1]);
        let [one, other] = [(); 2].map(|()| Rc::new(Cell::new(false)));
        films.begin(Box::new(Told("one", one.clone())), size, now);
        assert!(films.shown(now, size, &[0; 4]) && films.is_on());
        films.end();
        assert!(films.written().is_empty() && !films.is_on());
        // Another may begin meanwhile; a frame of another size ends it.
        films.begin(Box::new(Told("other", other.clone())), size, now);
        assert!(!films.shown(now, [2, 2], &[0; 16]) && !films.is_on());
        other.set(true);
        let why = "; it ended as the window got another size";
        assert_eq!(sentences(films.written()), [format!("saved other{why}")]);
        one.set(true);
        assert_eq!(sentences(films.written()), ["saved one"]);
        assert!(films.written().is_empty());
    }

    #[test]
    fn a_film_that_comes_to_its_end_by_itself_is_told_of_while_no_frame_is_shown() {
        let (mut films, full) = (Films::default(), Rc::new(Cell::new(false)));
        films.begin(Box::new(Told("one", full.clone())), [1, 1], Instant::now());
        assert!(films.written().is_empty() && films.is_on());
        full.set(true);
        assert_eq!(sentences(films.written()), ["saved one"]);
        assert!(!films.is_on() && films.seconds().is_none());
    }

    #[test]
    fn whoever_closes_waits_for_all_of_them() {
        let (mut films, now) = (Films::default(), Instant::now());
        for name in ["one", "other"] {
            films.begin(Box::new(Told(name, Rc::default())), [1, 1], now);
        }
        assert_eq!(sentences(films.finish()), ["saved one", "saved other"]);
        assert!(films.finish().is_empty());
    }
}
