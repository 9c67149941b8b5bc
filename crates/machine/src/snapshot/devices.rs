//! Devices of a state that were added to the machine: where this machine has them, and their states.

use super::error::RestoreError;
use super::saved::SavedDevice;
use crate::bus::Slot;
use crate::machine::Machine;
use socscope_device::Device;
use socscope_time::Clock;
use std::collections::{BTreeMap, VecDeque};

/// Where the machine has a device now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// In the machine, under this number.
    Slot(usize),
    /// Among those that were given to it.
    Given,
}

impl Machine {
    /// Finds each device of a state in the machine. Nothing changes.
    pub(super) fn plan_devices(&self, saved: &[SavedDevice]) -> Result<Vec<Source>, RestoreError> {
        let mut pool: BTreeMap<(String, String), VecDeque<Source>> = BTreeMap::new();
        let kind = |model: &dyn Device| model.description().title.to_string();
        for (number, slot) in self.bus.slots.iter().enumerate() {
            if slot.added() {
                let key = (slot.name.clone(), kind(slot.model.as_ref()));
                pool.entry(key).or_default().push_back(Source::Slot(number));
            }
        }
        for (name, model) in &self.bus.given {
            let key = (name.clone(), kind(model.as_ref()));
            pool.entry(key).or_default().push_back(Source::Given);
        }
        let find = |(number, saved): (usize, &SavedDevice)| {
            if !saved.added() {
                return Ok(Source::Slot(number));
            }
            let sources = pool.get_mut(&(saved.name.clone(), saved.title.clone()));
            let source = sources.and_then(VecDeque::pop_front);
            source.ok_or_else(|| RestoreError::MissingDevice {
                name: saved.name.clone(),
                title: saved.title.clone(),
            })
        };
        saved.iter().enumerate().map(find).collect()
    }

    fn model_of(&mut self, source: Source, name: &str) -> Option<&mut dyn Device> {
        match source {
            Source::Slot(number) => {
                let slot = self.bus.slots.get_mut(number)?;
                Some(slot.model.as_mut())
            }
            Source::Given => {
                let model = self.bus.given.get_mut(name)?;
                Some(model.as_mut())
            }
        }
    }

    /// Gives all devices their states, or none.
    pub(super) fn restore_devices(
        &mut self,
        plan: &[Source],
        saved: &[SavedDevice],
    ) -> Result<(), RestoreError> {
        let mut before = vec![];
        for (&source, saved) in plan.iter().zip(saved) {
            let Some(model) = self.model_of(source, &saved.name) else {
                continue;
            };
            before.push((source, &saved.name, model.save()));
            if let Err(reason) = model.restore(&saved.state) {
                for (source, name, state) in before {
                    if let Some(model) = self.model_of(source, name) {
                        // A device takes back what it has just given.
                        let _ = model.restore(&state);
                    }
                }
                let name = saved.name.clone();
                return Err(RestoreError::Device { name, reason });
            }
        }
        Ok(())
    }

    /// Puts the devices that were added into the order of the state; those that it does not have may be added again.
    pub(super) fn arrange_devices(&mut self, plan: Vec<Source>, saved: &[SavedDevice]) {
        let platform = saved.iter().filter(|device| !device.added()).count();
        let in_place = |(number, source): (usize, &Source)| *source == Source::Slot(number);
        if self.bus.slots.len() == plan.len() && plan.iter().enumerate().all(in_place) {
            return;
        }
        let added = self.bus.slots.split_off(platform);
        let mut added: Vec<Option<Slot>> = added.into_iter().map(Some).collect();
        for (source, saved) in plan.into_iter().zip(saved).skip(platform) {
            let model = match source {
                Source::Slot(number) => added[number - platform].take().map(|slot| slot.model),
                Source::Given => self.bus.given.remove(&saved.name),
            };
            let (Some(model), Some(clock)) = (model, Clock::new(saved.clock_hz)) else {
                unreachable!("the plan names each device once, and clocks are checked");
            };
            self.bus.slots.push(Slot {
                name: saved.name.clone(),
                path: String::new(),
                model,
                clock,
            });
        }
        for slot in added.into_iter().flatten() {
            self.bus.given.insert(slot.name, slot.model);
        }
    }
}
