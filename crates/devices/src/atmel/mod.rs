//! Atmel (now Microchip).

pub mod aic;
mod apb;
pub mod ebi;
pub mod pio;
pub mod ps;
pub mod sf;
pub mod wd;
