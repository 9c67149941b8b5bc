//! The signals that end at cores, by name: `cpu0.irq`.

use crate::machine::Machine;
use crate::platform::error::PlatformError;
use crate::running::signals::CoreLine;

/// A signal that ends at a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreSignal {
    /// Number of the core.
    pub core: u16,
    /// Its name at the core.
    pub line: &'static str,
    /// Its level.
    pub level: bool,
}

impl CoreSignal {
    /// Its name in the machine.
    pub fn name(&self) -> String {
        format!("cpu{}.{}", self.core, self.line)
    }
}

/// The number in the name of a core, as signals and inputs have it.
fn core_number(name: &str) -> Option<u16> {
    let number = name.strip_prefix("cpu")?.parse().ok()?;
    (name == format!("cpu{number}")).then_some(number)
}

impl Machine {
    /// All signals that end at cores, with their levels now.
    pub fn core_signals(&self) -> Vec<CoreSignal> {
        let mut found = vec![];
        for (core, processor) in (0..).zip(&self.processors) {
            let signals = &self.bus.signals[usize::from(core)];
            let held = self.bus.wiring.has_line(core, CoreLine::Enable);
            let own = processor.state.signals().iter().copied();
            for name in own.chain(held.then_some("enable")) {
                if let Some(line) = CoreLine::named(name) {
                    let (line, level) = (name, signals.level(line));
                    found.push(CoreSignal { core, line, level });
                }
            }
        }
        found
    }

    /// The line of a core; `None` when there is no such core, or it has no such line.
    pub(crate) fn line_of_core(&self, core: u16, line: &str) -> Option<CoreLine> {
        let signals = self.processors.get(usize::from(core))?.state.signals();
        CoreLine::named(line).filter(|_| signals.contains(&line))
    }

    /// The board around the chip sets a line of a core; `None` when the name is no core's.
    pub(crate) fn drive_core(
        &mut self,
        name: &str,
        line: &str,
        level: bool,
    ) -> Option<Result<(), PlatformError>> {
        let core = core_number(name)?;
        let known = self.processors.get(usize::from(core))?.state.signals();
        Some(match self.line_of_core(core, line) {
            Some(line) => {
                self.bus.drive_core(core, line, level);
                Ok(())
            }
            None => Err(self.unknown("input line", line, known.to_vec())),
        })
    }
}
