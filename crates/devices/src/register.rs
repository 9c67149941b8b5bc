//! One line for each register of a table.

use socscope_device::{Field, FieldAccess, Permission, Register};

pub(crate) const RO: Permission = Permission::ReadOnly;
pub(crate) const WO: Permission = Permission::WriteOnly;
pub(crate) const RW: Permission = Permission::ReadWrite;

/// A single register.
pub(crate) const fn register(
    offset: u32,
    name: &'static str,
    permission: Permission,
    reset: u32,
    group: &'static str,
    summary: &'static str,
) -> Register {
    Register {
        offset,
        name,
        permission,
        reset,
        group,
        count: 1,
        stride: 0,
        summary,
        fields: &[],
    }
}

/// A field of a register.
pub(crate) const fn field(
    name: &'static str,
    lsb: u32,
    width: u32,
    access: FieldAccess,
    summary: &'static str,
) -> Field {
    Field {
        name,
        lsb,
        width,
        access,
        summary,
    }
}

/// The same register with fields.
pub(crate) const fn with_fields(register: Register, fields: &'static [Field]) -> Register {
    Register { fields, ..register }
}

/// The same register once for each of `count` channels, `stride` bytes apart.
pub(crate) const fn repeated(register: Register, count: u32, stride: u32) -> Register {
    Register {
        count,
        stride,
        ..register
    }
}
