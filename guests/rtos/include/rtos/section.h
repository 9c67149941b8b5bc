/* Named linker sections; the scripts in link/ collect them. */
#ifndef RTOS_SECTION_H
#define RTOS_SECTION_H

/* Code for the fastest memory: scheduler, interrupt path, the short services. */
#define RTOS_FAST_TEXT __attribute__((section(".fast_text")))

/* Zero-initialised variables of the kernel. */
#define RTOS_KERNEL_DATA __attribute__((section(".bss.kernel_data")))

/* Stacks reserved at link time; the remainder of the section is the stack heap. */
#define RTOS_STACKS __attribute__((section(".bss.stacks"), aligned(8)))

#endif
