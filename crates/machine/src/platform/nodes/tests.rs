//! What is declared is what is read: both ways, over trees that use all of it.

use super::{EVERY_NODE, NODE_MODELS, NodeKind};
use crate::boot::Handover;
use crate::boot::start::Start;
use crate::machine::Machine;
use crate::platform::tree::{NodeIndex, Tree};
use dtoolkit::model::{DeviceTree, DeviceTreeNode, DeviceTreeProperty};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

thread_local! {
    static READ: RefCell<BTreeSet<(String, String)>> = const { RefCell::new(BTreeSet::new()) };
}

/// Notes that a property was read.
pub(crate) fn note(tree: &Tree, index: NodeIndex, property: &str) {
    let path = tree.node(index).path.clone();
    READ.with_borrow_mut(|read| read.insert((path, property.into())));
}

const CONTROLLER: u32 = 1;
const CLOCK: u32 = 2;
const SECOND_LEVEL: u32 = 3;
const HALF_CLOCK: u32 = 4;

fn cells(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|cell| cell.to_be_bytes()).collect()
}

fn text(value: &str) -> Vec<u8> {
    [value.as_bytes(), &[0]].concat()
}

fn node(name: &str, properties: &[(&str, Vec<u8>)], children: &[DeviceTreeNode]) -> DeviceTreeNode {
    let mut node = DeviceTreeNode::new_unchecked(name);
    for (property, value) in properties {
        node.add_property(DeviceTreeProperty::new_unchecked(*property, value.clone()));
    }
    for child in children {
        node.add_child(child.clone());
    }
    node
}

/// A board with a node of every kind; `more` are properties of its core.
fn board(core: &str, more: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let size_cells = |count| {
        [
            ("#address-cells", cells(&[1])),
            ("#size-cells", cells(&[count])),
        ]
    };
    let device = |name: &str, compatible: &str, base: u32, more: &[(&str, Vec<u8>)]| {
        let place = cells(&[base, 0x1000]);
        let own = [("compatible", text(compatible)), ("reg", place)];
        node(name, &[&own[..], more].concat(), &[])
    };
    let own = [
        ("device_type", text("cpu")),
        ("compatible", text(core)),
        ("reg", cells(&[0])),
        ("clocks", cells(&[CLOCK])),
        ("next-level-cache", cells(&[SECOND_LEVEL])),
    ];
    let cpu = node("cpu@0", &[&own[..], more].concat(), &[]);
    let clock = [
        ("compatible", text("fixed-clock")),
        ("clock-frequency", cells(&[50_000_000])),
        ("phandle", cells(&[CLOCK])),
    ];
    let half_clock = [
        ("compatible", text("fixed-factor-clock")),
        ("clocks", cells(&[CLOCK])),
        ("clock-mult", cells(&[1])),
        ("clock-div", cells(&[2])),
        ("phandle", cells(&[HALF_CLOCK])),
    ];
    let second_level = [
        ("phandle", cells(&[SECOND_LEVEL])),
        ("cache-size", cells(&[65536])),
        ("cache-line-size", cells(&[32])),
        ("socscope,hit-cycles", cells(&[9])),
    ];
    let memory = [
        ("device_type", text("memory")),
        ("reg", cells(&[0x0100_0000, 0x40_0000])),
    ];
    let controller = [
        ("phandle", cells(&[CONTROLLER])),
        ("interrupt-controller", vec![]),
        ("#interrupt-cells", cells(&[1])),
    ];
    let wired = [
        ("interrupts", cells(&[2])),
        ("clocks", cells(&[HALF_CLOCK])),
    ];
    let children = [
        node("chosen", &[], &[]),
        node("cpus", &size_cells(0), &[cpu]),
        node("clock", &clock, &[]),
        node("half-clock", &half_clock, &[]),
        node("second-level", &second_level, &[]),
        node("ram@1000000", &memory, &[]),
        device(
            "aic@fffff000",
            "atmel,at91x40-aic",
            0xffff_f000,
            &controller,
        ),
        device(
            "serial@fffd0000",
            "atmel,at91x40-usart",
            0xfffd_0000,
            &wired,
        ),
        device(
            "thing@fff40000",
            "a,b",
            0xfff4_0000,
            &[("socscope,stub", vec![])],
        ),
    ];
    let parent = [("interrupt-parent", cells(&[CONTROLLER]))];
    let mut tree = DeviceTree::new();
    tree.root = node("", &[&size_cells(1)[..], &parent].concat(), &children);
    tree.to_dtb()
}

/// Trees that together use every property that there is.
fn boards() -> [Vec<u8>; 4] {
    let cpi = ("socscope,cpi", cells(&[1, 1]));
    let fixed = [("socscope,timing", text("fixed-cpi")), cpi];
    let size = |name| (name, cells(&[16384]));
    let line = |name| (name, cells(&[32]));
    let caches = [
        ("socscope,timing", text("caches")),
        ("socscope,memory-cycles", cells(&[50])),
        size("i-cache-size"),
        line("i-cache-line-size"),
        size("d-cache-size"),
        line("d-cache-line-size"),
    ];
    [
        board("arm,arm7tdmi", &[]),
        board("arm,arm7tdmi", &fixed),
        board("arm,arm7tdmi", &caches),
        board("PowerPC,750", &caches),
    ]
}

/// What kinds of nodes read, and what they declare, by title.
type ByKind = BTreeMap<&'static str, BTreeSet<String>>;

fn read_and_declared() -> (ByKind, ByKind) {
    let (mut read, mut declared) = (ByKind::new(), ByKind::new());
    let every: BTreeSet<&str> = EVERY_NODE.declared().map(|(name, _)| name).collect();
    for blob in boards() {
        READ.with_borrow_mut(BTreeSet::clear);
        let mut machine = Machine::new(&blob, "test", &[]).expect("the platform is good");
        machine.start = Some(Start {
            image_end: 0x0110_0000,
            ..Start::default()
        });
        // Only a PowerPC is handed a tree.
        let _ = machine.boot(&Handover::default());
        machine.interrupt_cells();
        let found = READ.with_borrow_mut(std::mem::take);
        let tree = &machine.origin.tree;
        for (path, property) in found {
            let index = tree.find(&path).expect("it was there");
            let Some(kind) = NodeKind::of(tree, index) else {
                continue;
            };
            let shared = every.contains(property.as_str());
            let title = if shared {
                EVERY_NODE.title
            } else {
                kind.title()
            };
            read.entry(title).or_default().insert(property);
        }
        for index in tree.indices() {
            let Some(kind) = NodeKind::of(tree, index) else {
                continue;
            };
            let names = kind.declared().map(|(name, _)| name);
            let own = names.filter(|name| !every.contains(name));
            let all = declared.entry(kind.title()).or_default();
            all.extend(own.map(String::from));
        }
    }
    let every = every.into_iter().map(String::from).collect();
    declared.insert(EVERY_NODE.title, every);
    (read, declared)
}

#[test]
fn every_property_that_is_read_is_declared_and_the_other_way_round() {
    let (read, declared) = read_and_declared();
    for node in NODE_MODELS {
        assert!(
            declared.contains_key(node.title),
            "no tree has a {}",
            node.title
        );
    }
    for (title, declared) in declared {
        let read = read.get(title).cloned().unwrap_or_default();
        assert_eq!(read, declared, "{title}: what is read, what is declared");
    }
}
