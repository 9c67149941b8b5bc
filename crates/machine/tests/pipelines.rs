//! The timing models of pipelines, as a platform chooses them: alone, and between caches.

use crate::support;
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, PlatformError, Until};
use support::compile;

/// Reads a word, uses it, and goes on, for ever: 1, 2 and 3 cycles.
const LOOP: [u32; 3] = [
    0xe591_0000, // ldr r0, [r1]
    0xe080_2000, // add r2, r0, r0
    0xeaff_fffc, // b   ldr
];
const CACHES: &str = "i-cache-size = <16384>; i-cache-line-size = <32>; i-cache-sets = <128>; d-cache-size = <16384>; d-cache-line-size = <32>; \
    d-cache-sets = <128>; socscope,memory-cycles = <50>;";

fn board(core: &str, cpu: &str) -> Result<Machine, PlatformError> {
    let source = format!(
        r#"/dts-v1/;
        / {{
            #address-cells = <1>;
            #size-cells = <1>;
            clock: clock {{ compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <1000000>; }};
            cpus {{
                #address-cells = <1>;
                #size-cells = <0>;
                cpu@0 {{ compatible = "{core}"; device_type = "cpu"; reg = <0>; clocks = <&clock>; {cpu} }};
            }};
            memory@0 {{ device_type = "memory"; reg = <0 0x10000>; }};
        }};"#
    );
    Machine::new(&compile(&source), "test", &[])
}

fn looping(core: &str, cpu: &str) -> Machine {
    let mut machine = board(core, cpu).expect("the platform is right");
    let bytes: Vec<u8> = LOOP.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(machine.poke(0, &bytes), bytes.len());
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
fn interlocks_count() {
    for (core, timing, label) in [
        ("arm,arm920t", "arm9tdmi", "ARM9TDMI"),
        ("arm,arm926ej-s", "arm9ej-s", "ARM9EJ-S"),
    ] {
        let mut machine = looping(core, &format!("socscope,timing = \"{timing}\";"));
        assert_eq!(steps(&mut machine, 300), 100 * 6, "{core}");
        let model = machine.accuracy().model;
        assert!(model.starts_with(label), "{model}");
    }
}

#[test]
fn caches_lie_around_a_pipeline() {
    let cpu =
        format!("socscope,timing = \"caches\"; socscope,base-timing = \"arm9tdmi\"; {CACHES}");
    let mut machine = looping("arm,arm920t", &cpu);
    // The loop's line, and that of its data: the same one, in the other cache.
    assert_eq!(steps(&mut machine, 3), 6 + 50 + 50);
    assert_eq!(steps(&mut machine, 300), 100 * 6);
    assert!(
        machine
            .accuracy()
            .model
            .starts_with("ARM9TDMI issue cycles and interlocks, then caches")
    );
}

#[test]
fn both_engines_take_the_same_time() {
    let alone = "socscope,timing = \"arm9ej-s\";".to_string();
    let cached =
        format!("socscope,timing = \"caches\"; socscope,base-timing = \"arm9ej-s\"; {CACHES}");
    for cpu in [alone, cached] {
        let [interpreted, translated] = [Engine::Interpreted, Engine::Translated].map(|engine| {
            let mut machine = looping("arm,arm926ej-s", &cpu);
            machine.set_engine(engine);
            let until = Until::time(machine.clock().instant_of(123_456));
            machine.run(&until, &mut Unobserved);
            (machine.cycle(), machine.state_hash())
        });
        assert_eq!(interpreted, translated, "{cpu}");
    }
}

#[test]
fn a_pipeline_is_that_of_its_core() {
    let error = |core: &str, cpu: &str| board(core, cpu).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        error("arm,arm7tdmi", "socscope,timing = \"arm9tdmi\";"),
        "/cpus/cpu@0: property socscope,timing: no timing model of this core is called \"arm9tdmi\"; choose \"arm7tdmi\", \"fixed-cpi\" or \"caches\""
    );
    assert_eq!(
        error("arm,arm926ej-s", "socscope,timing = \"arm9tdmi\";"),
        "/cpus/cpu@0: property socscope,timing: no timing model of this core is called \"arm9tdmi\"; choose \"arm9ej-s\", \"fixed-cpi\" or \"caches\""
    );
    let based = |base: &str| {
        format!("socscope,timing = \"caches\"; socscope,base-timing = \"{base}\"; {CACHES}")
    };
    assert_eq!(
        error("arm,arm920t", &based("arm9ej-s")),
        "/cpus/cpu@0: property socscope,base-timing: no timing model of this core is called \"arm9ej-s\"; choose \"arm9tdmi\" or \"fixed-cpi\""
    );
    assert_eq!(
        error("arm,arm1136j-s", &based("arm9ej-s")),
        "/cpus/cpu@0: property socscope,base-timing: no timing model of this core is called \"arm9ej-s\"; choose \"fixed-cpi\""
    );
}
