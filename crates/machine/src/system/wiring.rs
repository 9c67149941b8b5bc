//! Lines between devices and to the core.

use crate::running::signals::CoreLine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Sink {
    Core { core: u16, line: CoreLine },
    Device { device: u16, input: u32 },
}

/// Stands for the board around the chip where a device that drives a line is named.
const OUTSIDE: u16 = u16::MAX;

/// All lines. Several sources on one sink are ORed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Wiring {
    sinks: BTreeMap<(u16, u32), Sink>,
    asserted: BTreeMap<Sink, Vec<(u16, u32)>>,
}

impl Wiring {
    /// Connects output `output` of `device`.
    pub fn connect(&mut self, device: u16, output: u32, sink: Sink) {
        self.sinks.insert((device, output), sink);
    }

    /// Cuts all lines that go out of a device. They must be low.
    pub fn disconnect(&mut self, device: u16) {
        self.sinks.retain(|&(source, _), _| source != device);
    }

    /// Whether all lines end at devices, inputs and cores that there are; `inputs` says how many inputs a device has.
    pub fn fits(&self, inputs: impl Fn(u16) -> Option<usize>, cores: usize) -> bool {
        let sources = self.asserted.values().flatten().chain(self.sinks.keys());
        let ends = self.asserted.keys().chain(self.sinks.values());
        sources
            .into_iter()
            .all(|&(device, _)| device == OUTSIDE || inputs(device).is_some())
            && ends.into_iter().all(|end| match *end {
                Sink::Core { core, .. } => usize::from(core) < cores,
                Sink::Device { device, input } => {
                    inputs(device).is_some_and(|count| (input as usize) < count)
                }
            })
    }

    /// The lines of this kind that end at a core, whatever their level.
    pub fn has_line(&self, core: u16, line: CoreLine) -> bool {
        let end = Sink::Core { core, line };
        self.sinks.values().any(|&sink| sink == end)
    }

    /// Sets an output. Gives where the line ends and its new level, when that has changed.
    pub fn drive(&mut self, device: u16, output: u32, level: bool) -> Option<(Sink, bool)> {
        let sink = *self.sinks.get(&(device, output))?;
        self.drive_end((device, output), sink, level)
    }

    /// The board around the chip sets a line that ends at a core, beside the outputs that drive it. Gives its new level, when that has changed.
    pub fn drive_from_outside(&mut self, core: u16, line: CoreLine, level: bool) -> Option<bool> {
        let sink = Sink::Core { core, line };
        let changed = self.drive_end((OUTSIDE, 0), sink, level);
        changed.map(|(_, level)| level)
    }

    fn drive_end(
        &mut self,
        (device, output): (u16, u32),
        sink: Sink,
        level: bool,
    ) -> Option<(Sink, bool)> {
        let sources = self.asserted.entry(sink).or_default();
        let before = !sources.is_empty();
        sources.retain(|&source| source != (device, output));
        if level {
            sources.push((device, output));
        }
        let after = !sources.is_empty();
        (before != after).then_some((sink, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_on_one_sink_are_ored() {
        let mut wiring = Wiring::default();
        let sink = Sink::Device {
            device: 9,
            input: 1,
        };
        wiring.connect(0, 0, sink);
        wiring.connect(1, 0, sink);
        assert_eq!(wiring.drive(0, 0, true), Some((sink, true)));
        assert_eq!(wiring.drive(1, 0, true), None);
        assert_eq!(wiring.drive(0, 0, false), None);
        assert_eq!(wiring.drive(1, 0, false), Some((sink, false)));
    }

    #[test]
    fn the_board_around_is_one_more_source_of_a_cores_line() {
        let mut wiring = Wiring::default();
        let (core, line) = (1, CoreLine::FastInterrupt);
        let sink = Sink::Core { core, line };
        wiring.connect(0, 0, sink);
        assert_eq!(wiring.drive_from_outside(core, line, true), Some(true));
        assert_eq!(wiring.drive(0, 0, true), None);
        assert_eq!(wiring.drive_from_outside(core, line, false), None);
        assert_eq!(wiring.drive(0, 0, false), Some((sink, false)));
        assert!(wiring.fits(|device| (device == 0).then_some(0), 2));
        assert!(!wiring.fits(|device| (device == 0).then_some(0), 1));
    }
}
