//! Runs the text vectors of tests/instructions for the PowerPC.

#[allow(dead_code)]
use crate::support;
use crate::text::{RAM_BYTES, Vector, each_line};
use socscope_core::Observer;
use socscope_memory::{Direction, Endianness, MemoryIndex, RegionIndex, Width};
use socscope_powerpc as powerpc;
use socscope_powerpc::interpreter::step;
use socscope_powerpc::{Class, Untranslated};
use std::collections::BTreeSet;
use support::{MemoryBus, OneCycle};

#[derive(Default)]
struct Watch {
    bus: Vec<String>,
}

impl Observer for Watch {
    fn data(&mut self, _: u32, address: u32, width: Width, direction: Direction, _: RegionIndex) {
        let letter = match direction {
            Direction::Read => 'R',
            Direction::Write => 'W',
        };
        self.bus
            .push(format!("{letter}{address:x}.{}", width.bytes()));
    }
}

/// Runs one line. Gives the encoding's name, or what is wrong.
fn run(line: &str) -> Result<&'static str, String> {
    let vector = Vector::read(line)?;
    let mut core = vector.core.clone();
    let mut bus = MemoryBus::of(Endianness::Big, &[(0, RAM_BYTES)]);
    bus.space.load(MemoryIndex(0), 0, &vector.memory);
    let mut model = OneCycle::<Class>::default();
    let mut watch = Watch::default();
    step(
        &mut core,
        &mut bus,
        &mut Untranslated,
        &mut model,
        &mut watch,
        0,
    );
    vector.check(&core, &bus.space.memories()[0].to_vec())?;
    if vector
        .accesses
        .is_some_and(|list| list != watch.bus.join(","))
    {
        return Err(format!("accesses {}", watch.bus.join(",")));
    }
    match model.first_class {
        Some(found) if format!("{found:?}") == vector.class => {
            Ok(powerpc::encoding(vector.word).name)
        }
        found => Err(format!("class {found:?}")),
    }
}

#[test]
fn vectors_hold_and_cover_every_encoding() {
    let mut seen = BTreeSet::new();
    let (count, failures) = each_line(|line| {
        seen.insert(run(line)?);
        Ok(())
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(count > 300);
    let missing: Vec<_> = powerpc::encodings()
        .iter()
        .map(|encoding| encoding.name)
        .filter(|name| !seen.contains(name))
        .collect();
    assert!(missing.is_empty(), "without a vector: {missing:?}");
}

#[test]
fn a_wrong_vector_is_noticed() {
    let line = "38600001 | Integer | | r3=1 | li r3, 1";
    assert_eq!(run(line), Ok("addi"));
    for wrong in [
        "38600001 | Integer | | r3=2 |",
        "38600001 | Load | | r3=1 |",
        "38600001 | Integer | | r3=1 bus=R0.4 |",
        "38600001 | Integer | | r3=1 [0]=1 |",
        "38600001 | Integer | | q=1 |",
        "38600001 | Integer | | r3=1",
    ] {
        assert!(run(wrong).is_err(), "{wrong}");
    }
}
