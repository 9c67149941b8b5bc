//! The clock of a block whose node gives a frequency instead of a clock, as boot loaders fill it in.

use socscope_device::{BuildError, Context, Properties};
use socscope_time::Clock;

/// Property with the frequency in hertz.
pub(crate) const PROPERTY: &str = "clock-frequency";

/// The frequency that the node gives; `None` when it is absent or 0, which stands for "to be filled in" in the kernel's trees.
pub(crate) fn of_node(node: &dyn Properties) -> Result<Option<Clock>, BuildError> {
    let hz = node.cell(PROPERTY)?.unwrap_or(0);
    Ok(Clock::new(u64::from(hz)))
}

/// The clock that the node gave, or that of the device.
pub(crate) fn or_of_device(own: Option<Clock>, context: &Context) -> Clock {
    own.unwrap_or(context.clock)
}
