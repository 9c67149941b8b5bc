//! The table of the registers, and the rest of the manual page.

use super::registers::*;
use crate::register::{RO, RW, WO, register, repeated};
use socscope_device::{Description, Register};

const MASKED: u32 = vector_priority::MASKED;

/// The registers of one core, at `base`.
macro_rules! of_core {
    ($base:expr, $number:expr, $ipidr:literal, $ctpr:literal, $whoami:literal, $iack:literal, $eoi:literal) => {
        [
            repeated(
                register($base + IPIDR, $ipidr, WO, 0, "interprocessor", "Interprocessor dispatch: sends this interrupt to the cores written as one."),
                4,
                0x10,
            ),
            register($base + CTPR, $ctpr, RW, TASK_PRIORITY, "control", "Current task priority: the core takes interrupts of a higher priority only."),
            register($base + WHOAMI, $whoami, RO, $number, "status", "Who am I: the core's number."),
            register($base + IACK, $iack, RO, 0xffff, "vector", "Interrupt acknowledge: reading it begins the service of the most urgent interrupt and gives its vector."),
            register($base + EOI, $eoi, WO, 0, "control", "End of interrupt: ends the most urgent interrupt in service."),
        ]
    };
}

const PRIVATE: [Register; 5] = of_core!(0, 0, "IPIDR", "CTPR", "WHOAMI", "IACK", "EOI");
const OF_CORE_0: [Register; 5] = of_core!(
    CORE_BASE,
    0,
    "P0_IPIDR",
    "P0_CTPR",
    "P0_WHOAMI",
    "P0_IACK",
    "P0_EOI"
);
const OF_CORE_1: [Register; 5] = of_core!(
    CORE_BASE + CORE_STRIDE,
    1,
    "P1_IPIDR",
    "P1_CTPR",
    "P1_WHOAMI",
    "P1_IACK",
    "P1_EOI"
);

/// The registers of one timer group, `base` behind those of group A.
macro_rules! of_group {
    ($base:expr, $tfrr:literal, $gtccr:literal, $gtbcr:literal, $gtvpr:literal, $gtdr:literal, $tcr:literal) => {
        [
            register(
                $base + TFRR,
                $tfrr,
                RW,
                0,
                "timer",
                "Timer frequency reporting: kept for software, without effect.",
            ),
            repeated(
                register(
                    $base + TIMERS,
                    $gtccr,
                    RO,
                    0,
                    "timer",
                    "Timer current count: bit 31 toggles whenever the count reaches zero.",
                ),
                4,
                0x40,
            ),
            repeated(
                register(
                    $base + TIMERS + 0x10,
                    $gtbcr,
                    RW,
                    1 << 31,
                    "timer",
                    "Timer base count; bit 31 inhibits counting.",
                ),
                4,
                0x40,
            ),
            repeated(
                register(
                    $base + TIMERS + 0x20,
                    $gtvpr,
                    RW,
                    MASKED,
                    "timer",
                    "Timer vector and priority.",
                ),
                4,
                0x40,
            ),
            repeated(
                register(
                    $base + TIMERS + 0x30,
                    $gtdr,
                    RW,
                    1,
                    "timer",
                    "Timer destination: cores that are interrupted.",
                ),
                4,
                0x40,
            ),
            register(
                $base + TCR,
                $tcr,
                RW,
                0,
                "timer",
                "Timer control: roll-over, clock ratio and cascades of the group.",
            ),
        ]
    };
}

const GROUP_A: [Register; 6] = of_group!(0, "TFRRA", "GTCCRA", "GTBCRA", "GTVPRA", "GTDRA", "TCRA");
const GROUP_B: [Register; 6] = of_group!(
    TIMER_GROUP_STRIDE,
    "TFRRB",
    "GTCCRB",
    "GTBCRB",
    "GTVPRB",
    "GTDRB",
    "TCRB"
);

/// Vector/priority and destination of sources from `first` on.
macro_rules! of_sources {
    ($first:expr, $count:expr, $reset:expr, $vpr:literal, $dr:literal, $what:literal) => {
        [
            repeated(
                register(
                    SOURCES + 0x20 * $first,
                    $vpr,
                    RW,
                    $reset,
                    "source",
                    concat!(
                        "Vector and priority of ",
                        $what,
                        ": mask, activity, polarity, sense, priority, vector."
                    ),
                ),
                $count,
                0x20,
            ),
            repeated(
                register(
                    SOURCES + 0x20 * $first + 0x10,
                    $dr,
                    RW,
                    1,
                    "source",
                    concat!(
                        "Destination of ",
                        $what,
                        ": output pin, critical inputs, or a core."
                    ),
                ),
                $count,
                0x20,
            ),
        ]
    };
}

const EXTERNAL: [Register; 2] =
    of_sources!(0, 12, MASKED, "EIVPR", "EIDR", "an external interrupt");
const INTERNAL: [Register; 2] = of_sources!(
    16,
    48,
    MASKED | vector_priority::ACTIVE_HIGH,
    "IIVPR",
    "IIDR",
    "an internal interrupt"
);
const MESSAGE: [Register; 2] = of_sources!(176, 4, MASKED, "MIVPR", "MIDR", "a message");
const SHARED: [Register; 2] = of_sources!(
    224,
    8,
    MASKED,
    "MSIVPR",
    "MSIDR",
    "a shared message-signalled interrupt"
);

const REGISTERS: &[Register] = &[
    register(
        BRR1,
        "BRR1",
        RO,
        BRR1_VALUE,
        "status",
        "Block revision: identifier and revision of the block.",
    ),
    register(
        BRR2,
        "BRR2",
        RO,
        0,
        "status",
        "Block revision: configuration options.",
    ),
    PRIVATE[0],
    PRIVATE[1],
    PRIVATE[2],
    PRIVATE[3],
    PRIVATE[4],
    register(
        FRR,
        "FRR",
        RO,
        FRR_VALUE,
        "status",
        "Feature reporting: number of the last source and of the last core, OpenPIC version.",
    ),
    register(
        GCR,
        "GCR",
        RW,
        0,
        "control",
        "Global configuration: bit 31 resets the controller, bit 29 chooses mixed mode instead of pass-through.",
    ),
    register(VIR, "VIR", RO, 0, "status", "Vendor identification."),
    register(
        PIR,
        "PIR",
        RW,
        0,
        "control",
        "Processor core initialization: asserts the soft reset of the cores written as one.",
    ),
    repeated(
        register(
            IPIVPR,
            "IPIVPR",
            RW,
            MASKED,
            "interprocessor",
            "Vector and priority of an interprocessor interrupt.",
        ),
        4,
        0x10,
    ),
    register(
        SVR,
        "SVR",
        RW,
        0xffff,
        "vector",
        "Spurious vector: what IACK gives when nothing is to be served.",
    ),
    GROUP_A[0],
    GROUP_A[1],
    GROUP_A[2],
    GROUP_A[3],
    GROUP_A[4],
    GROUP_A[5],
    repeated(
        register(
            MSGR,
            "MSGR",
            RW,
            0,
            "message",
            "Message: writing it interrupts, reading it takes the interrupt back.",
        ),
        4,
        0x10,
    ),
    register(
        MER,
        "MER",
        RW,
        0,
        "message",
        "Message enable: messages that interrupt.",
    ),
    register(
        MSR,
        "MSR",
        RW,
        0,
        "message",
        "Message status: messages that wait; a one that is written clears its bit.",
    ),
    repeated(
        register(
            MSIR,
            "MSIR",
            RO,
            0,
            "shared message",
            "Shared message: the 32 interrupts of a vector; reading it clears them.",
        ),
        8,
        0x10,
    ),
    register(
        MSISR,
        "MSISR",
        RO,
        0,
        "shared message",
        "Shared message status: which MSIR are not zero.",
    ),
    register(
        MSIIR,
        "MSIIR",
        WO,
        0,
        "shared message",
        "Shared message index: sets the bit of an MSIR.",
    ),
    GROUP_B[0],
    GROUP_B[1],
    GROUP_B[2],
    GROUP_B[3],
    GROUP_B[4],
    GROUP_B[5],
    EXTERNAL[0],
    EXTERNAL[1],
    INTERNAL[0],
    INTERNAL[1],
    MESSAGE[0],
    MESSAGE[1],
    SHARED[0],
    SHARED[1],
    OF_CORE_0[0],
    OF_CORE_0[1],
    OF_CORE_0[2],
    OF_CORE_0[3],
    OF_CORE_0[4],
    OF_CORE_1[0],
    OF_CORE_1[1],
    OF_CORE_1[2],
    OF_CORE_1[3],
    OF_CORE_1[4],
];

pub(super) static DESCRIPTION: Description = Description {
    compatible: &["fsl,mpic", "chrp,open-pic", "open-pic"],
    title: "MPC8641D programmable interrupt controller",
    data_sheet: "Freescale MPC8641DRM (MPC8641D reference manual), chapter 9: Programmable Interrupt Controller; OpenPIC 1.2",
    limits: "The interrupt summary registers and the performance monitor masks are not there. Critical interrupts (CI0, CI1) \
             assert the cores' machine check inputs. Timers count the controller's clock; the real-time clock pin (TCR, RTM) is at rest. \
             Registers of sources that the chip does not have read as zero and take writes without a warning, since drivers set up \
             the whole range. FRR gives the number of the model's last source.",
    registers: REGISTERS,
    inputs: &[
        "irq0",
        "irq1",
        "irq2",
        "irq3",
        "irq4",
        "irq5",
        "irq6",
        "irq7",
        "irq8",
        "irq9",
        "irq10",
        "irq11",
        "reserved12",
        "reserved13",
        "reserved14",
        "reserved15",
        "internal0",
        "internal1",
        "internal2",
        "internal3",
        "internal4",
        "internal5",
        "internal6",
        "internal7",
        "internal8",
        "internal9",
        "internal10",
        "internal11",
        "internal12",
        "internal13",
        "internal14",
        "internal15",
        "internal16",
        "internal17",
        "internal18",
        "internal19",
        "internal20",
        "internal21",
        "internal22",
        "internal23",
        "internal24",
        "internal25",
        "internal26",
        "internal27",
        "internal28",
        "internal29",
        "internal30",
        "internal31",
        "internal32",
        "internal33",
        "internal34",
        "internal35",
        "internal36",
        "internal37",
        "internal38",
        "internal39",
        "internal40",
        "internal41",
        "internal42",
        "internal43",
        "internal44",
        "internal45",
        "internal46",
        "internal47",
    ],
    outputs: &[
        "int0", "int1", "mcp0", "mcp1", "sreset0", "sreset1", "irq_out",
    ],
    ports: &[],
    properties: &[(
        "clock-frequency",
        "Frequency of the clock that the timers divide, in hertz; that of the block's clock when absent or 0.",
    )],
};
