/* Kernel objects: tables of fixed size, handles with a generation so that an old handle never names a new object. */
#ifndef KERNEL_OBJECT_H
#define KERNEL_OBJECT_H

#include <rtos/types.h>

enum object_kind {
    KIND_TASK = 1,
    KIND_TIMER,
    KIND_SEMAPHORE,
    KIND_MUTEX,
    KIND_EVENT,
    KIND_QUEUE,
    KIND_MAILBOX,
    KIND_POOL,
    KIND_HEAP,
};

/* First member of every object. */
struct object {
    rtos_id id; /* 0 when free. */
    uint32_t generation;
    uint32_t index;
    struct object *next_free;
};

struct object_table {
    uint32_t kind;
    struct object *free;
};

/* Chains all objects of the table as free. */
void object_table_initialise(struct object_table *table, void *first, uint32_t object_size, uint32_t count,
                             enum object_kind kind);
/* Takes a free object and gives it a new handle, or returns NULL. Interrupts are disabled by the caller. */
struct object *object_allocate(struct object_table *table);
/* Gives it back; its handle ends. Interrupts are disabled by the caller. */
void object_free(struct object_table *table, struct object *object);

/* Finds the object of a handle in an array of structures whose first member is `object`; NULL when there is none. */
#define OBJECT_FIND(array, handle)                                                                                    \
    (((uint32_t)(handle)&0xffu) < sizeof(array) / sizeof((array)[0]) && (handle) != 0 &&                              \
             (array)[(uint32_t)(handle)&0xffu].object.id == (handle)                                                  \
         ? &(array)[(uint32_t)(handle)&0xffu]                                                                         \
         : NULL)

#endif
