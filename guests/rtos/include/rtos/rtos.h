/* All services of the kernel for tasks. Every function is a system call and works from any mode. */
#ifndef RTOS_RTOS_H
#define RTOS_RTOS_H

#include <rtos/config.h>
#include <rtos/event.h>
#include <rtos/heap.h>
#include <rtos/mailbox.h>
#include <rtos/mutex.h>
#include <rtos/pool.h>
#include <rtos/queue.h>
#include <rtos/scheduler.h>
#include <rtos/semaphore.h>
#include <rtos/system.h>
#include <rtos/task.h>
#include <rtos/timer.h>
#include <rtos/types.h>

#endif
