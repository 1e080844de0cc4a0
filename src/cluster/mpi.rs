//! Ranks as processes that MPI has started, on one machine or many.

use std::iter;

use mpi::{
    Threading,
    collective::SystemOperation,
    datatype::{Partition, PartitionMut},
    environment::Universe,
    request::scope,
    topology::SimpleCommunicator,
    traits::{Communicator, CommunicatorCollectives, Destination, Source},
};

use super::Link;

/// Tells MPI about this process; ends that when it is dropped. Only its thread may drop it.
pub struct MpiSession {
    _universe: Universe,
}

impl MpiSession {
    /// Begins. `None` if MPI has begun before in this process, or allows no calls from another thread
    /// than this one.
    pub fn begin() -> Option<Self> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)?;
        (threading >= Threading::Serialized).then_some(Self { _universe: universe })
    }
}

/// The connection of a rank that MPI has started.
pub struct MpiLink(SimpleCommunicator);

impl MpiLink {
    /// The connection of this process with all others that were started with it, for the thread that
    /// asks. Only one thread of a process may use such links at a time.
    ///
    /// # Panics
    /// If there is no [`MpiSession`].
    pub fn world() -> Self {
        assert!(mpi::environment::is_initialized(), "there is a session");
        Self(SimpleCommunicator::world())
    }

    /// Number of ranks that share the memory of this one.
    pub fn ranks_here(&self) -> usize {
        self.0.split_shared(self.0.rank()).size() as usize
    }
}

/// Offsets of parts of that many words, one behind the other.
fn offsets(counts: &[i32]) -> Vec<i32> {
    let sums = counts.iter().scan(0, |sum: &mut usize, &count| {
        *sum += count as usize;
        Some(number(*sum))
    });
    iter::once(0).chain(sums).take(counts.len()).collect()
}

/// A number of ranks or of words as MPI takes it.
fn number(count: usize) -> i32 {
    i32::try_from(count).expect("a message has less than 8 GiB")
}

/// The parts of a buffer.
fn parts(words: &[u32], counts: &[i32]) -> Vec<Vec<u32>> {
    let mut rest = words;
    let part = |count: &i32| {
        let (part, behind) = rest.split_at(*count as usize);
        rest = behind;
        part.to_vec()
    };
    counts.iter().map(part).collect()
}

/// Zeros for parts of that many words.
fn room(counts: &[i32]) -> Vec<u32> {
    vec![0; counts.iter().map(|&count| count as usize).sum()]
}

impl Link for MpiLink {
    fn rank(&self) -> usize {
        self.0.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.0.size() as usize
    }

    fn exchange(&mut self, to: &[(usize, &[u32])], from: &[usize]) -> Vec<Vec<u32>> {
        let process = |rank: usize| self.0.process_at_rank(number(rank));
        scope(|scope| {
            // A blocking send may wait until it is received, for ever if the receiver sends as well.
            let sends: Vec<_> =
                to.iter().map(|&(to, words)| process(to).immediate_send(scope, words)).collect();
            let received = from.iter().map(|&from| process(from).receive_vec().0).collect();
            for send in sends {
                send.wait_without_status();
            }
            received
        })
    }

    fn all_to_all(&mut self, words: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let counts: Vec<_> = words.iter().map(|words| number(words.len())).collect();
        let mut expected = vec![0; counts.len()];
        self.0.all_to_all_into(&counts[..], &mut expected[..]);
        let (sent, mut received) = (words.concat(), room(&expected));
        self.0.all_to_all_varcount_into(
            &Partition::new(&sent[..], &counts[..], &offsets(&counts)[..]),
            &mut PartitionMut::new(&mut received[..], &expected[..], &offsets(&expected)[..]),
        );
        parts(&received, &expected)
    }

    fn all_gather(&mut self, words: &[u32]) -> Vec<Vec<u32>> {
        let mut expected = vec![0; self.ranks()];
        self.0.all_gather_into(&number(words.len()), &mut expected[..]);
        let mut received = room(&expected);
        self.0.all_gather_varcount_into(
            words,
            &mut PartitionMut::new(&mut received[..], &expected[..], &offsets(&expected)[..]),
        );
        parts(&received, &expected)
    }

    fn sum(&mut self, number: u64) -> u64 {
        let mut sum = 0;
        self.0.all_reduce_into(&number, &mut sum, SystemOperation::sum());
        sum
    }

    fn abort(&self, status: u8) -> ! {
        self.0.abort(status.into())
    }
}
