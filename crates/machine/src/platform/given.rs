//! Devices that a machine was given, and that its recorded inputs or saved states may name.

use socscope_device::Device;
use std::collections::BTreeMap;

/// Devices that are in no place, by name and by what they are: one name may be that of several kinds, one after the other.
#[derive(Default)]
pub(crate) struct Given(BTreeMap<(String, String), Box<dyn Device>>);

/// What a device is.
pub(crate) fn kind_of(model: &dyn Device) -> &'static str {
    model.description().title
}

impl Given {
    /// Takes a device in; gives the one of its name and kind that was there.
    pub fn insert(&mut self, name: &str, model: Box<dyn Device>) -> Option<Box<dyn Device>> {
        let kind = kind_of(model.as_ref());
        self.0.insert((name.into(), kind.into()), model)
    }

    /// A device that is there.
    pub fn get(&mut self, name: &str, kind: &str) -> Option<&mut (dyn Device + 'static)> {
        let model = self.0.get_mut(&(name.into(), kind.into()))?;
        Some(model.as_mut())
    }

    /// Gives a device away.
    pub fn take(&mut self, name: &str, kind: &str) -> Option<Box<dyn Device>> {
        self.0.remove(&(name.into(), kind.into()))
    }

    /// All of them, each with its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &dyn Device)> {
        let all = self.0.iter();
        all.map(|((name, _), model)| (name.as_str(), model.as_ref()))
    }
}
