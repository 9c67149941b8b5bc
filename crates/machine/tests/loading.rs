//! Images that do not fit the machine.

use crate::support;
use socscope_machine::Machine;
use support::compile;

/// An ELF with one segment of `length` zero bytes at `address`.
fn image(address: u32, length: u32) -> Vec<u8> {
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |bytes: &mut Vec<u8>, values: &[u16]| {
        values
            .iter()
            .for_each(|value| bytes.extend(value.to_le_bytes()))
    };
    let word = |bytes: &mut Vec<u8>, values: &[u32]| {
        values
            .iter()
            .for_each(|value| bytes.extend(value.to_le_bytes()))
    };
    half(&mut bytes, &[2, 40]);
    word(&mut bytes, &[1, address, 52, 0, 0x0500_0000]);
    half(&mut bytes, &[52, 32, 1, 40, 0, 0]);
    word(&mut bytes, &[1, 84, address, address, 4, length, 5, 4]);
    bytes.extend([0xaa; 4]);
    bytes
}

fn load(platform: &str, address: u32, length: u32) -> Result<Machine, String> {
    let mut machine = Machine::new(
        &compile(&format!("/include/ \"{platform}.dts\"")),
        platform,
        &[],
    )
    .unwrap();
    machine
        .load_elf(&image(address, length), "x.elf")
        .map_err(|error| error.to_string())?;
    Ok(machine)
}

#[test]
fn a_segment_outside_all_memories_is_refused_with_their_list() {
    assert_eq!(
        load("at91x40", 0x0800_0000, 16).map(|_| ()).unwrap_err(),
        "x.elf: segment at 0x08000000 of 0x10 bytes is outside the machine's memories (sram 0x00000000 to 0x00001fff, \
         rom 0x01000000 to 0x013fffff, ram 0x02000000 to 0x023fffff); link the image for this platform"
    );
}

#[test]
fn a_segment_must_fit_the_memory_and_not_only_its_chip_select() {
    assert!(load("at91eb40a", 0x011f_fff0, 16).is_ok());
    assert!(
        load("at91eb40a", 0x011f_fff0, 32)
            .map(|_| ())
            .unwrap_err()
            .contains("is outside the machine's memories")
    );
}

#[test]
fn an_image_in_ram_starts_at_its_entry_behind_a_boot_loaders_work() {
    let machine = load("at91x40", 0x0200_0000, 16).unwrap();
    assert_eq!(machine.pc(), 0x0200_0000);
    let machine = load("at91x40", 0x0100_0000, 16).unwrap();
    assert_eq!(
        machine.pc(),
        0,
        "code at the reset vector's place boots by itself"
    );
}
