//! Reading tasks by a table.

use super::memory::Memory;
use super::{Condition, Name, Place, Running, Source, State, Task, TaskTable, View};
use socscope_machine::{AnyCore, Machine};
use std::collections::BTreeSet;

/// More tasks than this are a broken list: it is what Linux numbers unless it is told otherwise.
const TASKS_MAX: usize = 1 << 15;
/// Longest name that a pointer points to.
const NAME_BYTES_MAX: u32 = 64;

impl TaskTable {
    /// All tasks, in the order of the table or list. None before the system has made them: memory then holds anything.
    pub fn tasks(&self, machine: &Machine) -> Vec<Task> {
        let memory = self.memory(machine);
        let running = self.running(machine);
        let mut found = self.blocks(memory);
        found.retain(|&block| hold(&self.exists, memory, block));
        let listed = |block: &Option<u32>| block.is_some_and(|block| found.contains(&block));
        match self.running {
            Running::Pointer(_) if !running.iter().any(listed) => return vec![],
            Running::Pointer(_) => {}
            // The idle tasks of other cores than the first are in no list.
            Running::Special { .. } => {
                let missing = running.iter().filter(|block| !listed(block)).flatten();
                let missing: BTreeSet<u32> = missing.copied().collect();
                found.extend(missing);
            }
        }
        if running.iter().all(Option::is_none) {
            return vec![];
        }
        let core_of = |block| running.iter().position(|&one| one == Some(block));
        found
            .into_iter()
            .map(|block| self.task(memory, block, core_of(block)))
            .collect()
    }

    /// The core that a task has; `None` when it does not run.
    pub fn core_of(&self, machine: &Machine, address: u32) -> Option<usize> {
        let mut running = self.running(machine).into_iter();
        running.position(|one| one == Some(address))
    }

    /// Control block of the task that each core runs.
    pub fn running(&self, machine: &Machine) -> Vec<Option<u32>> {
        let memory = self.memory(machine);
        match self.running {
            Running::Pointer(pointer) => {
                vec![memory.word(pointer).filter(|&block| block != 0)]
            }
            Running::Special { register, member } => {
                let block = |core| {
                    let core: &AnyCore = machine.core(core);
                    let physical = core.special_register(register)?;
                    let block = memory.of_physical(physical).wrapping_sub(member);
                    (physical != 0 && memory.word(block).is_some()).then_some(block)
                };
                (0..machine.cores()).map(block).collect()
            }
        }
    }

    /// The address on the bus of one that a task's code uses; `None` where it has no page.
    pub fn translate(&self, machine: &Machine, block: u32, address: u32) -> Option<u32> {
        self.memory(machine).of_task(block, address)
    }

    /// Bytes at an address of the system's own, fewer where it has no memory.
    pub fn peek(&self, machine: &Machine, address: u32, size: u32) -> Vec<u8> {
        self.memory(machine).bytes(address, size)
    }

    /// Registers of a task as far as they are known, by their numbers in the target description.
    pub fn registers(
        &self,
        machine: &Machine,
        task: &Task,
        view: Option<&str>,
    ) -> Vec<Option<u32>> {
        match task.core {
            Some(core) => registers(machine.core(core)),
            None => self.saved_registers(machine, task.address, view),
        }
    }

    /// Registers of a task that does not run.
    pub(crate) fn saved_registers(
        &self,
        machine: &Machine,
        address: u32,
        view: Option<&str>,
    ) -> Vec<Option<u32>> {
        let (memory, layout) = (self.memory(machine), machine.core(0).register_file());
        let mut found = vec![None; layout.count()];
        let fits = |view: &&View| hold(&view.when, memory, address);
        let mut fitting = self.views.iter().filter(fits);
        let wanted = fitting.find(|one| view == Some(one.name.as_str()));
        let Some(view) = wanted.or_else(|| self.views.iter().find(fits)) else {
            return found;
        };
        for frame in &view.frames {
            let block = if frame.base.is_empty() { address } else { 0 };
            let fields: Option<u32> = frame
                .base
                .iter()
                .map(|&field| memory.field(address, field))
                .try_fold(block.wrapping_add(frame.offset), |sum, value| {
                    Some(sum.wrapping_add(value?))
                });
            let Some(base) = fields else { continue };
            for &(register, source) in &frame.registers {
                if let Some(place) = found.get_mut(register) {
                    *place = match source {
                        Source::Frame(offset) => memory.word(base.wrapping_add(offset)),
                        Source::Address(offset) => Some(base.wrapping_add(offset)),
                        Source::Constant(value) => Some(value),
                    };
                }
            }
        }
        (layout.of_saved)(&mut found);
        found
    }

    fn memory<'a>(&self, machine: &'a Machine) -> Memory<'a> {
        Memory {
            machine,
            addresses: self.addresses,
        }
    }

    /// Control blocks, whether there are tasks in them or not.
    fn blocks(&self, memory: Memory) -> Vec<u32> {
        let found = match self.place {
            Place::Array {
                address,
                count,
                stride,
            } => (0..count.min(TASKS_MAX as u32))
                .map(|index| address.wrapping_add(index.wrapping_mul(stride)))
                .collect(),
            Place::List {
                head,
                next,
                node,
                head_is_node,
            } => {
                let next = |block: u32| memory.field(block, next);
                let mut found = list(memory, head, node, next);
                if head_is_node {
                    found.insert(0, head.wrapping_sub(node));
                }
                found
            }
        };
        let Some(group) = self.group else {
            return found;
        };
        let mut all = vec![];
        for block in found {
            let owner = memory.field(block, group.owner).filter(|&owner| owner != 0);
            let head = owner.map(|owner| owner.wrapping_add(group.head));
            let next = |one: u32| memory.word(one.wrapping_add(group.node));
            let together = head.map_or_else(Vec::new, |head| list(memory, head, group.node, next));
            if !together.contains(&block) {
                all.push(block);
            }
            all.extend(together);
            if all.len() >= TASKS_MAX {
                break;
            }
        }
        all
    }

    fn task(&self, memory: Memory, address: u32, core: Option<usize>) -> Task {
        let fits = |state: &&State| hold(&state.when, memory, address);
        let state = if core.is_some() {
            "running".into()
        } else {
            let found = self.states.iter().find(fits);
            found.map_or(&self.otherwise, |state| &state.name).clone()
        };
        let field = |field| memory.field(address, field);
        let name = match self.name {
            Name::Text { offset, size } => memory.text(address.wrapping_add(offset), size),
            Name::Pointer(pointer) => {
                field(pointer).map_or_else(String::new, |at| memory.text(at, NAME_BYTES_MAX))
            }
        };
        let numbers = self.numbers.iter();
        Task {
            address,
            identity: self.identity.and_then(field).unwrap_or(0),
            name,
            state,
            priority: self.priority.and_then(field),
            numbers: numbers
                .map(|(name, place)| (name.clone(), field(*place).unwrap_or(0)))
                .collect(),
            core,
        }
    }
}

/// The control blocks of a list, up to where it ends, begins again, or is broken.
fn list(memory: Memory, head: u32, node: u32, next: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    let mut seen = BTreeSet::new();
    let mut found = vec![];
    let mut at = memory.word(head);
    while let Some(place) = at.filter(|&at| at != 0 && at != head) {
        if !seen.insert(place) || found.len() >= TASKS_MAX {
            break;
        }
        let block = place.wrapping_sub(node);
        found.push(block);
        at = next(block);
    }
    found
}

/// All registers of a core.
pub(crate) fn registers(core: &AnyCore) -> Vec<Option<u32>> {
    let numbers = 0..core.register_file().count();
    numbers
        .map(|number| core.numbered_register(number))
        .collect()
}

fn hold(conditions: &[Condition], memory: Memory, block: u32) -> bool {
    conditions.iter().all(|condition| {
        let value = memory.field(block, condition.field);
        let value = value.map(|value| value & condition.mask);
        match condition.equals {
            Some(wanted) => value == Some(wanted),
            None => value.is_some_and(|value| value != 0),
        }
    })
}
