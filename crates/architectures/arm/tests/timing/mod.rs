//! What instructions cost.

mod arm9;
mod bench;
mod classes;
mod external_bus;
mod fixed_cpi;
mod programs;
mod silicon;
