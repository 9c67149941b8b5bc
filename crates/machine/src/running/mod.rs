//! The run loop: each core up to the next event, by either engine, then the events.

pub(crate) mod core_cycles;
pub(crate) mod core_signals;
pub(crate) mod engine;
pub(crate) mod exception_trail;
pub(crate) mod execute;
pub(crate) mod observer;
pub(crate) mod processor;
pub(crate) mod run;
pub(crate) mod signals;
pub(crate) mod stuck;
pub(crate) mod turns;
