#include "codegen/kernels/runtime.h"

#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Target/TargetMachine.h>

#include "base/check.h"
#include "codegen/kernels/c_compiler.h"
#include "codegen/kernels/machine_code.h"
#include "codegen/kernels/retarget.h"

namespace tinytune {
namespace {

constexpr const char* kArmHelpers = R"(
; 64 x 64 -> 64 bits from four 16 x 16 -> 32 products; the high words only reach the high word.
define i64 @__aeabi_lmul(i64 %a, i64 %b) nounwind {
  %al = trunc i64 %a to i32
  %bl = trunc i64 %b to i32
  %as = lshr i64 %a, 32
  %bs = lshr i64 %b, 32
  %ah = trunc i64 %as to i32
  %bh = trunc i64 %bs to i32
  %a0 = and i32 %al, 65535
  %a1 = lshr i32 %al, 16
  %b0 = and i32 %bl, 65535
  %b1 = lshr i32 %bl, 16
  %p00 = mul i32 %a0, %b0
  %p01 = mul i32 %a0, %b1
  %p10 = mul i32 %a1, %b0
  %p11 = mul i32 %a1, %b1
  %c0 = lshr i32 %p00, 16
  %m = add i32 %p10, %c0
  %ml = and i32 %m, 65535
  %n = add i32 %p01, %ml
  %low0 = and i32 %p00, 65535
  %low1 = shl i32 %n, 16
  %low = or i32 %low0, %low1
  %mh = lshr i32 %m, 16
  %nh = lshr i32 %n, 16
  %h0 = add i32 %p11, %mh
  %h1 = add i32 %h0, %nh
  %x0 = mul i32 %al, %bh
  %x1 = mul i32 %ah, %bl
  %h2 = add i32 %h1, %x0
  %high = add i32 %h2, %x1
  %l64 = zext i32 %low to i64
  %h64 = zext i32 %high to i64
  %hs = shl i64 %h64, 32
  %r = or i64 %l64, %hs
  ret i64 %r
}
; Shift and subtract. Quotient in the low word, remainder in the high one.
define i64 @__aeabi_uidivmod(i32 %n, i32 %d) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 31, %entry ], [ %i1, %loop ]
  %q = phi i32 [ 0, %entry ], [ %q1, %loop ]
  %r = phi i32 [ 0, %entry ], [ %r1, %loop ]
  %s = lshr i32 %n, %i
  %bit = and i32 %s, 1
  %shifted = shl i32 %r, 1
  %next = or i32 %shifted, %bit
  %carry = icmp slt i32 %r, 0
  %reaches = icmp uge i32 %next, %d
  %take = or i1 %carry, %reaches
  %less = sub i32 %next, %d
  %r1 = select i1 %take, i32 %less, i32 %next
  %one = zext i1 %take to i32
  %q2 = shl i32 %q, 1
  %q1 = or i32 %q2, %one
  %i1 = sub i32 %i, 1
  %more = icmp sge i32 %i1, 0
  br i1 %more, label %loop, label %done
done:
  %ql = zext i32 %q1 to i64
  %rl = zext i32 %r1 to i64
  %rs = shl i64 %rl, 32
  %both = or i64 %ql, %rs
  ret i64 %both
}
define i32 @__aeabi_uidiv(i32 %n, i32 %d) nounwind {
  %both = call i64 @__aeabi_uidivmod(i32 %n, i32 %d)
  %q = trunc i64 %both to i32
  ret i32 %q
}
; Magnitudes, then signs: the quotient's is the operands' product's, the remainder's the dividend's.
define i64 @__aeabi_idivmod(i32 %n, i32 %d) nounwind {
  %ns = ashr i32 %n, 31
  %ds = ashr i32 %d, 31
  %nx = xor i32 %n, %ns
  %dx = xor i32 %d, %ds
  %na = sub i32 %nx, %ns
  %da = sub i32 %dx, %ds
  %both = call i64 @__aeabi_uidivmod(i32 %na, i32 %da)
  %q = trunc i64 %both to i32
  %rs = lshr i64 %both, 32
  %r = trunc i64 %rs to i32
  %qs = xor i32 %ns, %ds
  %qx = xor i32 %q, %qs
  %qv = sub i32 %qx, %qs
  %rx = xor i32 %r, %ns
  %rv = sub i32 %rx, %ns
  %ql = zext i32 %qv to i64
  %rl = zext i32 %rv to i64
  %rh = shl i64 %rl, 32
  %out = or i64 %ql, %rh
  ret i64 %out
}
define i32 @__aeabi_idiv(i32 %n, i32 %d) nounwind {
  %both = call i64 @__aeabi_idivmod(i32 %n, i32 %d)
  %q = trunc i64 %both to i32
  ret i32 %q
}
)";

// Named as in GCC (GCC Internals, "The GCC low-level runtime library"). Written without the
// operations that they implement, for which a compiler would call them again.
constexpr std::string_view kCHelpers = R"(#include <stdint.h>
#define HELPER __attribute__((weak))

HELPER uint64_t __muldi3(uint64_t a, uint64_t b) {
  const uint32_t al = (uint32_t)a, bl = (uint32_t)b;
  const uint32_t a0 = al & 0xFFFFu, a1 = al >> 16, b0 = bl & 0xFFFFu, b1 = bl >> 16;
  const uint32_t low = a0 * b0, m = a1 * b0 + (low >> 16), n = a0 * b1 + (m & 0xFFFFu);
  const uint32_t high = a1 * b1 + (m >> 16) + (n >> 16) + al * (uint32_t)(b >> 32) +
                        (uint32_t)(a >> 32) * bl;
  return (uint64_t)high << 32 | (n << 16 | (low & 0xFFFFu));
}
/* GCC 13 calls it for an Xtensa without a long multiplication, and Debian's libgcc has none. */
HELPER uint64_t __umulsidi3(uint32_t a, uint32_t b) { return __muldi3(a, b); }

/* Shift and subtract: a quotient, or its remainder. */
static uint32_t divide(uint32_t a, uint32_t b, int want_rest) {
  uint32_t quotient = 0, rest = 0;
  for (int i = 31; i >= 0; --i) {
    const uint32_t carry = rest >> 31;
    rest = rest << 1 | (a >> i & 1u);
    quotient <<= 1;
    if (carry || rest >= b) rest -= b, quotient |= 1u;
  }
  return want_rest ? rest : quotient;
}
static uint32_t magnitude(int32_t a) { return a < 0 ? 0u - (uint32_t)a : (uint32_t)a; }
static int32_t with_sign(uint32_t a, int negative) { return (int32_t)(negative ? 0u - a : a); }

HELPER uint32_t __udivsi3(uint32_t a, uint32_t b) { return divide(a, b, 0); }
HELPER uint32_t __umodsi3(uint32_t a, uint32_t b) { return divide(a, b, 1); }
HELPER int32_t __divsi3(int32_t a, int32_t b) {
  return with_sign(divide(magnitude(a), magnitude(b), 0), (a < 0) != (b < 0));
}
HELPER int32_t __modsi3(int32_t a, int32_t b) {
  return with_sign(divide(magnitude(a), magnitude(b), 1), a < 0);
}
)";

Result<std::vector<uint8_t>> object_of_ir(std::string_view text, const Device& device) {
  TT_TRY_ASSIGN(const auto machine, make_target_machine(device));
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString({text.data(), text.size()}, problem, context);
  TT_CHECK(module != nullptr, problem.getMessage().str());
  retarget(*module, *machine);
  set_switches("source");  // the kernel built before may have left others
  return machine_code(*module, *machine, Emit::kObject);
}

// Compiles a module that `fill` gives data and no functions, so LLVM's switches do not matter.
template <typename Fill>
Result<std::vector<uint8_t>> object_with(const Device& device, const Fill& fill) {
  TT_TRY_ASSIGN(const auto machine, make_target_machine(device));
  llvm::LLVMContext context;
  llvm::Module module("data", context);
  retarget(module, *machine);
  fill(module);
  return machine_code(module, *machine, Emit::kObject);
}

}  // namespace

std::string_view c_helpers() { return kCHelpers; }

Result<std::vector<uint8_t>> runtime_object(const Device& device) {
  const Target& target = device.target;
  if (target.family == CoreFamily::kAnyC) return compile_text(kCHelpers, device);
  if (target.family != CoreFamily::kArmM ||
      (target.can(Capability::kMulHigh) && target.can(Capability::kDivide)))
    return std::vector<uint8_t>();
  return object_of_ir(kArmHelpers, device);
}

Result<std::vector<uint8_t>> arrays_object(std::span<const ZeroedArray> arrays,
                                           const Device& device) {
  const bool in_c = device.target.family == CoreFamily::kAnyC;
  std::string text;
  for (const ZeroedArray& array : arrays)
    text += in_c ? fmt::format("_Alignas({}) unsigned char {}[{}];\n", array.alignment, array.name,
                               array.bytes)
                 : fmt::format("@\"{}\" = global [{} x i8] zeroinitializer, align {}\n", array.name,
                               array.bytes, array.alignment);
  return in_c ? compile_text(text, device) : object_of_ir(text, device);
}

Result<std::vector<uint8_t>> constants_object(std::span<const ConstantArray> arrays,
                                              const Device& device) {
  return object_with(device, [&](llvm::Module& module) {
    for (const ConstantArray& array : arrays) {
      llvm::Constant* const bytes = llvm::ConstantDataArray::get(
          module.getContext(), llvm::ArrayRef<uint8_t>(array.bytes.data(), array.bytes.size()));
      // The module owns it.
      auto* const variable =
          new llvm::GlobalVariable(module, bytes->getType(), array.section.empty(),
                                   llvm::GlobalValue::ExternalLinkage, bytes, array.name);
      variable->setAlignment(llvm::Align(array.alignment));
      if (!array.section.empty()) variable->setSection(array.section);
    }
  });
}

Result<std::vector<uint8_t>> assembled(std::string_view text, const Device& device) {
  return object_with(device, [&](llvm::Module& module) {
    module.setModuleInlineAsm({text.data(), text.size()});
  });
}

}  // namespace tinytune
