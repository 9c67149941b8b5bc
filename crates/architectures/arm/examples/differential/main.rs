//! Makes random instruction sequences from the encoding tables, executes them, and writes states before and after to standard output,
//! for a comparison with another implementation. Arguments: seed, number of instructions, the core's name, `arm` or `thumb`.

mod exclusions;
mod generator;
mod journal;
mod report;
#[path = "../../../../core/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;
mod watch;

use generator::Generator;
use socscope_arm::{CoreModel, InstructionSet};
use std::io::{self, BufWriter, Write};

#[expect(
    clippy::disallowed_methods,
    reason = "a tool for tests, which talks over pipes"
)]
fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, count, model, set] = arguments.as_slice() else {
        return Err(io::Error::other(
            "usage: differential SEED INSTRUCTIONS MODEL arm|thumb",
        ));
    };
    let number = |text: &str| text.parse::<u64>().map_err(io::Error::other);
    let (seed, count) = (number(seed)?, number(count)?);
    let named = |known: &CoreModel| known.name() == model;
    let model = CoreModel::ALL.into_iter().find(named);
    let model = model.ok_or_else(|| io::Error::other("no model of that name"))?;
    let set = match set.as_str() {
        "arm" => InstructionSet::Arm,
        "thumb" => InstructionSet::Thumb,
        other => return Err(io::Error::other(format!("no instruction set: {other}"))),
    };
    let mut output = BufWriter::new(io::stdout().lock());
    let mut generator = Generator::new(seed, model, set);
    while generator.statistics.total() < count {
        let batch = generator.batch();
        output.write_all(&report::batch(&batch))?;
    }
    output.write_all(&report::statistics(&generator.statistics, model, set))?;
    output.flush()
}
