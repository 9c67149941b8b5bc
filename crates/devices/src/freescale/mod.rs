//! Freescale (now NXP).

mod ccsr;
mod clock;
pub mod mpic;
