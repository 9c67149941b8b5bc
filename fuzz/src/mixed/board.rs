//! A board from random numbers: two to four cores, of two architectures at least, each with its clock.

use crate::caches;
use crate::random::Random;
use std::fmt::Write;

/// Memory that all programs use.
pub const SHARED: u32 = 0x8000;
pub const SHARED_BYTES: u32 = 0x400;
/// The engine that reads and writes memory.
pub const ENGINE: u32 = 0xffee_4000;
/// Bytes of each core's code.
pub const CODE_BYTES: u32 = 0x1000;

/// What a core is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Arm,
    PowerPc,
    /// A toy, with the most significant byte first or last.
    Toy {
        big: bool,
    },
}

impl Kind {
    fn any(random: &mut Random) -> Kind {
        match random.below(6) {
            0 | 1 => Kind::Arm,
            2 | 3 => Kind::PowerPc,
            other => Kind::Toy { big: other == 5 },
        }
    }

    /// The bytes of four of its program, which are one instruction or two, in memory.
    pub fn bytes(self, word: u32) -> [u8; 4] {
        match self {
            Kind::Arm => word.to_le_bytes(),
            Kind::PowerPc | Kind::Toy { big: true } => word.to_be_bytes(),
            // Half-words, the first one first.
            Kind::Toy { big: false } => word.rotate_left(16).to_le_bytes(),
        }
    }

    /// The word that it reads where these bytes are.
    pub fn word(self, bytes: [u8; 4]) -> u32 {
        match self {
            Kind::Arm | Kind::Toy { big: false } => u32::from_le_bytes(bytes),
            Kind::PowerPc | Kind::Toy { big: true } => u32::from_be_bytes(bytes),
        }
    }
}

/// The cores of a board, and its device tree.
pub struct Board {
    pub cores: Vec<Kind>,
    pub source: String,
}

const CLOCKS: [u32; 6] = [
    25_000_000,
    40_000_000,
    48_000_000,
    66_666_667,
    100_000_000,
    133_333_333,
];

/// The code of a core.
pub fn code_of(core: usize) -> u32 {
    (core as u32 + 1) * CODE_BYTES
}

pub fn board(random: &mut Random) -> Board {
    let count = 2 + random.below(3) as usize;
    let mut cores: Vec<Kind> = (0..count).map(|_| Kind::any(random)).collect();
    while cores[1] == cores[0] {
        cores[1] = Kind::any(random);
    }
    let quantum = [1, 37, 200, 1000, 5000][random.below(5) as usize];
    let (mut nodes, mut clocks) = (String::new(), String::new());
    for (number, core) in cores.iter().enumerate() {
        let hz = CLOCKS[random.below(6) as usize];
        let _ = writeln!(
            clocks,
            "c{number}: clock{number} {{ compatible = \"fixed-clock\"; #clock-cells = <0>; clock-frequency = <{hz}>; }};"
        );
        let name = match core {
            Kind::Arm => "compatible = \"arm,arm7tdmi\";",
            Kind::PowerPc if random.once_in(2) => "compatible = \"PowerPC,603e\";",
            Kind::PowerPc => "compatible = \"PowerPC,750\";",
            Kind::Toy { big: false } => "compatible = \"socscope,toy\";",
            Kind::Toy { big: true } => "compatible = \"socscope,toy-big-endian\";",
        };
        let caches = match random.once_in(3) {
            true => caches::properties(random, caches::SLOW_CYCLES),
            false => vec![],
        };
        let cached = caches.iter().map(|(name, value)| match value.parse() {
            Ok::<u32, _>(number) => format!("{name} = <{number}>;"),
            Err(_) => format!("{name} = \"{value}\";"),
        });
        let timing = match random.below(3) {
            _ if !caches.is_empty() => cached.collect(),
            0 => format!(
                "socscope,timing = \"fixed-cpi\"; socscope,cpi = <{} {}>;",
                1 + random.below(5),
                1 + random.below(4)
            ),
            _ => String::new(),
        };
        let _ = writeln!(
            nodes,
            "cpu@{number} {{ device_type = \"cpu\"; reg = <{number}>; clocks = <&c{number}>; {name} {timing} }};"
        );
    }
    let order = [
        "",
        "socscope,byte-order = \"little-endian\";",
        "socscope,byte-order = \"big-endian\";",
    ];
    let order = order[random.below(3) as usize];
    let source = format!(
        "/dts-v1/; / {{ #address-cells = <1>; #size-cells = <1>; {clocks}
        cpus {{ #address-cells = <1>; #size-cells = <0>; socscope,quantum-cycles = <{quantum}>; {nodes} }};
        memory@0 {{ device_type = \"memory\"; reg = <0 0x9000>; }};
        rule30@ffee4000 {{ compatible = \"socscope,rule30\"; reg = <0xffee4000 0x1000>; clocks = <&c0>;
            socscope,latency-ns = <{}>; socscope,batch; socscope,dma; {order} }};
        }};",
        100 + random.below(3000)
    );
    Board { cores, source }
}
