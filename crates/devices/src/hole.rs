//! Accesses that no register takes.

use socscope_device::Context;

/// Notes a write that no register takes.
pub(crate) fn warn_of_write(context: &mut Context, offset: u32, value: u32) {
    context.warn(format!(
        "write of {value:#x} to offset {offset:#05x} ignored: there is no writable register"
    ));
}

/// Notes a read that no register answers.
pub(crate) fn warn_of_read(context: &mut Context, offset: u32) {
    context.warn(format!(
        "read of offset {offset:#05x} gives 0: there is no register"
    ));
}
