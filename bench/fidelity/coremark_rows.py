"""Published CoreMark scores with a known compiler, and where their programs lay; coremark.py runs them."""
import dataclasses


@dataclasses.dataclass
class Placement:
    """Where a program lies on a device: a device file over a built-in one, and addresses."""
    name: str
    device: str
    code: str
    constants: str | None  # None: behind the code
    data: str
    stack: str


@dataclasses.dataclass
class Row:
    device: str
    placement: Placement
    family: str
    machine: str
    version: str
    flags: str
    memory: str  # CoreMark's name for where its 2,000 bytes are
    published: float  # CoreMark/MHz
    source: str
    within: float = 2.0
    alike: tuple = ()  # other releases whose code scores the same


def over(base, *memories):
    """A device that is BASE with MEMORIES, each a name and the lines that differ."""
    text = f'name = "{base}-coremark"\ndescription = "{base} as a published score was measured"\nbase = "{base}"\n'
    return text + "".join(f'[[memory]]\nname = "{name}"\n{lines}\n' for name, lines in memories)


def waits(cycles, after):
    return f"fill_cycles = {cycles}\nnext_fill_cycles = {after}"


# As stm32l4r5-dual-bank, which has a base itself: the chip as it is shipped reads 64 bits at once.
DUAL_BANK = '[[cache]]\nname = "art_code"\nfill_bytes = 8\n[[cache]]\nname = "art_data"\nfill_bytes = 8\n'

M0 = "-mcpu=cortex-m0plus -mthumb -mfloat-abi=soft"
M33 = "-mcpu=cortex-m33 -mthumb -mfloat-abi=soft"
M4 = "-mcpu=cortex-m4 -mthumb -mfloat-abi=soft"
M7 = "-mcpu=cortex-m7 -mthumb -mfloat-abi=soft"
RV32IMC = "-march=rv32imc -mabi=ilp32"

C3_IRAM = Placement("IRAM", over("esp32c3"), "0x40380000", "0x3FCB0000", "0x3FCB4000", "0x3FCE0000")
C3_FLASH = Placement("flash", over("esp32c3"), "0x42000000", "0x3C000000", "0x3FCB4000", "0x3FCE0000")
L4_3_WAITS = Placement("flash, 3 wait states", over("stm32l4r5", ("flash", waits(3, 3))) + DUAL_BANK,
                       "0x08000000", None, "0x20000000", "0x20008000")
F4_3_WAITS = Placement("flash, 3 wait states", over("stm32f4", ("flash", "fill_cycles = 3")),
                       "0x08000000", None, "0x20000000", "0x20008000")
F4_2_WAITS = Placement("flash, 2 wait states", over("stm32f4", ("flash", "fill_cycles = 2")),
                       "0x08000000", None, "0x20000000", "0x20008000")
F7_FLASH = Placement("flash", over("stm32f7"), "0x08000000", None, "0x20000000", "0x20008000")
F7_ITCM = Placement("ITCM", over("stm32f7"), "0x00000000", "0x20004000", "0x20000000", "0x20008000")
RP2040_XIP = Placement("flash", over("rp2040"), "0x10000000", None, "0x20018000", "0x20042000")
RP2350_XIP = Placement("flash", over("rp2350"), "0x10000000", None, "0x20040000", "0x20082000")

NUTTX = ("-Os -fno-strict-aliasing -fno-omit-frame-pointer -fno-optimize-sibling-calls --param=min-pagesize=0 "
         "-fno-common -ffunction-sections -fdata-sections")
SPIKE_NX = "owhinata/spike-nx, README.md"
F401 = "luchenxu73/stm32-compiler-benchmark, README.md: 220.76 and 48.73 at 84 MHz"
PICO = "IotaHydrae/coremark, TOOLCHAINS.md, 150 MHz"

# IotaHydrae/coremark, docs/compiler-packagers.md: GCC 13.2.0, 13.2.1 and 13.3.1 of four distributors score the same to
# five digits, and so do three builds of 14.2.
GCC_13 = ("13.2", "13.3")

ROWS = [
    Row("esp32c3", C3_IRAM, "riscv", RV32IMC, "12.2.0", "-O3 -fjump-tables -ftree-switch-conversion", "MEM_STATIC",
        2.558, "espressif/idf-extra-components, coremark/README.md: 409.249 at 160 MHz"),
    Row("esp32c3", C3_FLASH, "riscv", RV32IMC, "14.2.0", "-Os", "MEM_STATIC",
        1.857, "an Arduino log, 297.15 at 160 MHz; its flags are a guess"),
    Row("stm32l4r5", L4_3_WAITS, "arm", M4, "13.2.1", NUTTX, "MEM_STATIC",
        1.790, f"{SPIKE_NX}: 143.16 at 80 MHz", alike=GCC_13),
    Row("stm32f4", F4_3_WAITS, "arm", M4, "13.2.1", NUTTX, "MEM_STATIC",
        1.783, f"{SPIKE_NX}: 171.19 at 96 MHz, an STM32F413", alike=GCC_13),
    Row("stm32f4", F4_2_WAITS, "arm", M4, "14.2.1", "-Ofast", "MEM_STACK", 2.628, F401),
    Row("stm32f4", F4_2_WAITS, "arm", M4, "14.2.1", "-O0", "MEM_STACK", 0.580, F401),
    Row("stm32f7", F7_FLASH, "arm", M7, "13.3.1", "-O3 -funroll-loops", "MEM_STATIC",
        4.300, "owhinata/stm32f746g-disco, docs/en/rtos/shell-coremark.md: 928 to 932 at 216 MHz", 3.0, GCC_13),
    Row("stm32f7", F7_ITCM, "arm", M7, "10.3.1", "-O2 -funroll-all-loops", "MEM_STATIC",
        4.238, "PaulStoffregen/CoreMark, a Teensy 4 of the same core", 3.0),
    Row("rp2040", RP2040_XIP, "arm", M0, "13.2.1", "-O3", "MEM_STACK",
        1.954, "IotaHydrae/coremark, rpi-pico/README.md: 781.78 at 400 MHz", alike=GCC_13),
    Row("rp2350", RP2350_XIP, "arm", M33, "12.2.0", "-O3", "MEM_STACK", 2.917, f"{PICO}: 437.58", 3.0),
    Row("rp2350", RP2350_XIP, "arm", M33, "13.2.0", "-O3", "MEM_STACK", 2.967, f"{PICO}: 445.11", 3.0, GCC_13),
    Row("rp2350", RP2350_XIP, "arm", M33, "14.2.0", "-O3", "MEM_STACK", 2.894, f"{PICO}: 434.09", 3.0),
]
