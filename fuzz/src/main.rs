//! `make fuzz`: random programs by both engines, for as many instructions as wanted.

use socscope_fuzz::campaign::{self, Options};
use socscope_fuzz::generator::Kind;
use socscope_fuzz::portable;
use std::process::ExitCode;

const USAGE: &str = "usage: socscope-fuzz [--instructions N] [--seed N] [--jobs N] [--keep FOLDER] [--json] [--calls | --powerpc | --mixed]
       socscope-fuzz [--calls] --show SEED
       socscope-fuzz --portable --seed N --instructions N

Runs random programs by the interpreter and by the translating engine and compares states, counts and cycles.
A failing program is made smaller, printed, and kept as an ELF image.

  --instructions N  compare about so many instructions (default 20000000)
  --seed N          the first program's seed (default 1)
  --cycles N        cycles of each program (default 400000)
  --jobs N          programs at a time (default 2)
  --keep FOLDER     where failing programs go (default build/fuzz)
  --json            print the totals as JSON
  --show SEED       print a program instead
  --calls           programs whose calls are hard to follow, with interrupts everywhere
  --powerpc         PowerPC programs of the same kind
  --mixed           programs of two to four cores of several architectures, which write each other's code
  --portable        write programs that every implementation runs alike, and what they leave behind, to a pipe";

fn main() -> ExitCode {
    let mut options = Options::default();
    let mut show = None;
    let (mut portable, mut powerpc, mut mixed) = (false, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = |text: Option<String>| text.and_then(|text| text.parse::<u64>().ok());
        let understood = match argument.as_str() {
            "--json" => {
                options.json = true;
                true
            }
            "--calls" => {
                options.kind = Kind::Calls;
                true
            }
            "--powerpc" => {
                powerpc = true;
                true
            }
            "--mixed" => {
                mixed = true;
                true
            }
            "--portable" => {
                portable = true;
                true
            }
            "--keep" => arguments
                .next()
                .map(|folder| options.keep = folder.into())
                .is_some(),
            "--instructions" => number(arguments.next())
                .map(|n| options.instructions = n)
                .is_some(),
            "--seed" => number(arguments.next()).map(|n| options.seed = n).is_some(),
            "--cycles" => number(arguments.next())
                .map(|n| options.cycles = n.max(1))
                .is_some(),
            "--jobs" => number(arguments.next())
                .map(|n| options.jobs = n.max(1))
                .is_some(),
            "--show" => number(arguments.next()).map(|n| show = Some(n)).is_some(),
            _ => false,
        };
        if !understood {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    if let Some(seed) = show {
        return match campaign::show(seed, options.kind, options.cycles) {
            Ok(text) => {
                print!("{text}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{error}");
                ExitCode::from(2)
            }
        };
    }
    if portable {
        let mut output = std::io::BufWriter::new(std::io::stdout().lock());
        return match portable::write(options.seed, options.instructions, &mut output) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    if mixed {
        return match campaign::run_mixed(&options) {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        };
    }
    let run = if powerpc {
        campaign::run_powerpc
    } else {
        campaign::run
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
