//! Monitor commands about tasks and cores.

use crate::debugger::Debugger;
use std::fmt::Write;

pub(super) fn tasks(debugger: &mut Debugger<'_>, arguments: &[&str]) -> Result<String, String> {
    let focus = debugger.focus;
    let Some(table) = debugger.task_tables[focus].clone() else {
        return Err(
            "monitor tasks: the image is of no operating system that is known: see docs/how-to/add-an-os-awareness.md"
                .into(),
        );
    };
    let views: Vec<&str> = table.views.iter().map(|view| view.name.as_str()).collect();
    match arguments {
        [] => {}
        [view] if views.contains(view) => debugger.view = Some((*view).into()),
        [other, ..] => {
            return Err(format!(
                "monitor tasks {other}: no such view: {}",
                views.join(", ")
            ));
        }
    }
    let tasks = debugger.tasks(focus);
    if tasks.is_empty() {
        return Ok(format!("{}: no tasks yet", table.system));
    }
    let mut text = String::new();
    for task in tasks {
        let _ = writeln!(
            text,
            "{:#010x}  {:<16} {:<12} {}",
            task.address,
            task.name,
            task.state,
            task.details()
        );
    }
    let view = debugger.view.as_deref().unwrap_or("the first that fits");
    let _ = write!(text, "view: {view} of {}", views.join(", "));
    Ok(text)
}

pub(super) fn core(debugger: &mut Debugger<'_>, arguments: &[&str]) -> Result<String, String> {
    let count = debugger.machines.len();
    if let [text, ..] = arguments {
        let number = text.parse::<usize>().ok();
        debugger.focus = number
            .and_then(|number| number.checked_sub(1))
            .filter(|&index| index < count)
            .ok_or_else(|| format!("monitor core {text}: cores have numbers from 1 to {count}"))?;
    }
    let mut text = String::new();
    for (index, machine) in debugger.machines.iter().enumerate() {
        let mark = if index == debugger.focus { '*' } else { ' ' };
        let place = match debugger
            .symbols
            .get(index)
            .and_then(|one| one.at(machine.turn() as u16, machine.pc()))
        {
            Some((name, 0)) => format!(" in {name}"),
            Some((name, offset)) => format!(" in {name}+{offset}"),
            None => String::new(),
        };
        let _ = writeln!(
            text,
            "{mark} {}  {} at {:#010x}{place}",
            index + 1,
            machine.platform(),
            machine.pc()
        );
    }
    Ok(text)
}
