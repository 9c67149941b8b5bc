//! The crate's integration tests as one program: what they share is compiled and linked once.

mod added;
mod boot;
mod booting;
mod booting_arm;
mod bus_cycles;
mod caches;
mod cores;
mod forks;
mod image;
mod loading;
mod mixed;
mod mutated_platforms;
mod pipelines;
mod platform_errors;
mod private;
mod replay;
mod running;
mod signals;
mod snapshots;
mod stepping;
mod support;
mod system_calls;
mod three_kinds;
mod toys;
