//! The guest's memory as a debugger sees it: devices are looked at without side effects, ROM can be written.

use crate::debugger::Debugger;
use crate::threads::Thread;
use gdbstub::common::Tid;
use socscope_core::RegisterFile;
use socscope_machine::{Input, InputError, Machine};
use socscope_memory::{Target, Viewer};

/// Addresses of one page are translated alike.
const PAGE_BYTES: u32 = 0x1000;

impl Debugger<'_> {
    /// Reads up to the first byte that nothing answers for; gives how many.
    pub(crate) fn read_memory(&mut self, tid: Tid, address: u32, data: &mut [u8]) -> usize {
        let mut done = 0;
        while done < data.len() {
            let Some(at) = address.checked_add(done as u32) else {
                break;
            };
            let page = (PAGE_BYTES - at % PAGE_BYTES) as usize;
            let length = (data.len() - done).min(page);
            let Some((machine, physical)) = self.translate(tid, at) else {
                break;
            };
            let thread = self.numbers.thread(tid);
            let viewer = Viewer::Core(self.looking_core(tid));
            let layout = thread.map_or(self.processes.registers(), |one| self.layout(one));
            let machine = &mut self.machines[machine];
            let bytes = machine.peek_for(viewer, physical, length as u32);
            if bytes.is_empty() {
                let Some(byte) = peek_device(machine, (viewer, physical), layout) else {
                    break;
                };
                data[done] = byte;
                done += 1;
            } else {
                data[done..done + bytes.len()].copy_from_slice(&bytes);
                done += bytes.len();
            }
        }
        done
    }

    /// The machine of a thread, and where an address of its code lies on the bus.
    fn translate(&self, tid: Tid, address: u32) -> Option<(usize, u32)> {
        let thread = self.numbers.thread(tid);
        let (index, core) = thread.map_or((0, 0), |one| (one.machine(), self.core_of(one)));
        let machine = &self.machines[index];
        let table = self.task_tables[index].as_ref();
        let found = match (table, thread) {
            (Some(table), Some(Thread::Task { address: task, .. }))
                if table.core_of(machine, task).is_none() =>
            {
                table.translate(machine, task, address)
            }
            // Pages that the core has not used lately are in the system's tables only.
            (Some(table), _) => machine.translate(core, address).or_else(|| {
                let task = *table.running(machine).get(core)?;
                table.translate(machine, task?, address)
            }),
            (None, _) => machine.translate(core, address),
        };
        Some((index, found?))
    }

    /// The core whose view of memory a thread has.
    fn looking_core(&self, tid: Tid) -> u16 {
        let thread = self.numbers.thread(tid);
        thread.map_or(0, |one| self.core_of(one)) as u16
    }

    /// Writes memory, within a page; all of it or nothing.
    pub(crate) fn write_memory(
        &mut self,
        tid: Tid,
        address: u32,
        data: &[u8],
    ) -> Result<(), InputError> {
        self.past_changes();
        let index = self.machine_of(tid);
        let physical = self.translate(tid, address).map(|(_, physical)| physical);
        let core = self.looking_core(tid);
        let machine = &mut self.machines[index];
        let address = physical.unwrap_or(address);
        let seen = machine.peek_for(Viewer::Core(core), address, data.len() as u32);
        let there = seen.len();
        if there < data.len() {
            return Err(InputError::NoMemory {
                address: address.wrapping_add(there as u32),
                written: 0,
            });
        }
        machine.apply(Input::CorePoke {
            core,
            address,
            bytes: data.into(),
        })
    }
}

/// A byte of a device's register, as cores with these registers find it.
fn peek_device(
    machine: &mut Machine,
    (viewer, address): (Viewer, u32),
    layout: &RegisterFile,
) -> Option<u8> {
    let region = machine.region_for(viewer, address)?;
    let offset = address - region.base;
    let Target::Device(device) = region.target else {
        return None;
    };
    let value = machine.peek_register(device, offset & !3)?;
    Some(layout.bytes(value)[(offset & 3) as usize])
}
