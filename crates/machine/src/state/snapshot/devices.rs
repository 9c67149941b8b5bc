//! Devices of a state that were added to the machine: where this machine has them, and their states.

use super::error::RestoreError;
use super::saved::SavedDevice;
use crate::machine::Machine;
use crate::platform::added::{device_of, order_of_added};
use crate::platform::given::kind_of;
use crate::system::bus::{Slot, SystemBus};
use socscope_device::Device;
use socscope_time::Clock;
use std::collections::{BTreeMap, VecDeque};

/// Where the machine has a device now.
pub(super) enum Source {
    /// In the machine, under this number.
    Slot(usize),
    /// Among those that were given to it.
    Given,
    /// Nowhere: one more of those that it has. Each time that a device comes it is a new one, so a state may have several.
    Another(Box<dyn Device>),
}

impl Machine {
    /// Finds each device of a state in the machine. Nothing changes.
    pub(super) fn plan_devices(&self, saved: &[SavedDevice]) -> Result<Vec<Source>, RestoreError> {
        let mut pool: BTreeMap<(&str, &str, &[u8]), VecDeque<Source>> = BTreeMap::new();
        for (number, slot) in self.bus.slots.iter().enumerate() {
            if slot.added() {
                let kind = kind_of(slot.model.as_ref());
                let key = (slot.name.as_str(), kind, &*slot.node);
                pool.entry(key).or_default().push_back(Source::Slot(number));
            }
        }
        for (name, model) in self.bus.given.iter() {
            let key = (name, kind_of(model), [].as_slice());
            pool.entry(key).or_default().push_back(Source::Given);
        }
        let mut plan = vec![];
        for (number, saved) in saved.iter().enumerate() {
            if !saved.added() {
                plan.push(Source::Slot(number));
                continue;
            }
            let key = (saved.name.as_str(), saved.title.as_str(), &*saved.node);
            let source = pool.get_mut(&key).and_then(VecDeque::pop_front);
            let another = || match &*saved.node {
                [] => self.bus.another(&saved.name, &saved.title),
                node => device_of(node),
            };
            let source = source.or_else(|| Some(Source::Another(another()?)));
            plan.push(source.ok_or_else(|| RestoreError::MissingDevice {
                name: saved.name.clone(),
                title: saved.title.clone(),
            })?);
        }
        Ok(plan)
    }

    fn model_of<'a>(
        &'a mut self,
        source: &'a mut Source,
        saved: &SavedDevice,
    ) -> Option<&'a mut (dyn Device + 'static)> {
        match source {
            Source::Slot(number) => {
                let slot = self.bus.slots.get_mut(*number)?;
                Some(slot.model.as_mut())
            }
            Source::Given => self.bus.given.get(&saved.name, &saved.title),
            Source::Another(model) => Some(model.as_mut()),
        }
    }

    /// Gives all devices their states, or none.
    pub(super) fn restore_devices(
        &mut self,
        plan: &mut [Source],
        saved: &[SavedDevice],
    ) -> Result<(), RestoreError> {
        let mut before = vec![];
        for (number, saved_device) in saved.iter().enumerate() {
            let Some(model) = self.model_of(&mut plan[number], saved_device) else {
                continue;
            };
            before.push((number, model.save()));
            if let Err(reason) = model.restore(&saved_device.state) {
                for (number, state) in before {
                    if let Some(model) = self.model_of(&mut plan[number], &saved[number]) {
                        // A device takes back what it has just given.
                        let _ = model.restore(&state);
                    }
                }
                let name = saved_device.name.clone();
                return Err(RestoreError::Device { name, reason });
            }
        }
        Ok(())
    }

    /// Puts the devices that were added into the order of the state; those that it does not have may be added again.
    pub(super) fn arrange_devices(&mut self, plan: Vec<Source>, saved: &[SavedDevice]) {
        let platform = saved.iter().filter(|device| !device.added()).count();
        for (slot, saved) in self.bus.slots.iter_mut().zip(saved) {
            slot.latest = saved.latest;
        }
        let in_place = |(number, source): (usize, &Source)| matches!(source, Source::Slot(at) if *at == number);
        if self.bus.slots.len() == plan.len() && plan.iter().enumerate().all(in_place) {
            return;
        }
        let added = self.bus.slots.split_off(platform);
        let mut added: Vec<Option<Slot>> = added.into_iter().map(Some).collect();
        for (source, saved) in plan.into_iter().zip(saved).skip(platform) {
            let model = match source {
                Source::Slot(number) => added[number - platform].take().map(|slot| slot.model),
                Source::Given => self.bus.given.take(&saved.name, &saved.title),
                Source::Another(model) => Some(model),
            };
            let (Some(model), Some(clock)) = (model, Clock::new(saved.clock_hz)) else {
                unreachable!("the plan names each device once, and clocks are checked");
            };
            self.bus.slots.push(Slot {
                name: saved.name.clone(),
                path: String::new(),
                node: saved.node.clone(),
                model,
                clock,
                order: order_of_added(&saved.node, self.bus.first_order),
                latest: saved.latest,
            });
        }
        for slot in added.into_iter().flatten() {
            self.bus.given.insert(&slot.name, slot.model);
        }
    }
}

impl SystemBus {
    /// One more of the devices that were added or given.
    pub(crate) fn another(&self, name: &str, kind: &str) -> Option<Box<dyn Device>> {
        let added = self.slots.iter().filter(|slot| slot.added());
        let added = added.map(|slot| (slot.name.as_str(), slot.model.as_ref()));
        let mut all = added.chain(self.given.iter());
        let found = all.find(|&(known, model)| known == name && kind_of(model) == kind);
        found.and_then(|(_, model)| model.another())
    }
}
