//! Inputs in a record: what people read of them, and how they are kept.

use crate::inputs::input::Input;
use crate::machine::Machine;

impl Input {
    /// What kind of input it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Input::Serial { .. } => "serial",
            Input::Wire { .. } => "wire",
            Input::Waveform { .. } => "waveform",
            Input::BitErrors { .. } => "bit errors",
            Input::Line { .. } => "line",
            Input::Poke { .. } | Input::CorePoke { .. } => "memory",
            Input::Register { .. } | Input::CoreRegister { .. } => "register",
            Input::Boot(_) => "boot",
            Input::Reset => "reset",
            Input::Count { .. } => "count",
            Input::Image { .. } => "image",
            Input::DeviceAttribute { .. } => "attribute",
            Input::Attach { .. } => "attach",
            Input::AddNode { .. } => "device",
            Input::Detach { .. } => "detach",
        }
    }

    /// What it reaches: a port, a device with its line or attribute, an address, a register; nothing where it is the whole machine.
    pub fn target(&self) -> String {
        match self {
            Input::Serial { port, .. }
            | Input::Wire { port }
            | Input::Waveform { port, .. }
            | Input::BitErrors { port, .. } => port.clone(),
            Input::Line { device, line, .. } => format!("{device}.{line}"),
            Input::DeviceAttribute { device, name, .. } => format!("{device}.{name}"),
            Input::Attach { attachment, .. } => attachment.name.clone(),
            Input::Detach { device } => device.clone(),
            Input::Poke { address, .. } => format!("{address:#010x}"),
            Input::CorePoke { core, address, .. } => format!("cpu{core}.{address:#010x}"),
            Input::Register { number, .. } => format!("r{number}"),
            Input::Image { core, .. } => format!("cpu{core}"),
            Input::CoreRegister { core, number, .. } => format!("cpu{core}.r{number}"),
            _ => String::new(),
        }
    }

    /// The same with the names that a machine's registers have.
    pub fn target_in(&self, machine: &Machine) -> String {
        match self {
            Input::CoreRegister { core, number, .. } => {
                let file = machine.core(usize::from(*core)).register_file();
                format!("cpu{core}.{}", file.name(usize::from(*number)))
            }
            _ => self.target(),
        }
    }

    /// What comes, in words; bytes are not repeated here.
    pub fn detail(&self) -> String {
        match self {
            Input::Waveform { waveform, .. } => format!(
                "levels {:#b} in {} bits of {} ps from {} ps on",
                waveform.levels, waveform.bits, waveform.bit_time_ps, waveform.start.0
            ),
            Input::BitErrors { rate, seed, .. } => format!("rate {rate}, seed {seed}"),
            Input::Line { level, .. } => if *level { "high" } else { "low" }.into(),
            Input::Register { value, .. } | Input::CoreRegister { value, .. } => {
                format!("{value:#010x}")
            }
            Input::Boot(handover) => handover.append.clone(),
            Input::Image { name, .. } => name.clone(),
            Input::Count { on } => if *on { "on" } else { "off" }.into(),
            _ => String::new(),
        }
    }

    /// The bytes that come, where it is bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Input::Serial { bytes, .. }
            | Input::Poke { bytes, .. }
            | Input::CorePoke { bytes, .. } => bytes,
            Input::DeviceAttribute { value, .. } => value,
            Input::Boot(handover) => &handover.initrd,
            Input::Image { bytes, .. } => bytes,
            Input::AddNode { blob } => blob,
            _ => &[],
        }
    }

    /// The whole of it as bytes, for a record.
    pub fn encoded(&self) -> Vec<u8> {
        match postcard::to_allocvec(self) {
            Ok(bytes) => bytes,
            Err(error) => unreachable!("every part of an input has a length: {error}"),
        }
    }

    /// What [`Input::encoded`] gave; `None` when it is something else.
    pub fn decoded(bytes: &[u8]) -> Option<Input> {
        match postcard::take_from_bytes(bytes) {
            Ok((input, [])) => Some(input),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_come_back_whole_or_not_at_all() {
        let input = Input::BitErrors {
            port: "usart1".into(),
            rate: 0.1,
            seed: u64::MAX,
        };
        let bytes = input.encoded();
        assert_eq!(Input::decoded(&bytes), Some(input.clone()));
        assert_eq!(Input::decoded(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Input::decoded(&[bytes, vec![0]].concat()), None);
        assert_eq!(
            (input.kind(), input.target(), input.detail()),
            (
                "bit errors",
                "usart1".into(),
                "rate 0.1, seed 18446744073709551615".into()
            )
        );
    }
}
