//! The verdict: the translating engine against the interpreter, with and without the profile, cut and uncut.

use crate::image::Image;
use crate::plan::Plan;
use crate::run::{Trail, Way, core_differences, run};
use crate::tables::{self, first_difference};
use socscope_core::Unobserved;
use socscope_machine::{Engine, Machine, Stop};
use socscope_probe::{
    CoreProfile, CoreSet, Functions, Point, ProbeSet, Profile, Span, Trigger, Window,
};
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
    probes: ProbeSet,
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
        let (trail, probes) = run(&way, |machine| probes_of(machine, image), |_, _| {});
        Reference {
            instructions: spans(profile(&probes)).map(|span| span.instructions).sum(),
            probes,
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
        let (expected, found) = (self.trail.records.lines(), found.records.lines());
        let what = tables::rows("logs and characters", expected, found);
        what.map_or(Ok(()), |what| Err(self.at_end(name, what)))
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

    /// Holds what the probes of a run have found against what those of this one have.
    fn same_probes(&self, name: &str, found: &ProbeSet, image: &Image) -> Result<(), Divergence> {
        let names = |number| name_of(image, number);
        let marks = |probes: &ProbeSet| -> Vec<_> {
            let marker = probes.marker();
            marker
                .iter()
                .flat_map(|marker| marker.marked().iter().copied())
                .collect()
        };
        let what = first_difference(profile(&self.probes), profile(found), &names)
            .or_else(|| tables::rows("marks", marks(&self.probes), marks(found)));
        what.map_or(Ok(()), |what| Err(self.at_end(name, what)))
    }

    /// Holds a run without interrupts against this one: what is outside of handlers has the same counts.
    fn same_without_interrupts(&self, quiet: &ProbeSet, image: &Image) -> Result<(), Divergence> {
        let names = |number| name_of(image, number);
        let [expected, found] =
            [quiet, &self.probes].map(|probes| tables::without_exceptions(profile(probes), &names));
        let what = tables::rows("contexts outside of handlers", expected, found);
        let name = "interpreted and interrupted, against not interrupted";
        what.map_or(Ok(()), |what| Err(self.at_end(name, what)))
    }

    fn at_end(&self, name: &str, what: String) -> Divergence {
        Divergence {
            run: name.into(),
            piece: self.trail.views.len().saturating_sub(1),
            what,
        }
    }

    /// Whether the guest came to its end by itself: such an end is seen at other moments when a run is cut elsewhere.
    fn stuck(&self) -> bool {
        let last = self.trail.views.last();
        last.is_some_and(|view| matches!(view.stop, Stop::Stuck(_) | Stop::Loop(_)))
    }
}

/// Runs a program in every way and compares; `quiet` is the image of the same program without interrupts, which does the same.
///
/// # Errors
/// The first difference.
pub fn compare(
    blob: &[u8],
    image: &Image,
    plan: &Plan,
    quiet: Option<&Image>,
) -> Result<Compared, Divergence> {
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
        let (trail, probes) = run(&way, |machine| probes_of(machine, image), |_, _| {});
        total.states += reference.same_end(name, &trail)?;
        reference.same_probes(name, &probes, image)?;
        total.add(&reference, &trail);
    }
    if let Some(quiet) = quiet {
        let last = reference.trail.views.last();
        if last.is_none_or(|last| last.stop != Stop::Address(image.end)) {
            return Err(reference.at_end("interpreted", "the program does not end".into()));
        }
        let way = Way {
            image: quiet,
            engine: Engine::Interpreted,
            ..way
        };
        let (_, probes) = run(&way, |machine| probes_of(machine, quiet), |_, _| {});
        reference.same_without_interrupts(&probes, image)?;
    }
    Ok(total)
}

impl Compared {
    fn add(&mut self, reference: &Reference, found: &Trail) {
        self.compared += reference.instructions;
        self.translated += reference.instructions.saturating_sub(found.interpreted);
    }
}

/// A profile, and marks at the first instructions of every other function.
fn probes_of(machine: &Machine, image: &Image) -> ProbeSet {
    let ranges: Vec<_> = image
        .functions
        .iter()
        .enumerate()
        .map(|(index, (_, start, end))| (*start, *end, index as i64))
        .collect();
    let functions = Functions::new(&ranges).expect("functions are disjoint");
    let mut probes = ProbeSet::on(Profile::new(machine, functions, Window::All));
    for (number, (name, start, _)) in image.functions.iter().enumerate().skip(1).step_by(3) {
        probes.mark(Point {
            number: number as u32,
            name: name.clone(),
            trigger: Trigger::Address(*start, CoreSet::ALL),
        });
    }
    probes
}

fn profile(probes: &ProbeSet) -> &Profile {
    probes.get().expect("the profile is on")
}

fn name_of(image: &Image, number: i64) -> String {
    let function = usize::try_from(number).ok();
    let function = function.and_then(|number| image.functions.get(number));
    function.map_or(format!("[{number}]"), |(name, start, _)| {
        format!("{name} at {start:#010x}")
    })
}

fn spans(profile: &Profile) -> impl Iterator<Item = Span> {
    profile.cores().iter().flat_map(CoreProfile::spans)
}
