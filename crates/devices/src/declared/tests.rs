//! A small device by the rules of all, and what is peculiar to declared ones.

use super::{Behaviour, Call, Declaration, Declared, Door, Rule, Value, Variable};
use crate::bench::{Bench, Node, RAM};
use crate::register::{RO, RW, WO, register, repeated};
use socscope_device::{BuildError, Description, Device, Model, Properties};
use socscope_memory::Width;
use std::sync::Arc;

const CONTROL: u32 = 0x00;
const STATUS: u32 = 0x04;
const COUNT: u32 = 0x08;
const SCRATCH: u32 = 0x10;

const DESCRIPTION: Description = Description {
    compatible: &["test,declared"],
    title: "A declared device",
    data_sheet: "this file",
    limits: "It does nothing of use.",
    registers: &[
        register(CONTROL, "CONTROL", WO, 0, "control", "Starts."),
        register(
            STATUS,
            "STATUS",
            RO,
            2,
            "status",
            "Bit 0: ready, bit 1: idle.",
        ),
        register(COUNT, "COUNT", RO, 0, "status", "Reads since reset."),
        repeated(register(SCRATCH, "SCRATCH", RW, 7, "data", "Keeps."), 3, 4),
        register(0x20, "FLAGS", RW, 0xff, "status", "Ones clear."),
    ],
    inputs: &["trigger"],
    outputs: &["done"],
    ports: &[],
    properties: &[],
};

struct Counter;

impl Behaviour for Counter {
    fn call(&self, call: Call, door: &mut dyn Door) -> Result<Option<u32>, String> {
        match call {
            Call::Reset => door.set_variable(1, Value::Integer(0))?,
            Call::Write { value: 13, .. } => return Err("13 brings bad luck".into()),
            Call::Write { value, .. } => {
                let bytes = door.read_memory(RAM + 1, 11).map_err(|it| it.to_string())?;
                door.write_memory(RAM + 0x102, &bytes)
                    .map_err(|it| it.to_string())?;
                let Value::Integer(latency) = *door.variable(0) else {
                    return Err("the latency is a number".into());
                };
                let at = door.cycle() + latency as u64;
                door.schedule_cycle(at, 0, i64::from(value));
            }
            Call::Event { argument, .. } => {
                door.set_register(1, 0, argument as u32);
                door.set_line(0, true);
            }
            Call::Input { level, .. } => door.set_line(0, level),
            Call::Changed { .. } => door.warn("changed"),
            Call::Read { .. } => {
                let count = door.register(2, 0).unwrap_or(0) + 1;
                door.set_register(2, 0, count);
                return Ok(Some(count));
            }
        }
        Ok(None)
    }

    fn another(&self) -> Box<dyn Behaviour> {
        Box::new(Counter)
    }
}

fn declaration() -> Declaration {
    let whole = u32::MAX;
    let plain = |readable, writable| Rule {
        readable,
        writable,
        ..Rule::default()
    };
    let rules = vec![
        Rule {
            write_effect: true,
            ..Rule::default()
        },
        plain(whole, 0),
        Rule {
            read_effect: true,
            ..plain(whole, 0)
        },
        plain(whole, whole),
        Rule {
            one_clears: 0x0f,
            one_sets: 0xf00,
            ..plain(whole, 0xf0)
        },
    ];
    let variable = |name: &str, initial, attribute| Variable {
        name: name.into(),
        initial,
        attribute,
        minimum: Some(Value::Integer(0)),
        maximum: Some(Value::Integer(1_000)),
    };
    let variables = vec![
        variable("latency", Value::Integer(100), true),
        variable("jobs", Value::Integer(5), false),
    ];
    let events = vec!["finish".into()];
    let mut declaration = Declaration::new(&DESCRIPTION, rules, variables, events).unwrap();
    declaration.reset_effect = true;
    declaration.input_effect = true;
    declaration.change_effect = true;
    declaration
}

fn build(_: &dyn Properties) -> Result<Box<dyn Device>, BuildError> {
    let declaration = Arc::new(declaration());
    Ok(Box::new(Declared::new(declaration, Box::new(Counter))))
}

const MODEL: Model = Model {
    description: &DESCRIPTION,
    build,
};

fn bench() -> Bench {
    Bench::of(&MODEL, Node::default())
}

#[test]
fn registers_follow_their_rules() {
    let mut bench = bench();
    assert_eq!(bench.read(STATUS), 2);
    bench.write(SCRATCH + 4, 0x1122_3344);
    bench.write_width(SCRATCH + 5, Width::Byte, 0xaa);
    assert_eq!(bench.read(SCRATCH + 4), 0x1122_aa44);
    assert_eq!(bench.read_width(SCRATCH + 6, Width::Half), 0x1122);
    assert_eq!(bench.read(SCRATCH), 7);
    bench.write(0x20, 0xf25);
    assert_eq!(bench.read(0x20), 0xf2a);
    bench.write(STATUS, 1);
    bench.write(0x30, 1);
    assert_eq!(
        bench.warnings,
        [
            "write of 0x1 to STATUS, which is read-only",
            "write of 0x1 to 0x30, where no register is"
        ]
    );
    assert_eq!((bench.read(CONTROL), bench.read(0x30)), (0, 0));
}

#[test]
fn a_read_effect_answers_and_a_peek_does_not_call_it() {
    let mut bench = bench();
    assert_eq!((bench.read(COUNT), bench.read(COUNT)), (1, 2));
    assert_eq!(bench.peek(COUNT), None);
    assert_eq!(bench.peek(STATUS), Some(2));
    assert_eq!(bench.read(COUNT), 3);
}

#[test]
fn a_write_effect_moves_memory_and_its_event_comes_in_time() {
    let mut bench = bench();
    let bytes: Vec<u8> = (0..16).collect();
    bench.load(RAM, &bytes);
    bench.write(CONTROL, 5);
    assert_eq!(
        bench.ram(RAM)[0x101..0x10e],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0]
    );
    bench.run(99);
    assert!(!bench.line("done"));
    bench.run(1);
    assert!(bench.line("done"));
    assert_eq!(bench.read(STATUS), 5);
    let shown = |name| {
        bench
            .device
            .attribute(name)
            .map(|it| Value::from_bytes(&it))
    };
    assert_eq!(shown("done"), Some(Ok(Value::Boolean(true))));
    assert_eq!(shown("STATUS"), Some(Ok(Value::Integer(5))));
    assert_eq!(shown("SCRATCH2"), Some(Ok(Value::Integer(7))));
    assert_eq!((shown("SCRATCH3"), shown("SCRATCH")), (None, None));
}

#[test]
fn attributes_are_checked_and_change_what_follows() {
    let mut bench = bench();
    let set = |bench: &mut Bench, name: &str, value: Value| {
        bench.call(|device, context| device.set_attribute(name, &value.to_bytes(), context))
    };
    set(&mut bench, "latency", Value::Integer(3)).unwrap();
    assert_eq!(bench.warnings, ["changed"]);
    bench.write(CONTROL, 1);
    bench.run(3);
    assert!(bench.line("done"));
    let refused = [
        (
            "latency",
            Value::Integer(-1),
            "latency is -1, but at least 0 is allowed",
        ),
        (
            "latency",
            Value::Integer(1_001),
            "latency is 1001, but at most 1000 is allowed",
        ),
        (
            "latency",
            Value::Text("x".into()),
            "latency is a whole number, not a text",
        ),
        (
            "jobs",
            Value::Integer(1),
            "no attribute is called jobs; there are: latency",
        ),
    ];
    for (name, value, message) in refused {
        assert_eq!(set(&mut bench, name, value), Err(message.into()));
    }
    assert!(
        bench
            .call(|device, context| device.set_attribute("latency", &[9, 9], context))
            .is_err()
    );
    let value = bench.device.attribute("latency").unwrap();
    assert_eq!(Value::from_bytes(&value), Ok(Value::Integer(3)));
}

#[test]
fn a_reset_cancels_events_and_keeps_attributes() {
    let mut bench = bench();
    let value = Value::Integer(3).to_bytes();
    bench
        .call(|device, context| device.set_attribute("latency", &value, context))
        .unwrap();
    bench.write(CONTROL, 1);
    bench.write(SCRATCH, 1);
    bench.call(|device, context| device.reset(context));
    assert_eq!((bench.pending_events(), bench.read(SCRATCH)), (0, 7));
    let jobs = bench.device.attribute("jobs").unwrap();
    assert_eq!(Value::from_bytes(&jobs), Ok(Value::Integer(0)));
    bench.write(CONTROL, 1);
    bench.run(3);
    assert!(bench.line("done"));
}

#[test]
fn a_failure_is_told() {
    let mut bench = bench();
    bench.write(CONTROL, 13);
    assert_eq!(bench.failures, ["13 brings bad luck"]);
}

#[test]
fn a_state_in_mid_activity_goes_on_in_another_device() {
    let run = |interrupted: bool| {
        let mut bench = bench();
        let mut seen = vec![];
        for step in 0..40_u32 {
            bench.write(CONTROL, step * 7 + 100);
            bench.write(SCRATCH + 4 * (step % 3), step);
            if interrupted {
                bench.save_and_restore();
            }
            bench.run(u64::from(step * 13 % 90));
            seen.push((bench.read(STATUS), bench.read(COUNT), bench.line("done")));
        }
        (seen, bench.device.save(), bench.edges)
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_state_of_another_declaration_is_refused_with_the_name() {
    let state = bench().device.save();
    let mut changed = declaration();
    changed.variables.pop();
    let mut device = Declared::new(Arc::new(changed), Box::new(Counter));
    let error = device.restore(&state).unwrap_err().to_string();
    let expected = "state of A declared device does not fit this version: variable jobs is not among the device's";
    assert_eq!(error, expected);
    let mut changed = declaration();
    changed.variables[0].initial = Value::Text(String::new());
    let mut device = Declared::new(Arc::new(changed), Box::new(Counter));
    let error = device.restore(&state).unwrap_err().to_string();
    assert!(
        error.ends_with("latency is a text, not a whole number"),
        "{error}"
    );
}

#[test]
fn tables_are_checked() {
    const OVERLAPPING: Description = Description {
        registers: &[
            repeated(register(0, "FIRST", RW, 0, "data", "A."), 2, 4),
            register(4, "SECOND", RW, 0, "data", "B."),
        ],
        ..DESCRIPTION
    };
    const UNALIGNED: Description = Description {
        registers: &[register(2, "ODD", RW, 0, "data", "A.")],
        ..DESCRIPTION
    };
    const FAR: Description = Description {
        registers: &[repeated(
            register(0, "FAR", RW, 0, "data", "A."),
            2,
            0x1000_0000,
        )],
        ..DESCRIPTION
    };
    let message = |description| {
        let declared = Declaration::new(description, vec![], vec![], vec![]);
        declared.unwrap_err().to_string()
    };
    assert_eq!(
        message(&OVERLAPPING),
        "registers FIRST and SECOND overlap at 0x4; move one of them"
    );
    assert_eq!(
        message(&UNALIGNED),
        "register ODD at 0x2: registers are words; give a multiple of 4"
    );
    assert_eq!(
        message(&FAR),
        "register FAR at 0x10000000: a device has at most 1 MiB of registers"
    );
}
