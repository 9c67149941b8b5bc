//! What is wrong with a platform is said with path, property, rule and remedy.

use crate::support;
use socscope_machine::Machine;
use support::{board, board_with, compile};

fn message(additions: &str) -> String {
    board_with(additions)
        .map(|_| ())
        .expect_err("this platform is wrong")
        .to_string()
}

#[test]
fn an_unknown_device_is_no_silent_stub() {
    let text = message(
        "/ { soc { x@1 { compatible = \"atmel,at91x40-usrt\"; reg = <0xfff40000 0x100>; }; }; };",
    );
    assert_eq!(
        text,
        "/soc/x@1: property compatible: no model for atmel,at91x40-usrt; the nearest is atmel,at91x40-usart; \
         or mark the node `socscope,stub` to log what touches it"
    );
    assert!(
        board_with(
            "/ { soc { x@1 { compatible = \"a\"; reg = <0xfff40000 0x100>; socscope,stub; }; }; };"
        )
        .is_ok()
    );
}

#[test]
fn regions_that_overlap_are_named() {
    let text = message(
        "/ { soc { more@1 { compatible = \"mmio-sram\"; reg = <0x00301000 0x2000>; }; }; };",
    );
    assert_eq!(
        text,
        "test: regions sram and more@1 overlap at 0x00301000; move one of them or make it smaller"
    );
}

#[test]
fn bad_properties_are_named() {
    assert_eq!(
        message("&cpu { compatible = \"arm,arm9\"; };"),
        "/cpus/cpu@0: property compatible: no core model for [\"arm,arm9\"]; \
         known cores: arm,arm7tdmi, arm,arm920t, arm,arm926ej-s, arm,arm1136j-s, arm,arm1176jz-s, \
         PowerPC,603e, PowerPC,750, PowerPC,755, PowerPC,7400, PowerPC,7448, PowerPC,8641, \
         socscope,toy, socscope,toy-big-endian"
    );
    assert_eq!(
        message("&cpu { socscope,timing = \"guess\"; };"),
        "/cpus/cpu@0: property socscope,timing: no timing model of this core is called \"guess\"; choose \"arm7tdmi\", \"fixed-cpi\" or \"caches\""
    );
    assert_eq!(
        message("&mck { clock-frequency = <0>; };"),
        "/clock: property clock-frequency: is zero or missing; give it in hertz"
    );
    assert_eq!(
        message("&sram { reg = <0x300000>; };"),
        "/soc/sram@300000: property reg: 1 cells for #address-cells 1 and #size-cells 1; \
         give an address of 1 or 2 cells and a size of 1"
    );
    assert_eq!(
        message("&usart0 { interrupts = <77>; };"),
        "/soc/serial@fffd0000: property interrupts: line 77 of a controller with 33 inputs; number the lines as the chip does"
    );
    let extended = |value| {
        let text = message(&format!("&usart0 {{ interrupts-extended = {value}; }};"));
        let place = "/soc/serial@fffd0000: property interrupts-extended: ";
        text.strip_prefix(place).expect("the place").to_string()
    };
    assert_eq!(
        extended("<&aic 77>"),
        "line 77 of a controller with 33 inputs; number the lines as the chip does"
    );
    let remedy = "write each time a controller and as many cells as its #interrupt-cells says";
    assert_eq!(
        extended("<&aic>"),
        format!("/soc/interrupt-controller@fffff000 takes 1 cells, and there are 0; {remedy}")
    );
    assert_eq!(
        extended("<0x999 1>"),
        format!("no node has phandle 0x999; {remedy}")
    );
    assert_eq!(
        extended("<&mck 1>"),
        "/clock is no device with a model; refer to the interrupt controller"
    );
    assert_eq!(
        message("/ { chosen { socscope,unmapped = \"maybe\"; }; };"),
        "/chosen: property socscope,unmapped: \"maybe\" is neither \"bus-error\" nor \"stub\"; choose one of them"
    );
    assert_eq!(
        message("&sram { reg = <0x300000 0x80000000>; };"),
        "/soc/sram@300000: property reg: a memory of 0x80000000 bytes; give 1 byte to 1 GiB"
    );
}

#[test]
fn a_blob_that_is_none_is_refused() {
    let error = Machine::new(b"not a tree", "file.dtb", &[])
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("file.dtb: not a device tree blob: "),
        "{error}"
    );
    assert!(error.ends_with("; compile the source with dtc"), "{error}");
}

fn set(text: &str) -> Result<Machine, String> {
    let source = "/dts-v1/;\n/include/ \"at91x40.dts\"\n".replacen("/dts-v1/;\n", "", 1);
    Machine::new(&compile(&source), "test", &[text.to_string()]).map_err(|error| error.to_string())
}

#[test]
fn overrides_change_the_platform() {
    assert_eq!(board().clock().hz(), 40_000_000);
    assert_eq!(
        set("/clock:clock-frequency=10000000").unwrap().clock().hz(),
        10_000_000
    );
    assert_eq!(
        set("mck:clock-frequency=0x989680").unwrap().clock().hz(),
        10_000_000
    );
    let fixed = set("/cpus/cpu@0:socscope,timing=fixed-cpi").unwrap();
    assert_eq!(fixed.accuracy().model, "fixed CPI 19/10");
}

#[test]
fn wrong_overrides_say_what_would_be_right() {
    let error = |text| set(text).map(|_| ()).unwrap_err();
    assert_eq!(
        error("/clok:clock-frequency=1"),
        "--set /clok:clock-frequency=1: the platform has no node /clok; the nearest is /clock"
    );
    assert_eq!(
        error("/clock:clock-frequncy=1"),
        "--set /clock:clock-frequncy=1: /clock has no property clock-frequncy; the nearest is clock-frequency; \
         `socscope devices` has all properties by node"
    );
    assert_eq!(
        error("/clock"),
        "--set /clock: there is no '='; write /path:property=value"
    );
    assert_eq!(
        error("clock=1"),
        "--set clock=1: there is no ':'; write /path:property=value"
    );
}
