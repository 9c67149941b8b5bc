//! Registers that keep what software writes to them, by the table of their block.

use super::ccsr;
use crate::{hole, state};
use serde::{Deserialize, Serialize};
use socscope_device::{Context, Description, Permission, RestoreError};
use socscope_memory::Width;

/// The values of all registers of a table, in its order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Kept(Vec<u32>);

impl Kept {
    /// The reset values.
    pub fn new(description: &Description) -> Kept {
        let registers = description.registers.iter();
        let values = registers.flat_map(|it| (0..it.count).map(|_| it.reset));
        Kept(values.collect())
    }

    /// Takes back what was saved of registers of the same table.
    pub fn restore(description: &Description, bytes: &[u8]) -> Result<Kept, RestoreError> {
        let kept: Kept = state::restore(description.title, bytes)?;
        if kept.0.len() != Kept::new(description).0.len() {
            return Err(RestoreError {
                device: description.title.into(),
                reason: format!("{} registers are not those of the table", kept.0.len()),
            });
        }
        Ok(kept)
    }

    fn place(description: &Description, offset: u32) -> Option<usize> {
        let (found, index) = description.register_at(offset)?;
        let before = description
            .registers
            .iter()
            .take_while(|register| register.offset != found.offset);
        let before: u32 = before.map(|register| register.count).sum();
        Some((before + index) as usize)
    }

    /// What the register at `offset` reads as, which is 0 where there is none.
    pub fn value(&self, description: &Description, offset: u32) -> u32 {
        let found = description.register_at(offset);
        if found.is_none_or(|(it, _)| it.permission == Permission::WriteOnly) {
            return 0;
        }
        let place = Kept::place(description, offset);
        place
            .and_then(|place| self.0.get(place))
            .map_or(0, |it| *it)
    }

    /// Sets a register, read-only or not.
    pub fn set(&mut self, description: &Description, offset: u32, value: u32) {
        let place = Kept::place(description, offset);
        if let Some(register) = place.and_then(|place| self.0.get_mut(place)) {
            *register = value;
        }
    }

    /// A read by the core.
    pub fn read(
        &self,
        description: &Description,
        offset: u32,
        width: Width,
        context: &mut Context,
    ) -> u32 {
        let register = ccsr::register_offset(offset);
        if description.register_at(register).is_none() {
            hole::warn_of_read(context, register);
        }
        ccsr::read(self.value(description, register), offset, width)
    }

    /// A write by the core. Gives the register and what was written to it, which is not kept yet; `None` where nothing can be written.
    pub fn written(
        &self,
        description: &Description,
        offset: u32,
        width: Width,
        value: u32,
        context: &mut Context,
    ) -> Option<(u32, u32)> {
        let register = ccsr::register_offset(offset);
        let before = self.value(description, register);
        ccsr::is_writable(description, register, value, context)
            .then(|| (register, ccsr::merged(before, offset, width, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::freescale::{law, mcm};

    #[test]
    fn registers_of_another_table_are_refused() {
        let kept = Kept::new(&law::DESCRIPTION);
        let bytes = state::save(&kept);
        assert!(Kept::restore(&law::DESCRIPTION, &bytes).is_ok());
        let error = Kept::restore(&mcm::DESCRIPTION, &bytes).expect_err("another table");
        assert_eq!(error.reason, "24 registers are not those of the table");
    }
}
