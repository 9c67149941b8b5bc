//! What `monitor` does in GDB: probes, devices, time, tasks.

mod devices;
mod probes;
mod tasks;
mod time;

use crate::debugger::{DebugError, Debugger};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd};
use std::fmt::Write;

/// A command: what it answers, or why it cannot.
type Act = fn(&mut Debugger<'_>, &[&str]) -> Result<String, String>;

struct Command {
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    act: Act,
}

const COMMANDS: [Command; 11] = [
    Command {
        name: "help",
        arguments: "",
        help: "this list",
        act: help,
    },
    Command {
        name: "time",
        arguments: "",
        help: "simulated time, core cycles, and how far back the history goes",
        act: time::time,
    },
    Command {
        name: "goto",
        arguments: "TIME",
        help: "go to a time in the past: 12ms, 1.5s, 800us, 123456cycles, or present",
        act: time::goto,
    },
    Command {
        name: "reset",
        arguments: "",
        help: "press the reset button: memories keep their contents, time goes on",
        act: time::reset,
    },
    Command {
        name: "restart",
        arguments: "",
        help: "go back to where debugging began and forget what came then",
        act: time::restart,
    },
    Command {
        name: "steps",
        arguments: "over|into",
        help: "whether a step runs an interrupt that comes first to its end, or stops in it",
        act: time::steps,
    },
    Command {
        name: "tasks",
        arguments: "[VIEW]",
        help: "tasks of the operating system; with a view, how those that do not run are seen",
        act: tasks::tasks,
    },
    Command {
        name: "core",
        arguments: "[NUMBER]",
        help: "cores, and which one these commands are about",
        act: tasks::core,
    },
    Command {
        name: "device",
        arguments: "[NAME [REGISTER]]",
        help: "devices, or the registers of one; reading has no side effects",
        act: devices::device,
    },
    Command {
        name: "interrupts",
        arguments: "",
        help: "lines to the core, masks, and what the profile knows of each source",
        act: devices::interrupts,
    },
    Command {
        name: "probes",
        arguments: "on|off|reset|print [COUNT]",
        help: "exact counts by function",
        act: probes::probes,
    },
];

impl MonitorCmd for Debugger<'_> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), DebugError> {
        let text = String::from_utf8_lossy(command).into_owned();
        let answer = self.monitor(&text).unwrap_or_else(|error| error);
        out.write_raw(answer.as_bytes());
        if !answer.ends_with('\n') {
            out.write_raw(b"\n");
        }
        Ok(())
    }
}

impl Debugger<'_> {
    /// Carries out a monitor command.
    pub(crate) fn monitor(&mut self, text: &str) -> Result<String, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((&name, arguments)) = words.split_first() else {
            return help(self, &[]);
        };
        let exact = COMMANDS.iter().find(|command| command.name == name);
        let mut abbreviated = COMMANDS
            .iter()
            .filter(|command| command.name.starts_with(name));
        let command = exact.or_else(|| match (abbreviated.next(), abbreviated.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        });
        match command {
            Some(command) => (command.act)(self, arguments),
            None => Err(format!(
                "monitor {name}: no such command: 'monitor help' lists them"
            )),
        }
    }
}

fn help(_: &mut Debugger<'_>, _: &[&str]) -> Result<String, String> {
    let mut text = String::new();
    for command in &COMMANDS {
        let usage = format!("monitor {} {}", command.name, command.arguments);
        let _ = writeln!(text, "{usage:<44} {}", command.help);
    }
    Ok(text)
}
