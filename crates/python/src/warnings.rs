//! What whoever reads a record should know.

use socscope_machine::{Chronicle, Machine, Mark};
use socscope_probe::{Marked, ProbeSet};

/// Messages of devices, and accesses without a model.
pub fn warnings(machine: &Machine) -> Vec<String> {
    let log = machine.log();
    let messages = log.messages().iter().map(|message| {
        format!(
            "{}: {} (at {:.6} ms)",
            message.source,
            message.text,
            message.time.0 as f64 / 1e9
        )
    });
    let touched = log.touched().map(|(what, address, count, first)| {
        format!(
            "{what} at {address:#010x}: {count} times, first at {:.6} ms",
            first.0 as f64 / 1e9
        )
    });
    let dropped = (log.dropped() > 0).then(|| format!("{} further messages", log.dropped()));
    let note = machine.image_note().map(String::from).into_iter();
    note.chain(messages).chain(touched).chain(dropped).collect()
}

/// What was so much that it is not all told apart, with what is exact all the same.
pub fn not_told_apart(machine: &Machine, probes: &ProbeSet) -> Vec<String> {
    let profile = probes.get().map(|profile| profile.warnings());
    let tasks = probes.linux().map(|linux| linux.track().warnings());
    let marker = probes.marker();
    let set = marker.and_then(|marker| marks(marker.marked(), |mark: &Marked| mark.cycle));
    let all = profile.into_iter().chain(tasks).flatten();
    all.chain(marks(machine.marks(), |mark: &Mark| mark.cycle))
        .chain(set)
        .chain(characters(machine))
        .collect()
}

fn marks<T, const KEPT: usize>(
    marks: &Chronicle<T, KEPT>,
    cycle: impl Fn(&T) -> u64,
) -> Option<String> {
    let gap = marks.gap()?;
    let before = marks.iter().nth(gap - 1).map(&cycle)?;
    let after = marks.iter_from(gap).next().map(|(_, mark)| cycle(mark))?;
    Some(format!(
        "marks: {} of {} are not in the table marks; they lie between the cycles {before} and {after}",
        marks.left_out(),
        marks.len()
    ))
}

fn characters(machine: &Machine) -> Vec<String> {
    let of_port = |port: &str| {
        let (left_out, count) = machine.characters_left_out(port).ok()?;
        (left_out > 0).then(|| {
            format!(
                "{port}: {left_out} of {count} characters are not in the record; they lie in the middle, and whatever is attached to the port had them"
            )
        })
    };
    machine.ports().into_iter().filter_map(of_port).collect()
}
