//! Runs the text vectors of tests/instructions.

#[allow(dead_code)]
use crate::support;
use socscope_arm as arm;
use socscope_arm::interpreter::step;
use socscope_arm::{Core, CoreModel, InstructionSet, Mode, Register, Status, control};
use socscope_core::Observer;
use socscope_memory::{Direction, MemoryIndex, RegionIndex, Width};
use std::collections::BTreeSet;
use support::{MemoryBus, OneCycle};

const FILES: &[(CoreModel, InstructionSet, &str, &str)] = &[
    (
        ARM7TDMI,
        InstructionSet::Arm,
        "arm-data-processing",
        include_str!("../../../../tests/instructions/arm-data-processing.txt"),
    ),
    (
        ARM7TDMI,
        InstructionSet::Arm,
        "arm-multiply",
        include_str!("../../../../tests/instructions/arm-multiply.txt"),
    ),
    (
        ARM7TDMI,
        InstructionSet::Arm,
        "arm-load-store",
        include_str!("../../../../tests/instructions/arm-load-store.txt"),
    ),
    (
        ARM7TDMI,
        InstructionSet::Arm,
        "arm-block-transfer",
        include_str!("../../../../tests/instructions/arm-block-transfer.txt"),
    ),
    (
        ARM7TDMI,
        InstructionSet::Arm,
        "arm-others",
        include_str!("../../../../tests/instructions/arm-others.txt"),
    ),
    (
        ARM7TDMI,
        InstructionSet::Thumb,
        "thumb-data-processing",
        include_str!("../../../../tests/instructions/thumb-data-processing.txt"),
    ),
    (
        ARM7TDMI,
        InstructionSet::Thumb,
        "thumb-load-store",
        include_str!("../../../../tests/instructions/thumb-load-store.txt"),
    ),
    (
        ARM7TDMI,
        InstructionSet::Thumb,
        "thumb-branch",
        include_str!("../../../../tests/instructions/thumb-branch.txt"),
    ),
    (
        CoreModel::Arm926EjS,
        InstructionSet::Arm,
        "arm-v5te",
        include_str!("../../../../tests/instructions/arm-v5te.txt"),
    ),
    (
        CoreModel::Arm926EjS,
        InstructionSet::Thumb,
        "thumb-v5te",
        include_str!("../../../../tests/instructions/thumb-v5te.txt"),
    ),
    (
        CoreModel::Arm1176JzS,
        InstructionSet::Arm,
        "arm-media-v6",
        include_str!("../../../../tests/instructions/arm-media-v6.txt"),
    ),
    (
        CoreModel::Arm1176JzS,
        InstructionSet::Arm,
        "arm-system-v6",
        include_str!("../../../../tests/instructions/arm-system-v6.txt"),
    ),
    (
        CoreModel::Arm1176JzS,
        InstructionSet::Thumb,
        "thumb-v6",
        include_str!("../../../../tests/instructions/thumb-v6.txt"),
    ),
];

const ARM7TDMI: CoreModel = CoreModel::Arm7Tdmi;
const RAM_BYTES: u32 = 0x1_0000;

/// Everything that a vector can name.
#[derive(Clone, PartialEq, Eq)]
struct State {
    core: Core,
    memory: Vec<u8>,
    mark: Option<u8>,
}

impl State {
    fn new(model: CoreModel, set: InstructionSet) -> State {
        let mut core = Core::new(model);
        core.set_status(Status {
            instruction_set: set,
            ..Status::RESET.with_bits(0x1f)
        });
        for mode in Mode::ALL {
            core.set_saved_status_of(mode, Status::RESET.with_bits(0x10));
        }
        core.set_program_counter(0x8000);
        State {
            core,
            memory: vec![0; RAM_BYTES as usize],
            mark: None,
        }
    }

    fn control(&mut self, bits: u32, on: bool) {
        self.core.control.set_control(bits, on);
    }

    fn system(&mut self, register: Register, value: u32) {
        self.core.control.set(register, value);
    }

    /// Applies `name=value`.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || u32::from_str_radix(value, 16).map_err(|_| format!("no number: {value}"));
        let mut status = self.core.status();
        match name {
            "flags" => {
                let upper = |letter| value.contains(letter);
                (status.negative, status.zero) = (upper('N'), upper('Z'));
                (status.carry, status.overflow) = (upper('C'), upper('V'));
                status.saturated = upper('Q');
            }
            "ge" => status.greater_equal = number()? as u8,
            "data" => status.big_endian = value == "big",
            "aborts" => status.aborts_disabled = value == "off",
            "unaligned" => self.control(control::UNALIGNED, value == "on"),
            "alignment" => self.control(control::ALIGNMENT, value == "on"),
            "vectors" => self.control(control::HIGH_VECTORS, value == "high"),
            "handlers" => self.control(control::BIG_ENDIAN_EXCEPTIONS, value == "big"),
            "exclusive" if value == "none" => self.core.exclusive = None,
            "exclusive" => self.core.exclusive = Some(number()?),
            "mode" => status.mode = mode(value)?,
            "irq" => status.irq_disabled = value == "off",
            "fiq" => status.fiq_disabled = value == "off",
            "thumb" => {
                status.instruction_set = if value == "on" {
                    InstructionSet::Thumb
                } else {
                    InstructionSet::Arm
                }
            }
            "pc" | "at" => self.core.set_program_counter(number()?),
            "dfsr" => self.system(Register::DataFaultStatus, number()?),
            "ifsr" => self.system(Register::InstructionFaultStatus, number()?),
            "far" => self.system(Register::FaultAddress, number()?),
            "tls" => self.system(Register::ThreadRead, number()?),
            "domains" => self.system(Register::Domains, number()?),
            "cp15" => self.system(Register::Control, number()?),
            "mark" => self.mark = Some(number()? as u8),
            "spsr" => {
                let saved = Status::RESET.with_bits_of(self.core.model(), number()?);
                self.core.set_saved_status(saved);
            }
            _ => return self.set_place(name, number()?),
        }
        self.core.set_status(status);
        Ok(())
    }

    fn set_place(&mut self, name: &str, value: u32) -> Result<(), String> {
        if let Some(address) = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
        {
            let address = usize::from_str_radix(address, 16).map_err(|_| name.to_string())?;
            self.memory[address..address + 4].copy_from_slice(&value.to_le_bytes());
            return Ok(());
        }
        let (register, of) = name.split_once('_').unwrap_or((name, ""));
        let of = if of.is_empty() {
            self.core.status().mode
        } else {
            mode(of)?
        };
        if register == "spsr" {
            let saved = Status::RESET.with_bits_of(self.core.model(), value);
            self.core.set_saved_status_of(of, saved);
            return Ok(());
        }
        let index = register
            .strip_prefix('r')
            .and_then(|index| index.parse().ok());
        let index = index.ok_or_else(|| format!("no register: {name}"))?;
        self.core.set_register_of(of, index, value);
        Ok(())
    }
}

fn mode(name: &str) -> Result<Mode, String> {
    Ok(match name {
        "usr" => Mode::User,
        "fiq" => Mode::FastInterrupt,
        "irq" => Mode::Interrupt,
        "svc" => Mode::Supervisor,
        "abt" => Mode::Abort,
        "und" => Mode::Undefined,
        "sys" => Mode::System,
        _ => return Err(format!("no mode: {name}")),
    })
}

#[derive(Default)]
struct Watch {
    bus: Vec<String>,
    mark: Option<u8>,
}

impl Observer for Watch {
    fn data(&mut self, _: u32, address: u32, _: Width, direction: Direction, _: RegionIndex) {
        let letter = match direction {
            Direction::Read => 'R',
            Direction::Write => 'W',
        };
        self.bus.push(format!("{letter}{address:x}"));
    }
    fn magic(&mut self, number: u8, _argument: u32, _cycle: u64) {
        self.mark = Some(number);
    }
}

/// Runs one line. Gives the encoding's name, or what is wrong.
fn run(model: CoreModel, set: InstructionSet, line: &str) -> Result<&'static str, String> {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [word, class, before, after, _] = columns[..] else {
        return Err("not five columns".into());
    };
    let word = u32::from_str_radix(word, 16).map_err(|_| "no word")?;
    let mut start = State::new(model, set);
    for item in before
        .split_whitespace()
        .filter(|item| item.contains("mode="))
    {
        apply(&mut start, item)?;
    }
    for item in before.split_whitespace() {
        apply(&mut start, item)?;
    }
    let mut bus = MemoryBus::new(&[(0, RAM_BYTES)]);
    let address = start.core.program_counter();
    bus.space.load(MemoryIndex(0), 0, &start.memory);
    bus.put(address, set.width(), &[word]);
    start
        .memory
        .copy_from_slice(&bus.space.memories()[0].to_vec());
    let mut found = start.clone();
    let mut cycles = OneCycle::default();
    let mut watch = Watch::default();
    step(&mut found.core, &mut bus, &mut cycles, &mut watch, 0);
    found
        .memory
        .copy_from_slice(&bus.space.memories()[0].to_vec());
    found.mark = watch.mark;
    found.core.last_fault = None;

    let mut expected = start;
    let next = address + set.width().bytes();
    expected.core.set_program_counter(next);
    for item in after
        .split_whitespace()
        .filter(|item| !item.starts_with("mode="))
    {
        if let Some(list) = item.strip_prefix("bus=") {
            if list != watch.bus.join(",") {
                return Err(format!("accesses {}", watch.bus.join(",")));
            }
        } else {
            apply(&mut expected, item)?;
        }
    }
    for item in after
        .split_whitespace()
        .filter(|item| item.starts_with("mode="))
    {
        apply(&mut expected, item)?;
    }
    if found.mark != expected.mark {
        return Err(format!("mark {:?}", found.mark));
    }
    if found.memory != expected.memory {
        return Err("memory differs".into());
    }
    if found.core != expected.core {
        return Err(differences(&found.core, &expected.core));
    }
    if !class_is(&cycles, class) {
        return Err(format!("class {:?}", cycles.first_class));
    }
    Ok(arm::encoding(model, set, word).name)
}

fn differences(found: &Core, expected: &Core) -> String {
    let mut text = String::new();
    let mut compare = |name: String, found: u32, expected: u32| {
        if found != expected {
            text += &format!("{name} is {found:x}, expected {expected:x}; ");
        }
    };
    compare(
        "pc".into(),
        found.program_counter(),
        expected.program_counter(),
    );
    compare(
        "cpsr".into(),
        found.status().bits(),
        expected.status().bits(),
    );
    for mode in Mode::ALL {
        let saved = |core: &Core| core.saved_status_of(mode).map_or(0, Status::bits);
        compare(format!("spsr of {mode:?}"), saved(found), saved(expected));
        for index in 0..15 {
            let register = |core: &Core| core.register_of(mode, index);
            compare(
                format!("r{index} of {mode:?}"),
                register(found),
                register(expected),
            );
        }
    }
    for register in Register::ALL {
        let value = |core: &Core| core.control.get(register);
        compare(register.name().into(), value(found), value(expected));
    }
    text
}

fn apply(state: &mut State, item: &str) -> Result<(), String> {
    let (name, value) = item
        .split_once('=')
        .ok_or_else(|| format!("no value: {item}"))?;
    state.set(name, value)
}

fn class_is(model: &OneCycle, class: &str) -> bool {
    model
        .first_class
        .is_some_and(|found| format!("{found:?}") == class)
}

#[test]
fn vectors_hold_and_cover_every_encoding() {
    let mut failures = vec![];
    let mut seen = BTreeSet::new();
    let mut count = 0;
    for &(model, set, file, text) in FILES {
        for (number, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            count += 1;
            match run(model, set, line) {
                Ok(name) => {
                    seen.insert((set, name));
                }
                Err(error) => failures.push(format!("{file}:{}: {line}\n{error}", number + 1)),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(count > 300);
    for set in InstructionSet::ALL {
        for encoding in arm::encodings(CoreModel::Arm1176JzS, set) {
            assert!(
                seen.contains(&(set, encoding.name)),
                "{set:?} {}",
                encoding.name
            );
        }
    }
}

#[test]
fn a_wrong_vector_is_noticed() {
    let arm = InstructionSet::Arm;
    let line = "e3a00001 | Data | | r0=1 | mov r0, #1";
    assert_eq!(run(ARM7TDMI, arm, line), Ok("MOV immediate"));
    for wrong in [
        "e3a00001 | Data | | r0=2 |",
        "e3a00001 | Load | | r0=1 |",
        "e3a00001 | Data | | r0=1 bus=R0 |",
        "e3a00001 | Data | | r0=1 [0]=1 |",
        "e3a00001 | Data | | r0=1 mark=1 |",
        "e3a00001 | Data | | q=1 |",
        "e3a00001 | Data | | r0=1",
    ] {
        assert!(run(ARM7TDMI, arm, wrong).is_err(), "{wrong}");
    }
}
