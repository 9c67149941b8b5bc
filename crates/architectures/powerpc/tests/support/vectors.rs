//! The text vectors of tests/instructions for the PowerPC: read, and compared with what an engine made of them.

use socscope_powerpc::{Core, CoreModel, Msr, SPECIAL_REGISTERS};
use std::collections::BTreeMap;

const FILES: &[(&str, &str)] = &[
    (
        "powerpc-integer",
        include_str!("../../../../../tests/instructions/powerpc-integer.txt"),
    ),
    (
        "powerpc-load-store",
        include_str!("../../../../../tests/instructions/powerpc-load-store.txt"),
    ),
    (
        "powerpc-branch-system",
        include_str!("../../../../../tests/instructions/powerpc-branch-system.txt"),
    ),
    (
        "powerpc-float",
        include_str!("../../../../../tests/instructions/powerpc-float.txt"),
    ),
    (
        "powerpc-vector",
        include_str!("../../../../../tests/instructions/powerpc-vector.txt"),
    ),
];

/// Memory, from address 0 on.
pub const RAM_BYTES: u32 = 0x1_0000;
/// Privileged, with floating point, AltiVec and machine checks.
const MACHINE_STATE: u32 = 0x0200_3000;

/// HID0: the data cache is on.
const DATA_CACHE: u32 = 0x4000;

/// Everything that a vector can name, by name.
type State = BTreeMap<String, u128>;

fn initial() -> Core {
    let mut core = Core::new(CoreModel::E600);
    core.set_msr(Msr(MACHINE_STATE));
    core.set_program_counter(0x8000);
    core.set_special_at(1008, DATA_CACHE, 0);
    core
}

/// The special register of a name in small letters.
fn special(name: &str) -> Option<u32> {
    let register = SPECIAL_REGISTERS
        .iter()
        .find(|register| register.name.eq_ignore_ascii_case(name))?;
    Some(register.number)
}

/// Sets `name=value` in a core, or in the memory.
fn set(core: &mut Core, memory: &mut [u8], name: &str, value: u128) -> Option<()> {
    let word = value as u32;
    if let Some(address) = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
    {
        let address = usize::from_str_radix(address, 16).ok()?;
        memory[address..address + 4].copy_from_slice(&word.to_be_bytes());
        return Some(());
    }
    let index = |prefix| {
        let index: u32 = name.strip_prefix(prefix)?.parse().ok()?;
        (index < 32).then_some(index)
    };
    match name {
        "pc" | "at" => core.set_program_counter(word),
        "cr" => core.condition = word,
        "msr" => core.set_msr(Msr(word)),
        "fpscr" => core.float_status = word,
        "tb" => core.set_time_base(value as u64, 0),
        "vscr" => core.vector_status = word,
        "reserved" => core.reservation = Some(word),
        _ => {
            if let Some(number) = special(name) {
                core.set_special_at(number, word, 0);
            } else if let Some(segment) = index("sr") {
                core.set_segment(segment, word);
            } else if let Some(register) = index("r") {
                core.set_register(register, word);
            } else if let Some(register) = index("f") {
                core.float[register as usize] = value as u64;
            } else if let Some(register) = index("v") {
                core.vector[register as usize] = value;
            } else {
                return None;
            }
        }
    }
    Some(())
}

fn listed(core: &Core) -> State {
    let mut state = State::new();
    let mut put = |name: String, value: u128| {
        state.insert(name, value);
    };
    put("pc".into(), u128::from(core.program_counter()));
    put("cr".into(), u128::from(core.condition));
    put("msr".into(), u128::from(core.msr().0));
    put("fpscr".into(), u128::from(core.float_status));
    put("tb".into(), u128::from(core.time_base_at(0)));
    put("vscr".into(), u128::from(core.vector_status));
    put(
        "reserved".into(),
        core.reservation.map_or(u128::MAX, u128::from),
    );
    for index in 0..32 {
        put(format!("r{index}"), u128::from(core.register(index)));
        put(format!("f{index}"), u128::from(core.float[index as usize]));
        put(format!("v{index}"), core.vector[index as usize]);
    }
    for index in 0..16 {
        put(format!("sr{index}"), u128::from(core.segment(index)));
    }
    // The time base is listed as a whole.
    let others = |number: &u32| ![268, 269, 284, 285].contains(number);
    for number in SPECIAL_REGISTERS.iter().map(|r| r.number).filter(others) {
        let register = SPECIAL_REGISTERS.iter().find(|r| r.number == number);
        let name = register.map_or("", |register| register.name);
        put(name.to_lowercase(), u128::from(core.special_at(number, 0)));
    }
    state
}

fn apply(core: &mut Core, memory: &mut [u8], items: &str) -> Result<(), String> {
    for item in items.split_whitespace() {
        let (name, value) = item
            .split_once('=')
            .ok_or_else(|| format!("no value: {item}"))?;
        if name == "bus" {
            continue;
        }
        let value = if value == "none" {
            u128::MAX
        } else {
            u128::from_str_radix(value, 16).map_err(|_| format!("no number: {item}"))?
        };
        if name == "reserved" && value == u128::MAX {
            core.reservation = None;
            continue;
        }
        set(core, memory, name, value).ok_or_else(|| format!("no such place: {item}"))?;
    }
    Ok(())
}

/// One line.
pub struct Vector<'a> {
    /// The instruction.
    pub word: u32,
    /// Class of its bus cycles.
    pub class: &'a str,
    /// The core before it.
    pub core: Core,
    /// Memory before it; the instruction is in it.
    pub memory: Vec<u8>,
    /// Its accesses, if they are given.
    pub accesses: Option<&'a str>,
    expected: Core,
    expected_memory: Vec<u8>,
}

impl Vector<'_> {
    /// Reads a line. The error says what is wrong with it.
    pub fn read(line: &str) -> Result<Vector<'_>, String> {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [word, class, before, after, _] = columns[..] else {
            return Err("not five columns".into());
        };
        let word = u32::from_str_radix(word, 16).map_err(|_| "no word")?;
        let mut core = initial();
        let mut memory = vec![0; RAM_BYTES as usize];
        apply(&mut core, &mut memory, before)?;
        let address = core.program_counter();
        memory[address as usize..address as usize + 4].copy_from_slice(&word.to_be_bytes());
        let (mut expected, mut expected_memory) = (core.clone(), memory.clone());
        expected.set_program_counter(address + 4);
        apply(&mut expected, &mut expected_memory, after)?;
        let mut items = after.split_whitespace();
        Ok(Vector {
            word,
            class,
            core,
            memory,
            accesses: items.find_map(|item| item.strip_prefix("bus=")),
            expected,
            expected_memory,
        })
    }

    /// Whether core and memory are as they should be after the instruction; else what was found.
    pub fn check(&self, core: &Core, memory: &[u8]) -> Result<(), String> {
        let words = memory.chunks_exact(4);
        let words = words.zip(self.expected_memory.chunks_exact(4)).enumerate();
        let mut differs: Vec<_> = words
            .filter(|(_, (found, expected))| found != expected)
            .map(|(index, (found, _))| {
                let digits: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("[{:x}]={digits}", 4 * index)
            })
            .collect();
        let expected = listed(&self.expected);
        let registers = listed(core)
            .into_iter()
            .filter(|(name, value)| expected[name] != *value)
            .map(|(name, value)| format!("{name}={value:x}"));
        differs.extend(registers);
        match differs.is_empty() {
            true => Ok(()),
            false => Err(format!("found {}", differs.join(" "))),
        }
    }
}

/// Does `action` with each line; gives how many there are, and all that is wrong, each with its place.
pub fn each_line(mut action: impl FnMut(&str) -> Result<(), String>) -> (usize, Vec<String>) {
    let (mut count, mut failures) = (0, vec![]);
    for &(file, text) in FILES {
        for (number, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            count += 1;
            if let Err(error) = action(line) {
                failures.push(format!("{file}:{}: {line}\n{error}", number + 1));
            }
        }
    }
    (count, failures)
}
