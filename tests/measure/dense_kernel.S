# void kernel(const int8_t input[10], const int8_t weights[7][10], const int32_t bias[7],
#             int8_t output[7])
# output[o] = clamp(bias[o] + sum_i (input[i] + 3) * weights[o][i] - 5, -128, 127)
#
# One macro of the command line makes it misbehave in one way; with -DNONE it is right.
  .text
  .globl kernel
  .type kernel, @function
kernel:
#ifdef ENDLESS
0: j 0b
#endif
#ifdef ILLEGAL
  .word 0x0006a02f  # amoadd.w zero, zero, (a3)
#endif
#ifdef JUMP_AWAY
  li t0, 0x60000000
  jr t0
#endif
#ifdef READ_PAST_INPUT
  lbu t0, 10(a0)
#endif
#ifdef READ_BEFORE_INPUT
  lbu t0, -1(a0)
#endif
#ifdef READ_PAST_WEIGHTS
  lbu t0, 70(a1)
#endif
#ifdef WRITE_PAST_OUTPUT
  sb zero, 7(a3)
#endif
#ifdef WRITE_BEFORE_OUTPUT
  sb zero, -1(a3)
#endif
#ifdef CLOBBER_S0
  li s0, 7
#endif
#ifdef SHIFT_SP
  addi sp, sp, -16
#endif
#ifdef MISALIGNED
  lh t0, 1(a0)
#endif
#ifdef CHANGE_AND_RESTORE_INPUT
  lbu t0, 4(a0)
  xori t1, t0, 1
  sb t1, 4(a0)
  sb t0, 4(a0)
#endif
#ifdef DEEP_STACK
  addi sp, sp, -96
  sw zero, 0(sp)
  addi sp, sp, 96
#endif
  mv a4, a1
  mv a5, a3
  li t0, 7
1:
  lw t1, 0(a2)
  mv t3, a0
  li t2, 10
2:
  lb t4, 0(t3)
  lb t5, 0(a4)
  addi t4, t4, 3
  mul t4, t4, t5
  add t1, t1, t4
#ifdef NARROW_SUM
  slli t1, t1, 16
  srai t1, t1, 16
#endif
  addi t3, t3, 1
  addi a4, a4, 1
  addi t2, t2, -1
  bnez t2, 2b
  addi t1, t1, -5
  li t4, 127
  ble t1, t4, 3f
  mv t1, t4
3:
  li t4, -128
  bge t1, t4, 4f
  mv t1, t4
4:
#ifdef MISSING_BYTE
  li t4, 1
  beq t0, t4, 5f
#endif
  sb t1, 0(a5)
5:
  addi a5, a5, 1
  addi a2, a2, 4
  addi t0, t0, -1
  bnez t0, 1b
#ifdef WRONG_BYTE
  lbu t1, 3(a3)
  addi t1, t1, 1
  sb t1, 3(a3)
#endif
#ifdef CHANGE_INPUT
  lbu t1, 9(a0)
  xori t1, t1, 128
  sb t1, 9(a0)
#endif
#ifdef CHANGE_WEIGHT
  lbu t1, 69(a1)
  xori t1, t1, 1
  sb t1, 69(a1)
#endif
  ret
  .size kernel, . - kernel
