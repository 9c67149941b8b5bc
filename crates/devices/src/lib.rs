//! Device models, one file for each chip block, by vendor.

pub mod accelerator;
pub mod atmel;
#[cfg(test)]
mod bench;
mod clock;
pub mod declared;
pub mod freescale;
mod hole;
mod lane;
mod line;
pub mod national;
mod register;
pub mod share;
mod state;
pub mod texas;
pub mod virtio;

use socscope_device::Model;

/// All models, in the order in which people list them.
pub const MODELS: &[Model] = &[
    accelerator::rule30::MODEL,
    atmel::aic::MODEL,
    atmel::ebi::MODEL,
    atmel::pio::MODEL,
    atmel::ps::MODEL,
    atmel::sf::MODEL,
    atmel::tc::MODEL,
    atmel::usart::MODEL,
    atmel::wd::MODEL,
    freescale::ddr::MODEL,
    freescale::guts::MODEL,
    freescale::i2c::MODEL,
    freescale::law::MODEL,
    freescale::mcm::MODEL,
    freescale::mpic::MODEL,
    national::ns16550::MODEL,
    texas::mailbox::MODEL,
    texas::spinlock::MODEL,
    virtio::mmio::MODEL,
];
