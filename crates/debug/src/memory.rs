//! The guest's memory as a debugger sees it: devices are looked at without side effects, ROM can be written.

use crate::debugger::Debugger;
use socscope_machine::{Input, InputError, Machine};
use socscope_memory::Target;

impl Debugger<'_> {
    /// Reads up to the first byte that nothing answers for; gives how many.
    pub(crate) fn read_memory(&mut self, machine: usize, address: u32, data: &mut [u8]) -> usize {
        let machine = &mut self.machines[machine];
        let mut done = 0;
        while done < data.len() {
            let Some(at) = address.checked_add(done as u32) else {
                break;
            };
            let bytes = machine.peek(at, (data.len() - done) as u32);
            if bytes.is_empty() {
                let Some(byte) = peek_device(machine, at) else {
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

    /// Writes memory; all of it or nothing.
    pub(crate) fn write_memory(
        &mut self,
        machine: usize,
        address: u32,
        data: &[u8],
    ) -> Result<(), InputError> {
        self.past_changes();
        let machine = &mut self.machines[machine];
        let there = machine.peek(address, data.len() as u32).len();
        if there < data.len() {
            return Err(InputError::NoMemory {
                address: address.wrapping_add(there as u32),
                written: 0,
            });
        }
        machine.apply(Input::Poke {
            address,
            bytes: data.into(),
        })
    }
}

/// A byte of a device's register.
fn peek_device(machine: &mut Machine, address: u32) -> Option<u8> {
    let region = machine
        .regions()
        .iter()
        .find(|region| region.enabled && address.wrapping_sub(region.base) < region.size)?;
    let offset = address - region.base;
    let Target::Device(device) = region.target else {
        return None;
    };
    let value = machine.peek_register(device, offset & !3)?;
    Some(value.to_le_bytes()[(offset & 3) as usize])
}
