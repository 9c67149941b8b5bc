//! Both engines, any cuts, checkpoints between the pieces: the same state, and the same tables.

use super::board::{Board, Kind, board, code_of};
use super::program::{entry, functions, program};
use crate::random::Random;
use crate::tables::{self, first_difference};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Input, Machine, MachineObserver, Snapshot, Until};
use socscope_probe::{Functions, ProbeSet, Profile, Window};
use socscope_time::Instant;

/// Simulated time of a program.
const LENGTH_PS: u64 = 200_000_000;
const POWERPC_COUNTER: u8 = 32;
const POWERPC_STATE: u8 = 33;
const ARM_COUNTER: u8 = 15;
const TOY_COUNTER: u8 = 20;
/// Where exceptions of toys go, and a return of which both halves are the same: any byte order reads it.
const VECTOR: u32 = 0x20;
const RETURN: [u8; 2] = [0xa5; 2];

struct Trial {
    blob: Vec<u8>,
    cores: Vec<Kind>,
    programs: Vec<Vec<u8>>,
    threshold: u32,
    pieces: Vec<u64>,
}

impl Trial {
    fn of(seed: u64) -> Trial {
        let mut random = Random(seed ^ 0x317e_d000_0000_0000);
        let Board { cores, source } = board(&mut random);
        let programs = (0..cores.len()).map(|core| program(&cores, core, &mut random));
        let programs = programs.collect();
        let mut pieces: Vec<u64> = (0..1 + random.below(8))
            .map(|_| random.next() % LENGTH_PS)
            .collect();
        pieces.sort_unstable();
        pieces.push(LENGTH_PS);
        Trial {
            blob: crate::board::compile(source.as_bytes()).expect("dtc is installed"),
            cores,
            programs,
            threshold: [1, 1, 2, 5][random.below(4) as usize],
            pieces,
        }
    }

    fn empty(&self, engine: Engine) -> Machine {
        let mut machine = Machine::new(&self.blob, "mixed", &[]).expect("the board is right");
        machine.set_engine(engine);
        machine.set_translation_threshold(self.threshold);
        machine
    }

    fn machine(&self, engine: Engine) -> Machine {
        let mut machine = self.empty(engine);
        machine.poke(VECTOR, &RETURN);
        for (core, kind) in self.cores.iter().enumerate() {
            machine.poke(code_of(core), &self.programs[core]);
            let registers: &[(u8, u32)] = match kind {
                Kind::PowerPc => &[(POWERPC_COUNTER, entry(core)), (POWERPC_STATE, 0x1000)],
                Kind::Arm => &[(ARM_COUNTER, entry(core))],
                Kind::Toy { .. } => &[(TOY_COUNTER, entry(core))],
            };
            for &(number, value) in registers {
                let core = core as u16;
                let input = Input::CoreRegister {
                    core,
                    number,
                    value,
                };
                machine.apply(input).expect("the core has the register");
            }
        }
        machine
    }

    /// States at the ends of pieces; each piece begins in a machine that `between` makes of the one before.
    fn run<O: MachineObserver>(
        &self,
        machine: Machine,
        observer: &mut O,
        mut between: impl FnMut(Machine) -> Machine,
    ) -> (Vec<String>, Machine) {
        let mut machine = machine;
        let mut states = vec![];
        for &piece in &self.pieces {
            let stop = machine.run(&Until::time(Instant(piece)), observer);
            let (moment, hash) = (machine.moment(), machine.state_hash());
            let at = (moment.cycle, moment.part);
            states.push(format!("{stop:?} at {at:?}, state {hash}"));
            machine = between(machine);
        }
        states.extend(
            machine
                .log()
                .messages()
                .iter()
                .map(|one| format!("{one:?}")),
        );
        states.extend(machine.log().touched().map(|one| format!("{one:?}")));
        (states, machine)
    }

    /// The same state in a machine that knows it only from a file.
    fn over_file(&self, mut machine: Machine) -> Machine {
        let sections = machine.snapshot().sections();
        let mut other = self.empty(machine.engine());
        let find = |name: &str| {
            let found = sections.iter().find(|(known, _)| *known == name);
            found.map(|(_, bytes)| bytes.as_slice())
        };
        let copy = Snapshot::from_sections(&other, find).expect("it was written so");
        other.restore(&copy).expect("it is of this machine");
        other
    }

    fn probes(&self, machine: &Machine) -> ProbeSet {
        let all = (0..self.cores.len()).flat_map(functions).zip(0..);
        let ranges: Vec<_> = all
            .map(|((start, end), number)| (start, end, number))
            .collect();
        let functions = Functions::new(&ranges).expect("functions are disjoint");
        ProbeSet::on(Profile::new(machine, functions, Window::All))
    }
}

fn differ(what: &str, difference: Option<String>) -> Result<(), String> {
    difference.map_or(Ok(()), |difference| Err(format!("{what}: {difference}")))
}

/// Runs the programs of a seed in every way and compares. Gives the instructions that were counted, and how often code was written to.
///
/// # Errors
/// The first difference.
pub fn check(seed: u64) -> Result<(u64, u64), String> {
    let trial = Trial::of(seed);
    let same = |machine| machine;
    let slow = trial.machine(Engine::Interpreted);
    let mut reference = trial.probes(&slow);
    let (expected, _) = trial.run(slow, &mut reference, same);

    let fast = trial.machine(Engine::Translated);
    let (found, fast) = trial.run(fast, &mut Unobserved, same);
    differ("translated", tables::rows("states", &expected, &found))?;
    let written = fast.engine_statistics().invalidations;

    let files = trial.machine(Engine::Translated);
    let (found, _) = trial.run(files, &mut Unobserved, |one| trial.over_file(one));
    differ("through files", tables::rows("states", &expected, &found))?;

    let mut whole = trial.machine(Engine::Translated);
    let mut other = trial.probes(&whole);
    whole.run(&Until::time(Instant(LENGTH_PS)), &mut other);
    let found = format!("state {}", whole.state_hash());
    let last = trial.pieces.len() - 1;
    if !expected[last].ends_with(&found) {
        return Err(format!("in one piece: {} and {found}", expected[last]));
    }
    let names = |number: i64| format!("[{number}]");
    let [one, two] =
        [&reference, &other].map(|probes| -> &Profile { probes.get().expect("the profile is on") });
    differ("profiled in one piece", first_difference(one, two, &names))?;
    let spans = one.cores().iter().flat_map(|core| core.spans());
    Ok((spans.map(|span| span.instructions).sum(), written))
}
