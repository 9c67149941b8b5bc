//! Memories and devices of one core: each core finds its own where others find something else, whichever engine executes, over cuts and files.

use crate::support::mixed::{arm_elf, load_second};
use crate::support::private::{
    MAINS, MIXED, OWN, OWN_DATA, PORT, SHARED, TWO_ARMS, arm_main, arm_own, board_with, one_of_two,
    powerpc_program, two_arms, word,
};
use crate::support::{board_with as study_board_with, powerpc};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Input, Machine, Replay, Snapshot, Stop, Until};
use socscope_memory::Viewer;
use socscope_time::Instant;

const END_US: u64 = 400;
const CORES: [Viewer; 2] = [Viewer::Core(0), Viewer::Core(1)];

fn run_us(machine: &mut Machine, microseconds: u64) -> Stop {
    let until = Until::time(Instant(microseconds * 1_000_000));
    machine.run(&until, &mut Unobserved)
}

fn with(engine: Engine, mut machine: Machine) -> Machine {
    machine.set_engine(engine);
    machine.set_translation_threshold(2);
    machine
}

fn through_bytes(snapshot: &Snapshot, machine: &Machine) -> Snapshot {
    let sections = snapshot.sections();
    let find = |name: &str| {
        let section = sections.iter().find(|(known, _)| *known == name);
        section.map(|(_, bytes)| bytes.as_slice())
    };
    Snapshot::from_sections(machine, find).expect("sections are as they were made")
}

fn mains() -> [Vec<u32>; 2] {
    [0, 1].map(arm_main)
}

/// Different code at one address, the same code, and code that others cannot see.
fn programs() -> [fn() -> Machine; 3] {
    [
        || two_arms(mains(), [arm_own(&[1]), arm_own(&[100, 27, 3])]),
        || two_arms(mains(), [arm_own(&[7]), arm_own(&[7])]),
        mixed,
    ]
}

fn mixed() -> Machine {
    let mut machine = board_with(MIXED, "").expect("the board is right");
    let [main, own] = powerpc_program();
    let image = powerpc::elf(MAINS[0], &[(MAINS[0], main), (OWN, own)]);
    machine.load_elf(&image, "first").expect("it fits");
    let image = arm_elf(&[(MAINS[1], arm_main(1)), (OWN, arm_own(&[9, 2]))]);
    load_second(&mut machine, &image).expect("it fits");
    machine
}

#[test]
fn each_core_runs_its_own_code_on_its_own_data() {
    for engine in [Engine::Interpreted, Engine::Translated] {
        let mut machine = with(engine, programs()[0]());
        assert_eq!(run_us(&mut machine, END_US), Stop::Time);
        for (core, step) in [1, 130].into_iter().enumerate() {
            let own = word(&machine, CORES[core], OWN_DATA);
            assert!(own > 500, "core {core}: {own}");
            let told = SHARED + 16 * core as u32;
            let told = [told, told + 4].map(|at| word(&machine, Viewer::Everyone, at));
            assert!((own - 2..=own).contains(&told[1]), "{told:?} {own}");
            assert_eq!(told[0] % step, 0);
            assert!(
                (own - 2..=own).contains(&(told[0] / step)),
                "{told:?} {own}"
            );
        }
        for at in [OWN, OWN_DATA] {
            assert_eq!(word(&machine, Viewer::Everyone, at), 0, "nobody was there");
        }
        let translations = machine.engine_statistics().translations;
        assert_eq!(translations > 0, engine == Engine::Translated);
    }
}

#[test]
fn engines_cuts_files_and_forks_make_no_difference() {
    for program in programs() {
        let mut whole = with(Engine::Interpreted, program());
        run_us(&mut whole, END_US);
        let expected = (whole.moment(), whole.state_hash());
        for engine in [Engine::Interpreted, Engine::Translated] {
            for piece in [7, 61, END_US] {
                let mut machine = with(engine, program());
                for time in (0..END_US).step_by(piece as usize).chain([END_US]) {
                    run_us(&mut machine, time);
                    if time > END_US / 2 {
                        let copy = through_bytes(&machine.snapshot(), &machine);
                        let mut other = with(engine, program());
                        run_us(&mut other, 3);
                        other.restore(&copy).expect("it is the same machine");
                        machine = other;
                    } else if time > END_US / 4 {
                        machine = machine.fork().expect("it can be made again");
                    }
                }
                let found = (machine.moment(), machine.state_hash());
                assert_eq!(found, expected, "{engine:?} in pieces of {piece} us");
            }
        }
        let mut again = with(Engine::Translated, program().sibling().unwrap());
        let image = program();
        again
            .restore(&with(Engine::Translated, image).snapshot())
            .unwrap();
        run_us(&mut again, END_US);
        assert_eq!(again.state_hash(), expected.1);
    }
}

#[test]
fn single_steps_come_to_the_same() {
    for program in programs() {
        let mut stepped = program();
        while stepped.cycle() < 3_000 {
            stepped.step(&mut Unobserved);
        }
        let mut whole = with(Engine::Translated, program());
        let stop = whole.reach(stepped.moment(), &mut Unobserved);
        assert_eq!(stop, Ok(Stop::Time));
        assert_eq!(whole.state_hash(), stepped.state_hash());
    }
}

/// A main program that writes its own code anew every few calls: the number that is added changes.
fn rewriting(core: usize) -> Vec<u32> {
    let mut words = arm_main(core);
    words.pop();
    // ldr r0, [r3]; tst r0, #0xfe; ldreq r0, [r2]; eoreq r0, r0, #4; streq r0, [r2]; b back
    words.extend([0xe593_0000, 0xe310_00fe, 0x0592_0000, 0x0220_0004]);
    words.extend([0x0582_0000, crate::support::mixed::arm_branch(0xe, -11)]);
    words
}

#[test]
fn code_that_a_core_writes_in_its_own_memory_is_new_for_it_alone() {
    let program = || two_arms([rewriting(0), arm_main(1)], [arm_own(&[1]), arm_own(&[1])]);
    let results = [Engine::Interpreted, Engine::Translated].map(|engine| {
        let mut machine = with(engine, program());
        run_us(&mut machine, END_US);
        let told = [0, 16].map(|at| word(&machine, Viewer::Everyone, SHARED + at));
        let calls = CORES.map(|viewer| word(&machine, viewer, OWN_DATA));
        assert!(told[0] > 2 * calls[0], "{told:?} {calls:?}");
        assert!(
            (calls[1] - 2..=calls[1]).contains(&told[1]),
            "{told:?} {calls:?}"
        );
        // What comes from outside, too: the second core adds 9 from now on.
        machine.poke_core(1, OWN, &arm_own(&[9])[0].to_le_bytes());
        machine.poke(OWN, &[0xff; 4]);
        run_us(&mut machine, 2 * END_US);
        let more = word(&machine, CORES[1], OWN_DATA) - calls[1];
        let added = word(&machine, Viewer::Everyone, SHARED + 16) - told[1];
        assert!(
            more > 500 && added.abs_diff(9 * more) < 30,
            "{added} {more}"
        );
        (
            machine.state_hash(),
            machine.inputs().clone(),
            machine.moment(),
        )
    });
    assert_eq!(results[0], results[1]);
    let [(hash, inputs, end), _] = results;
    let targets: Vec<String> = inputs.iter().map(|one| one.input.target()).collect();
    assert_eq!(targets[1..], ["cpu1.0x00020000", "0x00020000"]);
    let mut again = one_of_two(rewriting(0), arm_own(&[1]));
    let mut replay = Replay::new(&again, inputs.clone(), end);
    assert_eq!(
        replay.advance(&mut again, u64::MAX, &mut Unobserved),
        Ok(None)
    );
    assert_eq!(again.state_hash(), hash);
}

#[test]
fn each_core_has_its_own_port() {
    // strb r1, [r0, #7], the scratch register of the port of whoever it is.
    let sends = |byte: u32| {
        let mut words = crate::support::mixed::arm_load(0, PORT).to_vec();
        words.extend([
            0xe3a0_1000 | byte,
            0xe5c0_1007,
            crate::support::mixed::arm_branch(0xe, 0),
        ]);
        words
    };
    let own = || [arm_own(&[1]), arm_own(&[1])];
    for engine in [Engine::Interpreted, Engine::Translated] {
        let mut machine = with(engine, two_arms([sends(0x41), sends(0x42)], own()));
        run_us(&mut machine, 100);
        let ports = machine.devices().map(|device| device.name.to_string());
        assert_eq!(ports.collect::<Vec<_>>(), ["port_one", "port_two"]);
        let regions = machine.regions().iter().map(|region| region.name.as_str());
        assert_eq!(
            regions.collect::<Vec<_>>(),
            [
                "unmapped",
                "memory@0",
                "cpu0.tcm_one",
                "cpu1.tcm_two",
                "cpu0.port_one",
                "cpu1.port_two"
            ]
        );
        let scratch = [0, 1].map(|device| machine.peek_register(device, 7));
        assert_eq!(scratch, [Some(0x41), Some(0x42)], "{engine:?}");
        let viewers = [Viewer::Core(0), Viewer::Core(1), Viewer::Everyone];
        let names = viewers.map(|viewer| {
            machine
                .region_for(viewer, PORT)
                .map(|region| region.name.clone())
        });
        assert_eq!(
            names.map(Option::unwrap_or_default),
            ["cpu0.port_one", "cpu1.port_two", ""]
        );
    }
}

#[test]
fn what_is_wrong_with_a_private_node_is_said() {
    let message = |more: &str| {
        let board = board_with(TWO_ARMS, more);
        board
            .map(|_| ())
            .expect_err("this platform is wrong")
            .to_string()
    };
    assert_eq!(
        message("&tcm_one { socscope,private-to = <&mck>; };"),
        "/bus-of-one/sram@20000: property socscope,private-to: /mck is no core; refer to a cpu node"
    );
    assert_eq!(
        message("&tcm_one { socscope,private-to = <&two>; };"),
        "private: regions cpu1.tcm_one and cpu1.tcm_two overlap at 0x00020000; move one of them or make it smaller"
    );
    assert_eq!(
        message("&tcm_one { socscope,private-to = \"two\"; };"),
        "/bus-of-one/sram@20000: property socscope,private-to: no node has phandle 0x74776f00; refer to a label that exists"
    );
    let unnamed = |bus: &str, core: &str| {
        format!(
            "bus-{bus} {{ #address-cells = <1>; #size-cells = <1>; ranges; serial@e1000000 {{ compatible = \"ns16550\"; \
             reg = <0xe1000000 0x100>; clocks = <&mck>; socscope,private-to = <&{core}>; }}; }};"
        )
    };
    let twice = format!("/ {{ {} {} }};", unnamed("a", "one"), unnamed("b", "two"));
    let said = message(&twice);
    assert!(
        said.contains("/bus-b/serial@e1000000: property socscope,private-to: makes a second device that is called serial")
            && said.ends_with(", as /bus-a/serial@e1000000 is; give each a label of its own"),
        "{said}"
    );
    let study = |more: &str| {
        let board = study_board_with(more);
        board
            .map(|_| ())
            .expect_err("this platform is wrong")
            .to_string()
    };
    assert_eq!(
        study("&sram { socscope,private-to = <&cpu>; };"),
        "/soc/ebi@ffe00000: property atmel,sram: /soc/sram@300000 is private to a core, and this device moves it for all; \
         leave out socscope,private-to there, or this property here"
    );
}

#[test]
fn images_find_the_memory_of_their_core() {
    let board = || board_with(TWO_ARMS, "").expect("the board is right");
    let nop = |count: usize| vec![0xe1a0_0000_u32; count];
    let mut machine = board();
    let across = arm_elf(&[(OWN + 0xff8, nop(4))]);
    let error = machine.load_elf(&across, "first").unwrap_err().to_string();
    assert!(
        error.starts_with("first: segment at 0x00020ff8 of 0x10 bytes is outside"),
        "{error}"
    );
    assert!(
        error.contains("cpu0.tcm_one 0x00020000 to 0x00020fff"),
        "{error}"
    );
    assert!(!error.contains("cpu1"), "{error}");
    let before = arm_elf(&[(OWN - 8, nop(4))]);
    assert_eq!(
        machine.load_elf(&before, "first").unwrap_err().to_string(),
        "first: segment at 0x0001fff8 of 0x10 bytes goes across 0x00020000, where memory that core 0 alone sees borders on other memory; \
         link what lies there as a segment of its own"
    );
    let mut machine = board();
    let image = |word: u32| arm_elf(&[(OWN, vec![word])]);
    machine.load_elf(&image(1), "first").expect("it fits");
    load_second(&mut machine, &image(2)).expect("they do not meet");
    let seen = CORES.map(|viewer| word(&machine, viewer, OWN));
    assert_eq!(seen, [1, 2]);
    assert_eq!(word(&machine, Viewer::Everyone, OWN), 0);
    let refused = machine.apply(Input::CorePoke {
        core: 2,
        address: OWN,
        bytes: vec![1],
    });
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the machine has no core 2; its cores are 0 to 1"
    );
}

#[test]
fn a_boot_loader_hands_over_in_memory_that_all_share() {
    let nop = || vec![powerpc::addi(3, 3, 0)];
    let mut machine = board_with(MIXED, "").expect("the board is right");
    let image = powerpc::elf(OWN, &[(OWN, nop())]);
    machine.load_elf(&image, "first").expect("it fits");
    let tree = machine.core(0).powerpc().unwrap().register(3);
    assert_eq!(
        word(&machine, Viewer::Everyone, tree),
        0xd00d_feed_u32.swap_bytes()
    );
    let mut machine = board_with(MIXED, "").expect("the board is right");
    let end = OWN - 0x1_0000;
    let image = powerpc::elf(end - 4, &[(end - 4, nop())]);
    let error = machine.load_elf(&image, "first").unwrap_err().to_string();
    assert!(error.starts_with("0x20000 to 0x20"), "{error}");
    assert!(error.contains("is where cpu0.tcm_one lies"), "{error}");
}
