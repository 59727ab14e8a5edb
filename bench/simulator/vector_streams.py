"""Random streams of RISC-V vector instructions (Zve32x), as a program that says what it computed.

A stream is blocks of instructions with operands that the specification allows, under random types,
lengths, masks and rounding. After each block the program folds all vector registers, the unit's
control registers, the integer registers that instructions write and the memory that they store to
into one checksum, which it prints in hexadecimal by semihosting. The same program runs anywhere;
two machines that differ in a bit print other checksums from that block on.
"""
import random

SCRATCH = 4096  # bytes that loads and stores reach: SPAN to either side of its middle
SPAN = 1024
POOL = 8192  # random bytes that registers are filled from

BOTH = ("vv", "vx")
ALL = ("vv", "vx", "vi")
SAME = {
    ALL: "vadd vand vor vxor vsaddu vsadd vsll vsrl vsra vssrl vssra",
    ("vx", "vi"): "vrsub",
    BOTH: "vsub vminu vmin vmaxu vmax vssubu vssub vsmul vaaddu vaadd vasubu vasub "
          "vdivu vdiv vremu vrem vmulhu vmul vmulhsu vmulh",
}
COMPARE = {ALL: "vmseq vmsne vmsleu vmsle", BOTH: "vmsltu vmslt", ("vx", "vi"): "vmsgtu vmsgt"}
ACCUMULATE = "vmadd vnmsub vmacc vnmsac"
WIDEN = "vwaddu vwadd vwsubu vwsub vwmulu vwmulsu vwmul"
WIDEN_FIRST = "vwaddu vwadd vwsubu vwsub"
WIDE_ACCUMULATE = {BOTH: "vwmaccu vwmacc vwmaccsu", ("vx",): "vwmaccus"}
NARROW = "vnsrl vnsra vnclipu vnclip"
REDUCE = "vredsum vredand vredor vredxor vredminu vredmin vredmaxu vredmax"
LOGIC = "vmandn vmand vmor vmxor vmorn vmnand vmnor vmxnor"
UNSIGNED = {"vsll", "vsrl", "vsra", "vssrl", "vssra", "vnsrl", "vnsra", "vnclipu", "vnclip"}
TYPES = [(sew, lmul) for sew in (0, 1, 2) for lmul in range(-2, 4) if sew <= 2 + min(lmul, 0)]
LMULS = {-3: "mf8", -2: "mf4", -1: "mf2", 0: "m1", 1: "m2", 2: "m4", 3: "m8"}
SCALARS = ["t0", "t1", "t2", "zero"]  # what instructions read
RESULTS = ["a0", "a1", "a2", "a3"]    # what they write


def names(table):
    return [(name, forms) for forms, text in table.items() for name in text.split()]


def size(lmul):
    return 1 << max(lmul, 0)


class Stream:
    """One block after the other; `lines` is assembly."""

    def __init__(self, seed, vlen):
        self.random = random.Random(seed)
        self.vlen = vlen
        self.lines = []
        self.count = 0  # vector instructions so far
        self.kinds = [self.same, self.same, self.accumulate, self.compare, self.carry, self.merge,
                      self.widen, self.widen, self.narrow, self.extend, self.reduce, self.logic,
                      self.mask_unary, self.scalar, self.slide, self.gather, self.compress,
                      self.whole_move, self.unit, self.unit, self.strided, self.indexed,
                      self.segment, self.whole_memory, self.mask_memory]

    def emit(self, text):
        self.lines.append(text)
        self.count += 1

    def plain(self, text):
        self.lines.append(text)

    def pick(self, *items):
        return self.random.choice(items)

    # Registers.
    def group(self, lmul, avoid=(), zero=True):
        """First register of a group; `avoid`: registers that must not be in it."""
        n = size(lmul)
        fit = [r for r in range(0, 32, n) if not set(range(r, r + n)) & set(avoid) and (zero or r)]
        return self.random.choice(fit) if fit else None

    def mask(self, allowed=True):
        return ", v0.t" if allowed and self.random.random() < 0.35 else ""

    def second(self, name, form, lmul):
        """The second operand, and the group that it is, if it is one."""
        if form[1] == "v":
            r = self.group(lmul)
            return f"v{r}", [r]
        if form[1] == "x":
            return self.pick(*SCALARS), []
        unsigned = name in UNSIGNED or name in ("vslideup", "vslidedown", "vrgather")
        low, high = (0, 31) if unsigned else (-16, 15)
        return str(self.random.randint(low, high)), []

    # Types.
    def configure(self):
        self.sew, self.lmul = self.random.choice(TYPES)
        vlmax = self.vlmax = (self.vlen >> 3 >> self.sew << 3 << self.lmul >> 3 if self.lmul >= 0
                              else self.vlen >> 3 >> self.sew >> -self.lmul)
        most = self.random.choice([vlmax, vlmax, vlmax + 3, self.random.randint(0, vlmax),
                                   self.random.randint(0, vlmax), 1])
        self.vtype = (f"e{8 << self.sew}, {LMULS[self.lmul]}, {self.pick('ta', 'tu')}, "
                      f"{self.pick('ma', 'mu')}")
        how = self.random.random()
        if most < 32 and how < 0.4:
            self.emit(f"vsetivli {self.pick('zero', *RESULTS)}, {most}, {self.vtype}")
        elif how < 0.5:
            self.emit(f"vsetvli {self.pick(*RESULTS)}, zero, {self.vtype}")
        else:
            self.plain(f"li t3, {most}")
            self.emit(f"vsetvli {self.pick('zero', *RESULTS)}, t3, {self.vtype}")

    # Instructions. Each emits one, or nothing where the type does not allow it.
    def same(self):
        name, forms = self.random.choice(names(SAME))
        form = self.random.choice(forms)
        mask = self.mask()
        d = self.group(self.lmul, zero=not mask)
        b, _ = self.second(name, form, self.lmul)
        self.emit(f"{name}.{form} v{d}, v{self.group(self.lmul)}, {b}{mask}")

    def accumulate(self):
        name, form, mask = self.pick(*ACCUMULATE.split()), self.pick(*BOTH), self.mask()
        d = self.group(self.lmul, zero=not mask)
        b, _ = self.second(name, form, self.lmul)
        self.emit(f"{name}.{form} v{d}, {b}, v{self.group(self.lmul)}{mask}")

    def shares(self, to, to_sew, to_lmul, source, sew, lmul):
        """Whether a destination may share registers with a source of another width."""
        a, b = range(to, to + size(to_lmul)), range(source, source + size(lmul))
        if to_sew == sew or not set(a) & set(b):
            return True
        return to == source if to_sew < sew else lmul >= 0 and a[-1] == b[-1]

    def checked(self, to, to_sew, to_lmul, sources):
        return all(self.shares(to, to_sew, to_lmul, r, sew, lmul) for r, sew, lmul in sources)

    def compare(self):
        name, forms = self.random.choice(names(COMPARE))
        form = self.random.choice(forms)
        a, (b, used) = self.group(self.lmul), self.second(name, form, self.lmul)
        d = self.random.randrange(32)
        sources = [(r, self.sew, self.lmul) for r in [a, *used]]
        if self.checked(d, -3, 0, sources):
            self.emit(f"{name}.{form} v{d}, v{a}, {b}{self.mask()}")

    def carry(self):
        name, forms = self.pick(("vadc", ALL), ("vsbc", BOTH), ("vmadc", ALL), ("vmsbc", BOTH))
        form = self.random.choice(forms)
        a, (b, used) = self.group(self.lmul), self.second(name, form, self.lmul)
        if name in ("vadc", "vsbc"):
            return self.emit(f"{name}.{form}m v{self.group(self.lmul, zero=False)}, v{a}, {b}, v0")
        d = self.random.randrange(32)
        sources = [(r, self.sew, self.lmul) for r in [a, *used]]
        if self.checked(d, -3, 0, sources):
            suffix = self.pick((f"{form}m", ", v0"), (form, ""))
            self.emit(f"{name}.{suffix[0]} v{d}, v{a}, {b}{suffix[1]}")

    def merge(self):
        form = self.random.choice(ALL)
        b, _ = self.second("vmerge", form, self.lmul)
        if self.random.random() < 0.5:
            return self.emit(f"vmv.v.{form[1]} v{self.group(self.lmul)}, {b}")
        d = self.group(self.lmul, zero=False)
        self.emit(f"vmerge.{form}m v{d}, v{self.group(self.lmul)}, {b}, v0")

    def widen(self):
        if self.sew == 2 or self.lmul == 3:
            return
        sew, lmul, mask = self.sew, self.lmul, self.mask()
        d, a = self.group(lmul + 1, zero=not mask), self.group(lmul)
        kind = self.random.randrange(3)
        if kind == 2:
            name, forms = self.random.choice(names(WIDE_ACCUMULATE))
        else:
            name, forms = self.pick(*(WIDEN if kind == 0 else WIDEN_FIRST).split()), BOTH
        form = self.random.choice(forms)
        b, used = self.second(name, form, lmul)
        sources = [(r, sew, lmul) for r in used]
        if kind == 1:
            wide = self.group(lmul + 1)
            if self.checked(d, sew + 1, lmul + 1, sources):
                self.emit(f"{name}.w{form[1]} v{d}, v{wide}, {b}{mask}")
        elif self.checked(d, sew + 1, lmul + 1, sources + [(a, sew, lmul)]):
            self.emit(f"{name}.{form} v{d}, " + (f"{b}, v{a}" if kind == 2 else f"v{a}, {b}") + mask)

    def narrow(self):
        if self.sew == 2 or self.lmul == 3:
            return
        name, form, mask = self.pick(*NARROW.split()), self.pick(*ALL), self.mask()
        d, a = self.group(self.lmul, zero=not mask), self.group(self.lmul + 1)
        b, _ = self.second(name, form, self.lmul)
        if self.checked(d, self.sew, self.lmul, [(a, self.sew + 1, self.lmul + 1)]):
            self.emit(f"{name}.w{form[1]} v{d}, v{a}, {b}{mask}")

    def extend(self):
        factor, mask = self.pick(1, 2), self.mask()
        if self.sew < factor or self.lmul - factor < -3:
            return
        d, a = self.group(self.lmul, zero=not mask), self.group(self.lmul - factor)
        if self.checked(d, self.sew, self.lmul, [(a, self.sew - factor, self.lmul - factor)]):
            self.emit(f"{self.pick('vzext', 'vsext')}.vf{1 << factor} v{d}, v{a}{mask}")

    def reduce(self):
        wide = self.sew < 2 and self.random.random() < 0.3
        name = self.pick("vwredsumu", "vwredsum") if wide else self.pick(*REDUCE.split())
        d, b = self.random.randrange(32), self.random.randrange(32)
        self.emit(f"{name}.vs v{d}, v{self.group(self.lmul)}, v{b}{self.mask()}")

    def logic(self):
        d, a, b = (self.random.randrange(32) for _ in range(3))
        self.emit(f"{self.pick(*LOGIC.split())}.mm v{d}, v{a}, v{b}")

    def mask_unary(self):
        mask, a = self.mask(), self.random.randrange(32)
        name = self.pick("vmsbf", "vmsof", "vmsif", "viota", "vid")
        if name == "vid":
            return self.emit(f"vid.v v{self.group(self.lmul, zero=not mask)}{mask}")
        d = self.group(self.lmul if name == "viota" else 0, [a], zero=not mask)
        self.emit(f"{name}.m v{d}, v{a}{mask}")

    def scalar(self):
        d, a, x = self.random.randrange(32), self.random.randrange(32), self.pick(*RESULTS)
        self.emit(self.pick(f"vmv.x.s {x}, v{a}", f"vcpop.m {x}, v{a}{self.mask()}",
                            f"vfirst.m {x}, v{a}{self.mask()}",
                            f"vmv.s.x v{d}, {self.pick(*SCALARS)}"))

    def offset(self):
        """A scalar of the size of a vector's length, in t3."""
        self.plain(f"li t3, {self.random.randrange(self.vlmax + 3)}")
        return "t3"

    def slide(self):
        mask, a = self.mask(), self.group(self.lmul)
        up = self.random.random() < 0.5
        d = self.group(self.lmul, range(a, a + size(self.lmul)) if up else (), zero=not mask)
        if d is None:
            return
        way = "up" if up else "down"
        self.emit(self.pick(f"vslide{way}.vi v{d}, v{a}, {self.random.randrange(32)}{mask}",
                            f"vslide1{way}.vx v{d}, v{a}, {self.pick(*SCALARS)}{mask}",
                            f"vslide{way}.vx v{d}, v{a}, {self.pick(*SCALARS)}{mask}")
                  if self.random.random() < 0.7 else
                  f"vslide{way}.vx v{d}, v{a}, {self.offset()}{mask}")

    def gather(self):
        mask, a, index_lmul = self.mask(), self.group(self.lmul), self.lmul + 1 - self.sew
        used = set(range(a, a + size(self.lmul)))
        kind = self.pick("vv", "vx", "vi", "ei16")
        if kind == "ei16" and not -3 <= index_lmul <= 3:
            return
        if kind in ("vv", "ei16"):
            lmul = self.lmul if kind == "vv" else index_lmul
            r = self.group(lmul)
            used |= set(range(r, r + size(lmul)))
            b = f"v{r}"
        else:
            b = self.offset() if kind == "vx" else str(self.random.randrange(32))
        d = self.group(self.lmul, used, zero=not mask)
        if d is not None:
            name = "vrgatherei16.vv" if kind == "ei16" else f"vrgather.{kind}"
            self.emit(f"{name} v{d}, v{a}, {b}{mask}")

    def compress(self):
        a, b = self.group(self.lmul), self.random.randrange(32)
        d = self.group(self.lmul, set(range(a, a + size(self.lmul))) | {b})
        if d is not None:
            self.emit(f"vcompress.vm v{d}, v{a}, v{b}")

    def whole_move(self):
        n = self.pick(1, 2, 4, 8)
        d, a = (self.random.randrange(0, 32, n) for _ in range(2))
        self.emit(f"vmv{n}r.v v{d}, v{a}")

    # Memory: around the middle of the scratch buffer, which s2 points to; bytes also unaligned.
    def base(self):
        self.plain(f"addi t4, s2, {self.random.randint(-256, 256)}")
        return "(t4)"

    def data_group(self, eew):
        lmul = eew - self.sew + self.lmul
        return lmul if -3 <= lmul <= 3 else None

    def load_or_store(self, lmul, fields=1, avoid=(), zero_store=True):
        """'l' or 's', the first register and the mask; nothing if registers do not suffice."""
        way, mask = self.pick("l", "s"), self.mask()
        n = size(lmul)
        if fields * n > 8:
            return None
        avoid = set(avoid) if way == "l" else set()
        fit = [r for r in range(0, 33 - fields * n, n)
               if (r or way == "s" or not mask) and not set(range(r, r + fields * n)) & avoid]
        return (way, self.random.choice(fit), mask) if fit else None

    def unit(self):
        eew = self.random.randrange(3)
        lmul = self.data_group(eew)
        if lmul is None:
            return
        way, d, mask = self.load_or_store(lmul)
        self.emit(f"v{way}e{8 << eew}.v v{d}, {self.base()}{mask}")

    def strided(self, fields=1):
        eew = self.random.randrange(3)
        lmul = self.data_group(eew)
        if lmul is None:
            return
        chosen = self.load_or_store(lmul, fields)
        if chosen is None:
            return
        way, d, mask = chosen
        most = min(64, SPAN // max(self.vlmax, 1))
        self.plain(f"li t3, {self.random.randint(-most, most)}")
        name = f"v{way}s" + (f"seg{fields}" if fields > 1 else "")
        self.emit(f"{name}e{8 << eew}.v v{d}, {self.base()}, t3{mask}")

    def segment(self):
        fields, eew = self.random.randint(2, 8), self.random.randrange(3)
        if self.random.random() < 0.3:
            return self.strided(fields)
        if self.random.random() < 0.3:
            return self.indexed(fields)
        lmul = self.data_group(eew)
        chosen = self.load_or_store(lmul, fields) if lmul is not None else None
        if chosen:
            way, d, mask = chosen
            self.emit(f"v{way}seg{fields}e{8 << eew}.v v{d}, {self.base()}{mask}")

    def indexed(self, fields=1):
        """Indices are first made small enough, under their own type."""
        eew = self.random.randrange(3)
        lmul = self.data_group(eew)
        if lmul is None or eew > 2 + min(lmul, 0):
            return
        index = self.group(lmul)
        chosen = self.load_or_store(self.lmul, fields, range(index, index + size(lmul)))
        if not chosen:
            return
        way, d, mask = chosen
        self.plain("csrr t5, vl")
        self.plain("csrr t6, vtype")
        self.emit(f"vsetvli zero, zero, e{8 << eew}, {LMULS[lmul]}, ta, ma")
        self.plain(f"li t3, {SPAN - 1}")
        if eew:
            self.emit(f"vand.vx v{index}, v{index}, t3")
        self.emit("vsetvl zero, t5, t6")
        name = f"v{way}{self.pick('u', 'o')}x" + (f"seg{fields}" if fields > 1 else "")
        self.emit(f"{name}ei{8 << eew}.v v{d}, {self.base()}, v{index}{mask}")

    def whole_memory(self):
        n = self.pick(1, 2, 4, 8)
        d = self.random.randrange(0, 32, n)
        self.emit(self.pick(f"vl{n}re{self.pick(8, 16, 32)}.v v{d}, {self.base()}",
                            f"vs{n}r.v v{d}, {self.base()}"))

    def mask_memory(self):
        self.emit(f"{self.pick('vlm', 'vsm')}.v v{self.random.randrange(32)}, {self.base()}")

    def block(self, instructions):
        for n in self.random.sample(range(4), 2):  # fresh values in half of the registers
            self.plain(f"addi t4, s3, {self.random.randrange(0, 2048)}")
            self.emit(f"vl8re8.v v{8 * n}, (t4)")
        for register in SCALARS[:3]:
            value = self.pick(0, 1, -1, 1 << 31, self.random.randrange(64),
                              self.random.randrange(1 << 32), -self.random.randrange(1 << 16))
            self.plain(f"li {register}, {value}")
        self.emit(f"csrwi vxrm, {self.random.randrange(4)}")
        self.emit(self.pick("csrwi vxsat, 0", f"csrr {self.pick(*RESULTS)}, vcsr"))
        self.configure()
        start = self.count
        while self.count < start + instructions:
            if self.random.random() < 0.15:
                self.configure()
            self.random.choice(self.kinds)()
        self.plain("call fold")
