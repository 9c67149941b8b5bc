//! The registers of a virtio device over memory-mapped I/O (VIRTIO 1.2, section 4.2.2).

use super::queue::QUEUE_SIZE_MAX;
use crate::register::{RO, RW, WO, register, repeated};
use socscope_device::{Description, Permission, Register};

/// "virt", read as a little-endian word.
const MAGIC: u32 = 0x7472_6976;
/// The version of devices after the standard; 1 was the time before it.
const VERSION: u32 = 2;
/// A 9P transport.
const DEVICE: u32 = 9;
/// "Sosc", read as a little-endian word.
const VENDOR: u32 = 0x6373_6f53;
/// The tag of a share whose node has none.
pub const DEFAULT_TAG: &str = "host";
/// Longest tag, in bytes.
pub const TAG_BYTES_MAX: usize = 28;
/// Where the configuration begins: the tag's length in a half-word, then the tag.
pub const CONFIGURATION: u32 = 0x100;

/// The mount tag is there: VIRTIO_9P_MOUNT_TAG.
const MOUNT_TAG: u64 = 1 << 0;
/// Descriptors may have a table of their own: VIRTIO_F_INDIRECT_DESC.
const INDIRECT: u64 = 1 << 28;
/// The standard is kept: VIRTIO_F_VERSION_1.
pub const VERSION_1: u64 = 1 << 32;
/// All that the device offers.
pub const FEATURES: u64 = MOUNT_TAG | INDIRECT | VERSION_1;

/// What the model says of itself.
pub const DESCRIPTION: Description = Description {
    compatible: &["virtio,mmio"],
    title: "virtio share of a host folder",
    data_sheet: "OASIS VIRTIO 1.2, sections 2.7 (split virtqueues), 4.2 (MMIO) and 5.13 (9P); 9P2000.L as the Linux kernel speaks it",
    limits: "One queue, without event indices, packed rings, queue reset and shared memory. A request is answered after a fixed time, whatever its length, \
             and its data takes no time on the bus. No hard links, device nodes, extended attributes or authentication; locks are the guest's own.",
    registers: REGISTERS,
    inputs: &[],
    outputs: &["irq"],
    ports: &[],
    properties: &[
        (
            "socscope,tag",
            "name under which the guest mounts the share; \"host\" when absent",
        ),
        (
            "socscope,latency-ns",
            "time from a notification to its answers; 20000 when absent",
        ),
    ],
};

const fn reads(offset: u32, name: &'static str, value: u32, summary: &'static str) -> Register {
    register(offset, name, RO, value, "identity", summary)
}

const fn queue(
    offset: u32,
    name: &'static str,
    permission: Permission,
    summary: &'static str,
) -> Register {
    register(offset, name, permission, 0, "queue", summary)
}

const fn state(
    offset: u32,
    name: &'static str,
    permission: Permission,
    summary: &'static str,
) -> Register {
    register(offset, name, permission, 0, "status", summary)
}

const fn configuration(
    offset: u32,
    name: &'static str,
    value: u32,
    summary: &'static str,
) -> Register {
    register(offset, name, RO, value, "configuration", summary)
}

const REGISTERS: &[Register] = &[
    reads(
        0x000,
        "MagicValue",
        MAGIC,
        "Tells that a virtio device is here.",
    ),
    reads(0x004, "Version", VERSION, "Version of the interface."),
    reads(0x008, "DeviceID", DEVICE, "Kind of the device: 9P."),
    reads(0x00c, "VendorID", VENDOR, "Maker of the device."),
    reads(
        0x010,
        "DeviceFeatures",
        FEATURES as u32,
        "Offered features, 32 of them.",
    ),
    state(
        0x014,
        "DeviceFeaturesSel",
        WO,
        "Chooses which features are read.",
    ),
    state(
        0x020,
        "DriverFeatures",
        WO,
        "Features that the driver uses, 32 of them.",
    ),
    state(
        0x024,
        "DriverFeaturesSel",
        WO,
        "Chooses which features are written.",
    ),
    queue(
        0x030,
        "QueueSel",
        WO,
        "Chooses the queue that the following registers are of.",
    ),
    register(
        0x034,
        "QueueNumMax",
        RO,
        QUEUE_SIZE_MAX as u32,
        "queue",
        "Most descriptors of the queue.",
    ),
    queue(0x038, "QueueNum", WO, "Descriptors that the driver uses."),
    queue(0x044, "QueueReady", RW, "Puts the queue into use."),
    queue(
        0x050,
        "QueueNotify",
        WO,
        "Tells the device that a queue holds requests.",
    ),
    state(
        0x060,
        "InterruptStatus",
        RO,
        "Why the interrupt line is active.",
    ),
    state(
        0x064,
        "InterruptACK",
        WO,
        "Takes reasons of the interrupt back.",
    ),
    state(
        0x070,
        "Status",
        RW,
        "How far the driver is; zero resets the device.",
    ),
    queue(
        0x080,
        "QueueDescLow",
        WO,
        "Address of the descriptors, low half.",
    ),
    queue(
        0x084,
        "QueueDescHigh",
        WO,
        "Address of the descriptors, high half.",
    ),
    queue(
        0x090,
        "QueueDriverLow",
        WO,
        "Address of the available ring, low half.",
    ),
    queue(
        0x094,
        "QueueDriverHigh",
        WO,
        "Address of the available ring, high half.",
    ),
    queue(
        0x0a0,
        "QueueDeviceLow",
        WO,
        "Address of the used ring, low half.",
    ),
    queue(
        0x0a4,
        "QueueDeviceHigh",
        WO,
        "Address of the used ring, high half.",
    ),
    state(
        0x0ac,
        "SHMSel",
        WO,
        "Chooses a shared memory; there is none.",
    ),
    repeated(
        reads(
            0x0b0,
            "SHM",
            u32::MAX,
            "Length and address of the shared memory: all ones, for there is none.",
        ),
        4,
        4,
    ),
    reads(
        0x0fc,
        "ConfigGeneration",
        0,
        "Changes with the configuration, which never does.",
    ),
    configuration(
        CONFIGURATION,
        "TagLength",
        0x6f68_0004,
        "Length of the tag, and its first two characters.",
    ),
    configuration(
        0x104,
        "Tag",
        0x0000_7473,
        "The next four characters of the tag.",
    ),
    repeated(
        configuration(0x108, "TagRest", 0, "The rest of the tag, and zeros."),
        6,
        4,
    ),
];
