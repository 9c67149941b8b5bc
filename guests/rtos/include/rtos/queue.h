/* Message queues: messages of fixed size, by copy. */
#ifndef RTOS_QUEUE_H
#define RTOS_QUEUE_H

#include <rtos/types.h>

/* Creates a queue of `capacity` messages of `message_size` bytes; the storage comes from the kernel heap. */
rtos_id rtos_queue_create(uint32_t message_size, uint32_t capacity);
/* Copies a message in at the end; waits while full. With RTOS_NO_WAIT allowed in interrupt handlers. */
rtos_status rtos_queue_send(rtos_id queue, const void *message, uint32_t timeout_us);
/* The same at the front. */
rtos_status rtos_queue_send_urgent(rtos_id queue, const void *message, uint32_t timeout_us);
/* Copies the first message out; waits while empty. With RTOS_NO_WAIT allowed in interrupt handlers. */
rtos_status rtos_queue_receive(rtos_id queue, void *message, uint32_t timeout_us);
/* Returns the messages held. */
rtos_status rtos_queue_count(rtos_id queue);
rtos_status rtos_queue_delete(rtos_id queue);

#endif
