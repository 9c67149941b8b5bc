//! What a profile counts while a debugger moves in time.

use crate::debugger::Debugger;
use socscope_probe::{ProbeSet, Profile};
use socscope_time::Instant;

/// The part of its course that a machine's profile counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counting {
    /// All up to the present, and on from there; what is repeated of the past was counted before.
    #[default]
    Present,
    /// From a place in the past on, as long as the machine only goes forward.
    Past,
    /// Nothing any more since this time, because time was moved or the past changed.
    Ended(Instant),
}

impl Debugger<'_> {
    /// Time is moved otherwise than by going forward: what was begun in the past ends here.
    pub(crate) fn time_is_moved(&mut self) {
        self.end_counting(Counting::Past);
    }

    /// The recorded future is discarded. What was counted up to the present holds parts of it; what was begun in the past is on the course that is left.
    pub(crate) fn future_is_discarded(&mut self) {
        self.end_counting(Counting::Present);
        self.counts_live();
    }

    /// The machines stand in the present.
    pub(crate) fn counts_live(&mut self) {
        for counting in &mut self.counting {
            if *counting == Counting::Past {
                *counting = Counting::Present;
            }
        }
    }

    fn end_counting(&mut self, which: Counting) {
        let machines = self.machines.iter().zip(&mut *self.profiles);
        for (counting, (machine, probes)) in self.counting.iter_mut().zip(machines) {
            if *counting == which
                && let Some(profile) = probes.get_mut()
            {
                profile.count(false);
                *counting = Counting::Ended(machine.now());
            }
        }
    }

    /// A profile that begins where a machine stands, in place of the one before.
    pub(crate) fn begin_counting(&mut self, machine: usize, profile: Profile) {
        self.profiles[machine].set(profile);
        self.counting[machine] = match self.in_past() {
            true => Counting::Past,
            false => Counting::Present,
        };
    }

    /// Who is told of a machine's past: its profile alone, if it was begun there.
    pub(crate) fn take_observer_of_past(&mut self, machine: usize) -> ProbeSet {
        match self.counting[machine] {
            Counting::Past => self.profiles[machine].take_profile().map(ProbeSet::on),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// Gives it back.
    pub(crate) fn give_back(&mut self, machine: usize, mut observer: ProbeSet) {
        if let Some(profile) = observer.take_profile() {
            self.profiles[machine].set(profile);
        }
        if !self.in_past() {
            self.counts_live();
        }
    }
}
