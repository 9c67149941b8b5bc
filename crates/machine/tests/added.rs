//! Devices of Rust models that join a machine by a device tree, while it runs.

use crate::support;
use socscope_core::Unobserved;
use socscope_machine::{Machine, Replay, Until};
use support::powerpc::{ENGINE, counting_together, engine, mpc8641d, node, word};

fn running() -> Machine {
    let mut machine = mpc8641d(&[]).unwrap();
    machine.load_elf(&counting_together(), "program").unwrap();
    run(&mut machine, 10_000);
    machine
}

fn run(machine: &mut Machine, cycles: u64) {
    let end = machine.clock().instant_of(machine.cycle() + cycles);
    machine.run(&Until::time(end), &mut Unobserved);
}

fn register(machine: &mut Machine, name: &str, offset: u32) -> Option<u32> {
    let device = machine.devices().position(|device| device.name == name)?;
    machine.peek_register(device as u16, offset)
}

#[test]
fn a_device_joins_forks_and_is_repeated_without_being_given_again() {
    let mut machine = running();
    assert_eq!(machine.add_node(&engine()), Ok("rule30".into()));
    // VERSION with BATCH and DMA; the interrupt of the node.
    assert_eq!(register(&mut machine, "rule30", 0), Some(0x0003_0100));
    assert_eq!(register(&mut machine, "rule30", 0x10), Some(60));
    run(&mut machine, 5_000);
    let mut fork = machine.fork().unwrap();
    assert_eq!(fork.state_hash(), machine.state_hash());
    assert_eq!(register(&mut fork, "rule30", 0), Some(0x0003_0100));
    let mut again = mpc8641d(&[]).unwrap();
    again.load_elf(&counting_together(), "program").unwrap();
    let mut replay = Replay::new(&again, machine.inputs().clone(), machine.moment());
    assert_eq!(
        replay.advance(&mut again, u64::MAX, &mut Unobserved),
        Ok(None)
    );
    assert_eq!(again.state_hash(), machine.state_hash());
    assert!(word(&again, 0x4000) > 0);
    machine.remove_device("rule30").unwrap();
    assert_eq!(machine.add_node(&engine()), Ok("rule30".into()));
}

#[test]
fn what_is_wrong_with_the_tree_is_said_and_nothing_changes() {
    let mut machine = running();
    let before = machine.state_hash();
    let mut error = |body: &str| machine.add_node(&node(body)).unwrap_err().to_string();
    assert_eq!(
        error(""),
        "/: property reg: 0 nodes have it; give a tree of one device"
    );
    assert_eq!(
        error("x@0 { compatible = \"x,y\"; reg = <0xffee4000 0x1000>; };"),
        "/x@0: property compatible: no model for [\"x,y\"]; `socscope devices` lists the models"
    );
    assert_eq!(
        error("x@0 { compatible = \"socscope,rule30\"; reg = <0xffe40000 0x1000>; };"),
        "device x@0: regions x@0 and mpic overlap at 0xffe40000; move one of them or make it smaller"
    );
    assert_eq!(
        error(
            "x@0 { compatible = \"socscope,rule30\"; reg = <0xffee4000 0x1000>; interrupts = <60 0 0 0 61 0 0 0>; };"
        ),
        "/x@0: property interrupts: Rule 30 cellular automaton engine has 1 outputs; give one interrupt for each"
    );
    assert_eq!(
        error(
            "pic: pic@1 { #interrupt-cells = <4>; }; x@0 { compatible = \"socscope,rule30\"; reg = <0xffee4000 0x1000>; interrupts-extended = <&pic 60 0 0 0>; };"
        ),
        "/x@0: property interrupts-extended: names controllers, and an added device asks the platform's interrupt controller; give its lines as interrupts"
    );
    assert_eq!(machine.state_hash(), before);
    assert_eq!(
        machine
            .regions()
            .iter()
            .filter(|one| one.base == ENGINE)
            .count(),
        0
    );
}
