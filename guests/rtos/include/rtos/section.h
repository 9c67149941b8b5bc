/* Named linker sections; the scripts in link/ collect them. */
#ifndef RTOS_SECTION_H
#define RTOS_SECTION_H

#include <rtos/config.h>

/* Code for the fastest memory: scheduler, interrupt path, time, semaphores. A section for each function, named after its
   line, lets the linker drop what is not used. */
#define RTOS_FAST_TEXT __attribute__((section(".fast_text." RTOS_SECTION_NAME(__LINE__))))
#define RTOS_SECTION_NAME(line) RTOS_SECTION_QUOTE(line)
#define RTOS_SECTION_QUOTE(line) #line

/* Code of the other services: fast code if RTOS_CONFIG_FAST_SERVICES is set. */
#if RTOS_CONFIG_FAST_SERVICES
#define RTOS_SERVICE_TEXT RTOS_FAST_TEXT
#else
#define RTOS_SERVICE_TEXT
#endif

/* Zero-initialised variables of the kernel. */
#define RTOS_KERNEL_DATA __attribute__((section(".bss.kernel_data")))

/* Tables that belong to the kernel heap's memory; not cleared at the start. */
#define RTOS_KERNEL_HEAP __attribute__((section(".bss.kernel_heap"), aligned(8)))

/* Stacks reserved at link time; the remainder of the section is the stack heap. Not cleared. */
#define RTOS_STACKS __attribute__((section(".bss.stacks"), aligned(8)))

#endif
