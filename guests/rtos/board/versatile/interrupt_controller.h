/* The interrupt controller's start. */
#ifndef VERSATILE_INTERRUPT_CONTROLLER_H
#define VERSATILE_INTERRUPT_CONTROLLER_H

/* Disables all lines. */
void board_interrupt_controller_init(void);

#endif
