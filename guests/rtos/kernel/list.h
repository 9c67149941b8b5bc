/* Circular, doubly linked lists with a head node. */
#ifndef KERNEL_LIST_H
#define KERNEL_LIST_H

#include <stddef.h>

struct list_node {
    struct list_node *next;
    struct list_node *previous;
};

/* The structure that holds `node` as its member `member`. */
#define LIST_ENTRY(node, type, member) ((type *)(void *)((char *)(node) - offsetof(type, member)))

static inline void list_initialise(struct list_node *head)
{
    head->next = head;
    head->previous = head;
}

static inline int list_is_empty(const struct list_node *head)
{
    return head->next == head;
}

static inline void list_insert_before(struct list_node *place, struct list_node *node)
{
    node->next = place;
    node->previous = place->previous;
    place->previous->next = node;
    place->previous = node;
}

static inline void list_append(struct list_node *head, struct list_node *node)
{
    list_insert_before(head, node);
}

static inline void list_prepend(struct list_node *head, struct list_node *node)
{
    list_insert_before(head->next, node);
}

/* Removes the node; removing it again does nothing. */
static inline void list_remove(struct list_node *node)
{
    node->previous->next = node->next;
    node->next->previous = node->previous;
    list_initialise(node);
}

#endif
