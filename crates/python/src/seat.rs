//! Where a machine sits: alone, or in lock step with others.

use socscope_checkpoint::history::History;
use socscope_host::Session;
use socscope_machine::{LockStep, Machine};
use socscope_probe::ProbeSet;
use std::sync::{Arc, Mutex, MutexGuard};

/// Machines that share one time; one machine is the usual case.
#[derive(Default)]
pub(crate) struct Group {
    pub machines: Vec<Machine>,
    pub sessions: Vec<Session>,
    pub profiles: Vec<ProbeSet>,
    pub lock_step: LockStep,
    /// What is kept of the past, when it was asked for.
    pub history: Option<History>,
}

impl Group {
    /// Machines that are not wired, without peers and profiles.
    pub fn of(machines: Vec<Machine>) -> Group {
        Group {
            sessions: machines.iter().map(|_| Session::default()).collect(),
            profiles: machines.iter().map(|_| ProbeSet::default()).collect(),
            machines,
            ..Group::default()
        }
    }
}

/// One machine's place.
#[derive(Clone)]
pub(crate) struct Seat {
    pub group: Arc<Mutex<Group>>,
    pub index: usize,
}

impl Seat {
    /// A machine of its own.
    pub fn alone(machine: Machine) -> Seat {
        Seat {
            group: Arc::new(Mutex::new(Group::of(vec![machine]))),
            index: 0,
        }
    }

    /// The group, also after a panic of another thread: its state is as good as it was between two instructions.
    pub fn lock(&self) -> MutexGuard<'_, Group> {
        self.group
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Moves the only machine of `self` into `other`'s group. `None` when `self` is not alone.
    pub fn join(&self, other: &Seat) -> Option<Seat> {
        if Arc::ptr_eq(&self.group, &other.group) {
            return Some(self.clone());
        }
        let mut from = self.lock();
        let mut to = other.lock();
        if from.machines.len() != 1 {
            return None;
        }
        to.machines.append(&mut from.machines);
        to.sessions.append(&mut from.sessions);
        to.profiles.append(&mut from.profiles);
        Some(Seat {
            group: other.group.clone(),
            index: to.machines.len() - 1,
        })
    }
}
