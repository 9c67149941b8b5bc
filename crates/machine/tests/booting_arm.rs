//! What a boot loader does for kernels of Linux on ARM, and what it leaves to other images.

use crate::support;
use socscope_machine::{Handover, Input, Machine, PlatformError};
use support::compile;

const TREE_MAGIC: u32 = 0xd00d_feed;
const RAM_BYTES: u32 = 0x0800_0000;
const LINKED_FOR: u32 = 0xc000_8000;

fn integrator(overrides: &[&str]) -> Result<Machine, PlatformError> {
    let overrides: Vec<String> = overrides.iter().map(|text| String::from(*text)).collect();
    let blob = compile("/include/ \"integrator-cp.dts\"\n");
    Machine::new(&blob, "integrator-cp", &overrides)
}

/// An ELF file of one segment with one symbol at its beginning, which names the board behind a branch to itself.
fn elf(address: u32, symbol: &str) -> Vec<u8> {
    const FILE_HEADER: u32 = 52;
    const PROGRAM_HEADER: u32 = 32;
    const SECTION_HEADER: u32 = 40;
    let words = |values: &[u32]| -> Vec<u8> {
        let values = values.iter();
        values.flat_map(|value| value.to_le_bytes()).collect()
    };
    let halves = |values: &[u16]| -> Vec<u8> {
        let values = values.iter();
        values.flat_map(|value| value.to_le_bytes()).collect()
    };
    let code = [&words(&[0xeaff_fffe])[..], b"arm,integrator-cp\0\0\0"].concat();
    let names = [b"\0", symbol.as_bytes(), b"\0"].concat();
    // An empty entry, then a global object.
    let symbols = words(&[0, 0, 0, 0, 1, address, 4, 0x0001_0011]);
    let code_at = FILE_HEADER + PROGRAM_HEADER;
    let symbols_at = code_at + code.len() as u32;
    let names_at = symbols_at + symbols.len() as u32;
    let sections_at = names_at + names.len() as u32;
    let section = |kind: u32, at: u32, size: usize, link: u32, info: u32, entry: u32| {
        words(&[0, kind, 0, 0, at, size as u32, link, info, 4, entry])
    };
    let size = code.len() as u32;
    [
        b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec(),
        halves(&[2, 40]),
        words(&[1, address, FILE_HEADER, sections_at, 0x0500_0200]),
        halves(&[52, PROGRAM_HEADER as u16, 1, SECTION_HEADER as u16, 3, 2]),
        words(&[1, code_at, address, address, size, size, 5, 4]),
        code,
        symbols.clone(),
        names.clone(),
        section(0, 0, 0, 0, 0, 0),
        section(2, symbols_at, symbols.len(), 2, 1, 16),
        section(3, names_at, names.len(), 0, 0, 0),
    ]
    .concat()
}

fn boot(machine: &mut Machine, initrd: &[u8], append: &str) -> Result<(), String> {
    let handover = Handover {
        initrd: initrd.into(),
        append: append.into(),
    };
    machine
        .apply(Input::Boot(handover))
        .map_err(|error| error.to_string())
}

fn registers(machine: &Machine) -> [u32; 3] {
    let core = machine.core(0).arm().unwrap();
    [0, 1, 2].map(|number| core.register(number))
}

fn holds(machine: &Machine, tree: u32, text: &[u8]) -> bool {
    let size = machine.peek(tree + 4, 4);
    let size = u32::from_be_bytes(size.try_into().unwrap());
    let bytes = machine.peek(tree, size);
    bytes.windows(text.len()).any(|window| window == text)
}

#[test]
fn a_kernel_lies_where_its_low_bits_say_and_gets_a_tree() {
    for core in ["arm920t", "arm926ej-s", "arm1136j-s", "arm1176jz-s"] {
        let choice = format!("/cpus/cpu@0:compatible=arm,{core}");
        let mut machine = integrator(&[&choice]).unwrap();
        machine
            .load_elf(&elf(LINKED_FOR, "linux_banner"), "vmlinux")
            .unwrap();
        boot(&mut machine, b"files", "quiet").unwrap();
        assert_eq!(machine.core(0).program_counter(), 0x8000, "{core}");
        assert_eq!(machine.peek(0x8000, 4), [0xfe, 0xff, 0xff, 0xea]);
        let [zero, ones, tree] = registers(&machine);
        assert_eq!((zero, ones), (0, u32::MAX), "{core}");
        assert_eq!(machine.peek(tree, 4), TREE_MAGIC.to_be_bytes());
        assert!(holds(&machine, tree, b"console=ttyAMA0,38400 quiet\0"));
        assert!(holds(&machine, tree, core.as_bytes()));
        let memory = [0, RAM_BYTES].map(u32::to_be_bytes).concat();
        assert!(holds(&machine, tree, &memory));
        assert_eq!(machine.peek(0x10_0000, 5), b"files");
        assert!(holds(&machine, tree, &0x10_0000u32.to_be_bytes()));
    }
}

#[test]
fn other_images_start_without_a_boot_loader() {
    let mut machine = integrator(&[]).unwrap();
    machine.load_elf(&elf(0x8000, "main"), "program").unwrap();
    assert_eq!(machine.core(0).program_counter(), 0x8000);
    assert_eq!(registers(&machine), [0; 3]);
    assert!(boot(&mut machine, b"files", "").is_err());
    let error = machine.load_elf(&elf(LINKED_FOR, "main"), "program");
    let error = error.unwrap_err().to_string();
    assert!(error.contains("0xc0008000"), "{error}");
}

#[test]
fn a_kernel_that_does_not_know_the_board_is_refused() {
    let mut machine = integrator(&["/:compatible=arm,integrator-ap"]).unwrap();
    let error = machine.load_elf(&elf(LINKED_FOR, "linux_banner"), "vmlinux");
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("this kernel does not know the board (arm,integrator-ap)"),
        "{error}"
    );
}

#[test]
fn a_clock_is_made_from_another() {
    let machine = |factors: &str| {
        let text = format!("/clock-timer:{factors}");
        integrator(&[&text])
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(machine("clock-div=12"), Ok(()));
    assert_eq!(
        machine("clock-div=0").unwrap_err(),
        "/clock-timer: property clock-div: is 0; give a whole number from 1"
    );
    assert_eq!(machine("clock-div=1000"), Ok(()), "24 kHz");
    assert_eq!(
        machine("clock-div=24000001").unwrap_err(),
        "/clock-timer: property clock-mult: makes 0 Hz; let clock-mult and clock-div make at least 1 Hz, in 64 bits"
    );
    assert_eq!(
        machine("clock-mult=4000000000").unwrap_err(),
        "/clock-timer: property clock-mult: makes 4000000000000000 Hz, which is too fast; give a slower clock"
    );
}

#[test]
fn nodes_of_a_devices_registers_need_no_model() {
    let error = integrator(&["/core-module@10000000:compatible=arm,core-module-integrator"]);
    let error = error.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("no model for arm,syscon-icst525-integratorcp-cm-core"),
        "only of a simple-mfd: {error}"
    );
}
