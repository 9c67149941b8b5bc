use super::registers::*;
use super::{CELLS_MAX, LATENCY_NS_MAX, State, Work};
use crate::bench::{Bench, Node, RAM};
use crate::declared::Value;
use crate::state;

const COMPATIBLE: &str = "socscope,rule30";
/// The bench's clock has cycles of 25 ns, a line takes 100 ns.
const LINE_CYCLES: u64 = 4;

fn extended() -> Bench {
    let node = Node::default();
    Bench::with(
        COMPATIBLE,
        node.cells("socscope,batch", &[])
            .cells("socscope,dma", &[])
            .cells("interrupts", &[23, 2]),
    )
}

fn started(mut bench: Bench, length: u32, input: &[u32]) -> Bench {
    bench.write(LENGTH, length);
    for (index, word) in (0..).zip(input) {
        bench.write(INPUT + 4 * index, *word);
    }
    bench.write(START, 1);
    bench
}

fn output(bench: &mut Bench) -> Vec<u32> {
    (0..WORDS as u32)
        .map(|index| bench.read(OUTPUT + 4 * index))
        .collect()
}

/// A line of the automaton, a byte a cell, by its definition.
fn by_cells(line: &[u8], rule: u32) -> Vec<u8> {
    let cell = |index: usize| line.get(index).copied().unwrap_or(0);
    let new = |index: usize| {
        let left = if index == 0 { 0 } else { cell(index - 1) };
        rule >> (4 * left + 2 * cell(index) + cell(index + 1)) & 1
    };
    (0..line.len()).map(|index| new(index) as u8).collect()
}

fn packed(line: &[u8]) -> Vec<u32> {
    let mut words = vec![0; WORDS];
    for (index, cell) in line.iter().enumerate() {
        words[index / 32] |= u32::from(*cell) << (index % 32);
    }
    words
}

#[test]
fn every_rule_and_many_lengths_agree_with_the_definition() {
    let mut random = 0x2545_f491u32;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random
    };
    for rule in 0..256 {
        let length = [1, 2, 31, 32, 33, 64, 1000, 1023, 1024][rule as usize % 9];
        let line: Vec<u8> = (0..length).map(|_| (next() & 1) as u8).collect();
        let mut input = packed(&line);
        // What lies behind the line's end does not matter.
        input[length as usize / 32 % WORDS] |= match length % 32 {
            0 => 0,
            used => u32::MAX << used,
        };
        let mut bench = Bench::new(COMPATIBLE);
        bench.write(RULE, rule);
        let mut bench = started(bench, length, &input);
        bench.run(LINE_CYCLES);
        assert_eq!(
            output(&mut bench),
            packed(&by_cells(&line, rule)),
            "rule {rule}, {length} cells"
        );
    }
}

#[test]
fn a_line_takes_its_latency_and_interrupts_when_asked() {
    let mut bench = Bench::new(COMPATIBLE);
    bench.write(CONTROL, IRQ_ENABLE);
    let mut bench = started(bench, 3, &[0b010]);
    bench.run(LINE_CYCLES - 1);
    assert_eq!(
        (bench.read(STATUS), bench.read(OUTPUT), bench.line("irq")),
        (BUSY, 0, false)
    );
    bench.run(1);
    assert_eq!(
        (bench.read(STATUS), bench.read(OUTPUT), bench.line("irq")),
        (DONE, 0b111, true)
    );
    bench.write(STATUS, DONE);
    assert_eq!((bench.read(STATUS), bench.line("irq")), (0, false));
    bench.write(CONTROL, 0);
    bench.write(START, 1);
    bench.run(LINE_CYCLES);
    assert_eq!((bench.read(STATUS), bench.line("irq")), (DONE, false));
    bench.write(CONTROL, IRQ_ENABLE);
    assert!(bench.line("irq"), "it is asked for later");
    bench.write(START, 1);
    assert_eq!((bench.read(STATUS), bench.line("irq")), (BUSY, false));
}

#[test]
fn latched_lines_are_chained() {
    let mut bench = Bench::new(COMPATIBLE);
    bench.write(CONTROL, LATCH);
    let mut line = vec![0; 99];
    line[49] = 1;
    let mut bench = started(bench, 99, &packed(&line));
    for _ in 0..50 {
        bench.run(LINE_CYCLES);
        line = by_cells(&line, 30);
        assert_eq!(output(&mut bench), packed(&line));
        bench.write(START, 1);
    }
}

#[test]
fn starts_that_cannot_be_are_refused() {
    for length in [0, 1025, 0x1000_0001] {
        let mut bench = started(Bench::new(COMPATIBLE), length, &[1]);
        assert_eq!((bench.read(STATUS), bench.pending_events()), (ERROR, 0));
        assert_eq!(bench.warnings.len(), 1);
    }
    let mut bench = started(Bench::new(COMPATIBLE), 32, &[1]);
    bench.run(1);
    bench.write(LENGTH, 0);
    bench.write(START, 1);
    assert_eq!(bench.read(STATUS), BUSY | ERROR);
    bench.run(LINE_CYCLES - 1);
    assert_eq!(
        (bench.read(STATUS), bench.read(OUTPUT)),
        (DONE | ERROR, 0b11)
    );
    bench.write(STATUS, ERROR);
    assert_eq!(bench.read(STATUS), DONE);
}

#[test]
fn a_reset_drops_the_line_in_work_and_keeps_the_latency() {
    let mut bench = Bench::new(COMPATIBLE);
    set_latency(&mut bench, Value::Integer(50)).unwrap();
    let mut bench = started(bench, 32, &[1]);
    bench.write(RESET, 0);
    assert_eq!(bench.read(STATUS), BUSY);
    bench.write(RESET, 1);
    assert_eq!(
        (
            bench.read(STATUS),
            bench.read(LENGTH),
            bench.pending_events()
        ),
        (0, 0, 0)
    );
    let mut bench = started(bench, 1, &[]);
    bench.run(LINE_CYCLES / 2);
    assert_eq!(
        (bench.read(STATUS), bench.read(OUTPUT)),
        (DONE, 0),
        "the input is gone too"
    );
}

fn set_latency(bench: &mut Bench, value: Value) -> Result<(), String> {
    let bytes = value.to_bytes();
    bench.call(|device, context| device.set_attribute("latency_ns", &bytes, context))
}

#[test]
fn the_latency_is_an_attribute_for_the_lines_to_come() {
    let mut bench = started(Bench::new(COMPATIBLE), 8, &[1]);
    set_latency(&mut bench, Value::Integer(1000)).unwrap();
    bench.run(LINE_CYCLES);
    assert_eq!(bench.read(STATUS), DONE);
    bench.write(START, 1);
    bench.run(39);
    assert_eq!(bench.read(STATUS), BUSY);
    bench.run(1);
    assert_eq!(bench.read(STATUS), DONE);
    set_latency(&mut bench, Value::Integer(0)).unwrap();
    bench.write(START, 1);
    bench.run(0);
    assert_eq!(bench.read(STATUS), DONE);
    let of = |bench: &Bench, name| {
        bench
            .device
            .attribute(name)
            .map(|it| Value::from_bytes(&it).unwrap())
    };
    assert_eq!(of(&bench, "latency_ns"), Some(Value::Integer(0)));
    assert_eq!(of(&bench, "OUTPUT0"), Some(Value::Integer(0b11)));
    assert_eq!(of(&bench, "OUTPUT"), None);
    assert_eq!(
        set_latency(&mut bench, Value::Integer(-1)),
        Err("latency_ns is -1, but at least 0 is allowed".into())
    );
    let refused = bench.call(|device, context| device.set_attribute("speed", &[], context));
    assert_eq!(
        refused,
        Err("no attribute is called speed; there are: latency_ns".into())
    );
}

#[test]
fn extensions_are_there_only_where_the_version_says_so() {
    let mut bench = Bench::new(COMPATIBLE);
    for offset in [LINES, SOURCE, DESTINATION] {
        bench.write(offset, u32::MAX);
        assert_eq!(bench.read(offset), 0);
    }
    assert_eq!(bench.warnings.len(), 3);
    bench.write(CONTROL, u32::MAX);
    assert_eq!(
        (bench.read(CONTROL), bench.read(VERSION)),
        (IRQ_ENABLE | LATCH, 0x100)
    );
    let mut bench = extended();
    bench.write(CONTROL, u32::MAX);
    bench.write(SOURCE, u32::MAX);
    bench.write(LINES, u32::MAX);
    assert_eq!((bench.read(CONTROL), bench.read(VERSION)), (0xf, 0x3_0100));
    assert_eq!(
        (bench.read(SOURCE), bench.read(LINES), bench.read(IRQ)),
        (!3, 0xfff, 23)
    );
}

#[test]
fn a_batch_goes_to_memory_line_by_line() {
    let mut line = vec![0; 70];
    line[35] = 1;
    let mut bench = extended();
    let bytes: Vec<u8> = packed(&line)[..3]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    bench.load(RAM + 0x100, &bytes);
    bench.write(CONTROL, DMA_READ | DMA_WRITE);
    bench.write(SOURCE, RAM + 0x100);
    bench.write(DESTINATION, RAM + 0x200);
    bench.write(LINES, 5);
    let mut bench = started(bench, 70, &[]);
    bench.run(5 * LINE_CYCLES - 1);
    assert_eq!(bench.read(STATUS), BUSY);
    bench.run(1);
    assert_eq!(bench.read(STATUS), DONE);
    for number in 0..5 {
        line = by_cells(&line, 30);
        let written = bench.ram(RAM + 0x200 + 12 * number);
        let expected: Vec<u8> = packed(&line)[..3]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        assert_eq!(written[..12], expected, "line {number}");
    }
    assert_eq!(output(&mut bench), packed(&line));
    assert_eq!(bench.bus_held_cycles, 3 + 15);
}

#[test]
fn dma_outside_of_memory_is_an_error() {
    for (control, lost) in [(DMA_READ, 0x10), (DMA_WRITE, 0xf000_0000)] {
        let mut bench = extended();
        bench.write(CONTROL, control | IRQ_ENABLE);
        bench.write(SOURCE, lost);
        bench.write(DESTINATION, lost);
        let mut bench = started(bench, 32, &[1]);
        bench.run(LINE_CYCLES);
        assert_eq!(
            (bench.read(STATUS), bench.line("irq")),
            (DONE | ERROR, true)
        );
    }
}

#[test]
fn a_damaged_state_is_refused_and_changes_nothing() {
    let mut bench = extended();
    bench.write(CONTROL, DMA_WRITE);
    bench.write(DESTINATION, RAM);
    bench.write(LINES, 3);
    let mut bench = started(bench, 70, &[1]);
    let before = bench.device.save();
    let good: State = state::restore(DESCRIPTION.title, &before).unwrap();
    let damages: [fn(&mut State, &mut Work); 11] = [
        |state, _| state.latency_ns = -1,
        |state, _| state.latency_ns = LATENCY_NS_MAX + 1,
        |state, _| state.control = 1 << 4,
        |state, _| state.rule = 256,
        |state, _| state.lines = 1 << 12,
        |state, _| state.source = 2,
        |_, work| work.length = 0,
        |_, work| work.length = CELLS_MAX + 1,
        |_, work| work.lines = 0,
        |_, work| work.lines = u32::MAX,
        |_, work| work.destination = Some(RAM + 1),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut damaged = good.clone();
        let mut work = good.work.clone().expect("it works");
        damage(&mut damaged, &mut work);
        damaged.work = Some(work);
        let error = bench.device.restore(&state::save(&damaged)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "state of Rule 30 cellular automaton engine does not fit this version: it holds what no guest can have written",
            "damage {number}"
        );
        assert_eq!(bench.device.save(), before);
    }
    bench.save_and_restore();
    bench.run(3 * LINE_CYCLES);
    assert_eq!(bench.read(STATUS), DONE);
}
