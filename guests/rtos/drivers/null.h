/* /dev/null. */
#ifndef DRIVERS_NULL_H
#define DRIVERS_NULL_H

int null_register(void);

#endif
