//! National Semiconductor (now Texas Instruments), and the many that follow it.

pub mod ns16550;
