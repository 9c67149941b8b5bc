#include "test.h"

#include <rtos/board.h>
#include <rtos/interrupt.h>

/* Lines that nothing is connected to; the tests set them by software. */
#define LINE_LOW 16
#define LINE_MIDDLE 17
#define LINE_HIGH 18

static rtos_id semaphore, event, queue, pool, mailbox, task, timer;

static int attach_or_detach(void *argument)
{
    rtos_interrupt_handler *handlers = argument;
    for (uint32_t index = 0; index < 3; ++index) {
        rtos_status result = RTOS_OK;
        if (handlers == NULL)
            result = rtos_interrupt_detach(LINE_LOW + index);
        else
            result = rtos_interrupt_attach(LINE_LOW + index, 1 + 2 * index, RTOS_TRIGGER_EDGE_RISING, handlers[index],
                                           (void *)(uintptr_t)('1' + index));
        if (result != RTOS_OK)
            return result;
    }
    return RTOS_OK;
}

static void attach(rtos_interrupt_handler low, rtos_interrupt_handler middle, rtos_interrupt_handler high)
{
    rtos_interrupt_handler handlers[3] = {low, middle, high};
    CHECK_EQUAL(test_run_privileged(attach_or_detach, handlers), RTOS_OK);
}

static void detach(void)
{
    CHECK_EQUAL(test_run_privileged(attach_or_detach, NULL), RTOS_OK);
}

static void trace_only(void *argument)
{
    test_trace((char)(uintptr_t)argument);
}

/* Time for an interrupt that this code has just set to be taken. */
static void let_interrupts_in(void)
{
    for (volatile int turn = 0; turn < 50; ++turn)
        ;
}

static void handler_gets_its_argument(void)
{
    attach(trace_only, trace_only, trace_only);
    rtos_board_intc_set(LINE_HIGH);
    let_interrupts_in();
    rtos_board_intc_set(LINE_LOW);
    let_interrupts_in();
    CHECK_TRACE("31");
    detach();
}

static void low_sets_high(void *argument)
{
    (void)argument;
    test_trace('l');
    rtos_board_intc_set(LINE_HIGH);
    let_interrupts_in();
    test_trace('L');
}

static void high_sets_low_and_middle(void *argument)
{
    (void)argument;
    test_trace('h');
    rtos_board_intc_set(LINE_LOW);
    rtos_board_intc_set(LINE_MIDDLE);
    let_interrupts_in();
    test_trace('H');
}

static void more_urgent_lines_nest(void)
{
    attach(low_sets_high, trace_only, trace_only);
    rtos_board_intc_set(LINE_LOW);
    let_interrupts_in();
    CHECK_TRACE("l3L");
    detach();
}

static void less_urgent_lines_wait(void)
{
    attach(trace_only, trace_only, high_sets_low_and_middle);
    rtos_board_intc_set(LINE_HIGH);
    let_interrupts_in();
    CHECK_TRACE("hH21");
    detach();
}

static void low_sets_middle(void *argument)
{
    (void)argument;
    test_trace('l');
    rtos_board_intc_set(LINE_MIDDLE);
    let_interrupts_in();
    test_trace('L');
}

static void middle_sets_high(void *argument)
{
    (void)argument;
    test_trace('m');
    rtos_board_intc_set(LINE_HIGH);
    let_interrupts_in();
    test_trace('M');
}

static void post(void *argument)
{
    (void)argument;
    test_trace('h');
    rtos_k_semaphore_post(semaphore);
    test_trace('H');
}

static int wait_and_trace(void *argument)
{
    (void)argument;
    rtos_status result = rtos_semaphore_wait(semaphore, RTOS_WAIT_FOREVER);
    test_trace('t');
    return result;
}

static void tasks_switch_when_the_outermost_handler_ends(void)
{
    semaphore = rtos_semaphore_create(0, 1);
    attach(low_sets_middle, middle_sets_high, post);
    task = test_spawn(wait_and_trace, NULL, TEST_PRIORITY + 2);
    rtos_board_intc_set(LINE_LOW);
    let_interrupts_in();
    test_trace('.');
    CHECK_TRACE("lmhHMLt.");
    CHECK_EQUAL(test_join(task), RTOS_OK);
    detach();
    rtos_semaphore_delete(semaphore);
}

static rtos_status results[24];

static void use_allowed_services(void *argument)
{
    uint32_t count = 0;
    void *block = NULL, *message = NULL;
    uint32_t number = 77;
    (void)argument;
    results[count++] = rtos_k_in_interrupt() ? RTOS_OK : 1;
    results[count++] = rtos_k_semaphore_post(semaphore);
    results[count++] = rtos_k_semaphore_wait(semaphore, RTOS_NO_WAIT);
    results[count++] = rtos_k_event_set(event, 4);
    results[count++] = rtos_k_queue_send(queue, &number, RTOS_NO_WAIT);
    results[count++] = rtos_k_pool_alloc(pool, &block, RTOS_NO_WAIT);
    results[count++] = rtos_k_pool_free(pool, block);
    results[count++] = rtos_k_message_alloc(&message, RTOS_NO_WAIT);
    results[count++] = rtos_k_mailbox_send(mailbox, message);
    results[count++] = rtos_k_task_resume(task);
    results[count++] = rtos_k_task_interrupt(task);
    results[count++] = rtos_k_timer_start(timer, 1000000, 0);
    results[count++] = rtos_k_timer_stop(timer);
    results[count] = 99;
}

static void use_forbidden_services(void *argument)
{
    struct rtos_task_attributes attributes = {"x", wait_and_trace, NULL, 5, 0, 512, 0};
    struct rtos_task_info info;
    void *memory;
    uint32_t number, count = 0;
    (void)argument;
    results[count++] = rtos_k_semaphore_wait(semaphore, 100);
    results[count++] = rtos_k_event_wait(event, 8, RTOS_EVENT_ANY, RTOS_WAIT_FOREVER);
    results[count++] = rtos_k_queue_receive(queue, &number, 100);
    results[count++] = rtos_k_mutex_lock(queue, RTOS_NO_WAIT);
    results[count++] = rtos_k_mutex_unlock(queue);
    results[count++] = rtos_k_task_create(&attributes);
    results[count++] = rtos_k_task_delete(task);
    results[count++] = rtos_k_task_suspend(task);
    results[count++] = rtos_k_task_sleep(100);
    results[count++] = rtos_k_task_yield();
    results[count++] = rtos_k_task_set_priority(task, 3);
    results[count++] = rtos_k_task_get_info(task, &info);
    results[count++] = rtos_k_heap_alloc(RTOS_HEAP_KERNEL, 8, &memory);
    results[count++] = rtos_k_heap_free(RTOS_HEAP_KERNEL, memory);
    results[count++] = rtos_k_queue_create(4, 4);
    results[count++] = rtos_k_pool_create(4, 4);
    results[count++] = rtos_k_scheduler_lock();
    results[count++] = rtos_k_scheduler_unlock();
    results[count] = 99;
}

static int sleep_long(void *argument)
{
    (void)argument;
    return rtos_task_sleep(RTOS_WAIT_FOREVER);
}

static void services_know_that_they_are_in_a_handler(void)
{
    struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_POST};
    void *message = NULL;
    uint32_t number = 0;
    semaphore = rtos_semaphore_create(0, 1);
    event = rtos_event_create(0);
    queue = rtos_queue_create(4, 1);
    pool = rtos_pool_create(4, 1);
    mailbox = rtos_mailbox_create();
    timer = rtos_timer_create(&attributes);
    task = test_spawn(sleep_long, NULL, TEST_PRIORITY - 1);
    rtos_task_sleep(100);
    rtos_task_suspend(task);
    attach(use_allowed_services, use_forbidden_services, trace_only);
    rtos_board_intc_set(LINE_LOW);
    let_interrupts_in();
    for (uint32_t index = 0; results[index] != 99; ++index)
        CHECK_EQUAL(results[index], RTOS_OK);
    CHECK_EQUAL(test_join(task), RTOS_ERROR_INTERRUPTED);
    CHECK_EQUAL(rtos_event_get(event), 4);
    CHECK_EQUAL(rtos_queue_receive(queue, &number, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(number, 77);
    CHECK_EQUAL(rtos_mailbox_receive(mailbox, &message, RTOS_NO_WAIT), RTOS_OK);
    CHECK_EQUAL(rtos_message_owner(message), rtos_task_self());
    rtos_message_free(message);
    results[0] = 99;
    rtos_board_intc_set(LINE_MIDDLE);
    let_interrupts_in();
    CHECK(results[0] != 99);
    for (uint32_t index = 0; results[index] != 99; ++index)
        CHECK_EQUAL(results[index], RTOS_ERROR_CONTEXT);
    detach();
    rtos_semaphore_delete(semaphore);
    rtos_event_delete(event);
    rtos_queue_delete(queue);
    rtos_pool_delete(pool);
    rtos_mailbox_delete(mailbox);
    rtos_timer_delete(timer);
}

static int use_lines_wrongly(void *argument)
{
    (void)argument;
    if (rtos_interrupt_attach(RTOS_CONFIG_INTERRUPT_LINES, 1, RTOS_TRIGGER_EDGE_RISING, trace_only, NULL) !=
        RTOS_ERROR_PARAMETER)
        return 1;
    if (rtos_interrupt_attach(LINE_LOW, 1, RTOS_TRIGGER_EDGE_RISING, NULL, NULL) != RTOS_ERROR_PARAMETER)
        return 2;
    if (rtos_interrupt_attach(LINE_LOW, RTOS_CONFIG_INTERRUPT_PRIORITIES, RTOS_TRIGGER_EDGE_RISING, trace_only, NULL) !=
        RTOS_ERROR_PARAMETER)
        return 3;
    if (rtos_interrupt_detach(LINE_LOW) != RTOS_ERROR_PARAMETER || rtos_interrupt_enable(99) != RTOS_ERROR_PARAMETER)
        return 4;
    if (rtos_interrupt_attach(LINE_LOW, 1, RTOS_TRIGGER_EDGE_RISING, trace_only, (void *)'a') != RTOS_OK)
        return 5;
    if (rtos_interrupt_attach(LINE_LOW, 1, RTOS_TRIGGER_EDGE_RISING, trace_only, NULL) != RTOS_ERROR_STATE)
        return 6;
    if (rtos_interrupt_disable(LINE_LOW) != RTOS_OK)
        return 7;
    rtos_board_intc_set(LINE_LOW);
    let_interrupts_in();
    test_trace('-');
    if (rtos_interrupt_enable(LINE_LOW) != RTOS_OK)
        return 8;
    let_interrupts_in();
    rtos_irq_state state = rtos_interrupt_lock();
    rtos_board_intc_set(LINE_LOW);
    let_interrupts_in();
    test_trace('|');
    rtos_interrupt_unlock(state);
    let_interrupts_in();
    return rtos_interrupt_detach(LINE_LOW);
}

static void lines_are_guarded_and_masked(void)
{
    CHECK_EQUAL(test_run_privileged(use_lines_wrongly, NULL), RTOS_OK);
    CHECK_TRACE("-a|a");
}

static void disturb(void *argument)
{
    uint32_t *count = argument;
    uint32_t a = *count, b = a * 3, c = b ^ 0x55, d = c + b, e = d * a, f = e - c;
    __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
    ++*count;
}

static uint32_t disturbances;

static int create_disturbing_timer(void *argument)
{
    struct rtos_timer_attributes attributes = {.action = RTOS_TIMER_CALL, .handler = disturb, .argument = &disturbances};
    (void)argument;
    return rtos_k_timer_create(&attributes);
}

/* A computation that keeps many values in registers. */
static uint32_t compute(uint32_t rounds)
{
    uint32_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    for (; rounds != 0; --rounds) {
        a += b ^ rounds, b = b * 5 + c, c ^= d >> 3, d += e, e = e << 1 | e >> 31, f += a * d, g ^= f, h += g + (a > b);
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

static int compute_twice(void *argument)
{
    uint32_t expected = *(uint32_t *)argument;
    return compute(20000) == expected && compute(20000) == expected;
}

static void registers_survive_interrupts_and_switches(void)
{
    rtos_scheduler_lock();
    uint32_t expected = compute(20000);
    rtos_scheduler_unlock();
    rtos_id disturber = test_run_privileged(create_disturbing_timer, NULL);
    disturbances = 0;
    CHECK_EQUAL(rtos_timer_start(disturber, test_ticks(100), test_ticks(100)), RTOS_OK);
    rtos_id one = test_spawn(compute_twice, &expected, TEST_PRIORITY - 1);
    rtos_id two = test_spawn(compute_twice, &expected, TEST_PRIORITY - 1);
    CHECK_EQUAL(test_join(one), 1);
    CHECK_EQUAL(test_join(two), 1);
    CHECK(disturbances > 50);
    rtos_timer_delete(disturber);
}

const struct test tests[] = {
    {"interrupt handler gets its argument", handler_gets_its_argument},
    {"interrupt more urgent lines nest", more_urgent_lines_nest},
    {"interrupt less urgent lines wait", less_urgent_lines_wait},
    {"interrupt tasks switch when the outermost handler ends", tasks_switch_when_the_outermost_handler_ends},
    {"interrupt services know that they are in a handler", services_know_that_they_are_in_a_handler},
    {"interrupt lines are guarded and masked", lines_are_guarded_and_masked},
    {"interrupt registers survive interrupts and switches", registers_survive_interrupts_and_switches},
    {NULL, NULL},
};
