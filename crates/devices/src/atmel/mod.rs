//! Atmel (now Microchip).

pub mod aic;
mod apb;
mod pdc;
pub mod ebi;
pub mod pio;
pub mod ps;
pub mod sf;
pub mod tc;
pub mod wd;
pub mod usart;
