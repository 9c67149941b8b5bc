//! The machine without its cores: memories, devices, lines and ports, and what lies between two machines.

pub(crate) mod bus;
pub(crate) mod effects;
pub(crate) mod failure;
pub(crate) mod log;
pub(crate) mod port;
pub(crate) mod serial;
pub(crate) mod wiring;
pub(crate) mod world;
