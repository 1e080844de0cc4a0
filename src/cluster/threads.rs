//! Ranks as threads of one process, so that a run on many ranks needs no network.

use std::{
    process,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use super::Link;

/// The connection of a rank that is a thread.
#[derive(Debug)]
pub struct ThreadLink {
    rank: usize,
    to: Vec<Sender<Vec<u32>>>,
    from: Vec<Receiver<Vec<u32>>>,
}

impl Link for ThreadLink {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn exchange(&mut self, to: &[(usize, &[u32])], from: &[usize]) -> Vec<Vec<u32>> {
        const ENDED: &str = "no rank ends before the others";
        for (to, words) in to {
            self.to[*to].send(words.to_vec()).expect(ENDED);
        }
        from.iter().map(|&from| self.from[from].recv().expect(ENDED)).collect()
    }

    fn abort(&self, status: u8) -> ! {
        process::exit(status.into())
    }
}

/// Runs that many ranks, each on a thread of its own; returns what they return, in their order.
///
/// # Panics
/// If one of them panics.
pub fn in_threads<R: Send>(ranks: usize, work: impl Fn(ThreadLink) -> R + Sync) -> Vec<R> {
    let mut links: Vec<_> =
        (0..ranks).map(|rank| ThreadLink { rank, to: Vec::new(), from: Vec::new() }).collect();
    for from in 0..ranks {
        for to in 0..ranks {
            let (sender, receiver) = channel();
            links[from].to.push(sender);
            links[to].from.push(receiver);
        }
    }
    thread::scope(|scope| {
        let threads: Vec<_> = links.into_iter().map(|link| scope.spawn(|| work(link))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no rank panics")).collect()
    })
}
