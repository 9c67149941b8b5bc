//! Checkpoints of machines in mid-activity, linked and counted, restored into new machines.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests compile device trees with dtc"
)]

use socscope_checkpoint::{Checkpoint, CheckpointError, Seat, SeatImage};
use socscope_machine::{LockStep, Machine, Until};
use socscope_probe::{Functions, Optional, Profile, Window};
use socscope_time::Instant;
use std::collections::BTreeMap;
use std::process::Command;

const PLATFORMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../platforms");
const USART0: u32 = 0xfffd_0000;
const RAM: u32 = 0x8_0000;
const FUNCTIONS: [(u32, u32, i64); 2] = [(0, 0x40, 1), (0x40, 0x200, 2)];

fn board() -> Machine {
    let source = format!("{PLATFORMS}/at91x40.dts");
    let arguments = [
        "-@", "-q", "-I", "dts", "-O", "dtb", "-i", PLATFORMS, &source,
    ];
    let output = Command::new("dtc").args(arguments).output();
    let output = output.expect("dtc is installed");
    assert!(output.status.success(), "dtc accepts the source");
    Machine::new(&output.stdout, "at91x40", &[]).expect("the platform is right")
}

/// A board that sends from RAM and receives into it by DMA, and writes to RAM meanwhile.
fn busy(first: u8) -> Machine {
    let mut machine = board();
    let stores = [
        (USART0, 0xac),
        (USART0 + 0x04, 0x8c0),
        (USART0 + 0x20, 13),
        (USART0, 0x50),
        (USART0 + 0x30, RAM + 0x1000),
        (USART0 + 0x34, 300),
        (USART0 + 0x38, RAM + 0x400),
        (USART0 + 0x3c, 300),
    ];
    // mov r2, #RAM; loop: add r3, r3, #1; str r3, [r2], #4; bic r2, r2, #0x8000; b loop
    let tail = [
        0xe3a0_2702,
        0xe283_3001,
        0xe482_3004,
        0xe3c2_2902,
        0xeaff_fffb,
    ];
    let words = stores.len() * 3 + tail.len();
    let load = |register: u32, at: usize, literal: usize| {
        0xe59f_0000 | register << 12 | ((words + literal - at - 2) * 4) as u32
    };
    let mut program = vec![];
    for index in 0..stores.len() {
        program.push(load(0, index * 3, index * 2));
        program.push(load(1, index * 3 + 1, index * 2 + 1));
        program.push(0xe580_1000);
    }
    program.extend(tail);
    program.extend(stores.iter().flat_map(|&(address, value)| [address, value]));
    let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    machine.poke(0, &bytes);
    let text: Vec<u8> = (0..=255).map(|byte: u8| byte.wrapping_add(first)).collect();
    machine.poke(RAM + 0x400, &text);
    machine
}

struct World {
    machines: Vec<Machine>,
    profiles: Vec<Optional>,
    lock_step: LockStep,
}

impl World {
    fn new() -> World {
        let mut machines = vec![busy(0), busy(77)];
        let functions = Functions::new(&FUNCTIONS).expect("they are sorted");
        let profile = Profile::new(&machines[0], functions, Window::All);
        let mut lock_step = LockStep::default();
        let mut ends: Vec<&mut Machine> = machines.iter_mut().collect();
        lock_step
            .connect(&mut ends, (0, "usart0"), (1, "usart0"))
            .expect("there are such ports");
        machines[0]
            .set_bit_errors("usart0", 0.01, 7)
            .expect("there is such a port");
        World {
            machines,
            profiles: vec![Optional::on(profile), Optional::default()],
            lock_step,
        }
    }

    fn run(&mut self, milliseconds: u64) {
        let mut machines: Vec<&mut Machine> = self.machines.iter_mut().collect();
        let until = Until::time(Instant(milliseconds * 1_000_000_000));
        self.lock_step
            .run(&mut machines, &mut self.profiles, 0, &until);
    }

    fn save(&mut self) -> Vec<u8> {
        let profiles = self.profiles.iter().map(Optional::get);
        let mut seats: Vec<Seat> = self
            .machines
            .iter_mut()
            .zip(profiles)
            .map(|(machine, profile)| Seat {
                machine,
                profile,
                image: Some(SeatImage {
                    name: "busy.elf".into(),
                    bytes: b"\x7fELF".to_vec(),
                }),
                notes: BTreeMap::from([("layers".into(), "none".into())]),
            })
            .collect();
        Checkpoint::write("0.1.0", &mut seats, &self.lock_step).expect("it can be written")
    }

    fn restore(bytes: &[u8]) -> World {
        let checkpoint = Checkpoint::read(bytes).expect("it is undamaged");
        let mut machines = vec![];
        let mut profiles = vec![];
        for index in 0..2 {
            let mut machine = checkpoint.build(index).expect("the platform is known");
            let profile = checkpoint.restore(index, &mut machine).expect("it fits");
            profiles.push(profile.map_or_else(Optional::default, Optional::on));
            machines.push(machine);
        }
        let lock_step = checkpoint.facts().lock_step.clone();
        assert!(lock_step.fits(&machines));
        World {
            machines,
            profiles,
            lock_step,
        }
    }

    fn everything(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let machine = |machine: &Machine| {
            (
                machine.state_hash(),
                machine.serial_log("usart0").expect("there is such a port"),
                machine
                    .bits_flipped("usart0")
                    .expect("there is such a port"),
            )
        };
        let profiles = self
            .profiles
            .iter()
            .map(|profile| profile.get().map(Profile::save));
        (
            self.machines.iter().map(machine).collect::<Vec<_>>(),
            profiles.collect::<Vec<_>>(),
        )
    }
}

#[test]
fn linked_machines_go_on_from_a_checkpoint_as_if_nothing_had_happened() {
    let mut world = World::new();
    world.run(7);
    let bytes = world.save();
    let mut restored = World::restore(&bytes);
    assert_eq!(restored.everything(), world.everything());
    assert!(restored.profiles[0].get().is_some() && restored.profiles[1].get().is_none());
    world.run(20);
    restored.run(20);
    assert_eq!(restored.everything(), world.everything());
    let mut straight = World::new();
    straight.run(20);
    assert_eq!(straight.everything(), world.everything());
    let received = &world.machines[1]
        .serial_log("usart0")
        .expect("there is such a port");
    assert!(
        received.len() > 100,
        "a transfer is under way: {}",
        received.len()
    );
}

#[test]
fn a_checkpoint_says_what_it_is_of() {
    let mut world = World::new();
    world.run(3);
    let checkpoint = Checkpoint::read(&world.save()).expect("it is undamaged");
    let facts = checkpoint.facts();
    assert_eq!(facts.socscope, "0.1.0");
    assert_eq!(facts.machines[0].state_hash, world.machines[0].state_hash());
    assert_eq!(facts.machines[1].time_ps, world.machines[1].now().0);
    assert_eq!(facts.machines[1].notes["layers"], "none");
    assert_eq!(facts.lock_step.wires().count(), 1);
    let image = checkpoint.image(1).expect("it can be read");
    assert_eq!(image.expect("it was kept").name, "busy.elf");
}

#[test]
fn a_checkpoint_of_the_same_state_has_the_same_bytes() {
    let mut world = World::new();
    world.run(3);
    let bytes = world.save();
    assert!(bytes == world.save());
    assert!(bytes == World::restore(&bytes).save());
}

#[test]
fn a_machine_of_another_platform_is_not_touched() {
    let mut world = World::new();
    let checkpoint = Checkpoint::read(&world.save()).expect("it is undamaged");
    let facts = checkpoint.facts();
    let tree = checkpoint.device_tree(0).expect("it is there");
    let overrides = ["/clock:clock-frequency=1000000".to_string()];
    let other = Machine::new(&tree, &facts.machines[0].platform, &overrides);
    let Ok(mut other) = other else {
        panic!("{}", other.err().expect("it is one"));
    };
    let hash = other.state_hash();
    let error = checkpoint
        .restore(0, &mut other)
        .err()
        .expect("it does not fit");
    assert!(
        matches!(error, CheckpointError::State { machine: 0, .. }),
        "{error}"
    );
    assert_eq!(other.state_hash(), hash);
    let error = checkpoint.build(2).err().expect("there is none");
    assert_eq!(error.to_string(), "the checkpoint's 2/platform: is missing");
}
