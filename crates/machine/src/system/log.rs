//! Messages of the machine: what devices warn of, and what was touched where nothing is modelled.

use serde::{Deserialize, Serialize};
use socscope_time::Instant;
use std::collections::BTreeMap;

const MESSAGES_MAX: usize = 1_000;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// When.
    pub time: Instant,
    /// Which device.
    pub source: String,
    /// What.
    pub text: String,
}

/// The log of one machine. It is no state: nothing depends on it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Log {
    messages: Vec<Message>,
    dropped: u64,
    touched: BTreeMap<(String, u32), (u64, Instant)>,
}

impl Log {
    /// Adds a message; after a thousand they are only counted.
    pub fn warn(&mut self, time: Instant, source: &str, text: String) {
        if self.messages.len() < MESSAGES_MAX {
            self.messages.push(Message {
                time,
                source: source.into(),
                text,
            });
        } else {
            self.dropped += 1;
        }
    }

    /// Notes an access where no model answers; accesses to one address are counted together, and those to more than a thousand addresses only
    /// as further messages.
    pub fn touch(&mut self, time: Instant, address: u32, what: &str) {
        let full = self.touched.len() >= MESSAGES_MAX;
        if let Some(entry) = self.touched.get_mut(&(what.to_string(), address)) {
            entry.0 += 1;
        } else if full {
            self.dropped += 1;
        } else {
            self.touched.insert((what.into(), address), (1, time));
        }
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How many messages, and accesses at further addresses, were only counted.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Accesses without a model: what and where, how often, first when.
    pub fn touched(&self) -> impl Iterator<Item = (&str, u32, u64, Instant)> {
        self.touched
            .iter()
            .map(|((what, address), (count, first))| (what.as_str(), *address, *count, *first))
    }
}
