//! A reading of instructions that executes nothing: which registers, flags and memory an instruction may touch.

mod operands;
mod reading;

pub use operands::operands;

use super::{ALWAYS, CoreModel, Exception, InstructionSet, condition, condition_code, instruction};
use reading::FootprintReading;
use socscope_memory::{Direction, Width};

/// A set of registers, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Registers(pub u16);

impl Registers {
    /// Whether register `index` is in the set.
    pub const fn contains(self, index: u32) -> bool {
        self.0 >> index & 1 != 0
    }

    const fn one(index: u32) -> Registers {
        Registers(1 << index)
    }

    /// Stands for memory among the registers that a value depends on: the program counter is never read as a register.
    const MEMORY: Registers = Registers(1 << 15);

    /// Those that are not in `other`.
    const fn without(self, other: Registers) -> Registers {
        Registers(self.0 & !other.0)
    }

    const fn union(self, other: Registers) -> Registers {
        Registers(self.0 | other.0)
    }
}

/// A set of the flags N, Z, C and V, as bits 3 to 0, and above them Q and GE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// N.
    pub const NEGATIVE: Flags = Flags(8);
    /// Z.
    pub const ZERO: Flags = Flags(4);
    /// C.
    pub const CARRY: Flags = Flags(2);
    /// V.
    pub const OVERFLOW: Flags = Flags(1);
    /// Q.
    pub const SATURATED: Flags = Flags(0x10);
    /// All bits of GE.
    pub const GREATER_EQUAL: Flags = Flags(0x20);
    /// Those of conditions.
    pub const CONDITIONS: Flags = Flags(15);
    /// All of them.
    pub const ALL: Flags = Flags(0x3f);
}

/// A value as far as it is known without executing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Always this.
    Constant(u32),
    /// A register plus a constant.
    Register(u32, u32),
    /// A function of these registers, and of flags or memory.
    Mixed(Registers),
}

impl Value {
    fn registers(self) -> Registers {
        match self {
            Value::Constant(_) => Registers(0),
            Value::Register(index, _) => Registers::one(index),
            Value::Mixed(registers) => registers,
        }
    }

    fn mixed(self, other: Value) -> Value {
        Value::Mixed(self.registers().union(other.registers()))
    }
}

/// How an instruction may leave its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    /// To an address, in the same instruction set.
    Branch(Value),
    /// To an address whose bit 0 names the instruction set.
    BranchExchange(Value),
    /// To an address, with the saved status register restored.
    Return(Value),
    /// To a vector.
    Exception(Exception),
}

/// One access to memory, at `address` rounded down to `width`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Where.
    pub address: Value,
    /// How much.
    pub width: Width,
    /// Which way.
    pub direction: Direction,
}

/// What an instruction may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Registers whose values matter.
    pub reads: Registers,
    /// Registers that may change.
    pub writes: Registers,
    /// Registers of the user mode whose values matter.
    pub user_reads: Registers,
    /// Registers of the user mode that may change.
    pub user_writes: Registers,
    /// Flags whose values matter, those of the condition included.
    pub flags_read: Flags,
    /// Flags that may change.
    pub flags_written: Flags,
    /// The mode, interrupt masks or saved status matter.
    pub status_read: bool,
    /// The mode, interrupt masks or saved status may change.
    pub status_written: bool,
    /// The mark for exclusive stores matters, or may change.
    pub exclusive: bool,
    /// Registers of system control matter, or may change.
    pub system_control: bool,
    /// Accesses have no more rights than programs.
    pub unprivileged: bool,
    /// Registers that are set to constants.
    pub constants: Vec<(u32, u32)>,
    /// Memory accesses in order.
    pub accesses: Vec<MemoryAccess>,
    /// How it may leave.
    pub leave: Option<Leave>,
    /// The number of a magic instruction.
    pub mark: Option<u32>,
    /// What addresses and results depend on.
    pub computed: Registers,
    /// What each store's value depends on.
    pub stored: Vec<Registers>,
    /// What is multiplied.
    pub multiplied: Registers,
    /// Registers, those of the user mode as well, that change to what depends on memory.
    pub loaded: Registers,
    /// Whether a register is shifted before the first access.
    pub shifted: bool,
    /// Bits of status registers that a move names; all where it may be others.
    pub status_bits: u32,
}

/// What `word` at `address` may touch on a core of this model.
pub fn footprint(model: CoreModel, set: InstructionSet, address: u32, word: u32) -> Footprint {
    let mut reading = FootprintReading::new(model, set, address);
    let code = condition_code(model, set, word);
    let holds = condition(&mut reading, code);
    if code == ALWAYS || holds != Some(false) {
        (instruction::<FootprintReading>(model, set, word).read)(&mut reading, word);
    }
    reading.found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_multiple_names_its_words() {
        // LDMNEIA r3!, {r0, r15}
        let found = footprint(
            CoreModel::Arm7Tdmi,
            InstructionSet::Arm,
            0x1000,
            0x18b3_8001,
        );
        assert_eq!((found.reads, found.writes), (Registers(8), Registers(9)));
        assert_eq!(found.flags_read, Flags::ZERO);
        let word = |offset| MemoryAccess {
            address: Value::Register(3, offset),
            width: Width::Word,
            direction: Direction::Read,
        };
        assert_eq!(found.accesses, [word(0), word(4)]);
        assert!(matches!(found.leave, Some(Leave::Branch(_))));
    }

    #[test]
    fn a_literal_has_a_constant_address() {
        // LDR r1, [pc, #8] in Thumb at an odd half-word.
        let found = footprint(CoreModel::Arm7Tdmi, InstructionSet::Thumb, 0x1002, 0x4902);
        assert_eq!(found.accesses[0].address, Value::Constant(0x100c));
        assert_eq!((found.reads, found.writes), (Registers(0), Registers(2)));
        assert_eq!(found.flags_read, Flags(0));
    }
}
