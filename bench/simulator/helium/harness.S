@ Runs streams of instructions one after the other, each between the registers of its block and
@ back into it, then writes all blocks to a file of the host. Assembled for address 0; the program
@ that makes streams (oracle.cc) fills the parameters and appends code and blocks.
@
@ A block: r0 to r12, lr, APSR, VPR, FPSCR, a free word, q0 to q7, then the memory of the stream.
 .syntax unified
 .thumb
 .text
vectors:
 .word 0x20080000, reset
 .rept 14
 .word fault
 .endr

 .org 0x40
jump_target: .word 0
stream_table: .word 0          @ addresses of the streams' code
stream_count: .word 0
header: .word 0                @ what is written: index, address of a fault, then the blocks
bytes: .word 0
block_bytes: .word 0
name_length: .word 0
open_arguments: .word name, 5, 0
write_arguments: .word 0, 0, 0
exit_arguments: .word 0x20026, 0

 .org 0x100
name: .space 0x100

 .org 0x200
 .thumb_func
dump:                          @ where each stream ends
 stm.w sp, {r0-r12, lr}
 mrs r0, apsr
 str r0, [sp, #56]
 vmrs r0, vpr
 str r0, [sp, #60]
 vmrs r0, fpscr
 str r0, [sp, #64]
 movs r0, #0
 vmsr vpr, r0
 lctp
 vstrw.32 q0, [sp, #72]
 vstrw.32 q1, [sp, #88]
 vstrw.32 q2, [sp, #104]
 vstrw.32 q3, [sp, #120]
 vstrw.32 q4, [sp, #136]
 vstrw.32 q5, [sp, #152]
 vstrw.32 q6, [sp, #168]
 vstrw.32 q7, [sp, #184]
 ldr r1, =header
 ldr r1, [r1]
 ldr r0, [r1]
 adds r0, #1
 str r0, [r1]
start:
 ldr r1, =header
 ldr r1, [r1]
 ldr r0, [r1]                  @ index
 ldr r2, =stream_count
 ldr r2, [r2]
 cmp r0, r2
 bhs finish
 ldr r3, =block_bytes
 ldr r3, [r3]
 mul r3, r3, r0
 add r3, r1
 add r3, #16
 mov sp, r3
 ldr r2, =stream_table
 ldr r2, [r2]
 ldr r2, [r2, r0, lsl #2]
 orr r2, #1
 ldr r1, =jump_target
 str r2, [r1]
 vldrw.u32 q0, [sp, #72]
 vldrw.u32 q1, [sp, #88]
 vldrw.u32 q2, [sp, #104]
 vldrw.u32 q3, [sp, #120]
 vldrw.u32 q4, [sp, #136]
 vldrw.u32 q5, [sp, #152]
 vldrw.u32 q6, [sp, #168]
 vldrw.u32 q7, [sp, #184]
 ldr r0, [sp, #64]
 vmsr fpscr, r0
 ldr r0, [sp, #60]
 vmsr vpr, r0
 ldr r0, [sp, #56]
 msr apsr_nzcvq, r0
 ldm.w sp, {r0-r12, lr}
 ldr.w pc, jump_target

 .thumb_func
reset:
 ldr r0, =0xE000ED88           @ CPACR: the unit of vectors
 ldr r1, [r0]
 orr r1, r1, #0xF00000
 str r1, [r0]
 ldr r0, =0xE000EF34           @ FPCCR: no saving of its registers for exceptions
 movs r1, #0
 str r1, [r0]
 ldr r0, =0xE000ED14           @ CCR: low-overhead loops
 ldr r1, [r0]
 orr r1, r1, #0x80000
 str r1, [r0]
 dsb
 isb
 b start

 .thumb_func
fault:
 ldr r1, =header
 ldr r1, [r1]
 ldr r0, [sp, #24]
 str r0, [r1, #4]
finish:
 ldr r4, =open_arguments
 ldr r0, =name_length
 ldr r0, [r0]
 str r0, [r4, #8]
 movs r0, #1
 mov r1, r4
 bkpt 0xab
 ldr r4, =write_arguments
 str r0, [r4]
 ldr r0, =header
 ldr r0, [r0]
 str r0, [r4, #4]
 ldr r0, =bytes
 ldr r0, [r0]
 str r0, [r4, #8]
 movs r0, #5
 mov r1, r4
 bkpt 0xab
 movs r0, #0x20
 ldr r1, =exit_arguments
 bkpt 0xab
 b .
 .ltorg
