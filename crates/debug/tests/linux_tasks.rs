//! Tasks that are known by special registers and page tables, as those of Linux.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests compile device trees with dtc"
)]

#[path = "../../machine/tests/support/mod.rs"]
mod support;

use socscope_core::Unobserved;
use socscope_debug::tasks::{
    Addresses, Condition, Field, Frame, Group, Name, Place, Running, Source, State, TaskTable, View,
};
use socscope_machine::{Machine, Until};
use support::powerpc::{branch, elf, load, mpc8641d, mtspr};

const OFFSET: u32 = 0xc000_0000;
const DIRECTORY: u32 = 0x8000;
const TABLE: u32 = 0x9000;
/// The first task, at its kernel's address; a process of two threads, the second of which lies in memory that a page table maps.
const INIT: u32 = OFFSET + 0x1_0000;
const LEADER: u32 = OFFSET + 0x1_1000;
const THREAD: u32 = 0xf100_0100;
const THREAD_PAGE: u32 = 0x1_2000;
const SIGNALS: u32 = OFFSET + 0x1_3000;
const MEMORY: u32 = OFFSET + 0x1_4000;
const STACK: u32 = OFFSET + 0x1_5000;
const USERS_DIRECTORY: u32 = 0x1_6000;
const USERS_TABLE: u32 = 0x1_7000;
const USERS_PAGE: u32 = 0x1_8000;

// Offsets in a control block.
const TASKS: u32 = 0;
const NAME: u32 = 8;
const PID: u32 = 24;
const STATE: u32 = 28;
const SIGNAL: u32 = 32;
const NODE: u32 = 36;
const SWITCHED: u32 = 40;
const OWNER: u32 = 44;
/// Offset of the list's head in what a process's threads share.
const HEAD: u32 = 4;

fn word(offset: u32) -> Field {
    Field { offset, size: 4 }
}

fn block(next: u32, name: &[u8; 8], pid: u32, state: u32, node: u32) -> Vec<u32> {
    let letters = name.chunks(4).map(|part| {
        let part = part.try_into().expect("four letters");
        u32::from_be_bytes(part)
    });
    let name: Vec<u32> = letters.chain([0, 0]).collect();
    let (signals, memory) = match pid {
        0 => (0, 0),
        _ => (SIGNALS, MEMORY),
    };
    [
        &[next + TASKS, 0][..],
        &name,
        &[pid, state, signals, node, STACK, memory],
    ]
    .concat()
}

fn table() -> TaskTable {
    TaskTable {
        system: "Linux".into(),
        addresses: Addresses::Linux {
            offset: OFFSET,
            directory: DIRECTORY,
            memory: OWNER,
            tasks_directory: 4,
        },
        place: Place::List {
            head: INIT + TASKS,
            next: word(TASKS),
            node: TASKS,
            head_is_node: true,
        },
        group: Some(Group {
            owner: word(SIGNAL),
            head: HEAD,
            node: NODE,
        }),
        exists: vec![],
        identity: Some(word(PID)),
        name: Name::Text {
            offset: NAME,
            size: 16,
        },
        priority: None,
        numbers: vec![("pid".into(), word(PID))],
        states: vec![State {
            name: "sleeping".into(),
            when: vec![Condition {
                field: word(STATE),
                mask: 1,
                equals: None,
            }],
        }],
        otherwise: "ready".into(),
        running: Running::Special {
            register: 275,
            member: 0x100,
        },
        views: vec![View {
            name: "kernel".into(),
            when: vec![],
            frames: vec![Frame {
                base: vec![word(SWITCHED)],
                offset: 0,
                registers: vec![(1, Source::Frame(0)), (32, Source::Frame(8))],
            }],
        }],
    }
}

/// A machine whose first core runs the leader once it has executed three instructions.
fn machine() -> Machine {
    let physical = |address: u32| address - OFFSET;
    let mut program = load(3, physical(LEADER) + 0x100).to_vec();
    program.extend([mtspr(275, 3), branch(0)]);
    let segments = [
        (0x100, program),
        (DIRECTORY + (THREAD >> 22) * 4, vec![TABLE]),
        (TABLE + (THREAD >> 12 & 1023) * 4, vec![THREAD_PAGE | 1]),
        (physical(INIT), block(LEADER, b"swapper\0", 0, 0, 0)),
        (
            physical(LEADER),
            block(INIT, b"leader\0\0", 7, 0, THREAD + NODE),
        ),
        (
            THREAD_PAGE + (THREAD & 0xfff),
            block(0, b"thread\0\0", 8, 1, SIGNALS + HEAD),
        ),
        (physical(SIGNALS), vec![0, LEADER + NODE]),
        (physical(MEMORY), vec![0, OFFSET + USERS_DIRECTORY]),
        (physical(STACK), vec![STACK + 0x100, 0, 0xc000_1234]),
        (USERS_DIRECTORY, vec![USERS_TABLE]),
        (USERS_TABLE + 4, vec![USERS_PAGE | 1, USERS_PAGE]),
    ];
    let mut machine = mpc8641d(&[]).expect("the platform is right");
    let image = elf(0x100, &segments);
    machine.load_elf(&image, "program").expect("it is an image");
    machine
}

fn run(machine: &mut Machine) {
    let until = Until::time(machine.clock().instant_of(20));
    machine.run(&until, &mut Unobserved);
}

#[test]
fn there_are_no_tasks_before_a_core_has_one() {
    assert_eq!(table().tasks(&machine()), []);
}

#[test]
fn threads_follow_their_process_and_the_one_that_runs_has_its_core() {
    let mut machine = machine();
    run(&mut machine);
    let tasks = table().tasks(&machine);
    let found: Vec<_> = tasks
        .iter()
        .map(|task| {
            (
                task.address,
                task.name.as_str(),
                task.state.as_str(),
                task.core,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (INIT, "swapper", "ready", None),
            (LEADER, "leader", "running", Some(0)),
            (THREAD, "thread", "sleeping", None),
        ]
    );
    assert_eq!(tasks[2].numbers, [("pid".into(), 8)]);
    assert_eq!(table().core_of(&machine, LEADER), Some(0));
    assert_eq!(table().core_of(&machine, THREAD), None);
}

#[test]
fn registers_of_a_task_that_sleeps_are_on_its_stack() {
    let mut machine = machine();
    run(&mut machine);
    let tasks = table().tasks(&machine);
    let saved = table().registers(&machine, &tasks[2], None);
    assert_eq!(
        (saved[1], saved[2], saved[32]),
        (Some(STACK + 0x100), None, Some(0xc000_1234))
    );
    let running = table().registers(&machine, &tasks[1], None);
    assert_eq!(running[32], Some(machine.pc()));
}

#[test]
fn addresses_of_a_task_are_translated_by_its_own_page_table() {
    let machine = machine();
    let at = |address| table().translate(&machine, LEADER, address);
    assert_eq!(at(0x1004), Some(USERS_PAGE + 4));
    assert_eq!(at(0x2004), None, "the page is not present");
    assert_eq!(at(0x0040_0000), None, "nor is there a table");
    assert_eq!(at(THREAD), Some(THREAD_PAGE + 0x100));
    assert_eq!(at(LEADER), Some(LEADER - OFFSET));
    assert_eq!(
        table().translate(&machine, INIT, 0x1004),
        None,
        "no memory of its own"
    );
    assert_eq!(
        table().peek(&machine, THREAD + NAME, 6),
        b"thread",
        "across the page table"
    );
    assert_eq!(
        table().peek(&machine, 0xbfff_fffe, 4),
        b"",
        "not the kernel's"
    );
}

#[test]
fn a_list_that_is_broken_ends() {
    let mut machine = machine();
    run(&mut machine);
    let endless = INIT - OFFSET;
    let next = socscope_machine::Input::Poke {
        address: LEADER - OFFSET,
        bytes: LEADER.to_be_bytes().to_vec(),
    };
    machine.apply(next).expect("there is memory");
    assert_eq!(table().tasks(&machine).len(), 3);
    let nowhere = socscope_machine::Input::Poke {
        address: endless,
        bytes: 0x1234_5678u32.to_be_bytes().to_vec(),
    };
    machine.apply(nowhere).expect("there is memory");
    assert!(table().tasks(&machine).len() < 6);
}
