//! How far a number of cycles can be trusted.

use serde::{Deserialize, Serialize};

/// What no timing model can make good: the machine gives devices the cycle at which an instruction began.
pub(crate) const DEVICES_SEE_THE_BEGINNING: &str = "devices see the cycle at which an instruction began, not that of its access: a timer that the \
                                                     guest reads is behind by the instruction's cycles before the access";

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
