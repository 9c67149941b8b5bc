//! Monitor commands that look at devices.

use crate::counting::Counting;
use crate::debugger::Debugger;
use socscope_device::{Permission, Register};
use socscope_machine::Machine;
use std::fmt::Write;

pub(super) fn device(debugger: &mut Debugger<'_>, arguments: &[&str]) -> Result<String, String> {
    let machine = &mut debugger.machines[debugger.focus];
    let Some((&name, rest)) = arguments.split_first() else {
        return Ok(list(machine));
    };
    let Some(index) = machine.devices().position(|device| device.name == name) else {
        let known: Vec<&str> = machine.devices().map(|device| device.name).collect();
        return Err(format!(
            "monitor device {name}: no such device: {}",
            known.join(", ")
        ));
    };
    registers(machine, index as u16, rest.first().copied())
}

fn list(machine: &Machine) -> String {
    let mut text = String::new();
    for device in machine.devices() {
        let base = device
            .base
            .map_or_else(|| "no address".into(), |base| format!("{base:#010x}"));
        let _ = writeln!(
            text,
            "{:<10} {base}  {}",
            device.name, device.description.title
        );
    }
    text
}

fn registers(machine: &mut Machine, index: u16, wanted: Option<&str>) -> Result<String, String> {
    let Some(device) = machine.devices().nth(usize::from(index)) else {
        return Ok(String::new());
    };
    let (name, base, description) = (device.name.to_owned(), device.base, device.description);
    let fits = |one: &str| wanted.is_none_or(|wanted| one.eq_ignore_ascii_case(wanted));
    let mut text = String::new();
    for register in description.registers {
        for number in 0..register.count.max(1) {
            let label = label(register, number);
            if !fits(&label) && !fits(register.name) {
                continue;
            }
            let offset = register.offset + number * register.stride;
            let at = base.map_or(offset, |base| base.wrapping_add(offset));
            let value = match register.permission {
                Permission::WriteOnly => "write-only".into(),
                _ => machine
                    .peek_register(index, offset)
                    .map_or_else(|| "unknown".into(), |value| format!("{value:#010x}")),
            };
            let _ = writeln!(
                text,
                "{at:#010x}  {label:<12} {value:<12} {}",
                register.summary
            );
        }
    }
    if text.is_empty() {
        let known: Vec<&str> = description.registers.iter().map(|one| one.name).collect();
        return Err(format!(
            "monitor device {name} {}: no such register: {}",
            wanted.unwrap_or_default(),
            known.join(", ")
        ));
    }
    Ok(text)
}

fn label(register: &Register, number: u32) -> String {
    if register.count > 1 {
        format!("{}{number}", register.name)
    } else {
        register.name.into()
    }
}

pub(super) fn interrupts(debugger: &mut Debugger<'_>, _: &[&str]) -> Result<String, String> {
    let focus = debugger.focus;
    let machine = &debugger.machines[focus];
    let mut text = String::new();
    for signal in machine.core_signals() {
        let masked = machine
            .core(usize::from(signal.core))
            .is_masked(signal.line);
        let said = match (signal.level, masked) {
            (true, Some(true)) => "active, masked",
            (true, Some(false)) => "active, taken next",
            (false, Some(true)) => "inactive, masked",
            (false, Some(false)) => "inactive, enabled",
            (true, None) => "active",
            (false, None) => "inactive",
        };
        let _ = writeln!(text, "{}: {said}", signal.name());
    }
    let Some(profile) = debugger.profiles[focus].get() else {
        return Ok(text + "'monitor probes on' counts them by source");
    };
    let names: Vec<&str> = machine.devices().map(|device| device.name).collect();
    let cores = profile.cores().iter();
    for (controller, source, statistics) in cores.flat_map(|core| core.interrupts()) {
        let name = names.get(usize::from(controller)).unwrap_or(&"?");
        let _ = writeln!(
            text,
            "{name} source {source}: {} times, {} spurious",
            statistics.count, statistics.spurious
        );
    }
    if debugger.in_past() && debugger.counting[focus] == Counting::Present {
        text.push_str("the counts are those up to the present; the machine stands in the past\n");
    }
    Ok(text)
}
