//! The timing model that a platform chooses: `socscope,timing` of the cpu node.

mod caches;

use crate::platform::cores::core_model;
use crate::platform::error::property_error;
use crate::platform::tree::{NodeIndex, Tree};
use socscope_device::{BuildError, Declared};
use socscope_engines::Timing;
use socscope_timing::{CacheModel, FixedCpi};

pub(crate) use caches::{CACHE_PROPERTIES, CPU_CACHE_PROPERTIES};
pub(crate) const CPU_PROPERTIES: &[Declared] = &[
    (
        TIMING,
        "The timing model: one of the core's own by its name (docs/how-to/add-a-platform.md has them), \"fixed-cpi\" or \"caches\"; when absent the core's bus cycles where there is such a model, else \"fixed-cpi\".",
    ),
    (
        BASE,
        "For \"caches\", what instructions take between them: \"fixed-cpi\" (also when absent), or the core's pipeline by its name.",
    ),
    (
        "socscope,cpi",
        "For \"fixed-cpi\" and \"caches\": <cycles instructions>; a cycle an instruction when absent.",
    ),
];

const TIMING: &str = "socscope,timing";
const BASE: &str = "socscope,base-timing";
const FIXED: &str = "fixed-cpi";

/// The timing model of a core's node.
pub(crate) fn timing_of(tree: &Tree, cpu: NodeIndex) -> Result<Timing, BuildError> {
    let path = &tree.node(cpu).path;
    let model = core_model(tree, cpu)?;
    let (own, pipeline) = (model.own_timing(), model.pipeline_timing());
    let wanted = tree.string(cpu, TIMING)?;
    let its_own = own.into_iter().chain(pipeline);
    let choices: Vec<&str> = its_own.clone().chain([FIXED, "caches"]).collect();
    let wanted = wanted.as_deref().or(own).unwrap_or(FIXED);
    let unknown = || no_model((path, TIMING), wanted, &choices);
    match wanted {
        FIXED => Ok(Timing::FixedCpi(ratio_of(tree, cpu)?)),
        "caches" => cached(tree, cpu, pipeline),
        name if its_own.clone().any(|own| own == name) => Timing::own(name).ok_or_else(unknown),
        _ => Err(unknown()),
    }
}

/// Caches, and what instructions take between them.
fn cached(tree: &Tree, cpu: NodeIndex, pipeline: Option<&str>) -> Result<Timing, BuildError> {
    let path = &tree.node(cpu).path;
    let caches = caches::caches_of(tree, cpu)?;
    let wanted = tree.string(cpu, BASE)?;
    let wanted = wanted.as_deref().unwrap_or(FIXED);
    if wanted == FIXED {
        let model = CacheModel::new(ratio_of(tree, cpu)?, &caches, vec![]);
        return Ok(Timing::Caches(Box::new(model)));
    }
    let own = pipeline.filter(|own| *own == wanted);
    let model = own.and_then(|own| Timing::own_between(own, &caches));
    model.ok_or_else(|| {
        let choices: Vec<&str> = pipeline.into_iter().chain([FIXED]).collect();
        no_model((path, BASE), wanted, &choices)
    })
}

/// The cost of an instruction, as `socscope,cpi` gives it; a cycle when absent.
fn ratio_of(tree: &Tree, cpu: NodeIndex) -> Result<FixedCpi, BuildError> {
    const PROPERTY: &str = "socscope,cpi";
    let path = &tree.node(cpu).path;
    match tree.cells(cpu, PROPERTY)?[..] {
        [] => Ok(FixedCpi::SINGLE_CYCLE),
        [cycles, instructions] => FixedCpi::new(cycles, instructions).map_err(|error| {
            property_error(path, PROPERTY, error.to_string(), "give a positive ratio")
        }),
        ref others => {
            let reason = format!("{} cells where two are expected", others.len());
            let remedy = "give <cycles instructions>";
            Err(property_error(path, PROPERTY, reason, remedy))
        }
    }
}

fn no_model((path, property): (&str, &str), name: &str, choices: &[&str]) -> BuildError {
    let quoted: Vec<String> = choices.iter().map(|name| format!("{name:?}")).collect();
    let (last, first) = quoted.split_last().expect("one is for every core");
    let reason = format!("no timing model of this core is called {name:?}");
    let remedy = match first {
        [] => format!("choose {last}"),
        _ => format!("choose {} or {last}", first.join(", ")),
    };
    property_error(path, property, reason, remedy)
}
