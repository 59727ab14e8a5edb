/* Start-up for QEMU's mps3-an547: as on the mps2 boards, with the UART elsewhere. */
#define UART 0x49303000u
#include "mps2.c"
