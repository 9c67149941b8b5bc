//! The monitor command for exact counts.

use super::time::milliseconds;
use crate::counting::Counting;
use crate::debugger::Debugger;
use socscope_probe::{FunctionId, Profile, Window};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Functions that are printed unless a number is given.
const COUNT: usize = 10;
const USAGE: &str = "monitor probes on|off|reset|print [COUNT]";

pub(super) fn probes(debugger: &mut Debugger<'_>, arguments: &[&str]) -> Result<String, String> {
    match arguments {
        ["on"] => match live(debugger)? {
            Some(profile) => {
                profile.count(true);
                debugger.probes_changed = true;
                Ok("counting goes on".into())
            }
            None => begin(debugger),
        },
        ["off"] => match live(debugger)? {
            Some(profile) => {
                profile.count(false);
                debugger.probes_changed = true;
                Ok("counting pauses; 'monitor probes print' shows what was counted".into())
            }
            None => Ok("nothing is counted".into()),
        },
        ["reset"] => begin(debugger),
        ["print"] => print(debugger, COUNT),
        ["print", count] => match count.parse() {
            Ok(count) => print(debugger, count),
            Err(_) => Err(format!("monitor probes print {count}: no number: {USAGE}")),
        },
        _ => Err(USAGE.into()),
    }
}

/// The profile that counts where the machine stands, when it goes on.
fn live<'a>(debugger: &'a mut Debugger<'_>) -> Result<Option<&'a mut Profile>, String> {
    let focus = debugger.focus;
    let in_past = debugger.in_past();
    match (debugger.counting[focus], debugger.profiles[focus].get_mut()) {
        (Counting::Ended(_), _) => Ok(None),
        (Counting::Present, Some(_)) if in_past => Err(
            "the machine stands in the past, and these counts are those up to the present: 'monitor goto present' first, or 'monitor probes reset' to \
             count from here"
                .into(),
        ),
        (_, profile) => Ok(profile),
    }
}

/// Counts from nothing on.
fn begin(debugger: &mut Debugger<'_>) -> Result<String, String> {
    let focus = debugger.focus;
    if debugger.in_past() && debugger.machines.len() > 1 {
        return Err(
            "the machines stand in the past, where only a machine without others beside it is counted: 'monitor goto present' first".into(),
        );
    }
    let functions = debugger.symbols[focus]
        .functions()
        .map_err(|start| format!("the function at {start:#010x} overlaps the one before it"))?;
    let mut profile = Profile::new(&debugger.machines[focus], functions, Window::Commands);
    profile.count(true);
    debugger.begin_counting(focus, profile);
    debugger.probes_changed = true;
    Ok("counting begins".into())
}

fn print(debugger: &mut Debugger<'_>, count: usize) -> Result<String, String> {
    let focus = debugger.focus;
    let Some(profile) = debugger.profiles[focus].get() else {
        return Err("nothing is counted: 'monitor probes on' begins".into());
    };
    let mut by_function: BTreeMap<FunctionId, (u64, u64)> = BTreeMap::new();
    for core in profile.cores() {
        for (node, counts) in core.nodes().iter().zip(core.counts()) {
            let sum = by_function.entry(node.function).or_default();
            for (_, instructions, cycles) in counts.code() {
                sum.0 += instructions;
                sum.1 += cycles;
            }
        }
    }
    let total = by_function
        .values()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let mut rows: Vec<_> = by_function.into_iter().collect();
    rows.sort_by_key(|&(function, (instructions, cycles))| {
        (std::cmp::Reverse((cycles, instructions)), function)
    });
    let mut text = format!("{:>14} {:>14}  function\n", "instructions", "cycles");
    for (function, (instructions, cycles)) in rows.into_iter().take(count) {
        let name = debugger.symbols[focus]
            .name(function.0)
            .unwrap_or("(no function)");
        let _ = writeln!(text, "{instructions:>14} {cycles:>14}  {name}");
    }
    let _ = writeln!(text, "{:>14} {:>14}  all", total.0, total.1);
    match debugger.counting[focus] {
        Counting::Ended(time) => {
            let time = milliseconds(time);
            let _ = writeln!(
                text,
                "counting ended at {time} ms, when time was moved or the past changed; 'monitor probes on' begins anew"
            );
        }
        Counting::Present if debugger.in_past() => {
            text.push_str(
                "the counts are those up to the present; the machine stands in the past\n",
            );
        }
        _ => {}
    }
    Ok(text)
}
