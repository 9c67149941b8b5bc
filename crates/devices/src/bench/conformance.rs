//! Rules that every model keeps, checked from its register table.

use super::{Bench, Node};
use crate::MODELS;
use socscope_device::{Permission, Register, Waveform};

/// Every register of the model with its offset and its name for messages.
fn registers(bench: &Bench) -> Vec<(u32, Register, String)> {
    let description = bench.model.description;
    let all = description.registers.iter().flat_map(|register| {
        (0..register.count).map(move |index| {
            let name = format!("{} {}[{index}]", description.title, register.name);
            (register.offset + index * register.stride, *register, name)
        })
    });
    all.collect()
}

fn benches() -> impl Iterator<Item = Bench> {
    MODELS.iter().map(|model| Bench::of(model, Node::default()))
}

#[test]
fn tables_are_in_order_complete_and_without_overlaps() {
    for bench in benches() {
        let description = bench.model.description;
        assert!(!description.title.is_empty() && !description.data_sheet.is_empty());
        assert!(!description.limits.is_empty(), "{}", description.title);
        let registers = registers(&bench);
        for (offset, register, name) in &registers {
            assert!(register.count > 0 && !register.group.is_empty(), "{name}");
            assert!(
                register.summary.ends_with('.'),
                "{name}: a summary is a sentence"
            );
            assert!(register.count == 1 || register.stride >= 4, "{name}");
            let (found, _) = description
                .register_at(*offset)
                .expect("the table finds it");
            assert_eq!(found.name, register.name, "{name} overlaps another");
        }
        let offsets: Vec<u32> = description.registers.iter().map(|it| it.offset).collect();
        assert!(
            offsets.is_sorted(),
            "{}: registers are in order",
            description.title
        );
    }
}

#[test]
fn models_read_the_properties_that_they_declare_and_no_others() {
    // Standard ones are declared by the machine.
    let standard = ["interrupts", "reg"];
    for model in MODELS {
        let node = Node::default();
        (model.build)(&node).expect("the node is good");
        let read = node.read();
        let read: Vec<&str> = read
            .iter()
            .map(String::as_str)
            .filter(|name| !standard.contains(name))
            .collect();
        let mut declared: Vec<&str> = model
            .description
            .properties
            .iter()
            .map(|(name, _)| *name)
            .collect();
        declared.sort_unstable();
        assert_eq!(read, declared, "{}", model.description.title);
    }
}

#[test]
fn no_compatible_chooses_two_models() {
    let mut all: Vec<&str> = MODELS
        .iter()
        .flat_map(|it| it.description.compatible)
        .copied()
        .collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn registers_have_their_reset_values() {
    for mut bench in benches() {
        for (offset, register, name) in registers(&bench) {
            let expected = if register.permission == Permission::WriteOnly {
                0
            } else {
                register.reset
            };
            assert_eq!(
                bench.peek(offset).unwrap_or(expected),
                expected,
                "peek of {name}"
            );
            assert_eq!(bench.read(offset), expected, "{name}");
        }
    }
}

#[test]
fn read_only_registers_ignore_writes_and_write_only_ones_read_as_zero() {
    for mut bench in benches() {
        for (offset, register, name) in registers(&bench) {
            if register.permission == Permission::ReadOnly {
                let before = bench.read(offset);
                bench.write(offset, !before);
                assert_eq!(bench.read(offset), before, "{name} is read-only");
            }
        }
        for (offset, register, name) in registers(&bench) {
            if register.permission == Permission::WriteOnly {
                assert_eq!(bench.read(offset), 0, "{name} is write-only");
            }
        }
    }
}

#[test]
fn holes_read_as_zero_and_warn_once_written() {
    for mut bench in benches() {
        let title = bench.model.description.title;
        let end = registers(&bench).last().expect("it has registers").0 + 4;
        let hole = (0..=end)
            .step_by(4)
            .find(|offset| bench.model.description.register_at(*offset).is_none());
        let hole = hole.expect("the space behind the last register is a hole");
        assert_eq!(bench.read(hole), 0, "{title}: hole at {hole:#x}");
        bench.write(hole, u32::MAX);
        assert_eq!(bench.read(hole), 0, "{title}: hole at {hole:#x}");
        assert!(
            !bench.warnings.is_empty(),
            "{title}: a write to the hole at {hole:#x} warns"
        );
    }
}

#[test]
fn reset_brings_every_register_back() {
    for mut bench in benches() {
        for (offset, register, _) in registers(&bench) {
            if register.permission != Permission::ReadOnly {
                bench.write(offset, 0x0000_0055);
            }
        }
        bench.run(1000);
        bench.call(|device, context| device.reset(context));
        let (fresh, title) = (
            Bench::of(bench.model, Node::default()),
            bench.model.description.title,
        );
        assert!(
            bench.lines.iter().eq(&fresh.lines),
            "{title}: outputs after reset"
        );
        for (offset, register, name) in registers(&bench) {
            if register.permission != Permission::WriteOnly {
                assert_eq!(bench.read(offset), register.reset, "{name} after reset");
            }
        }
    }
}

/// A life of writes, lines, characters and time that is the same for the same seed.
fn live(bench: &mut Bench, steps: u32, seed: u32, interrupted: bool) -> Vec<u32> {
    let registers = registers(bench);
    let mut random = seed;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random
    };
    let mut seen = vec![];
    for _ in 0..steps {
        let (offset, register, _) = &registers[next() as usize % registers.len()];
        let value = match next() % 3 {
            0 => next(),
            1 => next() & 0xff,
            _ => 1 << (next() % 32),
        };
        if register.permission == Permission::ReadOnly {
            seen.push(bench.read(*offset));
        } else {
            bench.write(*offset, value);
        }
        let inputs = bench.model.description.inputs.len() as u32;
        if inputs > 0 {
            bench.input(next() % inputs, next() % 2 == 0);
        }
        let ports = bench.model.description.ports.len() as u32;
        if ports > 0 {
            let waveform = Waveform {
                start: bench.now,
                bit_time_ps: u64::from(1 + next() % 1_000_000),
                levels: next() & next(),
                bits: (1 + next() % 32) as u8,
            };
            bench.receive(next() % ports, waveform);
        }
        if interrupted && next() % 2 == 0 {
            bench.save_and_restore();
        } else if !interrupted {
            next();
        }
        bench.run(u64::from(next() % 300));
        seen.extend(
            registers
                .iter()
                .filter_map(|(offset, _, _)| bench.peek(*offset)),
        );
        seen.extend(bench.lines.iter().map(|level| u32::from(*level)));
    }
    seen
}

#[test]
fn a_device_restored_in_mid_activity_goes_on_as_if_nothing_had_happened() {
    for model in MODELS {
        for seed in 1..=20 {
            let mut straight = Bench::of(model, Node::default());
            let mut interrupted = Bench::of(model, Node::default());
            let title = model.description.title;
            let expected = live(&mut straight, 60, seed * 0x9e37, false);
            let seen = live(&mut interrupted, 60, seed * 0x9e37, true);
            assert!(expected == seen, "{title}, seed {seed}");
            assert_eq!(straight.traces, interrupted.traces, "{title}, seed {seed}");
            assert_eq!(straight.sent, interrupted.sent, "{title}, seed {seed}");
        }
    }
}

#[test]
fn peeks_change_nothing() {
    for mut bench in benches() {
        live(&mut bench, 40, 0x1234_5677, false);
        let before = bench.device.save();
        for (offset, _, name) in registers(&bench) {
            bench.peek(offset);
            assert_eq!(bench.device.save(), before, "peek of {name}");
        }
    }
}

#[test]
fn a_foreign_state_is_refused() {
    for mut bench in benches() {
        let title = bench.model.description.title;
        let mut state = bench.device.save();
        state.push(0);
        let error = bench.device.restore(&state).expect_err(title);
        assert!(error.to_string().contains(title));
        state.truncate(state.len() / 2);
        assert!(bench.device.restore(&state).is_err(), "{title}");
    }
}

/// A checkpoint may come from anywhere: what its bytes say never ends the program.
#[test]
fn a_damaged_state_is_refused_or_does_no_harm() {
    let mut harmed = std::collections::BTreeSet::new();
    for model in MODELS {
        let mut taken = 0;
        for seed in 1..=150_u32 {
            let title = model.description.title;
            let mut bench = Bench::of(model, Node::default());
            live(&mut bench, 20, seed * 0x9e37, false);
            let mut state = bench.device.save();
            let mut random = seed.wrapping_mul(0x9e37_79b9);
            for _ in 0..1 + seed % 3 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let place = (random >> 8) as usize % state.len();
                state[place] ^= 1 << (random >> 5 & 7);
            }
            let goes_on = std::panic::AssertUnwindSafe(|| {
                if bench.device.restore(&state).is_ok() {
                    taken += 1;
                    live(&mut bench, 20, seed, false);
                    bench.call(|device, context| device.reset(context));
                }
            });
            if std::panic::catch_unwind(goes_on).is_err() {
                harmed.insert(title);
            }
        }
        assert!(taken > 0, "{}: all were refused", model.description.title);
    }
    assert!(harmed.is_empty(), "{harmed:?}");
}
