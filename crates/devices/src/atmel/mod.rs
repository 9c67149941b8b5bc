//! Atmel (now Microchip).

mod apb;
