//! The timing model of caches, as a platform chooses it.

use crate::support;
use socscope_core::Unobserved;
use socscope_machine::{Machine, PlatformError};
use socscope_timing::{CacheCounts, CacheName};
use support::compile;

const RESET: u32 = 0xfff0_0100;

/// Reads every 32nd byte's word and the one behind it, for ever.
const READING: [u32; 5] = [
    0x3860_0000, // li   r3, 0
    0x8083_0000, // lwz  r4, 0(r3)
    0x80a3_0004, // lwz  r5, 4(r3)
    0x3863_0020, // addi r3, r3, 32
    0x4bff_fff4, // b    lwz
];

fn board(cpu: &str, more: &str) -> Result<Machine, PlatformError> {
    let source = format!(
        r#"/dts-v1/;
        / {{
            #address-cells = <1>;
            #size-cells = <1>;
            clock: clock {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <1000000>; }};
            cpus {{
                #address-cells = <1>;
                #size-cells = <0>;
                PowerPC,8641@0 {{
                    device_type = "cpu";
                    reg = <0>;
                    clocks = <&clock>;
                    socscope,timing = "caches";
                    {cpu}
                }};
            }};
            {more}
            memory@0 {{ device_type = "memory"; reg = <0 0x10000>; }};
            rom@fff00000 {{ compatible = "mmio-sram"; reg = <0xfff00000 0x1000>; }};
        }};"#
    );
    Machine::new(&compile(&source), "test", &[])
}

const STUDY: &str = "i-cache-size = <16384>; i-cache-line-size = <32>; d-cache-size = <16384>; \
    d-cache-line-size = <32>; d-cache-sets = <64>; socscope,memory-cycles = <50>;";

fn reading(cpu: &str, more: &str) -> Machine {
    let mut machine = board(cpu, more).expect("the platform is right");
    let bytes: Vec<u8> = READING.iter().flat_map(|word| word.to_be_bytes()).collect();
    assert_eq!(machine.poke(RESET, &bytes), bytes.len());
    machine
}

fn steps(machine: &mut Machine, count: u32) -> u64 {
    let before = machine.cycle();
    for _ in 0..count {
        machine.step(&mut Unobserved);
    }
    machine.cycle() - before
}

#[test]
fn misses_stall_the_core() {
    let mut machine = reading(STUDY, "");
    assert_eq!(steps(&mut machine, 1), 51, "its line is fetched");
    assert_eq!(steps(&mut machine, 4), 54, "a line of data");
    assert_eq!(steps(&mut machine, 400), 100 * 54);
    let data = CacheCounts {
        read_hits: 101,
        read_misses: 101,
        ..CacheCounts::default()
    };
    let instruction = CacheCounts {
        read_hits: 404,
        read_misses: 1,
        ..CacheCounts::default()
    };
    let expected = [
        (CacheName::Instruction, instruction),
        (CacheName::Data, data),
    ];
    assert_eq!(machine.cache_counts(0), expected);
    let label = machine.accuracy().model;
    assert!(label.ends_with("memory at 50 cycles a line"), "{label}");
}

#[test]
fn a_second_level_comes_from_its_node() {
    let more = "second: l2-cache { cache-size = <1048576>; cache-line-size = <32>; cache-sets = <4096>; \
                socscope,hit-cycles = <11>; socscope,cache-replacement = \"lru\"; };";
    let cpu = format!("{STUDY} next-level-cache = <&second>;");
    let mut machine = reading(&cpu, more);
    assert_eq!(steps(&mut machine, 1), 62);
    assert_eq!(machine.cache_counts(0).len(), 3);
    let disabled = more.replace("cache-size", "status = \"disabled\"; cache-size");
    assert_eq!(steps(&mut reading(&cpu, &disabled), 1), 51);
}

#[test]
fn the_state_of_caches_is_part_of_the_machine() {
    let mut machine = reading(STUDY, "");
    steps(&mut machine, 100);
    let mut fork = machine.fork().expect("it can be forked");
    assert_eq!(fork.state_hash(), machine.state_hash());
    assert_eq!(steps(&mut fork, 100), steps(&mut machine, 100));
    assert_eq!(fork.cache_counts(0), machine.cache_counts(0));
    assert_eq!(fork.state_hash(), machine.state_hash());
    machine.reset();
    let counts = machine.cache_counts(0);
    assert_eq!(steps(&mut machine, 1), 51, "the caches are empty");
    assert_eq!(
        machine.cache_counts(0)[0].1.read_misses,
        counts[0].1.read_misses + 1
    );
}

#[test]
fn wrong_caches_are_named() {
    let message = |cpu: &str| board(cpu, "").err().expect("it is wrong").to_string();
    let cpu = "/cpus/PowerPC,8641@0: property";
    assert_eq!(
        message(&STUDY.replace("d-cache-size = <16384>;", "")),
        format!(
            "{cpu} d-cache-size: caches need it, and it is missing; add it, or choose another socscope,timing"
        )
    );
    assert_eq!(
        message(&STUDY.replace("i-cache-line-size = <32>", "i-cache-line-size = <33>")),
        format!(
            "{cpu} i-cache-size: lines of 33 bytes are not possible; give a power of two from 4 to 4096"
        )
    );
    assert_eq!(
        message(&format!("{STUDY} socscope,cache-replacement = \"random\";")),
        format!(
            "{cpu} socscope,cache-replacement: no replacement is called \"random\"; choose \"tree\" or \"lru\""
        )
    );
    let message = message(&STUDY.replace("socscope,memory-cycles = <50>;", ""));
    assert!(message.contains("socscope,memory-cycles"), "{message}");
}
