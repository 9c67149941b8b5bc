//! A block of which the machine needs no more than registers that keep what is written.

use super::kept::Kept;
use crate::state;
use socscope_device::{Context, Description, Device, RestoreError};
use socscope_memory::Width;

/// Such a block, by its table.
pub(super) struct Block {
    description: &'static Description,
    registers: Kept,
}

impl Block {
    pub fn boxed(description: &'static Description) -> Box<dyn Device> {
        Box::new(Block {
            description,
            registers: Kept::new(description),
        })
    }
}

impl Device for Block {
    fn description(&self) -> &'static Description {
        self.description
    }

    fn reset(&mut self, _context: &mut Context) {
        self.registers = Kept::new(self.description);
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        self.registers
            .read(self.description, offset, width, context)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let written = self
            .registers
            .written(self.description, offset, width, value, context);
        if let Some((register, value)) = written {
            self.registers.set(self.description, register, value);
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        Some(self.registers.value(self.description, offset & !3))
    }

    fn save(&self) -> Vec<u8> {
        state::save(&self.registers)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.registers = Kept::restore(self.description, bytes)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::bench::Bench;
    use socscope_memory::Width;

    #[test]
    fn registers_keep_what_is_written_byte_by_byte() {
        let mut bench = Bench::new("fsl,mcm-law");
        let window_1 = 0xc28;
        bench.write(window_1, 0x1122_3344);
        bench.write_width(window_1 + 3, Width::Byte, 0x55);
        assert_eq!(bench.read(window_1), 0x1122_3355);
        assert_eq!(bench.read_width(window_1 + 2, Width::Half), 0x3355);
        bench.save_and_restore();
        assert_eq!(bench.read(window_1), 0x1122_3355);
        bench.call(|device, context| device.reset(context));
        assert_eq!(bench.read(window_1), 0);
        assert!(bench.warnings.is_empty());
    }
}
