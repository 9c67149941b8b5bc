/* Scenarios that drive every service and every activity of the kernel down one path each, for cost sheets. A scenario
   prepares the kernel's state, then makes one call between BEGIN and END; in a path that switches, END is the first thing
   that the task executes which goes on. The host chooses scenario and parameters; services.toml lists them. */
#ifndef CHARACTERIZE_H
#define CHARACTERIZE_H

#include <rtos/rtos.h>

#include "../system/marks.h"

#define BEGIN() MARK(1)
#define END() MARK(2)

/* Of the task that runs the scenario; the others are less urgent, its peers, or more urgent. The scheduler takes longest
   for 16 to 23. */
#define LOW 16
#define MAIN 18
#define HIGH 20

/* A time-out that never ends within a scenario and needs the longest multiplication; it is below 2^32 ticks. */
#define LONG_US 1000000000u

#define STACK_SIZE 512

/* What a task that never ran has used of its user stack: the guard's word, or a first frame. */
#ifdef __powerpc__
#define STACK_BEGUN 16
#else
#define STACK_BEGUN 4
#endif

/* A scenario; the host gives its parameters in the order of services.toml. */
typedef void characterize_scenario(const uint32_t *parameters);

/* What the scenario leaves: 0 or what the call returned; services.toml says what is right. */
extern volatile int32_t characterize_result;
/* The task that runs the scenario. */
extern rtos_id characterize_main;

/* The end of the scenario, in whichever task. */
void characterize_done(void) __attribute__((noreturn));
/* Leaves `actual` as the result unless it is as expected or something was wrong before. */
void characterize_expect(int32_t actual, int32_t expected);
/* The same for the state of a task. */
void characterize_expect_state(rtos_id task, uint32_t expected);

/* Creates a user task, or one with flags; the scenario ends if that fails. */
rtos_id characterize_spawn(rtos_task_entry entry, void *argument, uint32_t priority);
rtos_id characterize_spawn_as(rtos_task_entry entry, void *argument, uint32_t priority, uint32_t flags);
/* The same for a task that waits when it first runs; it has the priority from then on. The main task has no peers that
   are ready, but may have inherited the priority of those that wait. */
rtos_id characterize_spawn_waiting(rtos_task_entry entry, void *argument, uint32_t priority);
/* A task that waits and is a peer: when it is woken, the time slice of the main task begins, behind so many time-outs. */
rtos_id characterize_spawn_waiting_peer(rtos_task_entry entry, uint32_t timeouts);
/* Creates `count` tasks that wait when they first run, each with its index as the argument. The first is more urgent than
   the main task, the others are its peers; or all are more urgent, to be ahead in a queue. */
void characterize_waiters(rtos_task_entry entry, uint32_t count);
void characterize_waiters_ahead(rtos_task_entry entry, uint32_t count);
/* Lets `count` timers be due before anything else: the timer's interrupt is off, so they stay in the list. */
void characterize_timeouts(uint32_t count);
/* Called at the end of a scenario whose main task still waits, if it is set. */
extern void (*characterize_check)(void);
/* Makes ready the task that goes on when the main task waits: one of two peers in their turn, so that time slices are
   counted; or the one less urgent task. It ends the call, and the scenario if the main task is in `state`. */
void characterize_peers_go_on(uint32_t state);
void characterize_low_goes_on(uint32_t state);
/* A peer that is ready, so that the main task's time slice runs. */
void characterize_peer(void);
/* Lets all ready peers run until they wait. */
void characterize_let_peers_run(void);
/* Leaves pairs of a free segment of 8 bytes and an allocated one at the beginning of a heap. */
void characterize_fragment(rtos_id heap, uint32_t pairs);
/* Waits until what is due in a few microseconds is due. */
void characterize_pass_time(void);
/* The timer's interrupt, which is off in the ready state. */
void characterize_timer_interrupt(int enabled);

#endif
