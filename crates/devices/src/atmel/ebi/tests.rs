use crate::bench::{Bench, Node, RAM_REGION};
use socscope_memory::{AccessCost, Direction, RegionIndex, Sequence, Width};

const CSR0: u32 = 0x00;
const CSR1: u32 = 0x04;
const RCR: u32 = 0x20;
const MCR: u32 = 0x24;
const ROM: RegionIndex = RegionIndex(2);
const SRAM: RegionIndex = RegionIndex(3);
/// Enabled, 4 MiB page, 16 bits, 3 wait states (NWS counts from one).
const ROM_AT_16_MIB: u32 = 0x0100_0000 | 1 << 13 | 1 << 7 | 1 << 5 | 2 << 2 | 1;

fn node() -> Node {
    Node::default()
        .memory("sram", 0x0030_0000, 0x2000, true)
        .region("atmel,sram", SRAM)
        .child(0, ROM)
        .child(1, RAM_REGION)
}

fn bench() -> Bench {
    Bench::with("atmel,at91x40-ebi", node())
}

/// Where a region answers; `None` when it does not.
fn span(bench: &Bench, region: RegionIndex) -> Option<(u32, u32)> {
    let region = bench.space.map().region(region);
    region.enabled.then_some((region.base, region.size))
}

fn cost(bench: &Bench, region: RegionIndex, width: Width) -> u16 {
    let cost = &bench.space.map().region(region).cost;
    cost.cycles(Sequence::Nonsequential, Direction::Read, width)
}

fn remap(bench: &mut Bench) {
    bench.write(RCR, 1);
    bench.run(1);
}

#[test]
fn after_reset_chip_select_0_is_at_0_and_the_sram_at_3_mib() {
    let bench = bench();
    assert_eq!(span(&bench, ROM), Some((0, 0x10_0000)));
    assert_eq!(span(&bench, SRAM), Some((0x30_0000, 0x2000)));
    assert_eq!(span(&bench, RAM_REGION), None);
    // 8 wait states on 16 bits: 9 cycles for a half-word, 18 for a word.
    assert_eq!(cost(&bench, ROM, Width::Half), 9);
    assert_eq!(cost(&bench, ROM, Width::Word), 18);
}

#[test]
fn the_boot_memory_may_be_8_bits_wide() {
    let mut bench = Bench::with(
        "atmel,at91x40-ebi",
        node().cells("atmel,boot-bus-width", &[8]),
    );
    assert_eq!(bench.read(CSR0), 0x203e);
    assert_eq!(cost(&bench, ROM, Width::Word), 36);
}

#[test]
fn before_the_remap_registers_change_costs_but_not_places() {
    let mut bench = bench();
    bench.write(CSR0, ROM_AT_16_MIB);
    bench.write(CSR1, 0x0200_0000 | 1 << 13 | 1);
    assert_eq!(span(&bench, ROM), Some((0, 0x10_0000)));
    assert_eq!(span(&bench, RAM_REGION), None);
    assert_eq!(cost(&bench, ROM, Width::Half), 4);
}

#[test]
fn the_remap_moves_everything_behind_one_more_instruction() {
    let mut bench = bench();
    bench.write(CSR0, ROM_AT_16_MIB);
    bench.write(CSR1, 0x0200_0000 | 1 << 13 | 1);
    bench.write(RCR, 1);
    // The jump comes from the old map and finds its target in the new one.
    let old = bench.space.map().find(0x40);
    assert_eq!(bench.space.map().region(old).name, "rom before remap");
    assert_eq!(bench.space.map().find(0x0100_0040), ROM);
    assert_eq!(span(&bench, SRAM), Some((0x30_0000, 0x2000)));
    bench.run(1);
    assert_eq!(bench.space.map().find(0x40), SRAM);
    assert_eq!(span(&bench, ROM), Some((0x0100_0000, 0x40_0000)));
    assert_eq!(span(&bench, RAM_REGION), Some((0x0200_0000, 0x10_0000)));
    assert_eq!(bench.space.map().find(0x0030_0000), RegionIndex::UNMAPPED);
    assert_eq!(bench.space.map().find(0x2000), RegionIndex::UNMAPPED);
}

#[test]
fn only_a_one_remaps_and_only_a_reset_undoes_it() {
    let mut bench = bench();
    bench.write(RCR, 0);
    bench.run(1);
    assert_eq!(bench.space.map().find(0), ROM);
    remap(&mut bench);
    bench.write(RCR, 0);
    bench.run(1);
    assert_eq!(bench.space.map().find(0), SRAM);
    bench.call(|device, context| device.reset(context));
    assert_eq!(bench.space.map().find(0), ROM);
    assert_eq!(span(&bench, SRAM), Some((0x30_0000, 0x2000)));
}

#[test]
fn pages_are_1_4_16_or_64_mib_and_drop_low_base_bits() {
    let mut bench = bench();
    remap(&mut bench);
    for (pages, base, size) in [
        (0, 0x1230_0000, 0x0010_0000),
        (1, 0x1200_0000, 0x0040_0000),
        (2, 0x1200_0000, 0x0100_0000),
        (3, 0x1000_0000, 0x0400_0000),
    ] {
        bench.write(CSR0, 0x1230_0000 | 1 << 13 | pages << 7 | 1);
        assert_eq!(span(&bench, ROM), Some((base, size)), "PAGES {pages}");
    }
}

#[test]
fn wait_states_count_only_while_they_are_enabled() {
    let mut bench = bench();
    remap(&mut bench);
    for states in 0..8 {
        bench.write(CSR0, 0x0100_0000 | 1 << 13 | 1 << 5 | states << 2 | 1);
        assert_eq!(cost(&bench, ROM, Width::Byte), states as u16 + 2);
        bench.write(CSR0, 0x0100_0000 | 1 << 13 | states << 2 | 1);
        assert_eq!(cost(&bench, ROM, Width::Byte), 1);
        assert_eq!(cost(&bench, ROM, Width::Word), 2);
    }
    bench.write(CSR0, 0x0100_0000 | 1 << 13 | 2);
    assert_eq!(
        [Width::Byte, Width::Half, Width::Word].map(|width| cost(&bench, ROM, width)),
        [1, 2, 4]
    );
}

#[test]
fn float_time_protocol_and_chip_select_come_with_the_cost() {
    let mut bench = bench();
    remap(&mut bench);
    bench.write(CSR1, 0x0200_0000 | 1 << 13 | 5 << 9 | 1);
    bench.write(MCR, 0x10);
    let cost = bench.space.map().region(RAM_REGION).cost;
    assert_eq!(
        (cost.float_cycles, cost.external, cost.early_read),
        (5, 2, true)
    );
    assert_eq!(
        bench.space.map().region(SRAM).cost,
        AccessCost::SINGLE_CYCLE
    );
    bench.write(MCR, 0);
    assert!(!bench.space.map().region(RAM_REGION).cost.early_read);
}

#[test]
fn a_chip_select_that_overlaps_another_does_not_answer() {
    let mut bench = bench();
    remap(&mut bench);
    bench.write(CSR0, ROM_AT_16_MIB);
    bench.write(CSR1, 0x0120_0000 | 1 << 13 | 1);
    assert_eq!(span(&bench, RAM_REGION), None);
    assert_eq!(
        bench.warnings,
        ["chip select of ram overlaps something else and does not answer there"]
    );
    bench.write(CSR1, 0x0140_0000 | 1 << 13 | 1);
    assert_eq!(span(&bench, RAM_REGION), Some((0x0140_0000, 0x10_0000)));
}

#[test]
fn chip_selects_never_hide_what_is_on_the_chip() {
    let mut bench = bench();
    remap(&mut bench);
    for base in [0x0000_0000, 0x0030_0000, 0xffc0_0000, 0xfff0_0000] {
        bench.write(CSR1, base | 1 << 13 | 1);
        assert_eq!(span(&bench, RAM_REGION), None, "{base:#x}");
    }
    bench.write(CSR1, 0xffb0_0000 | 1 << 13 | 1);
    assert_eq!(span(&bench, RAM_REGION), Some((0xffb0_0000, 0x10_0000)));
    bench.write(CSR1, 0xffb0_0000 | 1);
    assert_eq!(span(&bench, RAM_REGION), None, "CSEN is off");
}

#[test]
fn reserved_bits_read_as_zero_and_the_command_reads_as_zero() {
    let mut bench = bench();
    bench.write(CSR1, u32::MAX);
    assert_eq!(bench.read(CSR1), 0xfff0_3fbf);
    bench.write(MCR, u32::MAX);
    assert_eq!(bench.read(MCR), 0x17);
    bench.write(RCR, 1);
    assert_eq!(bench.read(RCR), 0);
}

#[test]
fn a_boot_loader_leaves_the_nominal_map() {
    let nominal = [ROM_AT_16_MIB, 0x0200_20a1];
    let mut bench = Bench::with(
        "atmel,at91x40-ebi",
        node().cells("atmel,nominal-csr", &nominal),
    );
    bench.call(|device, context| device.boot_loader(context));
    assert_eq!(span(&bench, ROM), Some((0x0100_0000, 0x40_0000)));
    assert_eq!(span(&bench, RAM_REGION), Some((0x0200_0000, 0x40_0000)));
    assert_eq!(bench.space.map().find(0), SRAM);
    assert_eq!(bench.read(CSR1), 0x0200_20a1);
}

#[test]
fn bad_nodes_are_refused_with_the_remedy() {
    let build = |node: Node| {
        (crate::bench::model("atmel,at91x40-ebi").build)(&node)
            .err()
            .unwrap()
            .to_string()
    };
    assert_eq!(
        build(Node::default().child(8, ROM)),
        "/bench/device@0: property reg: a child is on chip select 8; number chip selects from 0 to 7"
    );
    assert_eq!(
        build(node().child(1, ROM)),
        "/bench/device@0: property reg: two children are on chip select 1; give each child a chip select of its own"
    );
    assert_eq!(
        build(node().cells("atmel,nominal-csr", &[0; 9])),
        "/bench/device@0: property atmel,nominal-csr: 9 values for 8 registers; give at most 8"
    );
    assert_eq!(
        build(node().cells("atmel,boot-bus-width", &[32])),
        "/bench/device@0: property atmel,boot-bus-width: 32 is no width of the external bus; give 8 or 16"
    );
}
