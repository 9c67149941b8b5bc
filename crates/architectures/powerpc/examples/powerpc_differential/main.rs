//! Makes random PowerPC instruction sequences from the encoding table, executes them, and writes states before and after to standard
//! output, for a comparison with another implementation. Arguments: seed, number of instructions.

mod exclusions;
mod generator;
mod memories;
mod report;
#[path = "../../../../core/tests/support/mod.rs"]
#[allow(dead_code)]
mod support;
mod values;

use generator::Generator;
use std::io::{self, BufWriter, Write};

#[expect(
    clippy::disallowed_methods,
    reason = "a tool for tests, which talks over pipes"
)]
fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, count] = arguments.as_slice() else {
        return Err(io::Error::other(
            "usage: powerpc_differential SEED INSTRUCTIONS",
        ));
    };
    let number = |text: &str| text.parse::<u64>().map_err(io::Error::other);
    let (seed, count) = (number(seed)?, number(count)?);
    let mut output = BufWriter::new(io::stdout().lock());
    let mut generator = Generator::new(seed);
    while generator.statistics.total() < count {
        let batch = generator.batch();
        output.write_all(&report::batch(&batch))?;
    }
    output.write_all(&report::statistics(&generator.statistics))?;
    output.flush()
}
