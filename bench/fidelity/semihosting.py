"""Asks the host from a program on a Cortex-M, by Arm's semihosting."""

ASK_HOST = r"""static int ask_host(int operation, const void *argument) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}
"""
