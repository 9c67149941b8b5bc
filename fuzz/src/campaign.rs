//! Many programs, one after the other and several at a time, with a report.

use crate::board;
use crate::compare::{Compared, Divergence, compare};
use crate::generator::{Kind, program};
use crate::image::Image;
use crate::link;
use crate::listing::listing;
use crate::mixed;
use crate::plan::Plan;
use crate::powerpc;
use crate::program::Program;
use crate::run::Way;
use crate::shrink::shrink;
use socscope_core::Unobserved;
use socscope_machine::Engine;
use std::fmt::Write;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

/// Cycles of one program.
pub const PROGRAM_CYCLES: u64 = 400_000;
const SHRINK_TRIES: u32 = 600;
const DIVERGENCES_MAX: usize = 3;
const PROGRESS_SECONDS: u64 = 5;

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instructions to compare.
    pub instructions: u64,
    /// What the programs are made of.
    pub kind: Kind,
    /// Seed of the first program.
    pub seed: u64,
    /// Cycles of each program.
    pub cycles: u64,
    /// Programs at a time.
    pub jobs: u64,
    /// Where failing programs go.
    pub keep: PathBuf,
    /// Whether the totals are printed as JSON.
    pub json: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            instructions: 20_000_000,
            kind: Kind::Everything,
            seed: 1,
            cycles: PROGRAM_CYCLES,
            jobs: 2,
            keep: "build/fuzz".into(),
            json: false,
        }
    }
}

/// The program of a seed and its image. A program with a branch that cannot reach loses steps until all do.
pub fn linked(seed: u64, kind: Kind) -> (Program, Image) {
    let mut program = program(seed, kind);
    loop {
        if let Some(image) = link(&program) {
            return (program, image);
        }
        let largest = program
            .functions
            .iter_mut()
            .max_by_key(|function| function.body.len());
        if let Some(function) = largest {
            function.body.pop();
        }
    }
}

/// Runs the program of a seed in every way.
///
/// # Errors
/// The first difference.
pub fn check(blob: &[u8], seed: u64, kind: Kind, cycles: u64) -> Result<Compared, Divergence> {
    let (program, image) = linked(seed, kind);
    attempt(blob, &image, &plan(seed, kind, &image, cycles), &program)
}

fn plan(seed: u64, kind: Kind, image: &Image, cycles: u64) -> Plan {
    match kind {
        Kind::Calls => Plan::to_the_end(seed, image),
        _ => Plan::new(seed, image, cycles),
    }
}

/// Compares; a panic is a difference like any other.
fn attempt(
    blob: &[u8],
    image: &Image,
    plan: &Plan,
    program: &Program,
) -> Result<Compared, Divergence> {
    let quiet = program.tasks.and_then(|_| link(&program.uninterrupted()));
    let compared = catch_unwind(AssertUnwindSafe(|| {
        compare(blob, image, plan, quiet.as_ref())
    }));
    compared.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        Err(Divergence {
            run: "a run".into(),
            piece: 0,
            what: format!("panic: {}", text.unwrap_or_default()),
        })
    })
}

/// The program of a seed for people, with what the translating engine did in so many cycles.
///
/// # Errors
/// When the board cannot be compiled.
pub fn show(seed: u64, kind: Kind, cycles: u64) -> io::Result<String> {
    let (program, image) = linked(seed, kind);
    let plan = plan(seed, kind, &image, cycles);
    let way = Way {
        blob: &board::blob()?,
        image: &image,
        plan: &plan,
        engine: Engine::Translated,
    };
    let text = format!("seed {seed}\n{plan:?}\n{}", listing(&program, &image));
    let start = Instant::now();
    let (trail, _) = crate::run::run(&way, |_| Unobserved, |_, _| {});
    let statistics = trail.machine.engine_statistics();
    Ok(format!("{text}{statistics:?} in {:?}\n", start.elapsed()))
}

#[derive(Default)]
struct Totals {
    next_seed: u64,
    programs: u64,
    compared: Compared,
    failures: Vec<(u64, Divergence)>,
    progress_second: u64,
}

/// Runs programs until enough instructions were compared. Gives whether all runs were alike.
///
/// # Errors
/// When the board cannot be compiled or a failing program cannot be kept.
pub fn run(options: &Options) -> io::Result<bool> {
    let blob = board::blob()?;
    let start = Instant::now();
    let totals = Mutex::new(Totals {
        next_seed: options.seed,
        ..Totals::default()
    });
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(seed) = next(&totals, options) {
                    let verdict = check(&blob, seed, options.kind, options.cycles);
                    note(&totals, seed, verdict, start.elapsed().as_secs());
                }
            });
        }
    });
    let totals = totals
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    for (seed, divergence) in &totals.failures {
        explain(&blob, *seed, divergence, options)?;
    }
    let Compared {
        instructions,
        compared,
        translated,
        states,
    } = totals.compared;
    let (programs, divergences) = (totals.programs, totals.failures.len());
    if options.json {
        println!(
            "{{\"programs\": {programs}, \"instructions\": {instructions}, \"compared\": {compared}, \"translated\": {translated}, \"states\": {states}, \"divergences\": {divergences}}}"
        );
    } else {
        println!(
            "Engines against each other: {programs} programs from seed {}, {compared} instructions compared ({} % as translated code) at {states} states, {divergences} divergences",
            options.seed,
            100 * translated / compared.max(1)
        );
    }
    Ok(divergences == 0)
}

/// Runs PowerPC programs until enough instructions were compared. Gives whether all runs were alike.
///
/// # Errors
/// When the board cannot be compiled.
pub fn run_powerpc(options: &Options) -> io::Result<bool> {
    let blob = powerpc::blob()?;
    let check = |seed| powerpc::check(&blob, seed).map(|compared| compared.0);
    Ok(run_each(options, "PowerPC engines", check))
}

/// Runs programs of machines with cores of different architectures; whether both engines agree.
pub fn run_mixed(options: &Options) -> bool {
    let check = |seed| {
        let compared = mixed::check(seed).map_err(|text| format!("seed {seed}: {text}"))?;
        Ok(compared.0)
    };
    run_each(options, "engines of mixed machines", check)
}

/// Runs the programs of one seed after the other; whether all agree. `check` gives the instructions that were compared.
fn run_each(
    options: &Options,
    what: &str,
    check: impl Fn(u64) -> Result<u64, String> + Sync,
) -> bool {
    let check = &check;
    let totals = Mutex::new((options.seed, 0, 0));
    let next = |done: u64, failed: usize| {
        let mut totals = totals.lock().ok()?;
        totals.1 += done;
        totals.2 += failed;
        let seed = totals.0;
        let go_on = totals.1 < options.instructions && totals.2 < DIVERGENCES_MAX;
        totals.0 += u64::from(go_on);
        go_on.then_some(seed)
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                let mut seed = next(0, 0);
                while let Some(number) = seed {
                    let verdict = check(number);
                    if let Err(text) = &verdict {
                        println!("{text}");
                    }
                    let failed = usize::from(verdict.is_err());
                    seed = next(verdict.unwrap_or(0), failed);
                }
            });
        }
    });
    let (seed, instructions, divergences) = totals
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let programs = seed - options.seed;
    println!(
        "{what} against each other: {programs} programs from seed {}, {instructions} instructions, {divergences} divergences",
        options.seed
    );
    divergences == 0
}

fn next(totals: &Mutex<Totals>, options: &Options) -> Option<u64> {
    let mut totals = totals.lock().ok()?;
    let enough = totals.compared.compared >= options.instructions
        || totals.failures.len() >= DIVERGENCES_MAX;
    let seed = totals.next_seed;
    totals.next_seed += 1;
    (!enough).then_some(seed)
}

fn note(totals: &Mutex<Totals>, seed: u64, verdict: Result<Compared, Divergence>, second: u64) {
    let Ok(mut totals) = totals.lock() else {
        return;
    };
    totals.programs += 1;
    match verdict {
        Ok(more) => {
            totals.compared.instructions += more.instructions;
            totals.compared.compared += more.compared;
            totals.compared.translated += more.translated;
            totals.compared.states += more.states;
        }
        Err(divergence) => {
            eprintln!("  seed {seed}: {divergence:?}");
            totals.failures.push((seed, divergence));
        }
    }
    if second >= totals.progress_second + PROGRESS_SECONDS {
        totals.progress_second = second;
        eprintln!(
            "  {second} s: {} programs, {} million instructions compared, {} divergences",
            totals.programs,
            totals.compared.compared / 1_000_000,
            totals.failures.len()
        );
    }
}

/// Makes a failing program smaller, prints it and keeps it.
fn explain(blob: &[u8], seed: u64, divergence: &Divergence, options: &Options) -> io::Result<()> {
    eprintln!("  making the program of seed {seed} smaller ...");
    let (program, image) = linked(seed, options.kind);
    let failure = |program: &Program| {
        let image = link(program)?;
        let plan = plan(seed, options.kind, &image, options.cycles);
        attempt(blob, &image, &plan, program).err()
    };
    let plan = plan(seed, options.kind, &image, options.cycles);
    let small = shrink(&program, SHRINK_TRIES, |program| failure(program).is_some());
    let Some(image) = link(&small) else {
        return Ok(());
    };
    let last = failure(&small).unwrap_or_else(|| divergence.clone());
    let mut report = String::new();
    let _ = writeln!(
        report,
        "seed {seed}: {} differs after piece {} ({:?}, {:?}): {}",
        last.run,
        last.piece,
        plan.cycles,
        plan.pieces.get(last.piece),
        last.what
    );
    report += &listing(&small, &image);
    println!("{report}");
    std::fs::create_dir_all(&options.keep)?;
    std::fs::write(options.keep.join(format!("seed-{seed}.txt")), &report)?;
    std::fs::write(options.keep.join(format!("seed-{seed}.elf")), image.elf())
}
