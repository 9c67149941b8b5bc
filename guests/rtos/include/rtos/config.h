/* Build-time configuration: RTOS_CONFIG_FILE sets what it wants, config/default.h the rest. */
#ifndef RTOS_CONFIG_H
#define RTOS_CONFIG_H

#ifdef RTOS_CONFIG_FILE
#include RTOS_CONFIG_FILE
#endif
#include "../../config/default.h"

#endif
