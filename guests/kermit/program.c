/* G-Kermit as a program of the system. Its sources stay as they are: main is renamed by the compiler, and the counting
   window goes around the protocol automaton, gwart, by the linker's --wrap. */
#include "../rtos/posix/program.h"
#include "../rtos/system/marks.h"

#include <stdlib.h>
#include <termios.h>

#define STACK_SIZE 12288

int gkermit_main(int argc, char **argv);
int __real_gwart(void);
int __wrap_gwart(void);

static int window_open;

static void close_window(void)
{
    if (!window_open)
        return;
    window_open = 0;
    MARK(MARK_WINDOW_END);
}

/* The window ends when the last byte of the session has left. On an error the protocol does not come back: it exits. */
int __wrap_gwart(void)
{
    atexit(close_window);
    window_open = 1;
    MARK(MARK_WINDOW_START);
    int result = __real_gwart();
    tcdrain(1);
    close_window();
    return result;
}

PROGRAM(gkermit) = {"kermit", gkermit_main, STACK_SIZE};
