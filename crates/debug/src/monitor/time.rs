//! Monitor commands that look at time, or move in it.

use crate::debugger::Debugger;
use socscope_machine::Input;
use socscope_time::Instant;

/// What GDB shows of registers and threads is from before a command that moves the machines.
const STALE: &str = "GDB does not know of it yet: 'maintenance flush register-cache' makes it look";

pub(super) fn time(debugger: &mut Debugger<'_>, _: &[&str]) -> Result<String, String> {
    let past = if debugger.in_past() {
        ", in the past"
    } else {
        ""
    };
    let begin = debugger.begin().map_err(|error| error.to_string())?;
    let machine = &debugger.machines[debugger.focus];
    Ok(format!(
        "{} ms, cycle {}{past}; the history begins at {} ms",
        milliseconds(machine.now()),
        machine.cycle(),
        milliseconds(begin)
    ))
}

pub(super) fn goto(debugger: &mut Debugger<'_>, arguments: &[&str]) -> Result<String, String> {
    let [text] = arguments else {
        return Err("monitor goto TIME: 12ms, 1.5s, 800us, 123456cycles, or present".into());
    };
    if *text == "present" {
        debugger
            .return_to_present()
            .map_err(|error| format!("monitor goto: {error}"))?;
    } else {
        let clock = debugger.machines[debugger.focus].clock();
        let time = match text.strip_suffix("cycles") {
            Some(cycles) => cycles.parse().ok().map(|cycles| clock.instant_of(cycles)),
            None => instant(text),
        };
        let time = time.ok_or_else(|| {
            format!(
                "monitor goto {text}: no time: write 12ms, 1.5s, 800us, 123456cycles, or present"
            )
        })?;
        debugger
            .goto(time)
            .map_err(|error| format!("monitor goto: {error}"))?;
    }
    Ok(format!("{}\n{STALE}", self::time(debugger, &[])?))
}

pub(super) fn reset(debugger: &mut Debugger<'_>, _: &[&str]) -> Result<String, String> {
    debugger.past_changes();
    debugger.machines[debugger.focus]
        .apply(Input::Reset)
        .map_err(|error| error.to_string())?;
    let pc = debugger.machines[debugger.focus].pc();
    Ok(format!(
        "reset; the next instruction is at {pc:#010x}\n{STALE}"
    ))
}

pub(super) fn restart(debugger: &mut Debugger<'_>, _: &[&str]) -> Result<String, String> {
    debugger.start_again().map_err(|error| error.to_string())?;
    Ok(format!("{}\n{STALE}", time(debugger, &[])?))
}

pub(super) fn steps(debugger: &mut Debugger<'_>, arguments: &[&str]) -> Result<String, String> {
    match arguments {
        ["over"] => debugger.steps_into_interrupts = false,
        ["into"] => debugger.steps_into_interrupts = true,
        [] => {}
        _ => return Err("monitor steps over|into".into()),
    }
    Ok(if debugger.steps_into_interrupts {
        "steps stop in interrupts that come first".into()
    } else {
        "steps run interrupts that come first to their end".into()
    })
}

/// Exact: no floating point.
pub(super) fn milliseconds(time: Instant) -> String {
    format!("{}.{:09}", time.0 / 1_000_000_000, time.0 % 1_000_000_000)
}

/// A decimal number with a unit.
fn instant(text: &str) -> Option<Instant> {
    let split = text.find(|one: char| one.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let unit_ps: u64 = match unit {
        "ps" => 1,
        "ns" => 1_000,
        "us" => 1_000_000,
        "ms" => 1_000_000_000,
        "s" => 1_000_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut total = whole.parse::<u64>().ok()?.checked_mul(unit_ps)?;
    let mut digit_ps = unit_ps;
    for digit in fraction.chars() {
        digit_ps /= 10;
        total = total.checked_add(u64::from(digit.to_digit(10)?) * digit_ps)?;
    }
    Some(Instant(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(instant("12ms"), Some(Instant(12_000_000_000)));
        assert_eq!(instant("1.5s"), Some(Instant(1_500_000_000_000)));
        assert_eq!(instant("0.0000000000011s"), Some(Instant(1)));
        assert_eq!(instant("7ps"), Some(Instant(7)));
        assert_eq!(milliseconds(Instant(12_000_000_345)), "12.000000345");
        for wrong in [
            "",
            "12",
            "ms",
            "1,5s",
            "1.5.5s",
            "99999999999999s",
            "-1ms",
            "1.xs",
        ] {
            assert_eq!(instant(wrong), None, "{wrong}");
        }
    }
}
