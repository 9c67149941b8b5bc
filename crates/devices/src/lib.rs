//! Device models, one file for each chip block, by vendor.

pub mod accelerator;
mod apb;
pub mod arm;
pub mod atmel;
#[cfg(test)]
mod bench;
mod clock;
pub mod declared;
pub mod freescale;
mod hole;
pub mod intel;
mod lane;
mod line;
pub mod national;
mod register;
pub mod share;
pub mod smsc;
mod state;
pub mod texas;
pub mod virtio;

use socscope_device::Model;

/// All models, in the order in which people list them.
pub const MODELS: &[Model] = &[
    accelerator::rule30::MODEL,
    arm::control::MODEL,
    arm::core_module::MODEL,
    arm::fpga_irq::MODEL,
    arm::lights::MODEL,
    arm::pl011::MODEL,
    arm::pl031::MODEL,
    arm::pl050::MODEL,
    arm::pl181::MODEL,
    arm::timer::MODEL,
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
    intel::flash::MODEL,
    national::ns16550::MODEL,
    smsc::lan91c111::MODEL,
    texas::mailbox::MODEL,
    texas::spinlock::MODEL,
    virtio::mmio::MODEL,
];
