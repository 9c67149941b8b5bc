//! All vector instructions in translated code: straight on, with random registers, against the interpreter.

#[path = "powerpc/bus.rs"]
mod bus;
#[path = "powerpc/random.rs"]
#[allow(dead_code)]
mod random;

use bus::TestBus;
use random::Random;
use socscope_core::Unobserved;
use socscope_isa::Encoding;
use socscope_jit::Translates;
use socscope_jit::powerpc::Translator;
use socscope_powerpc::interpreter::step;
use socscope_powerpc::{Class, Core, CoreModel, Mmu, Msr, encodings};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;

const CODE: u32 = 0x1000;
const DATA: u32 = 0x8000;
const BYTES: usize = 0x1_0000;
const ROUNDS: u64 = 3;
const PROGRAMS: u64 = 30;

fn is_of_vectors(encoding: &&Encoding<Class>) -> bool {
    let accesses = ["lv", "stv"];
    let is_access = accesses.iter().any(|name| encoding.name.starts_with(name));
    encoding.class == Class::Vector || is_access
}

/// Every vector instruction in a random order, and a branch to the first one.
fn program(random: &mut Random) -> Vec<u32> {
    let mut all: Vec<_> = encodings().iter().filter(is_of_vectors).collect();
    let mut words = vec![];
    while !all.is_empty() {
        let encoding = all.swap_remove(random.below(all.len() as u32) as usize);
        let word = encoding.pattern.instance(random.word());
        words.push(match word >> 26 {
            // Addresses are r1, and one of r4 to r7 that says how far behind.
            31 => word & !(0x3ff << 11) | 1 << 16 | (4 + random.below(4)) << 11,
            _ => word,
        });
    }
    let back = 4 * words.len() as u32;
    words.push(18 << 26 | back.wrapping_neg() & 0x03ff_fffc);
    words
}

fn core(random: &mut Random) -> Core {
    let mut core = Core::new(random.pick(&[CoreModel::E600, CoreModel::Ppc7400]));
    core.set_msr(Msr(Msr::VECTORS));
    core.set_program_counter(CODE);
    core.set_register(1, DATA + random.below(0x1000));
    for register in 4..8 {
        core.set_register(register, random.below(0x1000));
    }
    for value in &mut core.vector {
        *value = (0..4).fold(0, |all, _| all << 32 | u128::from(random.word()));
        if random.one_in(3) {
            // Numbers near the limits, and small ones.
            *value &= 0x00ff_0003_8000_001f_0001_ffff_7fff_0000;
        }
    }
    core.vector_status = random.pick(&[0, 0x0001_0000]);
    core
}

/// Code, and random data.
fn memory(random: &mut Random, words: &[u32]) -> Vec<u8> {
    let mut ram: Vec<u8> = (0..BYTES / 4)
        .flat_map(|_| random.word().to_be_bytes())
        .collect();
    for (place, word) in words.iter().enumerate() {
        let at = CODE as usize + 4 * place;
        ram[at..at + 4].copy_from_slice(&word.to_be_bytes());
    }
    ram
}

#[test]
fn vector_instructions_do_the_same_in_translations() {
    let (mut executed, mut interpreted) = (0, 0);
    for seed in 1..=PROGRAMS {
        let random = &mut Random::new(seed);
        let words = program(random);
        let (start, ram) = (core(random), memory(random, &words));
        let end = ROUNDS * words.len() as u64;
        let mut model = FixedCpi::SINGLE_CYCLE;
        let (mut slow, mut bus) = (start.clone(), TestBus::new(&ram));
        let mut mmu = Mmu::new(start.model());
        for cycle in 0..end {
            step(
                &mut slow,
                &mut bus,
                &mut mmu,
                &mut model,
                &mut Unobserved,
                cycle,
            );
        }
        let (mut fast, mut other) = (start, TestBus::new(&ram));
        let mut translator = Translator::new().expect("a compiler for this host");
        translator.set_threshold(1);
        let mut cycle = 0;
        while cycle < end {
            other.deadline = end.min(cycle + 1 + u64::from(random.below(400)));
            let mut mmu = Mmu::new(fast.model());
            translator.run(
                0,
                &mut fast,
                &mut mmu,
                &mut other,
                &mut model,
                &mut Unobserved,
                &mut cycle,
                &BTreeSet::new(),
            );
        }
        assert_eq!(slow, fast, "seed {seed}");
        assert_eq!(
            bus.space.memories()[0].to_vec(),
            other.space.memories()[0].to_vec(),
            "seed {seed}: the memory"
        );
        executed += end;
        interpreted += translator.statistics().interpreted;
    }
    println!("{executed} instructions, {interpreted} of them interpreted");
    assert!(2 * interpreted < executed, "{interpreted} of {executed}");
}
