//! Checkpoints of machines in mid-activity, linked and counted, restored into new machines.

use crate::support;
use socscope_checkpoint::{Checkpoint, CheckpointError, Seat, SeatImage};
use socscope_machine::{LockStep, Machine, Until};
use socscope_probe::{Functions, ProbeSet, Profile, Window};
use socscope_time::Instant;
use std::collections::BTreeMap;
use support::{RAM, board_running, transferring};

const FUNCTIONS: [(u32, u32, i64); 2] = [(0, 0x40, 1), (0x40, 0x200, 2)];

/// A board that sends from RAM and receives into it by DMA, and writes to RAM meanwhile.
fn busy(first: u8) -> Machine {
    let mut machine = board_running(&transferring(300, &[]));
    let text: Vec<u8> = (0..=255).map(|byte: u8| byte.wrapping_add(first)).collect();
    machine.poke(RAM + 0x400, &text);
    machine
}

struct World {
    machines: Vec<Machine>,
    profiles: Vec<ProbeSet>,
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
            profiles: vec![ProbeSet::on(profile), ProbeSet::default()],
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
        let profiles = self.profiles.iter().map(ProbeSet::get);
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
            profiles.push(profile.map_or_else(ProbeSet::default, ProbeSet::on));
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
