/* The commands that the shell runs first; BOOT_SCRIPT_FILE is set by system.mk. */
    .section .rodata.system_boot_script, "a", %progbits
    .global system_boot_script
    .type system_boot_script, %object
system_boot_script:
    .incbin BOOT_SCRIPT_FILE
    .byte 0
    .size system_boot_script, . - system_boot_script
