//! The verdict: the translating engine against the interpreter, with and without the profile, cut and uncut.

use crate::image::Image;
use crate::plan::Plan;
use crate::run::{Trail, Way, core_differences, run};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Stop};
use socscope_probe::{CoreProfile, Functions, Profile, Span, Window};
use std::fmt::Write;

/// A difference between two runs that must be alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Which run differs from the interpreter's.
    pub run: String,
    /// The piece after which it was seen.
    pub piece: usize,
    /// What differs.
    pub what: String,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Instructions that the interpreter executed.
    pub instructions: u64,
    /// Instructions that translating runs executed and that were compared with them.
    pub compared: u64,
    /// Those of them that were executed as translated code.
    pub translated: u64,
    /// States that were compared.
    pub states: u64,
}

/// The interpreter's run, which the others are held against.
pub struct Reference {
    trail: Trail,
    profile: String,
    /// What it executed.
    pub instructions: u64,
}

impl Reference {
    /// Runs the interpreter with the profile on.
    pub fn new(blob: &[u8], image: &Image, plan: &Plan) -> Reference {
        let way = Way {
            blob,
            image,
            plan,
            engine: Engine::Interpreted,
        };
        let (trail, profile) = run(&way, |machine| profile_of(machine, image), |_, _| {});
        Reference {
            instructions: spans(&profile).map(|span| span.instructions).sum(),
            profile: tables(&profile),
            trail,
        }
    }

    /// Holds a run in the same pieces against this one.
    pub fn same(&self, name: &str, found: &Trail) -> Result<u64, Divergence> {
        for (piece, (expected, found)) in self.trail.views.iter().zip(&found.views).enumerate() {
            let mut what = String::new();
            if expected.stop != found.stop {
                let _ = write!(what, " stop {:?} for {:?};", found.stop, expected.stop);
            }
            if expected.cycle != found.cycle {
                let _ = write!(what, " cycle {} for {};", found.cycle, expected.cycle);
            }
            what += &core_differences(&expected.core, &found.core);
            if what.is_empty() && expected.hash != found.hash {
                what =
                    " state hash (memory, devices, events or timing; core and cycle agree);".into();
            }
            if !what.is_empty() {
                return Err(Divergence {
                    run: name.into(),
                    piece,
                    what: what.trim().into(),
                });
            }
        }
        self.same_records(name, found)?;
        Ok(self.trail.views.len() as u64)
    }

    fn same_records(&self, name: &str, found: &Trail) -> Result<(), Divergence> {
        let records = (self.trail.records.as_str(), found.records.as_str());
        self.same_text(name, "records", records)
    }

    /// Holds a run in other pieces against this one, at the end.
    fn same_end(&self, name: &str, found: &Trail) -> Result<u64, Divergence> {
        let (Some(expected), Some(end)) = (self.trail.views.last(), found.views.last()) else {
            return Ok(0);
        };
        if expected.hash != end.hash || expected.cycle != end.cycle {
            let mut what = format!("cycle {} for {};", end.cycle, expected.cycle);
            what += &core_differences(&expected.core, &end.core);
            return Err(Divergence {
                run: name.into(),
                piece: self.trail.views.len() - 1,
                what,
            });
        }
        self.same_records(name, found)?;
        Ok(1)
    }

    fn same_text(
        &self,
        name: &str,
        kind: &str,
        (expected, found): (&str, &str),
    ) -> Result<(), Divergence> {
        if expected == found {
            return Ok(());
        }
        let lines = expected.lines().zip(found.lines());
        let differing = lines.filter(|(a, b)| a != b).take(1);
        let mut what = format!("{kind}: ");
        for (expected, found) in differing {
            let _ = write!(what, "{found} for {expected}");
        }
        Err(Divergence {
            run: name.into(),
            piece: self.trail.views.len() - 1,
            what,
        })
    }

    /// Whether the guest came to its end by itself: such an end is seen at other moments when a run is cut elsewhere.
    fn stuck(&self) -> bool {
        let last = self.trail.views.last();
        last.is_some_and(|view| matches!(view.stop, Stop::Stuck(_) | Stop::Loop(_)))
    }
}

/// Runs a program in every way and compares.
///
/// # Errors
/// The first difference.
pub fn compare(blob: &[u8], image: &Image, plan: &Plan) -> Result<Compared, Divergence> {
    let reference = Reference::new(blob, image, plan);
    let engine = Engine::Translated;
    let mut total = Compared {
        instructions: reference.instructions,
        ..Compared::default()
    };
    let way = Way {
        blob,
        image,
        plan,
        engine,
    };
    let (trail, _) = run(&way, |_| Unobserved, |_, _| {});
    total.states += reference.same("translated", &trail)?;
    total.add(&reference, &trail);
    if !reference.stuck() {
        let uncut = plan.uncut();
        let way = Way {
            plan: &uncut,
            ..way
        };
        let name = "translated in one piece, profiled";
        let (trail, profile) = run(&way, |machine| profile_of(machine, image), |_, _| {});
        total.states += reference.same_end(name, &trail)?;
        let found = tables(&profile);
        reference.same_text(name, "profile", (&reference.profile, &found))?;
        total.add(&reference, &trail);
    }
    Ok(total)
}

impl Compared {
    fn add(&mut self, reference: &Reference, found: &Trail) {
        self.compared += reference.instructions;
        self.translated += reference.instructions.saturating_sub(found.interpreted);
    }
}

fn profile_of(machine: &Machine, image: &Image) -> Profile {
    let ranges: Vec<_> = image
        .functions
        .iter()
        .enumerate()
        .map(|(index, (_, start, end))| (*start, *end, index as i64))
        .collect();
    let functions = Functions::new(&ranges).expect("functions are disjoint");
    Profile::new(machine, functions, Window::All)
}

fn spans(profile: &Profile) -> impl Iterator<Item = Span> {
    profile.cores().iter().flat_map(CoreProfile::spans)
}

/// All that a profile has counted, as text.
fn tables(profile: &Profile) -> String {
    let mut text = String::new();
    for core in profile.cores() {
        for (node, counts) in core.nodes().iter().zip(core.counts()) {
            let code: Vec<_> = counts.code().collect();
            let data: Vec<_> = counts.data_accesses().collect();
            let _ = writeln!(text, "{node:?} {code:?} {data:?}");
        }
        for row in core.registers() {
            let _ = writeln!(text, "{row:?}");
        }
        for interrupt in core.interrupts() {
            let _ = writeln!(text, "{interrupt:?}");
        }
        for exception in core.exceptions() {
            let _ = writeln!(text, "{exception:?}");
        }
    }
    for transfer in profile.dma_transfers() {
        let _ = writeln!(text, "{transfer:?}");
    }
    let _ = writeln!(text, "{:?}", spans(profile).collect::<Vec<_>>());
    text
}
