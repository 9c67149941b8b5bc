/* Defaults of the build-time configuration. 1 switches a service on; 0 leaves no code of it. */
#ifndef RTOS_CONFIG_DEFAULT_H
#define RTOS_CONFIG_DEFAULT_H

/* Numbers of objects. At most 255 each. */
#ifndef RTOS_CONFIG_TASKS
#define RTOS_CONFIG_TASKS 16 /* The idle task is one of them. */
#endif
#ifndef RTOS_CONFIG_PRIORITIES
#define RTOS_CONFIG_PRIORITIES 32 /* 2 .. 32; priority 0 is the idle task's. */
#endif
#ifndef RTOS_CONFIG_TIMERS
#define RTOS_CONFIG_TIMERS 16 /* Of each kind of object, 0 switches the service off. */
#endif
#ifndef RTOS_CONFIG_SEMAPHORES
#define RTOS_CONFIG_SEMAPHORES 32
#endif
#ifndef RTOS_CONFIG_MUTEXES
#define RTOS_CONFIG_MUTEXES 16
#endif
#ifndef RTOS_CONFIG_EVENTS
#define RTOS_CONFIG_EVENTS 16
#endif
#ifndef RTOS_CONFIG_QUEUES
#define RTOS_CONFIG_QUEUES 16
#endif
#ifndef RTOS_CONFIG_MAILBOXES
#define RTOS_CONFIG_MAILBOXES 8
#endif
#ifndef RTOS_CONFIG_POOLS
#define RTOS_CONFIG_POOLS 8
#endif
#ifndef RTOS_CONFIG_HEAPS
#define RTOS_CONFIG_HEAPS 4 /* Besides the kernel heap and the stack heap. */
#endif

/* Shared messages. */
#ifndef RTOS_CONFIG_MESSAGES
#define RTOS_CONFIG_MESSAGES 32
#endif
#ifndef RTOS_CONFIG_MESSAGE_SIZE
#define RTOS_CONFIG_MESSAGE_SIZE 64 /* Bytes; a multiple of 4. */
#endif

/* Largest message of a queue in bytes: it is copied with interrupts disabled. */
#ifndef RTOS_CONFIG_QUEUE_MESSAGE_MAX
#define RTOS_CONFIG_QUEUE_MESSAGE_MAX 256
#endif

/* Behaviour. */
#ifndef RTOS_CONFIG_TIME_SLICE_US
#define RTOS_CONFIG_TIME_SLICE_US 10000 /* Round robin within a priority; 0 switches it off. */
#endif
#ifndef RTOS_CONFIG_TIMER_PERIOD_MIN_US
#define RTOS_CONFIG_TIMER_PERIOD_MIN_US 50 /* Shorter periods could starve all tasks. */
#endif
#ifndef RTOS_CONFIG_MUTEX_RECURSIVE
#define RTOS_CONFIG_MUTEX_RECURSIVE 1
#endif
#ifndef RTOS_CONFIG_STACK_CHECK
#define RTOS_CONFIG_STACK_CHECK 1 /* Look for stack overflow at each task switch. */
#endif
#ifndef RTOS_CONFIG_STACK_FILL
#define RTOS_CONFIG_STACK_FILL 1 /* Fill new stacks with a pattern, so that their use can be told. */
#endif
#ifndef RTOS_CONFIG_ARGUMENT_CHECK
#define RTOS_CONFIG_ARGUMENT_CHECK 1 /* Check the pointers that system calls are given. */
#endif

#ifndef RTOS_CONFIG_FAST_SERVICES
#define RTOS_CONFIG_FAST_SERVICES 0 /* All services are fast code, not only semaphores; some 10 KiB. */
#endif

/* Sizes. */
#ifndef RTOS_CONFIG_KERNEL_STACK_SIZE
#define RTOS_CONFIG_KERNEL_STACK_SIZE 1024 /* Bytes, of each user task. */
#endif
#ifndef RTOS_CONFIG_IDLE_STACK_SIZE
#define RTOS_CONFIG_IDLE_STACK_SIZE 512
#endif
#ifndef RTOS_CONFIG_INTERRUPT_STACK_SIZE
#define RTOS_CONFIG_INTERRUPT_STACK_SIZE 2048
#endif
#ifndef RTOS_CONFIG_TASK_SLOTS
#define RTOS_CONFIG_TASK_SLOTS 4
#endif
#ifndef RTOS_CONFIG_EXIT_HOOKS
#define RTOS_CONFIG_EXIT_HOOKS 4
#endif
#ifndef RTOS_CONFIG_INTERRUPT_LINES
#define RTOS_CONFIG_INTERRUPT_LINES 32
#endif
#ifndef RTOS_CONFIG_INTERRUPT_PRIORITIES
#define RTOS_CONFIG_INTERRUPT_PRIORITIES 8
#endif

#endif
