/* Time of day. */
#ifndef POSIX_CLOCK_H
#define POSIX_CLOCK_H

#include <stdint.h>

/* Seconds since 1970. */
uint32_t clock_now_s(void);

#endif
