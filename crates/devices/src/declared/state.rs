//! The whole state of a declared device.

use super::declaration::Declaration;
use super::value::Value;
use serde::{Deserialize, Serialize};
use socscope_device::RestoreError;
use socscope_time::EventId;
use std::collections::BTreeMap;

/// An event that is to come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Pending {
    pub id: EventId,
    pub event: u16,
    pub argument: i64,
}

/// Registers, variables, output lines and pending events.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub registers: Vec<u32>,
    pub variables: Vec<Value>,
    pub lines: Vec<bool>,
    pub pending: BTreeMap<u64, Pending>,
    pub next_event: u64,
}

/// A state with the names of its parts, as it is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    registers: Vec<u32>,
    variables: Vec<(String, Value)>,
    lines: Vec<bool>,
    events: Vec<String>,
    pending: BTreeMap<u64, Pending>,
    next_event: u64,
}

impl State {
    /// At power-on.
    pub fn new(declaration: &Declaration) -> State {
        let initial = declaration.variables.iter();
        State {
            registers: declaration.reset_values(),
            variables: initial.map(|variable| variable.initial.clone()).collect(),
            lines: vec![false; declaration.description.outputs.len()],
            pending: BTreeMap::new(),
            next_event: 0,
        }
    }

    /// With names.
    pub fn save(&self, declaration: &Declaration) -> Vec<u8> {
        let State {
            registers,
            variables,
            lines,
            pending,
            next_event,
        } = self.clone();
        let names = declaration.variables.iter().map(|one| one.name.clone());
        crate::state::save(&Saved {
            registers,
            variables: names.zip(variables).collect(),
            lines,
            events: declaration.events.clone(),
            pending,
            next_event,
        })
    }

    /// Takes back what `save` gave to a device of the same declaration.
    pub fn restore(declaration: &Declaration, bytes: &[u8]) -> Result<State, RestoreError> {
        let title = declaration.description.title;
        let saved: Saved = crate::state::restore(title, bytes)?;
        let refused = |reason: String| RestoreError {
            device: title.into(),
            reason,
        };
        let fresh = State::new(declaration);
        let (wanted, given) = (fresh.registers.len(), saved.registers.len());
        if wanted != given {
            return Err(refused(format!(
                "it has {given} registers, the device has {wanted}"
            )));
        }
        if saved.lines.len() != fresh.lines.len() || saved.events != declaration.events {
            return Err(refused("its lines or events have changed".into()));
        }
        let mut variables = vec![];
        let mut values: BTreeMap<String, Value> = saved.variables.into_iter().collect();
        for variable in &declaration.variables {
            let value = values.remove(&variable.name);
            let value =
                value.ok_or_else(|| refused(format!("variable {} is missing", variable.name)))?;
            variable.check(&value).map_err(refused)?;
            variables.push(value);
        }
        if let Some((name, _)) = values.pop_first() {
            return Err(refused(format!(
                "variable {name} is not among the device's"
            )));
        }
        let known = |pending: &Pending| usize::from(pending.event) < declaration.events.len();
        if !saved.pending.values().all(known) {
            return Err(refused("a pending event has no name".into()));
        }
        Ok(State {
            registers: saved.registers,
            variables,
            lines: saved.lines,
            pending: saved.pending,
            next_event: saved.next_event,
        })
    }
}
