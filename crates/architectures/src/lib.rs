//! The architectures that a machine can have cores of: one folder each, registered here.

pub use socscope_arm as arm;
pub use socscope_powerpc as powerpc;
