//! Atmel (now Microchip).

pub mod aic;
mod apb;
