//! One run of a program by one engine, and what can be seen of it.

use crate::board;
use crate::image::Image;
use crate::plan::{Plan, Touch};
use socscope_interpreter::Unobserved;
use socscope_isa::arm::{Core, Mode, PROGRAM_COUNTER};
use socscope_machine::{Engine, Machine, MachineObserver, Stop, Until};
use std::fmt::Write;

/// How far a machine goes ahead before it comes back.
const AHEAD_CYCLES: u64 = 20_000;

/// What is seen of a machine between two pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Why the piece ended.
    pub stop: Stop,
    /// Core cycles so far.
    pub cycle: u64,
    /// Hash of the state.
    pub hash: String,
    /// The core, for people.
    pub core: Core,
}

/// What a whole run leaves behind.
pub struct Trail {
    /// After each piece.
    pub views: Vec<View>,
    /// Everything that is no state: logs, characters.
    pub records: String,
    /// The machine at the end.
    pub machine: Machine,
    /// Instructions that the translating engine left to the interpreter.
    pub interpreted: u64,
}

/// A way to run.
pub struct Way<'a> {
    /// The board.
    pub blob: &'a [u8],
    /// The program.
    pub image: &'a Image,
    /// The pieces.
    pub plan: &'a Plan,
    /// The engine.
    pub engine: Engine,
}

/// Runs a program. `observer` makes the probe for the machine; `between` may do something after each piece.
pub fn run<O: MachineObserver>(
    way: &Way,
    observer: impl FnOnce(&Machine) -> O,
    mut between: impl FnMut(&mut Machine, &mut O),
) -> (Trail, O) {
    let Way {
        blob, image, plan, ..
    } = *way;
    let mut machine = board::machine(blob, image, plan.cycles);
    machine.set_engine(way.engine);
    if let Some(threshold) = plan.threshold {
        machine.set_translation_threshold(threshold);
    }
    let mut observer = observer(&machine);
    let mut views = vec![];
    let mut interpreted = 0;
    for (index, piece) in plan.pieces.iter().enumerate() {
        if way.engine == Engine::Translated && plan.fork_at == Some(index) {
            interpreted += machine.engine_statistics().interpreted;
            machine = there_and_back(machine);
        }
        let until = Until {
            time: machine.clock().instant_of(piece.end_cycle),
            addresses: piece.stop_at.into_iter().collect(),
            mark: None,
        };
        let stop = machine.run(&until, &mut observer);
        between(&mut machine, &mut observer);
        let ended = matches!(stop, Stop::Address(at) if plan.end == Some(at));
        let over = ended || matches!(stop, Stop::Stuck(_) | Stop::Loop(_) | Stop::Asleep);
        views.push(View {
            stop,
            cycle: machine.cycle(),
            hash: machine.state_hash(),
            core: machine
                .core(0)
                .arm()
                .expect("the platform's core is an ARM")
                .clone(),
        });
        if over {
            break;
        }
        match &piece.touch {
            Some(Touch::Serial(bytes)) => {
                let port = machine.serial_input("usart1", bytes);
                port.expect("the board has the port");
            }
            Some(Touch::Line(line, level)) => {
                let line = machine.set_input("aic", line, *level);
                line.expect("the controller has the line");
            }
            None => {}
        }
    }
    let trail = Trail {
        views,
        interpreted: interpreted + machine.engine_statistics().interpreted,
        records: records(&machine),
        machine,
    };
    (trail, observer)
}

/// Goes ahead, comes back over a snapshot, and goes on as a copy: nothing of it may be seen.
fn there_and_back(mut machine: Machine) -> Machine {
    let snapshot = machine.snapshot();
    let ahead = machine.clock().instant_of(machine.cycle() + AHEAD_CYCLES);
    machine.run(&Until::time(ahead), &mut Unobserved);
    machine.restore(&snapshot).expect("the machine is the same");
    machine.fork().expect("the machine can be copied")
}

/// Logs and characters as text.
fn records(machine: &Machine) -> String {
    let mut text = String::new();
    for message in machine.log().messages() {
        let _ = writeln!(text, "{message:?}");
    }
    for touched in machine.log().touched() {
        let _ = writeln!(text, "{touched:?}");
    }
    let _ = writeln!(text, "{} more", machine.log().dropped());
    for port in machine.ports() {
        for character in machine.serial_log(port).into_iter().flatten() {
            let _ = writeln!(text, "{port}: {character:?}");
        }
    }
    let _ = writeln!(text, "{:?}", machine.marks());
    text
}

/// In what two cores differ, for people.
pub fn core_differences(expected: &Core, found: &Core) -> String {
    let mut text = String::new();
    let mut differ = |name: String, expected: u32, found: u32| {
        if expected != found {
            let _ = write!(text, " {name} {found:#010x} for {expected:#010x};");
        }
    };
    for index in 0..=PROGRAM_COUNTER {
        differ(
            format!("r{index}"),
            expected.register(index),
            found.register(index),
        );
    }
    differ(
        "cpsr".into(),
        expected.status().bits(),
        found.status().bits(),
    );
    for mode in Mode::ALL {
        for index in 8..PROGRAM_COUNTER {
            differ(
                format!("r{index} of {mode:?}"),
                expected.register_of(mode, index),
                found.register_of(mode, index),
            );
        }
        let saved = |core: &Core| core.saved_status_of(mode).map_or(0, |status| status.bits());
        differ(format!("spsr of {mode:?}"), saved(expected), saved(found));
    }
    if expected.last_fault != found.last_fault {
        let _ = write!(
            text,
            " last fault {:?} for {:?};",
            found.last_fault, expected.last_fault
        );
    }
    text
}
