//! Time travel: states that are kept while machines run, and the way from one of them to any place between.
//!
//! A [`History`] watches machines that run; [`History::note`] keeps a state from time to time. From any place in the past a machine repeats
//! what it did, with the inputs of its log, to the bit. A change in the past, by an input or by a run of the user's own, discards the recorded future.

mod arrival;
mod backwards;
mod conditions;
mod course;
mod error;
mod forwards;
mod keyframes;
mod place;
mod track;
mod watcher;
mod window;
mod world;

pub use arrival::{Arrival, Progress};
pub use conditions::{Accessor, Conditions, Hit, Watch, Watchpoint};
pub use error::HistoryError;
pub use place::Place;
pub use watcher::Watcher;
pub use world::World;

use socscope_time::Instant;
use track::Track;

/// How much a history keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Simulated time between two states that are kept while time goes on.
    pub interval_ps: u64,
    /// Host memory for states; above it, those of long ago are thinned out.
    pub budget_bytes: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            interval_ps: 10_000_000_000,
            budget_bytes: 256 << 20,
        }
    }
}

/// The past of machines that share one time.
pub struct History {
    settings: Settings,
    tracks: Vec<Track>,
    cuts: u32,
}

impl History {
    /// Begins now.
    pub fn new(world: &mut World, settings: Settings) -> History {
        let mut history = History {
            settings,
            tracks: vec![],
            cuts: 0,
        };
        history.begin_anew(world);
        history
    }

    /// Forgets everything and begins now: what [`History::note`] does by itself when machines were added, or put into another state from outside.
    pub fn begin_anew(&mut self, world: &mut World) {
        let budget_bytes = self.settings.budget_bytes / world.machines.len().max(1);
        let begin = |machine| Track::new(machine, budget_bytes);
        self.tracks = world.machines.iter_mut().map(begin).collect();
    }

    /// To be called between two pieces of a run, and after anything else was done to the machines: keeps their state if that is due, and takes notice
    /// of changes in the past.
    pub fn note(&mut self, world: &mut World) {
        self.take_notice(world);
        if self.in_past() {
            return;
        }
        if world.now() >= self.note_after(self.last_kept(world)) {
            for (track, machine) in self.tracks.iter_mut().zip(world.machines.iter_mut()) {
                track.keep(machine);
            }
        }
    }

    /// Where a run should pause for [`History::note`].
    pub fn next_note(&self, world: &World) -> Instant {
        self.note_after(world.now())
    }

    /// The same for a time.
    pub fn note_after(&self, now: Instant) -> Instant {
        let interval_ps = self.settings.interval_ps.max(1);
        Instant((now.0 / interval_ps + 1).saturating_mul(interval_ps))
    }

    /// Whether the machines stand in the past.
    pub fn in_past(&self) -> bool {
        self.tracks.iter().any(|track| track.present.is_some())
    }

    /// Where the history begins.
    pub fn begin(&self, world: &World) -> Instant {
        let first = self.tracks[world.focus].keyframes.first();
        world.machine().clock().instant_of(first.place.cycle)
    }

    /// The present: where the machine in focus was when it first went back, or is.
    pub fn present(&self, world: &World) -> Instant {
        let end = self.tracks[world.focus].end(world.machine());
        world.machine().clock().instant_of(end.cycle)
    }

    /// How many states are kept, and roughly the host memory that they hold.
    pub fn size(&self) -> (usize, usize) {
        let sizes = self.tracks.iter().map(|track| track.keyframes.size());
        sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1))
    }

    /// How often the past was changed: what a probe has counted then holds what was cut off.
    pub fn cuts(&self) -> u32 {
        self.cuts
    }

    /// Discards the recorded future, behind the place where the machines stand: they take another course from here.
    pub fn cut(&mut self) {
        self.cuts += u32::from(self.in_past());
        for track in &mut self.tracks {
            track.cut(track.left_at());
        }
    }

    /// Takes notice of what was done to the machines behind the history's back.
    fn take_notice(&mut self, world: &mut World) {
        let pairs = || self.tracks.iter().zip(world.machines.iter());
        let foreign = pairs().any(|(track, machine)| track.foreign(machine));
        let changed = pairs().any(|(track, machine)| track.changed(machine));
        if foreign || self.tracks.len() != world.machines.len() {
            self.begin_anew(world);
        } else if changed {
            self.cut();
        }
    }

    fn last_kept(&self, world: &World) -> Instant {
        let last = self.tracks[world.focus].keyframes.last();
        world.machine().clock().instant_of(last.place.cycle)
    }
}
