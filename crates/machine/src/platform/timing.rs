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
        "socscope,timing",
        "The timing model: the core's own by its name, \"fixed-cpi\" or \"caches\"; when absent the core's own, and \"fixed-cpi\" where it has none.",
    ),
    (
        "socscope,cpi",
        "For \"fixed-cpi\" and \"caches\": <cycles instructions>; a cycle an instruction when absent.",
    ),
];

/// The timing model of a core's node.
pub(crate) fn timing_of(tree: &Tree, cpu: NodeIndex) -> Result<Timing, BuildError> {
    let path = &tree.node(cpu).path;
    let own = core_model(tree, cpu)?.own_timing();
    let wanted = tree.string(cpu, "socscope,timing")?;
    let choices: Vec<&str> = own.into_iter().chain(["fixed-cpi", "caches"]).collect();
    match wanted.as_deref().or(own).unwrap_or("fixed-cpi") {
        name if own == Some(name) => {
            Timing::own(name).ok_or_else(|| no_model(path, name, &choices))
        }
        "fixed-cpi" => Ok(Timing::FixedCpi(ratio_of(tree, cpu)?)),
        "caches" => {
            let caches = caches::caches_of(tree, cpu)?;
            let model = CacheModel::new(ratio_of(tree, cpu)?, &caches, vec![]);
            Ok(Timing::Caches(Box::new(model)))
        }
        name => Err(no_model(path, name, &choices)),
    }
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

fn no_model(path: &str, name: &str, choices: &[&str]) -> BuildError {
    let quoted: Vec<String> = choices.iter().map(|name| format!("{name:?}")).collect();
    let (last, first) = quoted.split_last().expect("two are for every core");
    let reason = format!("no timing model of this core is called {name:?}");
    let remedy = format!("choose {} or {last}", first.join(", "));
    property_error(path, "socscope,timing", reason, remedy)
}
