//! The crate's integration tests as one program: what they share is compiled and linked once.

mod bench;
mod cache;
mod classes;
mod external_bus;
mod fixed_cpi;
mod lookups;
mod programs;
mod silicon;
