//! Freescale (now NXP).

mod ccsr;
pub mod mpic;
