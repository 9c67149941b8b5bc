//! Atmel (now Microchip).

pub mod aic;
pub mod ebi;
mod pdc;
pub mod pio;
pub mod ps;
pub mod sf;
pub mod tc;
pub mod usart;
pub mod wd;
