/* Byte queue for one producer and one consumer, which may be an interrupt handler and a task. */
#ifndef TTY_RING_H
#define TTY_RING_H

#include <stdint.h>

/* Positions run freely; the size is a power of two. */
struct ring {
    uint8_t *bytes;
    uint32_t size;
    volatile uint32_t head; /* Next to be written. */
    volatile uint32_t tail; /* Next to be read. */
};

/* Bytes are in place before the position that publishes them moves, and read before it frees them. */
static inline void ring_order(void)
{
    __asm__ volatile("" ::: "memory");
}

static inline uint32_t ring_used(const struct ring *ring)
{
    return ring->head - ring->tail;
}

static inline uint32_t ring_room(const struct ring *ring)
{
    return ring->size - ring_used(ring);
}

static inline void ring_put(struct ring *ring, uint8_t byte)
{
    ring->bytes[ring->head & (ring->size - 1)] = byte;
    ring_order();
    ring->head++;
}

static inline uint8_t ring_get(struct ring *ring)
{
    uint8_t byte = ring->bytes[ring->tail & (ring->size - 1)];
    ring_order();
    ring->tail++;
    return byte;
}

/* Copies in as much as there is room for; returns how much. */
uint32_t ring_put_bytes(struct ring *ring, const uint8_t *from, uint32_t size);
/* Copies out up to `size` bytes; returns how many. */
uint32_t ring_get_bytes(struct ring *ring, uint8_t *to, uint32_t size);
/* The longest piece that can be read in place; it stays used until ring_skip. */
uint32_t ring_piece(const struct ring *ring, const uint8_t **piece);

static inline void ring_skip(struct ring *ring, uint32_t size)
{
    ring_order();
    ring->tail += size;
}

#endif
