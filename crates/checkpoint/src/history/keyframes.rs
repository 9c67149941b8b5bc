//! States that are kept, dense near the present and sparse long ago.

use super::place::Place;
use socscope_machine::{Machine, Snapshot};

/// States for going back step by step: as many as a way of halves to the present takes, several times over.
const FINE_MAX: usize = 64;

/// A state and where it was.
#[derive(Clone)]
pub(super) struct Keyframe {
    pub place: Place,
    pub snapshot: Snapshot,
    /// Host memory that is held for this state alone.
    bytes: usize,
}

impl Keyframe {
    /// The state of a machine.
    pub fn of(machine: &mut Machine) -> Keyframe {
        let snapshot = machine.snapshot();
        Keyframe {
            place: Place::of(machine),
            bytes: snapshot.bytes(),
            snapshot,
        }
    }
}

/// The states of one machine, in the order of time.
pub(super) struct Keyframes {
    coarse: Vec<Keyframe>,
    /// Kept on the way to a place, for the next steps back.
    fine: Vec<Keyframe>,
    budget_bytes: usize,
}

impl Keyframes {
    /// With the first state, which stays.
    pub fn new(first: Keyframe, budget_bytes: usize) -> Keyframes {
        Keyframes {
            coarse: vec![first],
            fine: vec![],
            budget_bytes,
        }
    }

    /// The first state.
    pub fn first(&self) -> &Keyframe {
        &self.coarse[0]
    }

    /// The last state that was kept while time went on.
    pub fn last(&self) -> &Keyframe {
        &self.coarse[self.coarse.len() - 1]
    }

    /// How many states are kept, and the host memory that they hold.
    pub fn size(&self) -> (usize, usize) {
        let all = self.coarse.iter().chain(&self.fine);
        (all.clone().count(), all.map(|one| one.bytes).sum())
    }

    /// Adds the newest state.
    pub fn push(&mut self, keyframe: Keyframe) {
        self.coarse.push(keyframe);
        while self.coarse.len() > 2 && self.size().1 > self.budget_bytes {
            match self.fine.is_empty() {
                false => self.fine.clear(),
                true => self.thin(),
            }
        }
    }

    /// Adds a state on the way to a place.
    pub fn push_fine(&mut self, keyframe: Keyframe) {
        if self.fine.len() == FINE_MAX {
            self.fine.remove(0);
        }
        self.fine.push(keyframe);
    }

    /// Removes the state whose neighbours are closest together for how long ago it was.
    fn thin(&mut self) {
        let now = self.last().place.cycle;
        let share = |at: usize| {
            let gap = self.coarse[at + 1].place.cycle - self.coarse[at - 1].place.cycle;
            let age = now - self.coarse[at].place.cycle;
            gap as f64 / (age.max(1)) as f64
        };
        let inner = 1..self.coarse.len() - 1;
        if let Some(at) = inner.min_by(|&a, &b| share(a).total_cmp(&share(b))) {
            self.coarse.remove(at);
        }
    }

    /// The last state at a place or before it; the first of all where there is none.
    pub fn nearest(&self, place: Place) -> &Keyframe {
        let behind = self.coarse.partition_point(|one| one.place <= place);
        let coarse = &self.coarse[behind.saturating_sub(1)];
        let fine = self.fine.iter().filter(|one| one.place <= place);
        fine.chain([coarse])
            .max_by_key(|one| one.place)
            .unwrap_or(coarse)
    }

    /// The last state before a place that was kept while time went on.
    pub fn before(&self, place: Place) -> Option<&Keyframe> {
        let behind = self.coarse.partition_point(|one| one.place < place);
        self.coarse[..behind].last()
    }

    /// Forgets all states behind a place.
    pub fn cut(&mut self, place: Place) {
        self.coarse.retain(|one| one.place <= place);
        self.fine.retain(|one| one.place <= place);
    }
}
