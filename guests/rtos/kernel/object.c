#include "object.h"

#include <rtos/section.h>

#define INDEX_BITS 8
#define KIND_BITS 4
#define GENERATION_MASK 0x7ffffu /* What is left of 31 bits: a handle is positive. */

void object_table_initialise(struct object_table *table, void *first, uint32_t object_size, uint32_t count,
                             enum object_kind kind)
{
    *table = (struct object_table){kind, NULL};
    for (uint32_t index = count; index-- > 0;) {
        struct object *object = (struct object *)(void *)((char *)first + index * object_size);
        *object = (struct object){0, 0, index, table->free};
        table->free = object;
    }
}

RTOS_FAST_TEXT struct object *object_allocate(struct object_table *table)
{
    struct object *object = table->free;
    if (object == NULL)
        return NULL;
    table->free = object->next_free;
    object->generation = (object->generation + 1) & GENERATION_MASK;
    object->id = (rtos_id)(object->generation << (INDEX_BITS + KIND_BITS) | table->kind << INDEX_BITS | object->index);
    return object;
}

RTOS_FAST_TEXT void object_free(struct object_table *table, struct object *object)
{
    object->id = 0;
    object->next_free = table->free;
    table->free = object;
}
