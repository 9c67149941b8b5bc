//! The architectures that a machine can have cores of: one folder each, registered here.

mod any_core;

pub use any_core::AnyCore;
pub use socscope_arm as arm;
pub use socscope_powerpc as powerpc;
