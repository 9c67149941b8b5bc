//! A device model that has failed: the run ends, and the machine goes on only from a state before.

use serde::{Deserialize, Serialize};
use socscope_time::Instant;
use std::fmt;

/// What failed, and when. The access or event in which it happened is done only in part, so the machine does not go on from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Name of the device.
    pub device: String,
    /// When.
    pub time: Instant,
    /// What the model says.
    pub text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { device, time, text } = self;
        write!(
            f,
            "device {device} failed at {:.6} ms: {text}",
            time.0 as f64 / 1e9
        )
    }
}
