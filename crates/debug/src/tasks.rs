//! The tasks of the guest's operating system, read from its memory by a table of addresses and offsets. Nothing is added to the guest.

use crate::banks::{self, REGISTERS};
use crate::layout::{ARM_PROGRAM_COUNTER as PROGRAM_COUNTER, ARM_STATUS as STATUS};
use socscope_machine::Machine;
use std::collections::BTreeSet;

/// More tasks than this are a broken list.
const TASKS_MAX: usize = 1024;
/// Longest name.
const NAME_BYTES_MAX: u32 = 64;

/// A field of the task control block, in one unsigned number of 1, 2 or 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// From the control block's first byte.
    pub offset: u32,
    /// 1, 2 or 4.
    pub size: u32,
}

/// Where the control blocks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An array.
    Array {
        /// The first one.
        address: u32,
        /// How many.
        count: u32,
        /// Bytes from one to the next.
        stride: u32,
    },
    /// A linked list that ends with a null pointer or where it began.
    List {
        /// Address of the pointer to the first node.
        head: u32,
        /// The pointer to the next node.
        next: Field,
        /// Where the node lies in the control block.
        node: u32,
    },
}

/// What a field must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The field.
    pub field: Field,
    /// Bits that count.
    pub mask: u32,
    /// What they must be; `None` is anything but zero.
    pub equals: Option<u32>,
}

/// A state with its conditions; the first whose conditions all hold is the task's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What it is called.
    pub name: String,
    /// All of them must hold.
    pub when: Vec<Condition>,
}

/// Where a task's name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// In the control block.
    Text {
        /// From its first byte.
        offset: u32,
        /// Bytes at most.
        size: u32,
    },
    /// Where a pointer in the control block points to.
    Pointer(Field),
}

/// What a register of a task that does not run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The word at this offset from the frame.
    Frame(u32),
    /// The frame's address and this offset.
    Address(u32),
    /// Always this.
    Constant(u32),
}

/// Registers that lie together: the frame's address is the sum of some fields and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Fields to be added up.
    pub base: Vec<Field>,
    /// Added to them.
    pub offset: u32,
    /// Register numbers of the target description, and where they are.
    pub registers: Vec<(usize, Source)>,
}

/// A way to see a task that does not run: all its frames together give its registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What it is called.
    pub name: String,
    /// Tasks that can be seen so.
    pub when: Vec<Condition>,
    /// Where the registers are; later ones win.
    pub frames: Vec<Frame>,
}

/// Where the tasks of one image are, and how to read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskTable {
    /// Name of the operating system.
    pub system: String,
    /// The control blocks.
    pub place: Place,
    /// A task exists when these hold.
    pub exists: Vec<Condition>,
    /// Tells tasks apart that use the same control block one after another.
    pub identity: Option<Field>,
    /// Its name.
    pub name: Name,
    /// Its priority.
    pub priority: Option<Field>,
    /// Its states.
    pub states: Vec<State>,
    /// State when none of them fits.
    pub otherwise: String,
    /// Address of the pointer to the running task's control block.
    pub current: u32,
    /// Ways to see tasks; the first whose conditions hold is taken unless another is asked for.
    pub views: Vec<View>,
}

/// A task as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Address of its control block.
    pub address: u32,
    /// Differs between tasks that use the same control block one after another.
    pub identity: u32,
    /// Its name.
    pub name: String,
    /// Its state; `running` for the one that has the core.
    pub state: String,
    /// Its priority.
    pub priority: Option<u32>,
    /// Whether it has the core, or was interrupted.
    pub running: bool,
}

impl TaskTable {
    /// All tasks, in the order of the table or list. None before the system has made them: memory then holds anything.
    pub fn tasks(&self, machine: &Machine) -> Vec<Task> {
        let Some(running) = self.running(machine) else {
            return vec![];
        };
        let alive = |&address: &u32| hold(&self.exists, machine, address);
        let found: Vec<u32> = self.addresses(machine).into_iter().filter(alive).collect();
        if !found.contains(&running) {
            return vec![];
        }
        found
            .into_iter()
            .map(|address| self.task(machine, address, address == running))
            .collect()
    }

    /// Control block of the running task.
    pub fn running(&self, machine: &Machine) -> Option<u32> {
        word(machine, self.current).filter(|&address| address != 0)
    }

    /// Registers of a task as far as they are known, by their numbers in the target description.
    pub fn registers(
        &self,
        machine: &Machine,
        task: &Task,
        view: Option<&str>,
    ) -> Vec<Option<u32>> {
        if task.running {
            let number = 0..REGISTERS;
            let core = machine.current_core().arm();
            return number
                .map(|one| core.and_then(|core| banks::read(core, one)))
                .collect();
        }
        self.saved_registers(machine, task.address, view).into()
    }

    /// Registers of a task that does not run.
    pub(crate) fn saved_registers(
        &self,
        machine: &Machine,
        address: u32,
        view: Option<&str>,
    ) -> [Option<u32>; REGISTERS] {
        let mut found = [None; REGISTERS];
        let fits = |view: &&View| hold(&view.when, machine, address);
        let wanted = self
            .views
            .iter()
            .filter(fits)
            .find(|one| view == Some(one.name.as_str()));
        let Some(view) = wanted.or_else(|| self.views.iter().find(fits)) else {
            return found;
        };
        for frame in &view.frames {
            let fields: Option<u32> = frame
                .base
                .iter()
                .map(|&field| read(machine, address, field))
                .try_fold(frame.offset, |sum, value| Some(sum.wrapping_add(value?)));
            let Some(base) = fields else { continue };
            for &(register, source) in &frame.registers {
                if let Some(place) = found.get_mut(register) {
                    *place = match source {
                        Source::Frame(offset) => word(machine, base.wrapping_add(offset)),
                        Source::Address(offset) => Some(base.wrapping_add(offset)),
                        Source::Constant(value) => Some(value),
                    };
                }
            }
        }
        thumb_bit_moves(&mut found);
        found
    }

    fn addresses(&self, machine: &Machine) -> Vec<u32> {
        match self.place {
            Place::Array {
                address,
                count,
                stride,
            } => (0..count.min(TASKS_MAX as u32))
                .map(|index| address.wrapping_add(index.wrapping_mul(stride)))
                .collect(),
            Place::List { head, next, node } => {
                let mut seen = BTreeSet::new();
                let mut found = vec![];
                let mut at = word(machine, head);
                while let Some(place) = at.filter(|&at| at != 0 && at != head) {
                    if !seen.insert(place) || found.len() >= TASKS_MAX {
                        break;
                    }
                    let block = place.wrapping_sub(node);
                    found.push(block);
                    at = read(machine, block, next);
                }
                found
            }
        }
    }

    fn task(&self, machine: &Machine, address: u32, running: bool) -> Task {
        let fits = |state: &&State| hold(&state.when, machine, address);
        let state = if running {
            "running".into()
        } else {
            let found = self.states.iter().find(fits);
            found.map_or(&self.otherwise, |state| &state.name).clone()
        };
        let field = |field: Option<Field>| read(machine, address, field?);
        let name = match self.name {
            Name::Text { offset, size } => text(machine, address.wrapping_add(offset), size),
            Name::Pointer(field) => read(machine, address, field)
                .map_or_else(String::new, |at| text(machine, at, NAME_BYTES_MAX)),
        };
        Task {
            address,
            identity: field(self.identity).unwrap_or(0),
            name,
            state,
            priority: field(self.priority),
            running,
        }
    }
}

/// A program counter with bit 0 set means Thumb code: the bit belongs into the status register.
fn thumb_bit_moves(registers: &mut [Option<u32>; REGISTERS]) {
    const THUMB: u32 = 1 << 5;
    let Some(pc) = registers[PROGRAM_COUNTER] else {
        return;
    };
    if pc & 1 != 0 {
        registers[PROGRAM_COUNTER] = Some(pc & !1);
        registers[STATUS] = registers[STATUS].map(|status| status | THUMB);
    }
}

fn hold(conditions: &[Condition], machine: &Machine, address: u32) -> bool {
    conditions.iter().all(|condition| {
        let value = read(machine, address, condition.field).map(|value| value & condition.mask);
        match condition.equals {
            Some(wanted) => value == Some(wanted),
            None => value.is_some_and(|value| value != 0),
        }
    })
}

fn read(machine: &Machine, address: u32, field: Field) -> Option<u32> {
    let bytes = machine.peek(address.checked_add(field.offset)?, field.size);
    match *bytes.as_slice() {
        [a] => Some(u32::from(a)),
        [a, b] => Some(u32::from(u16::from_le_bytes([a, b]))),
        [a, b, c, d] => Some(u32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

fn word(machine: &Machine, address: u32) -> Option<u32> {
    read(machine, address, Field { offset: 0, size: 4 })
}

fn text(machine: &Machine, address: u32, size: u32) -> String {
    let bytes = machine.peek(address, size.min(NAME_BYTES_MAX));
    let end = bytes.iter().position(|&byte| byte == 0);
    let printable = |&byte: &u8| byte.is_ascii_graphic() || byte == b' ';
    bytes[..end.unwrap_or(bytes.len())]
        .iter()
        .map(|byte| {
            if printable(byte) {
                char::from(*byte)
            } else {
                '?'
            }
        })
        .collect()
}
