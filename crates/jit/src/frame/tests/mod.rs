//! The smallest architecture on the frame: instructions of two and four bytes, no translation of addresses, the other byte order. Random programs by
//! both engines, state and memory compared after every piece.

mod adapter;
mod bus;
mod toy;

use super::{Guest, Translator};
use adapter::ToyAdapter;
use bus::{DEVICE, RAM_BYTES, TestBus};
use socscope_core::Unobserved;
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;
use toy::{LINK, Toy, VECTOR, step};

/// Numbers that depend on a seed only.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, end: u32) -> u32 {
        self.next() % end
    }
}

/// Code on both sides of the end of a page, and a handler of a few instructions.
fn program(random: &mut Random) -> Vec<u8> {
    let mut ram = vec![0; RAM_BYTES];
    let mut write = |at: u32, half: u32| {
        ram[at as usize..][..2].copy_from_slice(&(half as u16).to_le_bytes());
    };
    for at in (0..0x400).step_by(2) {
        let first = random.next() & 0xffff;
        write(0xe00 + at, first);
        // What may be a distance is mostly a short one.
        if random.below(3) > 0 {
            let distance = random.below(0x80).wrapping_sub(0x40) & 0xfffe;
            write(0xe00 + at, distance);
        }
    }
    // The handler: r5 := saved + 4, goes on there.
    write(VECTOR, 8 << 11 | 5 << 8);
    write(VECTOR + 2, 6 << 11 | 5 << 8 | 5 << 5 | 4);
    write(VECTOR + 4, 15 << 11 | 5 << 5);
    ram
}

struct Run {
    core: Toy,
    bus: TestBus,
    model: FixedCpi,
    cycle: u64,
}

impl Run {
    fn new(ram: &[u8], core: &Toy, (cycles, instructions): (u32, u32)) -> Run {
        Run {
            core: core.clone(),
            bus: TestBus::new(ram),
            model: FixedCpi::new(cycles, instructions).expect("a ratio"),
            cycle: 0,
        }
    }

    fn interpret(&mut self) {
        while self.cycle < self.bus.deadline {
            let (core, bus) = (&mut self.core, &mut self.bus);
            let step = step(core, bus, &mut self.model, &mut Unobserved, self.cycle);
            self.cycle += step.cycles;
        }
    }

    fn translate(&mut self, translator: &mut Translator<ToyAdapter, FixedCpi>) {
        let guest = Guest {
            seat: 0,
            core: &mut self.core,
            mmu: &mut (),
            bus: &mut self.bus,
            model: &mut self.model,
            observer: &mut Unobserved,
            cycle: &mut self.cycle,
        };
        translator.run(guest, &BTreeSet::new());
    }
}

/// Instructions, and how many of them were interpreted.
fn compare(seed: u64) -> (u64, u64) {
    let random = &mut Random(seed);
    let ram = program(random);
    let mut core = Toy {
        next: 0xf00,
        ..Toy::default()
    };
    for register in &mut core.registers {
        *register = match random.below(4) {
            0 => DEVICE,
            1 => random.below(RAM_BYTES as u32),
            2 => 0x2000 + 4 * random.below(64),
            _ => 0xf00 + 2 * random.below(128),
        };
    }
    core.registers[LINK as usize] = 0xf00 + 2 * random.below(128);
    let ratio = [(1, 1), (3, 2), (2, 3)][random.below(3) as usize];
    let [mut slow, mut fast] = [(); 2].map(|()| Run::new(&ram, &core, ratio));
    let mut translator = Translator::new().expect("a compiler for this host");
    translator.set_threshold([1, 1, 3][random.below(3) as usize]);
    let mut deadline = 0;
    for piece in 0..40 {
        deadline += 1 + u64::from(random.below(400));
        let irq = random.below(12) == 0;
        for run in [&mut slow, &mut fast] {
            run.bus.deadline = deadline;
            run.bus.irq = irq;
        }
        if irq {
            // It is taken once.
            deadline = slow.cycle + 1;
            slow.bus.deadline = deadline;
            fast.bus.deadline = deadline;
        }
        slow.interpret();
        fast.translate(&mut translator);
        let place = format!("seed {seed}, piece {piece}, up to cycle {deadline}");
        assert_eq!(slow.core, fast.core, "{place}");
        assert_eq!(slow.cycle, fast.cycle, "{place}");
        assert_eq!(slow.model, fast.model, "{place}");
        assert_eq!(slow.bus.seen, fast.bus.seen, "{place}: the device");
        assert!(slow.bus.memory() == fast.bus.memory(), "{place}: memory");
    }
    let (cycles, instructions) = ratio;
    let executed = slow.cycle * u64::from(instructions) / u64::from(cycles);
    (executed, translator.statistics().interpreted)
}

#[test]
fn a_small_architecture_does_the_same_by_both_engines() {
    let mut all = (0, 0);
    for seed in 1..400 {
        let (executed, interpreted) = compare(seed);
        all = (all.0 + executed, all.1 + interpreted);
    }
    let (executed, interpreted) = all;
    assert!(executed > 1_000_000, "{executed}");
    assert!(
        interpreted < executed / 2,
        "{interpreted} of {executed} were interpreted"
    );
}
