//! Two profiles that must be alike, table by table: the one place where they are compared, and where a difference is put into words.

use socscope_probe::{CoreProfile, Counts, Entry, Node, NodeIndex, Profile, RegisterAccess};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Names of functions by their numbers.
pub type Names<'a> = &'a dyn Fn(i64) -> String;

/// The first difference between all tables of two profiles, if there is one.
pub fn first_difference(expected: &Profile, found: &Profile, names: Names) -> Option<String> {
    let cores = expected.cores().iter().zip(found.cores());
    let mut in_cores = cores.enumerate().map(|(number, (expected, found))| {
        let core = core_difference(expected, found, names)?;
        Some(format!("core {number}: {core}"))
    });
    in_cores
        .find_map(|difference| difference)
        .or_else(|| {
            let cores = |profile: &Profile| profile.cores().len();
            rows("number of cores", [cores(expected)], [cores(found)])
        })
        .or_else(|| rows("DMA", expected.dma_transfers(), found.dma_transfers()))
        .or_else(|| {
            let (expected, found) = (expected.folded_transfers(), found.folded_transfers());
            rows("sums of DMA", expected, found)
        })
        .or_else(|| {
            let tasks = |profile: &Profile| profile.kernel().cloned();
            rows("tasks", [tasks(expected)], [tasks(found)])
        })
        .or_else(|| rows("warnings", expected.warnings(), found.warnings()))
}

fn core_difference(expected: &CoreProfile, found: &CoreProfile, names: Names) -> Option<String> {
    let paths = |core: &CoreProfile| -> Vec<String> {
        let nodes = core.nodes();
        let place = |index| path(nodes, NodeIndex(index as u32), names);
        (0..nodes.len()).map(place).collect()
    };
    let all = paths(expected);
    let of = |node: NodeIndex| all[node.0 as usize].clone();
    rows("context", all.iter(), paths(found).iter())
        .or_else(|| counts_difference(expected, found, &all))
        .or_else(|| {
            let named = |core: &CoreProfile| -> Vec<_> {
                let entries = core.entries().unwrap_or_default();
                all.iter().cloned().zip(entries).collect()
            };
            rows("entries", named(expected), named(found))
        })
        .or_else(|| {
            let named = |core: &CoreProfile| -> Vec<_> {
                let registers = core.registers().into_iter();
                let row = |(access, count): (RegisterAccess, u64)| (of(access.node), access, count);
                registers.map(row).collect()
            };
            rows("register accesses", named(expected), named(found))
        })
        .or_else(|| rows("interrupts", expected.interrupts(), found.interrupts()))
        .or_else(|| rows("exceptions", expected.exceptions(), found.exceptions()))
        .or_else(|| rows("spans", expected.spans(), found.spans()))
}

fn counts_difference(
    expected: &CoreProfile,
    found: &CoreProfile,
    paths: &[String],
) -> Option<String> {
    let (expected, found) = (expected.counts(), found.counts());
    let mut contexts = paths.iter().zip(expected.iter().zip(&found));
    contexts.find_map(|(path, (expected, found))| {
        let what = one_count(expected, found)?;
        Some(format!("{path}: {what}"))
    })
}

fn one_count(expected: &Counts, found: &Counts) -> Option<String> {
    rows(
        "code (region, instructions, cycles)",
        expected.code(),
        found.code(),
    )
    .or_else(|| {
        rows(
            "data (region, width, direction, accesses)",
            expected.data_accesses(),
            found.data_accesses(),
        )
    })
}

/// The first row in which two tables differ.
pub fn rows<T: PartialEq + Debug>(
    table: &str,
    expected: impl IntoIterator<Item = T>,
    found: impl IntoIterator<Item = T>,
) -> Option<String> {
    let (mut expected, mut found) = (expected.into_iter(), found.into_iter());
    for row in 0.. {
        match (expected.next(), found.next()) {
            (None, None) => break,
            (expected, found) if expected == found => {}
            (expected, found) => {
                let text = |row: Option<T>| row.map_or("nothing".into(), |row| format!("{row:?}"));
                let (found, expected) = (text(found), text(expected));
                return Some(format!("{table}, row {row}: {found} for {expected}"));
            }
        }
    }
    None
}

/// A context for people: its functions from the root on, with how each was entered.
pub fn path(nodes: &[Node], node: NodeIndex, names: Names) -> String {
    let mut steps = vec![];
    let mut at = Some(node);
    while let Some(index) = at {
        let Node {
            parent,
            function,
            entry,
        } = nodes[index.0 as usize];
        let how = match entry {
            Entry::Root => "",
            Entry::Call => "calls ",
            Entry::Jump => "jumps to ",
            Entry::Exception => "exception ",
        };
        steps.push(format!("{how}{}", names(function.0)));
        at = parent;
    }
    steps.reverse();
    steps.join(" > ")
}

/// Instructions by region, and accesses in words.
pub type Counted = (Vec<(u16, u64)>, Vec<String>);

/// Instructions and accesses by context, without what interrupts and faults did: a program that nobody interrupts has the same.
pub fn without_exceptions(profile: &Profile, names: Names) -> BTreeMap<String, Counted> {
    let mut all = BTreeMap::new();
    for core in profile.cores() {
        let nodes = core.nodes();
        for (index, counts) in core.counts().iter().enumerate() {
            let mut root = nodes[index];
            while let Some(parent) = root.parent {
                root = nodes[parent.0 as usize];
            }
            let code: Vec<_> = counts.code().map(|row| (row.0.0, row.1)).collect();
            let data: Vec<_> = counts
                .data_accesses()
                .map(|row| format!("{row:?}"))
                .collect();
            let code: Vec<_> = code.into_iter().filter(|row| row.1 > 0).collect();
            if root.entry != Entry::Exception && !(code.is_empty() && data.is_empty()) {
                all.insert(path(nodes, NodeIndex(index as u32), names), (code, data));
            }
        }
    }
    all
}
