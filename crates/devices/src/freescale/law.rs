//! The local access windows, and where the configuration space lies.

use super::block::Block;
use crate::register::{RW, register, repeated};
use socscope_device::{Description, Model};

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["fsl,mcm-law"],
    title: "MPC8641D local access windows",
    data_sheet: "Freescale MPC8641DRM, chapter 2: Memory Map",
    limits: "Registers keep what is written and move nothing: addresses are those of the device tree.",
    registers: &[
        register(
            0x000,
            "CCSRBAR",
            RW,
            0x000f_f700,
            "window",
            "Base address of the configuration space.",
        ),
        register(
            0x008,
            "ALTCBAR",
            RW,
            0,
            "window",
            "Alternate configuration base address.",
        ),
        register(
            0x010,
            "ALTCAR",
            RW,
            0,
            "window",
            "Alternate configuration attributes.",
        ),
        register(0x020, "BPTR", RW, 0, "window", "Boot page translation."),
        repeated(
            register(
                0xc08,
                "LAWBAR",
                RW,
                0,
                "window",
                "Base address of a window.",
            ),
            10,
            0x20,
        ),
        repeated(
            register(
                0xc10,
                "LAWAR",
                RW,
                0,
                "window",
                "Attributes of a window: enable, target, size.",
            ),
            10,
            0x20,
        ),
    ],
    inputs: &[],
    outputs: &[],
    ports: &[],
    properties: &[],
};

/// The entry for the table of models.
pub const MODEL: Model = Model {
    description: &DESCRIPTION,
    build: |_| Ok(Block::boxed(&DESCRIPTION)),
};
