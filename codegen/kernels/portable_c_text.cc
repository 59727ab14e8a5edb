#include "codegen/kernels/portable_c_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "codegen/kernels/portable_c.h"

namespace tinytune {
namespace portable_c {
namespace {

unsigned bits_of(Width width) {
  switch (width) {
    case Width::k1:
      return 1;
    case Width::k8:
      return 8;
    case Width::k16:
      return 16;
    case Width::k32:
    case Width::kPointer:
      return 32;
    case Width::k64:
      return 64;
  }
  return 0;
}

std::string type_of(Width width) {
  if (width == Width::kPointer) return "unsigned char *";
  return width == Width::k1 ? "int" : fmt::format("uint{}_t", bits_of(width));
}

std::string signed_type(Width width) { return fmt::format("int{}_t", bits_of(width)); }

}  // namespace

std::optional<Width> width_of_bits(unsigned bits) {
  switch (bits) {
    case 1:
      return Width::k1;
    case 8:
      return Width::k8;
    case 16:
      return Width::k16;
    case 32:
      return Width::k32;
    case 64:
      return Width::k64;
    default:
      return std::nullopt;
  }
}

std::string declaration(Width width, const std::string& name) {
  return type_of(width) + (width == Width::kPointer ? "" : " ") + name;
}

// An int may have 16 bits: a decimal number that it cannot hold is a long, and stays one until the
// variable's width cuts it.
std::string literal(Width width, uint64_t value) {
  if (width == Width::k1) return value != 0 ? "1" : "0";
  const unsigned bits = bits_of(width);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  if ((value & sign) == 0)
    return width == Width::k64 ? fmt::format("UINT64_C({})", value) : fmt::format("{}u", value);
  const int64_t negative = static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
  return fmt::format("({}){}", type_of(width), signed_literal(width, negative));
}

std::string signed_literal(Width width, int64_t value) {
  if (width == Width::k64) return fmt::format("INT64_C({})", value);
  // 2147483648 does not fit the type in which it would be negated.
  if (value == INT32_MIN) return "(-2147483647 - 1)";
  return std::to_string(value);
}

std::string cast_to(Width width, const std::string& value) {
  return "(" + type_of(width) + ")" + value;
}

std::string signed_of(Width width, const std::string& value) {
  TT_CHECK(width != Width::k1 && width != Width::kPointer, "no signed form of " + value);
  return "(" + signed_type(width) + ")" + value;
}

std::string sign_extended(Width to, Width from, const std::string& value) {
  if (from == Width::k1) return wrapping(to, literal(to, 0), "-", cast_to(to, value));
  return fmt::format("({})({})({}){}", type_of(to), signed_type(to), signed_type(from), value);
}

std::string wrapping(Width width, const std::string& a, const std::string& op,
                     const std::string& b) {
  if (width == Width::k8 || width == Width::k16)
    return fmt::format("({})((uint32_t){} {} {})", type_of(width), a, op, b);
  return fmt::format("({} {} {})", a, op, b);
}

std::string load(Width width, bool aligned, const std::string& address) {
  if (width == Width::k8) return "*" + address;
  return fmt::format("TINYTUNE_LOAD{}{}({})", bits_of(width), aligned ? "" : "_BYTES", address);
}

std::string store(Width width, bool aligned, const std::string& address, const std::string& value) {
  if (width == Width::k8) return "*" + address + " = " + value;
  return fmt::format("TINYTUNE_STORE{}{}({}, {})", bits_of(width), aligned ? "" : "_BYTES", address,
                     value);
}

bool is_enclosed(const std::string& text) {
  if (!text.starts_with('(')) return false;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

}  // namespace portable_c

std::string portable_c_prelude() {
  return R"(#include <stddef.h>
#include <stdint.h>

_Static_assert((-1 >> 1) == -1 && (int8_t)0x80 < 0,
               "numbers are two's complement, and shifting one right keeps its sign");

/* For a core with a multiply-accumulate that its compiler does not find by itself. */
#ifndef TINYTUNE_MAC
#define TINYTUNE_MAC(sum, a, b) ((sum) + (a) * (b))
#endif

/* Words in memory, least byte first, whatever else has been stored there as bytes. */
#define TINYTUNE_LOAD16_BYTES(p) ((uint16_t)((uint32_t)(p)[0] | (uint32_t)(p)[1] << 8))
#define TINYTUNE_LOAD32_BYTES(p) \
  ((uint32_t)(p)[0] | (uint32_t)(p)[1] << 8 | (uint32_t)(p)[2] << 16 | (uint32_t)(p)[3] << 24)
#define TINYTUNE_LOAD64_BYTES(p) \
  (TINYTUNE_LOAD32_BYTES(p) | (uint64_t)TINYTUNE_LOAD32_BYTES((p) + 4) << 32)
#define TINYTUNE_STORE16_BYTES(p, v)         \
  do {                                       \
    const uint16_t stored_ = (v);            \
    (p)[0] = (unsigned char)stored_;         \
    (p)[1] = (unsigned char)(stored_ >> 8);  \
  } while (0)
#define TINYTUNE_STORE32_BYTES(p, v)         \
  do {                                       \
    const uint32_t word_ = (v);              \
    TINYTUNE_STORE16_BYTES(p, (uint16_t)word_); \
    TINYTUNE_STORE16_BYTES((p) + 2, (uint16_t)(word_ >> 16)); \
  } while (0)
#define TINYTUNE_STORE64_BYTES(p, v)         \
  do {                                       \
    const uint64_t pair_ = (v);              \
    TINYTUNE_STORE32_BYTES(p, (uint32_t)pair_); \
    TINYTUNE_STORE32_BYTES((p) + 4, (uint32_t)(pair_ >> 32)); \
  } while (0)
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef uint16_t __attribute__((may_alias)) tinytune_half;
typedef uint32_t __attribute__((may_alias)) tinytune_word;
typedef uint64_t __attribute__((may_alias)) tinytune_pair;
#define TINYTUNE_LOAD16(p) (*(const tinytune_half *)(const void *)(p))
#define TINYTUNE_LOAD32(p) (*(const tinytune_word *)(const void *)(p))
#define TINYTUNE_LOAD64(p) (*(const tinytune_pair *)(const void *)(p))
#define TINYTUNE_STORE16(p, v) (*(tinytune_half *)(void *)(p) = (v))
#define TINYTUNE_STORE32(p, v) (*(tinytune_word *)(void *)(p) = (v))
#define TINYTUNE_STORE64(p, v) (*(tinytune_pair *)(void *)(p) = (v))
/* A value of which the compiler is to know nothing, so that it keeps it in a register. */
#define TINYTUNE_OPAQUE(v) __asm__("" : "+r"(v))
#else
#define TINYTUNE_LOAD16 TINYTUNE_LOAD16_BYTES
#define TINYTUNE_LOAD32 TINYTUNE_LOAD32_BYTES
#define TINYTUNE_LOAD64 TINYTUNE_LOAD64_BYTES
#define TINYTUNE_STORE16 TINYTUNE_STORE16_BYTES
#define TINYTUNE_STORE32 TINYTUNE_STORE32_BYTES
#define TINYTUNE_STORE64 TINYTUNE_STORE64_BYTES
#define TINYTUNE_OPAQUE(v) ((void)0)
#endif
)";
}

std::string portable_c_function(const std::string& symbol,
                                const std::vector<std::string>& parameters,
                                const std::string& body) {
  std::string list;
  for (std::string parameter : parameters) {
    parameter.insert(parameter.rfind('*') + 1, "restrict ");
    list += (list.empty() ? "" : ", ") + parameter;
  }
  return "void " + symbol + "(" + list + ") {\n" + body + "}\n";
}

}  // namespace tinytune
