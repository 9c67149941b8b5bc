//! How far a number of cycles can be trusted.

use serde::{Deserialize, Serialize};

/// What stands beside every number of cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccuracyLabel {
    /// Name of the timing model.
    pub model: String,
    /// What it was compared with.
    pub validated_against: String,
    /// The error that the comparison showed.
    pub known_error: String,
    /// What it does not count.
    pub leaves_out: String,
}
