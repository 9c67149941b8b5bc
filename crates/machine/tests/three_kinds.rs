//! A machine with a PowerPC, an ARM and a toy of the other byte order than its neighbour: they share memory, write each other's code, and all ways
//! of running give the same state.

use crate::support::mixed::{arm_branch, arm_elf, arm_load};
use crate::support::powerpc;
use crate::support::toy::assembler::{self as a, Program};
use crate::support::toy::{PROGRAM, board, cpu, elf, load};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Replay, Snapshot, Stop, Until};
use socscope_time::Instant;

const SHARED: u32 = 0x8000;
const SECOND: u32 = 0x4000;
const END: u64 = 600_000_000;

/// The PowerPC first; the toy beside the ARM or beside the PowerPC, each time in the other order.
fn empty(toy: u16) -> Machine {
    let big = toy == 2;
    let model = if big {
        "socscope,toy-big-endian"
    } else {
        "socscope,toy"
    };
    let mut cpus = [
        cpu(0, "PowerPC,603e", "fast", ""),
        cpu(1, "arm,arm7tdmi", "slow", ""),
        cpu(2, "arm,arm7tdmi", "slow", ""),
    ];
    cpus[usize::from(toy)] = cpu(u32::from(toy), model, "slow", "socscope,cpi = <3 2>;");
    board(&cpus.concat(), "").expect("the board is right")
}

/// The PowerPC counts a word; the ARM calls a routine that the toy writes anew, and the toy one that the PowerPC does.
fn machine(toy: u16) -> Machine {
    let big = toy == 2;
    let mut machine = empty(toy);
    // The routine's first half-word, `set r5, #i`, with another number each time.
    let routine = PROGRAM + 0x100;
    let half = a::set(5, 0);
    let mut first = powerpc::load(3, routine).to_vec();
    first.extend([
        powerpc::addi(5, 5, 1),
        0x54a6_063e,                                 // rlwinm r6, r5, 0, 24, 31
        0x60c6_0000 | half,                          // ori r6, r6, 0x8500
        if big { 0xb0c3_0000 } else { 0x7cc0_1f2c }, // sth r6, 0(r3); sthbrx r6, 0, r3
        powerpc::branch(-4),
    ]);
    machine
        .load_elf(&powerpc::elf(0x1000, &[(0x1000, first)]), "first")
        .expect("it fits");

    let mut second = arm_load(4, SHARED).to_vec();
    second.extend([
        arm_branch(0xe, 6) | 1 << 24,
        0xe584_5000,
        0xe286_6001,
        0xe584_6008,
    ]);
    second.extend([arm_branch(0xe, -4), 0, 0xe3a0_5001, 0xe1a0_f00e]);
    load(&mut machine, 3 - toy, &arm_elf(&[(SECOND, second)])).expect("it fits");
    // The byte of the ARM's `mov r5, #1` is the first of its word in memory.
    let mut code = Program::default();
    code.put(&a::number(3, SECOND + 10 * 4))
        .put(&a::number(4, SHARED))
        .put(&a::number(6, routine))
        .label("again")
        .put(&[a::call_register(6), a::store(5, 4, 0x10), a::step(7, 1)])
        .put(&[a::long(5, 7, 3, 0), a::store(7, 4, 0x18)])
        .to(a::branch(0), "again");
    let segments = [
        (PROGRAM, code.instructions()),
        (routine, vec![a::set(5, 1), a::jump(a::LINK)]),
    ];
    load(&mut machine, toy, &elf(big, &segments)).expect("it fits");
    machine
}

fn ends(machine: &Machine) -> (socscope_machine::Moment, String) {
    (machine.moment(), machine.state_hash())
}

#[test]
fn code_that_one_writes_for_another_is_executed_by_all_and_engines_agree() {
    for toy in [1, 2] {
        let run = |engine| {
            let mut machine = machine(toy);
            machine.set_engine(engine);
            machine.set_translation_threshold(1);
            let mut seen = [(); 2].map(|()| std::collections::BTreeSet::new());
            let mut states = vec![];
            for piece in 1..=20 {
                let until = Until::time(Instant(END / 20 * piece));
                assert_eq!(machine.run(&until, &mut Unobserved), Stop::Time);
                states.push(ends(&machine));
                for (seen, offset) in seen.iter_mut().zip([0, 0x10]) {
                    seen.insert(machine.peek(SHARED + offset, 4));
                }
            }
            // What the ARM stores and what the toy stores changes as the others write.
            assert!(seen.iter().all(|seen| seen.len() > 10), "{seen:?}");
            states
        };
        assert_eq!(run(Engine::Translated), run(Engine::Interpreted));
    }
}

#[test]
fn cuts_files_forks_and_repeated_runs_are_the_same_to_the_bit() {
    for toy in [1, 2] {
        let mut whole = machine(toy);
        whole.run(&Until::time(Instant(END)), &mut Unobserved);
        for piece in [99_999, 123_456_789] {
            let mut cut = machine(toy);
            for time in (0..END).step_by(piece).skip(1).chain([END]) {
                cut.run(&Until::time(Instant(time)), &mut Unobserved);
            }
            assert_eq!(ends(&cut), ends(&whole), "{piece}");
        }
        let mut other = machine(toy);
        other.run(&Until::time(Instant(END / 3 + 77)), &mut Unobserved);
        let mut fork = other.fork().unwrap();
        fork.run(&Until::time(Instant(END)), &mut Unobserved);
        assert_eq!(ends(&fork), ends(&whole));
        let sections = other.snapshot().sections();
        let find = |name: &str| {
            let section = sections.iter().find(|(known, _)| *known == name);
            section.map(|(_, bytes)| bytes.as_slice())
        };
        let mut again = empty(toy);
        let copy = Snapshot::from_sections(&again, find).unwrap();
        again.restore(&copy).unwrap();
        assert_eq!(ends(&again), ends(&other));
        let goal = whole.moment();
        assert_eq!(again.reach(goal, &mut Unobserved), Ok(Stop::Time));
        assert_eq!(ends(&again), ends(&whole));
        // Images of other cores are inputs.
        let mut repeated = machine(toy);
        let mut replay = Replay::new(&repeated, repeated.inputs().clone(), goal);
        assert_eq!(
            replay.advance(&mut repeated, u64::MAX, &mut Unobserved),
            Ok(None)
        );
        assert_eq!(ends(&repeated), ends(&whole));
    }
}
