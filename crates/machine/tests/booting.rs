//! What a boot loader hands over to a PowerPC machine's image, and what it cannot.

use crate::support;
use socscope_machine::{Handover, Input, Machine};
use support::powerpc::{elf, mpc8641d};

fn image() -> Vec<u8> {
    elf(0x1000, &[(0x1000, vec![0x4800_0000])])
}

fn boot(machine: &mut Machine, initrd: Vec<u8>, append: &str) -> Result<(), String> {
    let append = append.into();
    machine
        .apply(Input::Boot(Handover { initrd, append }))
        .map_err(|error| error.to_string())
}

/// The tree that r3 points to, as bytes.
fn tree(machine: &Machine) -> Vec<u8> {
    let core = machine.core(0).powerpc().unwrap();
    let address = core.register(3);
    let head = machine.peek(address, 8);
    assert_eq!(head[..4], [0xd0, 0x0d, 0xfe, 0xed], "a flattened tree");
    let size = u32::from_be_bytes(head[4..].try_into().unwrap());
    machine.peek(address, size)
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

#[test]
fn registers_and_tree_are_as_a_kernel_expects_them() {
    let mut machine = mpc8641d(&["/mpx-clock:clock-frequency=400000000"]).unwrap();
    machine.load_elf(&image(), "program").unwrap();
    boot(&mut machine, b"files".into(), "quiet").unwrap();
    let core = machine.core(0).powerpc().unwrap();
    assert_eq!((core.program_counter(), core.msr().0), (0x1000, 0x1000));
    assert_eq!([4, 5, 6, 7].map(|one| core.register(one)), [0; 4]);
    assert!(
        core.register(1) < core.register(3),
        "a stack below the tree"
    );
    assert_eq!(machine.peek(0x10_0000, 5), b"files");
    let tree = tree(&machine);
    assert!(holds(&tree, b"console=ttyS0,115200 quiet\0"));
    let ends = [0x0010_0000u32, 0x0010_0005].map(u32::to_be_bytes);
    assert!(ends.iter().all(|end| holds(&tree, end)));
    // Frequencies of 0 are filled in; the compiler's labels are left out.
    assert!(holds(&tree, &400_000_000u32.to_be_bytes()));
    assert!(!holds(&tree, b"__symbols__"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut machine = mpc8641d(&["/memory@0:reg=0x0 0x200000"]).unwrap();
    machine.load_elf(&image(), "program").unwrap();
    assert_eq!(
        boot(&mut machine, vec![1; 0x10_0001], "").unwrap_err(),
        "the initial file system has 1048577 bytes, and 1048576 are free behind the image: make it smaller, or the \
         platform's memory larger"
    );
    let error = boot(&mut machine, vec![1; 0x10_0000], "").unwrap_err();
    assert!(
        error.starts_with("the device tree of ")
            && error.contains("make the initial file system smaller"),
        "{error}"
    );
}

#[test]
fn an_image_that_is_no_kernel_is_refused() {
    // Where the distribution links programs for this architecture.
    let program = elf(0x1000_0100, &[(0x1000_0100, vec![0x4800_0000])]);
    let mut machine = mpc8641d(&[]).unwrap();
    assert_eq!(
        machine
            .load_elf(&program, "program")
            .unwrap_err()
            .to_string(),
        "the image ends at 0x10000104, and the device tree behind it must end below 0x10000000: is it a kernel? \
         Programs of an operating system are started by that system"
    );
}

#[test]
fn it_is_for_the_start_of_kernels() {
    let mut arm = support::board();
    assert_eq!(
        boot(&mut arm, vec![1], "").unwrap_err(),
        "a boot loader hands an initial file system or a command line to kernels of Linux alone on this machine; load one \
         (its symbols say that it is), or leave --initrd and --append out"
    );
    let mut toy = support::toy::alone(false, "");
    assert_eq!(
        boot(&mut toy, vec![1], "").unwrap_err(),
        "no boot loader hands an initial file system or a command line to images of this machine; leave --initrd and --append out"
    );
    let mut machine = mpc8641d(&[]).unwrap();
    assert_eq!(
        boot(&mut machine, vec![1], "").unwrap_err(),
        "no image is loaded: load the kernel first"
    );
    machine.load_elf(&image(), "program").unwrap();
    machine.step(&mut socscope_core::Unobserved);
    assert_eq!(
        boot(&mut machine, vec![1], "").unwrap_err(),
        "the machine has run already: an initial file system and a command line are for its start"
    );
}

#[test]
fn an_image_of_the_other_architecture_says_what_is_wanted() {
    let error = support::board()
        .load_elf(&image(), "vmlinux")
        .unwrap_err()
        .to_string();
    let expected =
        "vmlinux: built for PowerPC, the machine's core is ARM: build it with a compiler for that";
    assert!(error.starts_with(expected), "{error}");
}
