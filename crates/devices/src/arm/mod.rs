//! ARM: PrimeCells, and the blocks of its Integrator boards.

pub mod control;
pub mod core_module;
pub mod fpga_irq;
pub mod lights;
pub mod pl011;
pub mod pl031;
pub mod pl050;
pub mod pl181;
mod primecell;
pub mod timer;
