#include "bench/fidelity/micro_kernels.h"

namespace tinytune {
namespace {

// RISC-V bodies are assembled without 16-bit instructions, except for these.
#define SHORT_NOP ".option rvc\nc.nop\n.option norvc\n"

constexpr std::string_view kNiccle = "niccle, measured on the chip";
constexpr std::string_view kRi5cy = "CV32E40P manual (prior, not this chip)";
constexpr std::string_view kArm = "Arm 100166";
constexpr std::string_view kRecalled = "Arm 100166 (recalled)";
constexpr std::string_view kM4 = "jnk0le, STM32F407";
constexpr std::string_view kOdd = "compendium.i-0.nl: groups of three or more, of stores four";
constexpr std::string_view kArmPairs = "Arm, load/store timings";
constexpr std::string_view kWaitNs = "mbed-os wait_ns, CMSIS-DAP: two cycles";
constexpr std::string_view kM7 = "jnk0le, STM32H743";
constexpr std::string_view kM7Shift = "jnk0le, STM32H743: only the shifted operand is read early";
constexpr std::string_view kM7Branch =
    "Arm, ACTLR: foreseen by the BTAC; jnk0le, STM32H743: then it pairs, else 8 cycles";
constexpr std::string_view kM0 = "Arm DDI0484C, rp2040js";

constexpr std::string_view kMeeting = "derived: two words in SRAM, 5 to 12 cycles each way, a call";

constexpr std::string_view kM33 = "jnk0le, RP2350";

constexpr std::string_view kSummed = "the rows above, summed";

constexpr std::string_view kL4 = "hal_rcc.c, hal_flash.h: 5 wait states, 64-bit reads";
constexpr std::string_view kBosch = "Bosch, MLPerf Tiny v1.2: 0.50 cycles a byte";
constexpr std::string_view kF4 = "RM0090: 5 wait states, 128-bit reads";
constexpr std::string_view kXip = "oberon-rtk.org: 400 ns a load; boot2: at least 40";

constexpr MicroKernel kKernels[] = {
    {"esp32c3", "add", "add a2,a3,a4", 1, 1, kNiccle},
    {"esp32c3", "jump", "j 1f\n1:", 2, 2, kNiccle},
    {"esp32c3", "branch not taken", "bne a0,a0,1f\n1:", 1, 1, kNiccle},
    {"esp32c3", "branch taken", "bne a0,a1,1f\nnop\n1:", 3, 3, kNiccle},
    {"esp32c3", "load, used next", "lw a2,0(a0)\nadd a3,a2,a2", 3, 3, kNiccle},
    {"esp32c3", "byte load, used next", "lbu a2,0(a0)\nadd a3,a2,a2", 3, 3, kNiccle},
    {"esp32c3", "load, not used next", "lw a2,0(a0)\nadd a3,a4,a4", 2, 2, kNiccle},
    {"esp32c3", "loads back to back", "lw a2,0(a0)\nlw a3,4(a0)\nlw a4,8(a0)\nlw a5,12(a0)", 5, 5,
     "niccle: 2 every 4th time, cause unknown", Slow::kNothing, -1},
    {"esp32c3", "stores back to back", "sw a2,0(a0)\nsw a3,4(a0)\nsw a4,8(a0)\nsw a5,12(a0)", 5, 5,
     "niccle: every 4th took more, cause unknown", Slow::kNothing, -1},
    {"esp32c3", "multiply, dependent", "mul a2,a2,a3", 1, 1, kRi5cy},
    {"esp32c3", "multiply high", "mulh a2,a2,a3", 5, 5, kRi5cy},
    {"esp32c3", "divide", "div a2,a3,a4", 3, 35, kRi5cy},
    {"esp32c3", "branch taken to a wide instruction on an odd half word",
     "bne a0,a1,1f\n" SHORT_NOP "1: add a2,a3,a4\n" SHORT_NOP, 6, 6,
     "CV32E40P manual; CoreMark in IRAM takes it"},
    {"esp32c3", "as CoreMark: 4 nodes of a list",
     "sw a1,0(a0)\nsw a0,0(a1)\nmv a4,a0\nli a5,4\n"
     "1: lw a6,4(a4)\nlw a4,0(a4)\naddi a5,a5,-1\nbnez a5,1b",
     26, 28, "niccle, summed; every 4th load may take one more"},
    {"esp32c3", "as CoreMark: 4 products of a matrix",
     "li a5,4\n1: lh a6,0(a0)\nlh a7,0(a1)\nmul a6,a6,a7\nadd a2,a2,a6\naddi a5,a5,-1\nbnez a5,1b",
     35, 37, "niccle, CV32E40P manual, summed; every 4th load may take one more"},
    {"esp32c3", "as CoreMark: a state",
     "li a6,5\nbltu a6,a4,1f\nli a7,2\nbgeu a7,a4,1f\nj 2f\n1: nop\n2: li a4,3", 7, 7, kSummed},
    {"esp32c3", "as CoreMark: a bit of a CRC",
     "xor a6,a2,a3\nandi a6,a6,1\nsrli a2,a2,1\nneg a6,a6\nand a6,a6,a3\nxor a2,a2,a6", 6, 6,
     kSummed},

    {"stm32f4", "add", "adds r2,r2,r3", 1, 1, kArm},
    {"stm32f4", "multiply-accumulate", "mla r2,r3,r3,r2", 1, 1, kArm},
    {"stm32f4", "smlad", "smlad r2,r3,r3,r2", 1, 1, kRecalled},
    {"stm32f4", "smull", "smull r2,r4,r3,r3", 1, 1, kRecalled},
    {"stm32f4", "divide", "sdiv r2,r3,r3", 2, 12, kRecalled},
    {"stm32f4", "load", "ldr r2,[r0]\nnop", 2, 3, "Arm 100166 (recalled); jnk0le: eats a nop"},
    {"stm32f4", "four loads, then add",
     "ldr r2,[r0]\nldr r3,[r0,#4]\nldr r4,[r0,#8]\n"
     "ldr r5,[r0,#12]\nadds r2,r2,r3",
     6, 6, kRecalled},
    {"stm32f4", "load, base just written", "adds r2,r0,#0\nldr r3,[r2]\nadds r3,r3,r3", 5, 5, kM4},
    {"stm32f4", "post-indexed, two bases", "ldr r2,[r0],#0\nldr r3,[r1],#0\nadds r2,r2,r3", 4, 4,
     kM4},
    {"stm32f4", "store", "str r2,[r0]", 1, 1, kM4},
    {"stm32f4", "store, register offset", "str r2,[r0,r6]", 2, 2, kM4},
    {"stm32f4", "load, then store", "ldr r2,[r0]\nstr r3,[r0,#4]\nadds r4,r4,r5", 3, 3, kM4},
    {"stm32f4", "store, then load", "str r3,[r0,#4]\nldr r2,[r0]\nadds r4,r4,r5", 5, 5, kM4},
    {"stm32f4", "load multiple, 4", "ldm r0,{r2,r3,r4,r5}", 5, 5, kRecalled},
    {"stm32f4", "load double", "ldrd r2,r3,[r0]", 3, 3, kRecalled},
    {"stm32f4", "branch not taken", "cmp r0,r0\nbne 1f\n1:", 2, 2, kArm},
    {"stm32f4", "branch taken", "cmp r0,r0\nbeq 1f\nnop\n1:", 3, 3, kWaitNs},
    {"stm32f4", "branch taken to a wide instruction, aligned",
     "cmp r0,r0\nbeq 1f\nnop\nnop\n1: add.w r2,r2,r3", 4, 4, kWaitNs},
    {"stm32f4", "branch taken to one on an odd half word",
     "cmp r0,r0\nbeq 1f\nnop\n1: add.w r2,r2,r3\nnop", 6, 6, kM4},

    {"stm32f4", "two wide additions on odd half words", "nop\nadd.w r2,r2,r3\nadd.w r4,r4,r3\nnop",
     4, 4, kOdd},
    {"stm32f4", "three of them", "nop\nadd.w r2,r2,r3\nadd.w r4,r4,r3\nadd.w r5,r5,r3\nnop", 6, 6,
     kOdd},
    {"stm32f4", "three wide stores on odd half words",
     "nop\nstr.w r2,[r0]\nstr.w r2,[r0,#4]\nstr.w r2,[r0,#8]\nnop", 5, 5, kOdd},
    {"stm32f4", "four of them",
     "nop\nstr.w r2,[r0]\nstr.w r2,[r0,#4]\nstr.w r2,[r0,#8]\nstr.w r2,[r0,#12]\nnop", 7, 7, kOdd},
    {"stm32f4", "store, then load multiple", "str r3,[r0,#4]\nldm r1,{r2,r4,r5,r7}\nnop", 8, 8,
     kM4},
    {"stm32f4", "load, then store at a register offset",
     "ldr r2,[r0]\nstr r3,[r0,r6]\nadds r4,r4,r5", 4, 4, kArmPairs},

    {"stm32f4", "as CoreMark: 4 nodes of a list",
     "str r1,[r0]\nstr r0,[r1]\nmov r4,r0\nmovs r7,#4\n"
     "1: ldr r5,[r4,#4]\nldr r4,[r4]\nsubs r7,#1\nbne 1b",
     27, 27, kSummed},
    {"stm32f4", "as CoreMark: 4 products of a matrix",
     "movs r7,#4\n1: ldrsh r4,[r0]\nldrsh r5,[r1]\nmla r6,r4,r5,r6\nsubs r7,#1\nbne 1b", 29.5, 29.5,
     "jnk0le, STM32F407, summed: 28, and 3 where the loop head is misaligned, every other time"},
    {"stm32f4", "as CoreMark: a state",
     "movs r4,#3\ncmp r4,#5\nbhi 1f\ncmp r4,#2\nbls 1f\nb 2f\n1: nop\n2:", 8, 8, kSummed},
    {"stm32f4", "as CoreMark: a bit of a CRC",
     "eor.w r4,r3,r2\nand r4,r4,#1\nlsrs r2,r2,#1\nnegs r4,r4\nands r4,r3\neors r2,r4", 6, 6,
     kSummed},

    {"stm32f7", "four adds", "add r2,r2,#1\nadd r3,r3,#1\nadd r4,r4,#1\nadd r5,r5,#1", 2, 2, kM7},
    {"stm32f7", "multiplies never pair", "mul r2,r0,r1\nmul r3,r0,r1", 2, 2, kM7},
    {"stm32f7", "smlad chain", "smlad r2,r0,r1,r2", 1, 1, kM7},
    {"stm32f7", "product as multiplicand", "mul r2,r2,r3", 2, 2, kM7},
    {"stm32f7", "smlad beside add", "smlad r2,r0,r1,r2\nadd r3,r3,#1", 1, 1, kM7},
    {"stm32f7", "two loads, two banks", "ldr r2,[r0]\nldr r3,[r0,#4]", 1, 1, kM7},
    {"stm32f7", "two loads, one bank", "ldr r2,[r0]\nldr r3,[r0,#8]", 2, 2, kM7},
    {"stm32f7", "load beside store", "ldr r2,[r0]\nstr r3,[r0,#4]", 1, 1, kM7},
    {"stm32f7", "two stores", "str r2,[r0]\nstr r3,[r0,#4]", 2, 2, kM7},
    {"stm32f7", "byte stores, unit stride", "strb r2,[r0]\nstrb r2,[r0,#1]", 4.8, 4.8,
     "jnk0le, STM32H743: 2.4 each; the model counts whole cycles", Slow::kNothing, -0.8},
    {"stm32f7", "two packed extensions", "sxtb16 r2,r4\nsxtb16 r3,r5", 2, 2, kM7},
    {"stm32f7", "load multiple, 4", "ldm r0,{r2,r3,r4,r5}", 2, 2, kM7},
    {"stm32f7", "loop left, flags just set", "1: cmp r0,r0\nbne 1b", 9, 9, kM7},
    {"stm32f7", "loop left, flags set early",
     "1: cmp r0,r0\nsmlad r2,r0,r1,r2\nsmlad r2,r0,r1,r2\nsmlad r2,r0,r1,r2\n"
     "smlad r2,r0,r1,r2\nbne 1b",
     10, 10, kM7},
    {"stm32f7", "100 times a backward branch that stays, in a loop",
     "1: movs r7,#100\n2: cmp r0,r0\nbne 1b\nsubs r7,#1\nbne 2b", 201, 225, kM7Branch},
    {"stm32f7", "100 times a forward branch that is taken, in a loop",
     "movs r7,#100\n2: cmp r0,r0\nbeq 1f\nnop\n1: subs r7,#1\nbne 2b", 201, 225, kM7Branch},
    {"stm32f7", "chain of sums with a shifted operand", "add r2,r2,r4,lsl #2", 1, 1, kM7Shift},
    {"stm32f7", "chain through the shifted operand", "add r2,r4,r2,lsl #2", 2, 2, kM7Shift},
    {"stm32f7", "word load to smlad", "ldr r2,[r0]\nsmlad r3,r2,r2,r3", 2, 2, kM7},

    {"rp2040", "add", "adds r2,r2,r3", 1, 1, kM0},
    {"rp2040", "multiply", "muls r2,r3,r2", 1, 1, kM0},
    {"rp2040", "load", "ldr r2,[r0]", 2, 2, kM0},
    {"rp2040", "store", "strb r2,[r0]", 2, 2, kM0},
    {"rp2040", "load multiple, 4", "mov r6,r0\nldm r6!,{r2,r3,r4,r5}", 6, 6, kM0},
    {"rp2040", "branch", "b 1f\nnop\n1:", 2, 2, kM0},
    {"rp2040", "branch taken", "cmp r0,r0\nbeq 1f\nnop\n1:", 3, 3, kM0},
    {"rp2040", "branch not taken", "cmp r0,r0\nbne 1f\n1:", 2, 2, kM0},

    // A nop replaces each sev, which takes as long.
    {"rp2040", "fork and join: both cores' instructions in turn",
     "dmb\nstr r2,[r0]\ndsb\nnop\n"                                   // the one forks
     "ldr r4,[r0]\ndmb\ncmp r4,#0\nbeq 1f\nmov r7,lr\nbl 2f\nb 3f\n"  // the other calls
     "2: bx lr\n3: mov lr,r7\nmovs r4,#0\ndmb\nstr r4,[r0]\ndsb\nnop\n"
     "ldr r4,[r0]\ndmb\ncmp r4,#0\nbne 1f\n1:",
     20, 35, kMeeting},
    {"rp2040", "as CoreMark: 4 nodes of a list",
     "str r1,[r0]\nstr r0,[r1]\nmov r4,r0\nmovs r7,#4\n"
     "1: ldr r5,[r4,#4]\nldr r4,[r4]\nsubs r7,#1\nbne 1b",
     33, 33, kSummed},
    {"rp2040", "as CoreMark: 4 products of a matrix",
     "movs r7,#4\n1: ldrsh r4,[r0,r6]\nldrsh r5,[r1,r6]\nmuls r4,r5,r4\nadds r2,r2,r4\n"
     "subs r7,#1\nbne 1b",
     36, 36, kSummed},
    {"rp2040", "as CoreMark: a state",
     "movs r4,#3\ncmp r4,#5\nbhi 1f\ncmp r4,#2\nbls 1f\nb 2f\n1: nop\n2:", 7, 7, kSummed},
    {"rp2040", "as CoreMark: a bit of a CRC",
     "movs r4,#1\nmov r5,r2\neors r5,r3\nands r4,r5\nlsrs r2,r2,#1\nnegs r4,r4\nands r4,r3\n"
     "eors r2,r4",
     8, 8, kSummed},

    {"rp2350", "smlad chain", "smlad r2,r3,r3,r2", 1, 1, kM33},
    {"rp2350", "product as multiplicand", "smlad r2,r2,r3,r4", 2, 2, kM33},
    {"rp2350", "multiply that sets flags", "muls r2,r3,r2\nadds r4,r4,r5", 3, 3, kM33},
    {"rp2350", "load, used next", "ldr r2,[r0]\nadd.w r3,r3,r2", 3, 3, kM33},
    {"rp2350", "load to an accumulator", "ldr r2,[r0]\nsmlad r2,r3,r3,r2", 2, 2, kM33},
    {"rp2350", "load, then stored", "ldr r2,[r0]\nstr r2,[r0,#4]", 2, 2, kM33},
    {"rp2350", "chain through a shifted operand", "add r2,r4,r2,lsl #2", 2, 2, kM33},
    {"rp2350", "load multiple, 4", "ldm r0,{r2,r3,r4,r5}", 4, 4, kM33},
    {"rp2350", "load double", "ldrd r2,r3,[r0]", 2, 2, kM33},
    {"rp2350", "branch not taken", "cmp r0,r0\nbne 1f\n1:", 1, 1, kM33},
    {"rp2350", "branch taken, flags just set", "cmp r0,r0\nbeq 1f\nnop\n1:", 3, 3, kM33},
    {"rp2350", "branch taken, flags set earlier", "cmp r0,r0\nmov r4,r5\nbeq 1f\nnop\n1:", 3, 3,
     kM33},

    {"esp32c6", "jump", "j 1f\n1:", 1, 2, kNiccle},
    {"esp32c6", "forward branch not taken", "bne a0,a0,1f\n1:", 1, 1, kNiccle},
    {"esp32c6", "forward branch taken", "bne a0,a1,1f\nnop\n1:", 3, 3, kNiccle},
    {"esp32c6", "backward branch not taken", "1: nop\nbne a0,a0,1b", 4, 5, kNiccle},
    {"esp32c6", "loop of five rounds", "li a2,5\n1: addi a2,a2,-1\nbnez a2,1b", 13, 14, kNiccle},
    {"esp32c6", "load, used next", "lw a2,0(a0)\nadd a3,a2,a2", 3, 3, kNiccle},

    {"stm32l4r5-dual-bank", "flash: 4 adds of 16 bits",
     "adds r2,r2,r3\nadds r2,r2,r3\nadds r2,r2,r3\nadds r2,r2,r3", 9, 9, kL4, Slow::kCode},
    {"stm32l4r5-dual-bank", "flash: 2 adds of 32 bits", "add.w r2,r2,r3\nadd.w r2,r2,r3", 7, 7, kL4,
     Slow::kCode},
    {"stm32l4r5-dual-bank", "flash: 8 bytes of weights",
     "ldr r2,[r0],#4\nadds r3,r3,r2\nldr r2,[r0],#4\nadds r3,r3,r2", 10, 10, kBosch, Slow::kData},
    {"stm32l4r5", "4 loads from SRAM1",
     "ldr r2,[r0]\nldr r3,[r1]\nldr r4,[r0]\nldr r5,[r1]\nadds r2,r2,r3", 6, 6, kM4},
    {"stm32l4r5", "4 loads from SRAM1 and SRAM3 in turn",
     "ldr r2,[r0]\nldr r3,[sp]\nldr r4,[r0]\nldr r5,[sp]\nadds r2,r2,r3", 11, 11,
     "jnk0le, STM32F407: loads overlap only within one block; pqm4: SRAM3 is slower"},
    {"stm32l4r5", "as Keccak of pqm4: 5 loads from SRAM3, a store, 4 sums",
     "ldr.w r2,[sp]\nldr.w r3,[sp,#4]\nldr.w r4,[sp,#8]\nldr.w r5,[sp,#12]\nldr.w r7,[sp,#4]\n"
     "str.w r2,[sp]\neor.w r2,r2,r3\neor.w r2,r2,r4\neor.w r2,r2,r5\neor.w r2,r2,r7",
     11, 11, "derived: pqm4's SPHINCS+ and AIMer, whose stack is in SRAM3"},
    {"stm32l4r5", "flash: 4 adds of 32 bits, prefetched",
     "add.w r2,r2,r3\nadd.w r2,r2,r3\nadd.w r2,r2,r3\nadd.w r2,r2,r3", 6, 6,
     "derived: the array gives 16 bytes in 6 cycles", Slow::kCode},
    {"stm32l4r5", "flash: 16 bytes of weights",
     "ldr r2,[r0],#4\nadds r3,r3,r2\nldr r2,[r0],#4\nadds r3,r3,r2\n"
     "ldr r2,[r0],#4\nadds r3,r3,r2\nldr r2,[r0],#4\nadds r3,r3,r2",
     20, 20, kBosch, Slow::kData},
    {"stm32f4", "flash: 8 adds of 16 bits",
     "adds r2,r2,r3\nadds r2,r2,r3\nadds r2,r2,r3\nadds r2,r2,r3\nadds r2,r2,r3\nadds "
     "r2,r2,r3\nadds r2,r2,r3\nadds r2,r2,r3",
     13, 13, kF4, Slow::kCode},
    {"stm32f4", "flash: 16 bytes of weights, 6 of code", "ldr r2,[r0],#16\nadds r3,r3,r2", 9.875,
     9.875, kF4, Slow::kData},
    {"rp2040", "flash: load of a word", "ldr r2,[r0]\nadds r0,#4", 41, 51, kXip, Slow::kData},
    {"rp2040", "flash: 2 adds", "adds r2,r2,r3\nadds r2,r2,r3", 42, 52, kXip, Slow::kCode},
};

}  // namespace

std::span<const MicroKernel> micro_kernels() { return kKernels; }

}  // namespace tinytune
