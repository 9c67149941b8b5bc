//! Runs the text vectors of tests/instructions for the PowerPC through translations.

#[path = "powerpc/bus.rs"]
mod bus;
#[allow(dead_code)]
#[path = "../../architectures/powerpc/tests/support/vectors.rs"]
mod powerpc_vectors;

use bus::TestBus;
use powerpc_vectors::{Vector, each_line};
use socscope_core::Unobserved;
use socscope_jit::Translates;
use socscope_jit::powerpc::Translator;
use socscope_memory::MemoryIndex;
use socscope_powerpc::{Mmu, Msr, encoding, encodings};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;

/// The first time an access is made, the interpreter makes it.
const TIMES: usize = 3;

/// Cycles that the interpreter takes: one more for an exception.
fn interpreted_cycles(vector: &Vector) -> u64 {
    let mut bus = TestBus::new(&vector.memory);
    bus.deadline = 1;
    let mut mmu = Mmu::new(vector.core.model());
    let (mut core, mut cycle) = (vector.core.clone(), 0);
    let mut model = FixedCpi::SINGLE_CYCLE;
    socscope_powerpc::interpreter::run(
        &mut core,
        &mut bus,
        &mut mmu,
        &mut model,
        &mut Unobserved,
        &mut cycle,
    );
    cycle
}

/// Runs one line some times, each from its beginning; gives whether the interpreter was needed the last time.
fn run(line: &str) -> Result<bool, String> {
    let vector = Vector::read(line)?;
    // The vectors have no tables: addresses are those of the bus in them, whatever the machine state says.
    if vector.core.msr().has(Msr::DATA_TRANSLATION) {
        return Ok(true);
    }
    let mut mmu = Mmu::new(vector.core.model());
    let mut bus = TestBus::new(&vector.memory);
    bus.deadline = 1;
    let expected_cycles = interpreted_cycles(&vector);
    let mut translator = Translator::new().expect("a compiler for this host");
    translator.set_threshold(1);
    let mut interpreted = 0;
    for time in 0..TIMES {
        let (mut core, mut cycle) = (vector.core.clone(), 0);
        let mut model = FixedCpi::SINGLE_CYCLE;
        let before = translator.statistics().interpreted;
        translator.run(
            0,
            &mut core,
            &mut mmu,
            &mut bus,
            &mut model,
            &mut Unobserved,
            &mut cycle,
            &BTreeSet::new(),
        );
        interpreted = translator.statistics().interpreted - before;
        let memory = bus.space.memories()[0].to_vec();
        let checked = vector.check(&core, &memory);
        checked.map_err(|error| format!("time {time}: {error}"))?;
        if cycle != expected_cycles {
            return Err(format!("time {time}: {cycle} cycles"));
        }
        // Only what has changed: the instruction stays translated.
        for (number, (now, before)) in (0..).zip(memory.iter().zip(&vector.memory)) {
            if now != before {
                bus.space.load(MemoryIndex(0), number, &[*before]);
            }
        }
    }
    Ok(interpreted > 0)
}

#[test]
fn vectors_hold_in_translations() {
    let (mut translated, mut names) = (0, BTreeSet::new());
    let (count, failures) = each_line(|line| {
        if !run(line)? {
            translated += 1;
            names.insert(encoding(Vector::read(line)?.word).name);
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let all = encodings().iter().map(|one| one.name);
    let left: Vec<_> = all.filter(|name| !names.contains(name)).collect();
    println!("{translated} of {count} vectors without the interpreter; never: {left:?}");
    assert!(translated > 500, "{translated} of {count}");
}
