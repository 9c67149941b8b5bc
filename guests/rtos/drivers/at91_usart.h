/* Character driver of the AT91 USART: DMA in both directions, receiver time-out for short input. */
#ifndef DRIVERS_AT91_USART_H
#define DRIVERS_AT91_USART_H

/* Lengths of the DMA transfers in bytes. Each receiver has two buffers of the receive length. */
#ifndef AT91_USART_RECEIVE_LENGTH
#define AT91_USART_RECEIVE_LENGTH 64
#endif
#ifndef AT91_USART_TRANSMIT_LENGTH
#define AT91_USART_TRANSMIT_LENGTH 256
#endif
/* Silence in bit times after which received bytes are delivered; a multiple of 4 up to 1020. */
#ifndef AT91_USART_TIMEOUT_BITS
#define AT91_USART_TIMEOUT_BITS 40
#endif

/* Starts both USARTs and enters them as /dev/tty0 and /dev/tty1. */
int at91_usart_register(void);

#endif
