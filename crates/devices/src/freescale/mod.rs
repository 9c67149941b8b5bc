//! Freescale (now NXP).

mod block;
mod ccsr;
pub mod ddr;
pub mod guts;
pub mod i2c;
mod kept;
pub mod law;
pub mod mcm;
pub mod mpic;
