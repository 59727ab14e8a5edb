/* The least firmware with an application: 8 KiB of its own data and, where NETWORK names a header,
 * a network with its arena and the stack of the task that calls it. */
#include <stdint.h>

unsigned char application[8 * 1024];

#ifdef NETWORK
#include NETWORK
_Alignas(ARENA_ALIGNMENT) unsigned char arena[ARENA_BYTES];
_Alignas(16) unsigned char stack_of_task[STACK_BYTES];
#endif

void start(void);
void start(void) {
#ifdef NETWORK
  application[0] = (unsigned char)INVOKE(arena);
  application[1] = stack_of_task[0];
#endif
  for (;;) application[2] = (unsigned char)(application[2] + 1u);
}
