/* Byte queue: copies of whole pieces. */
#include "ring.h"

#include <string.h>

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t ring_put_bytes(struct ring *ring, const uint8_t *from, uint32_t size)
{
    uint32_t count = least(size, ring_room(ring));
    uint32_t at = ring->head & (ring->size - 1);
    uint32_t first = least(count, ring->size - at);
    memcpy(ring->bytes + at, from, first);
    memcpy(ring->bytes, from + first, count - first);
    ring_order();
    ring->head += count;
    return count;
}

uint32_t ring_get_bytes(struct ring *ring, uint8_t *to, uint32_t size)
{
    uint32_t count = least(size, ring_used(ring));
    uint32_t at = ring->tail & (ring->size - 1);
    uint32_t first = least(count, ring->size - at);
    memcpy(to, ring->bytes + at, first);
    memcpy(to + first, ring->bytes, count - first);
    ring_order();
    ring->tail += count;
    return count;
}

uint32_t ring_piece(const struct ring *ring, const uint8_t **piece)
{
    uint32_t at = ring->tail & (ring->size - 1);
    *piece = ring->bytes + at;
    return least(ring_used(ring), ring->size - at);
}
