//! Machines with cores of different architectures: what one sees of the other, and that engines, cuts and checkpoints make no difference.

use crate::support::mixed::{
    CONTROLLER, SECOND, SHARED, arm_branch, arm_elf, arm_load, arm_store, board_with, load_second,
    running, store,
};
use crate::support::powerpc::{ENGINE, addi, branch, elf, load, lwz, node, stw};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Replay, Snapshot, Stop, Until};
use socscope_time::Instant;

const SAME: [u32; 2] = [50_000_000, 50_000_000];
const TWICE: [u32; 2] = [100_000_000, 50_000_000];
/// Edges of the two seldom meet.
const ODD: [u32; 2] = [66_666_667, 48_000_000];

fn run_us(machine: &mut Machine, microseconds: u64) -> Stop {
    let until = Until::time(Instant(microseconds * 1_000_000));
    machine.run(&until, &mut Unobserved)
}

fn bytes(machine: &Machine, address: u32) -> [u8; 4] {
    machine
        .peek(address, 4)
        .try_into()
        .expect("there is memory")
}

/// blr, bl and bx-less returns.
const BLR: u32 = 0x4e80_0020;
fn branch_and_link(instructions: i32) -> u32 {
    branch(instructions) | 1
}
const MOV_PC_LR: u32 = 0xe1a0_f00e;

#[test]
fn a_word_lies_in_memory_as_its_writer_sees_it() {
    let mut first = store(SHARED, 0x1122_3344);
    first.push(branch(0));
    // Waits for the word, adds 1, stores it behind it, and a halfword behind that.
    let mut second = arm_load(0, SHARED).to_vec();
    second.extend([0xe590_1000, 0xe351_0000, arm_branch(0, -2)]);
    second.extend([0xe281_1001, 0xe580_1004, 0xe1c0_10b8, arm_branch(0xe, 0)]);
    for engine in [Engine::Interpreted, Engine::Translated] {
        let mut machine = running(TWICE, first.clone(), second.clone());
        machine.set_engine(engine);
        machine.set_translation_threshold(1);
        assert_eq!(run_us(&mut machine, 200), Stop::Time);
        assert_eq!(bytes(&machine, SHARED), [0x11, 0x22, 0x33, 0x44]);
        assert_eq!(machine.core(1).arm().unwrap().register(1), 0x4433_2212);
        assert_eq!(bytes(&machine, SHARED + 4), [0x12, 0x22, 0x33, 0x44]);
        assert_eq!(bytes(&machine, SHARED + 8), [0x12, 0x22, 0, 0]);
    }
}

#[test]
fn a_register_of_a_device_has_one_value_for_both_and_each_finds_bytes_in_its_own_order() {
    const SOURCE: u32 = ENGINE + 0x24;
    let mut first = store(SOURCE, 0x1122_3344);
    first.extend([0x88c3_0000, branch(0)]); // lbz r6, 0(r3)
    let mut second = arm_load(0, SOURCE).to_vec();
    second.extend([0xe590_1000, 0xe351_0000, arm_branch(0, -2)]);
    second.extend([0xe5d0_2000, arm_branch(0xe, 0)]); // ldrb r2, [r0]
    let mut machine = running(SAME, first, second);
    let tree = node(
        "rule30: rule30@ffee4000 { compatible = \"socscope,rule30\"; reg = <0xffee4000 0x1000>; interrupts = <5>; socscope,dma; };",
    );
    machine.add_node(&tree).unwrap();
    run_us(&mut machine, 200);
    let arm = machine.core(1).arm().unwrap();
    assert_eq!((arm.register(1), arm.register(2)), (0x1122_3344, 0x44));
    assert_eq!(machine.core(0).powerpc().unwrap().register(6), 0x11);
}

/// The PowerPC calls a routine again and again and stores what it gives; the ARM writes the routine anew, with one number after the other.
fn code_for_the_powerpc() -> (Vec<u32>, Vec<u32>) {
    let mut first = load(4, SHARED).to_vec();
    first.extend([
        branch_and_link(6),
        stw(5, 4, 0),
        addi(6, 6, 1),
        stw(6, 4, 8),
    ]);
    first.extend([branch(-4), 0, addi(5, 0, 0x100), BLR]);
    let routine = 0x1000 + 8 * 4;
    let mut second = [
        &arm_load(0, routine)[..],
        &arm_load(1, addi(5, 0, 0x100).swap_bytes()),
    ]
    .concat();
    // Every 200 turns of a loop: the next number in the instruction's last byte.
    second.extend([0xe3a0_20c8, 0xe252_2001, arm_branch(1, -1), 0xe281_1401]);
    second.extend([0xe580_1000, arm_branch(0xe, -5)]);
    (first, second)
}

/// The same the other way round.
fn code_for_the_arm() -> (Vec<u32>, Vec<u32>) {
    let mut second = arm_load(4, SHARED).to_vec();
    second.extend([
        arm_branch(0xe, 6) | 1 << 24,
        0xe584_5000,
        0xe286_6001,
        0xe584_6008,
    ]);
    second.extend([arm_branch(0xe, -4), 0, 0xe3a0_5001, MOV_PC_LR]);
    let routine = SECOND + 10 * 4;
    let mut first = [
        &load(3, routine)[..],
        &load(5, 0xe3a0_5001_u32.swap_bytes()),
    ]
    .concat();
    first.extend([
        addi(7, 0, 200),
        addi(7, 7, 0xffff),
        0x2c07_0000,
        0x4082_fff8,
    ]);
    first.extend([0x3ca5_0100, stw(5, 3, 0), branch(-6)]); // addis r5, r5, 0x100
    (first, second)
}

/// The state, where several runs must agree.
fn ends(machine: &Machine) -> (socscope_machine::Moment, String) {
    (machine.moment(), machine.state_hash())
}

#[test]
fn code_that_one_core_writes_for_another_is_translated_anew() {
    for (first, second) in [code_for_the_powerpc(), code_for_the_arm()] {
        let machine = |engine| {
            let mut machine = running(TWICE, first.clone(), second.clone());
            machine.set_engine(engine);
            machine.set_translation_threshold(1);
            machine
        };
        let mut slow = machine(Engine::Interpreted);
        let mut fast = machine(Engine::Translated);
        let mut seen = std::collections::BTreeSet::new();
        for microseconds in (100..2_000).step_by(100) {
            run_us(&mut slow, microseconds);
            run_us(&mut fast, microseconds);
            assert_eq!(
                bytes(&fast, SHARED),
                bytes(&slow, SHARED),
                "at {microseconds} us"
            );
            assert_eq!(ends(&fast), ends(&slow), "at {microseconds} us");
            seen.insert(bytes(&fast, SHARED));
        }
        assert!(seen.len() > 10, "{seen:?}");
        let statistics = fast.engine_statistics();
        assert!(statistics.invalidations > 10, "{statistics:?}");
        assert!(statistics.entered > 100, "{statistics:?}");
    }
}

#[test]
fn where_runs_are_cut_and_which_engine_runs_makes_no_difference() {
    const END: u64 = 1_000_000_000;
    for hz in [SAME, TWICE, ODD, [48_000_000, 66_666_667]] {
        let (first, second) = code_for_the_arm();
        let mut whole = running(hz, first.clone(), second.clone());
        whole.run(&Until::time(Instant(END)), &mut Unobserved);
        let expected = ends(&whole);
        for engine in [Engine::Interpreted, Engine::Translated] {
            for piece in [70_001, 9_999_999, 123_456_789] {
                let mut machine = running(hz, first.clone(), second.clone());
                machine.set_engine(engine);
                machine.set_translation_threshold(2);
                let mut time = 0;
                while time < END {
                    time = (time + piece).min(END);
                    machine.run(&Until::time(Instant(time)), &mut Unobserved);
                }
                assert_eq!(ends(&machine), expected, "{hz:?} {engine:?} {piece}");
            }
        }
    }
}

#[test]
fn single_steps_forks_files_and_repeated_runs_are_the_same_to_the_bit() {
    let (first, second) = code_for_the_powerpc();
    let fresh = || running(ODD, first.clone(), second.clone());
    let mut machine = fresh();
    run_us(&mut machine, 150);
    let mut stepped = machine.fork().unwrap();
    let mut moments = vec![stepped.moment()];
    for _ in 0..20_000 {
        stepped.step(&mut Unobserved);
        let moment = stepped.moment();
        let last = moments.last().unwrap();
        assert!(
            (last.cycle, last.part) < (moment.cycle, moment.part),
            "{moment:?}"
        );
        moments.push(moment);
    }
    let goal = *moments.last().unwrap();
    assert_eq!(machine.reach(goal, &mut Unobserved), Ok(Stop::Time));
    assert_eq!(ends(&machine), ends(&stepped));
    // In the middle of a turn, through a file.
    let middle = moments[moments.len() / 2 + 77];
    let mut other = fresh();
    assert_eq!(other.reach(middle, &mut Unobserved), Ok(Stop::Time));
    let sections = other.snapshot().sections();
    let find = |name: &str| {
        let section = sections.iter().find(|(known, _)| *known == name);
        section.map(|(_, bytes)| bytes.as_slice())
    };
    let mut again = board_with(ODD, "socscope,core = <&arm>;").unwrap();
    let copy = Snapshot::from_sections(&again, find).unwrap();
    again.restore(&copy).unwrap();
    assert_eq!(ends(&again), ends(&other));
    assert_eq!(again.reach(goal, &mut Unobserved), Ok(Stop::Time));
    assert_eq!(ends(&again), ends(&stepped));
    // The image of the second core is an input, and comes with the others.
    let mut repeated = board_with(ODD, "socscope,core = <&arm>;").unwrap();
    repeated
        .load_elf(&elf(0x1000, &[(0x1000, first.clone())]), "first")
        .unwrap();
    let mut replay = Replay::new(&repeated, stepped.inputs().clone(), goal);
    assert_eq!(
        replay.advance(&mut repeated, u64::MAX, &mut Unobserved),
        Ok(None)
    );
    assert_eq!(ends(&repeated), ends(&stepped));
}

#[test]
fn each_core_runs_by_its_own_clock() {
    let (_, second) = code_for_the_arm();
    let mut machine = running(TWICE, vec![addi(6, 6, 1), branch(-1)], second.clone());
    assert_eq!(
        [0, 1].map(|core| machine.clock_of(core).hz()),
        [100_000_000, 50_000_000]
    );
    assert_eq!(run_us(&mut machine, 1_000), Stop::Time);
    assert_eq!(machine.now(), Instant(1_000_000_000));
    // A turn is 1000 cycles of the first core's clock.
    assert!(
        (100_000..101_000).contains(&machine.cycle_of(0)),
        "{}",
        machine.cycle_of(0)
    );
    assert!(
        (50_000..50_500).contains(&machine.cycle_of(1)),
        "{}",
        machine.cycle_of(1)
    );
    assert_eq!(machine.cycle(), 100_000);
    // The bus cycles of an ARM7TDMI are what they are when it is alone.
    let mut exact = machine.fork().unwrap();
    exact.set_engine(Engine::Interpreted);
    let rounds = |machine: &Machine| u32::from_le_bytes(bytes(machine, SHARED + 8));
    let counted = rounds(&machine);
    // bl, mov, mov pc and b take 3 + 1 + 3 + 3, two stores 2 each, an add 1: all fetches but those are sequential, each access a cycle.
    assert!(counted.abs_diff(50_000 / 15) <= 40, "{counted}");
    let label = machine.accuracy();
    assert!(
        label.model.starts_with("core 0 (603e, 100000000 Hz): "),
        "{}",
        label.model
    );
    assert!(
        label.model.contains("; core 1 (arm7tdmi, 50000000 Hz): "),
        "{}",
        label.model
    );
}

#[test]
fn a_controllers_lines_end_at_the_core_that_its_node_names() {
    // The PowerPC sets source 5 off; the ARM's handler is the third word of its vectors.
    let first = |core: &str| {
        // By an edge.
        let mut first = [
            store(CONTROLLER + 0x14, 0x21),
            store(CONTROLLER + 0x120, 1 << 5),
            store(CONTROLLER + 0x12c, 1 << 5),
        ]
        .concat();
        first.push(branch(0));
        let mut machine = board_with(SAME, core).unwrap();
        machine
            .load_elf(&elf(0x1000, &[(0x1000, first)]), "first")
            .unwrap();
        let second = [&[0xe321_f013][..], &[arm_branch(0xe, 0)]].concat(); // msr cpsr_c, #0x13
        let mut handler = arm_store(SHARED, 77);
        handler.push(arm_branch(0xe, 0));
        load_second(&mut machine, &arm_elf(&[(SECOND, second), (0x18, handler)])).unwrap();
        run_us(&mut machine, 200);
        let irqs: Vec<bool> = machine
            .core_signals()
            .iter()
            .filter(|signal| signal.line == "irq")
            .map(|signal| signal.level)
            .collect();
        (bytes(&machine, SHARED), irqs[0], irqs[1])
    };
    assert_eq!(
        first("socscope,core = <&arm>;"),
        ([77, 0, 0, 0], false, true)
    );
    assert_eq!(first(""), ([0; 4], true, false));
    let error = board_with(SAME, "socscope,core = <&slow>;")
        .map(|_| ())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "/interrupt-controller@fffff000: property socscope,core: /slow is no core; refer to a cpu node"
    );
    let error = board_with(SAME, "socscope,byte-order = \"middle\";")
        .map(|_| ())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "/interrupt-controller@fffff000: property socscope,byte-order: \"middle\" is neither \"little-endian\" nor \
         \"big-endian\"; choose one of them"
    );
}

#[test]
fn an_image_that_a_core_cannot_have_is_refused_with_its_core() {
    let mut machine = board_with(SAME, "").unwrap();
    let powerpc = elf(0x1000, &[(0x1000, vec![branch(0)])]);
    let arm = |address| arm_elf(&[(address, vec![arm_branch(0xe, 0)])]);
    assert_eq!(
        load_second(&mut machine, &powerpc).unwrap_err(),
        "core 1: second: built for PowerPC, the machine's core is ARM: build it with a compiler for that, such as arm-none-eabi-gcc -mcpu=arm7tdmi"
    );
    let input = |core| socscope_machine::Input::Image {
        core,
        name: "x.elf".into(),
        bytes: arm(0x2000),
    };
    let error = |machine: &mut Machine, core| machine.apply(input(core)).unwrap_err().to_string();
    assert_eq!(
        error(&mut machine, 2),
        "x.elf: the machine has no core 2; its cores are 0 to 1"
    );
    machine.load_elf(&powerpc, "first").unwrap();
    assert_eq!(
        error(&mut machine, 0),
        "x.elf: core 0 has an image already; give each core one"
    );
    assert_eq!(
        load_second(&mut machine, &arm(0x1000)).unwrap_err(),
        "second: 0x4 bytes from 0x00001000 on lie where first lies already; link one of them for another place"
    );
    // The device tree lies behind the first core's image, and the room for a stack.
    let tree = (0x1000..0x40000)
        .step_by(0x1000)
        .find(|&at| bytes(&machine, at) == [0xd0, 0x0d, 0xfe, 0xed]);
    let tree = tree.expect("a tree was handed over");
    assert_eq!(
        load_second(&mut machine, &arm(tree)).unwrap_err(),
        format!(
            "second: 0x4 bytes from {tree:#010x} on lie where what the boot loader hands over to the first core lies already; \
             link one of them for another place"
        )
    );
    load_second(&mut machine, &arm(tree + 0x1000)).unwrap();
    assert_eq!(
        load_second(&mut machine, &arm(0x2000)).unwrap_err(),
        "second: core 1 has an image already; give each core one"
    );
    // A longer command line makes the tree longer.
    let handover = socscope_machine::Handover {
        initrd: vec![],
        append: "x".repeat(0x1000),
    };
    let error = machine
        .apply(socscope_machine::Input::Boot(handover))
        .unwrap_err();
    assert!(
        error.to_string().ends_with("for the device tree and the initial file system, is where second lies: link that image for a higher place"),
        "{error}"
    );
    run_us(&mut machine, 10);
    assert_eq!(
        load_second(&mut machine, &arm(0x2000)).unwrap_err(),
        "second: the machine has run already: images of cores are for its start"
    );
}

#[test]
fn a_core_without_an_image_comes_out_of_reset() {
    let mut machine = board_with(SAME, "").unwrap();
    let image = elf(0x1000, &[(0x1000, vec![lwz(6, 0, SHARED), branch(0)])]);
    machine.load_elf(&image, "first").unwrap();
    assert_eq!(machine.core(0).program_counter(), 0x1000);
    assert_eq!(machine.core(1).program_counter(), 0);
    // At its reset vector it starts there, else at its entry; a reset does it again.
    load_second(&mut machine, &arm_elf(&[(0, vec![arm_branch(0xe, 0)])])).unwrap();
    assert_eq!(machine.core(1).program_counter(), 0);
    let mut machine = running(SAME, vec![branch(0)], vec![arm_branch(0xe, 0)]);
    assert_eq!(machine.core(1).program_counter(), SECOND);
    run_us(&mut machine, 10);
    machine.reset();
    let places = [0, 1].map(|core| machine.core(core).program_counter());
    assert_eq!(places, [0x1000, SECOND]);
}
