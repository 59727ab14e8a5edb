// Writes one LLVM function as assembly text: the few instructions that integer kernels need.
//
// It writes text instead of using IRBuilder, so that templates need no LLVM headers and a kernel
// can be read in a debugger. All integers are i32 and wrap; addresses are i8 pointers with byte
// offsets.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tinytune {

class IrText {
 public:
  /// An SSA name, an argument or a literal, with its type; numbers are words.
  struct Value {
    Value() = default;
    Value(int64_t number) : Value("i32", std::to_string(number)) {}
    Value(std::string of_type, std::string written)
        : type(std::move(of_type)), text(std::move(written)) {}

    std::string type, text;
  };
  using Values = std::vector<Value>;

  Value add(const Value& a, const Value& b) { return binary("add", a, b); }
  Value sub(const Value& a, const Value& b) { return binary("sub", a, b); }
  Value mul(const Value& a, const Value& b) { return binary("mul", a, b); }
  Value shift_left(const Value& a, const Value& b) { return binary("shl", a, b); }
  Value shift_right(const Value& a, const Value& b) { return binary("ashr", a, b); }
  Value shift_right_unsigned(const Value& a, const Value& b) { return binary("lshr", a, b); }
  /// Divide a non-negative value by a positive one.
  Value divide(const Value& a, const Value& b) { return binary("udiv", a, b); }
  Value remainder(const Value& a, const Value& b) { return binary("urem", a, b); }
  /// Return the high word of the 64-bit product of two signed words, and of a signed and an
  /// unsigned word.
  Value multiply_high(const Value& a, const Value& b) { return high_word(a, "sext", b, "sext"); }
  Value multiply_high_unsigned(const Value& a, const Value& b) {
    return high_word(a, "sext", b, "zext");
  }
  /// The same for two unsigned words.
  Value high_of_unsigned(const Value& a, const Value& b) { return high_word(a, "zext", b, "zext"); }
  Value clamp(const Value& a, int low, int high) { return clamp(a, Value(low), Value(high)); }
  Value clamp(const Value& a, const Value& low, const Value& high);

  /// A pure LLVM intrinsic on words: call("llvm.arm.smlad", {a, b, c}).
  Value call(const std::string& intrinsic, const Values& arguments);
  Value rotate_right(const Value& a, int bits);
  Value bit_and(const Value& a, const Value& b) { return binary("and", a, b); }
  Value bit_or(const Value& a, const Value& b) { return binary("or", a, b); }
  Value exclusive_or(const Value& a, const Value& b) { return binary("xor", a, b); }

  /// `base` + `bytes`.
  Value at(const Value& base, const Value& bytes);
  Value at(const Value& base, int64_t bytes) { return bytes == 0 ? base : at(base, Value(bytes)); }
  /// `base` + `index` * `size`.
  Value at(const Value& base, const Value& index, int64_t size) {
    return at(base, mul(index, size));
  }
  /// Calls body(first) for every tile of `size`; the last tile moves back to fit `extent`.
  void tiles(int extent, int size, const std::function<void(const Value& first)>& body) {
    count_to((extent + size - 1) / size,
             [&](const Value& i) { body(tile_start(i, size, extent)); });
  }
  /// Returns where the `i`-th of these tiles starts.
  Value tile_start(const Value& i, int size, int extent) {
    const Value start = mul(i, size);
    return extent % size == 0 ? start : clamp(start, 0, extent - size);
  }
  /// Hides from LLVM how a value was computed. This keeps a loop's cursors in separate registers:
  /// otherwise strength reduction expresses one by another, which saves a register between the
  /// loops and costs an addition per access inside.
  Value opaque(const Value& a);
  /// `address` - `base`, in bytes.
  Value distance(const Value& address, const Value& base);
  Value load_byte(const Value& address, bool is_signed) {
    return load(8, is_signed ? "sext" : "zext", address);
  }
  Value load_half(const Value& address) { return load(16, "sext", address); }  ///< signed
  Value load_word(const Value& address) { return load(32, "", address); }
  void store_half(const Value& value, const Value& address) { store(16, value, address); }
  void store_byte(const Value& value, const Value& address) { store(8, value, address); }
  void store_word(const Value& value, const Value& address) { store(32, value, address); }
  /// Stores a byte at the end of one case of if_else() and keeps the store there. LLVM would merge
  /// stores that end both cases into one after them, and both cases would move their value to a
  /// common register.
  void store_byte_here(const Value& value, const Value& address);

  Value select(const Value& condition, const Value& if_true, const Value& if_false);
  /// Tests 0 <= a < limit, for a positive limit.
  Value below(const Value& a, const Value& limit) { return compare("ult", a, limit); }
  Value differs(const Value& a, const Value& b) { return compare("ne", a, b); }

  /// Writes assembly that may access memory. `carried` are read and written, `read` are only read,
  /// and `temporaries` registers are clobbered. Operands are numbered in the order carried,
  /// temporaries, (the carried ones once more), read. Returns the carried values after the
  /// assembly. LLVM's escapes: "\\0A" ends a line. `registers`: LLVM's constraint letter, "l" for
  /// Thumb's r0 to r7.
  Values assembly(const std::string& text, const Values& carried, const Values& read,
                  int temporaries, const char* registers = "r");
  /// Writes assembly that uses all of Arm's registers: operand i is the i-th of r0 to r12 and lr,
  /// so that LDM can load consecutive operands. `read` are the first operands. Returns the words in
  /// the operands `results`.
  Values assembly_of_all_registers(const std::string& text, const Values& read,
                                   const std::vector<int>& results = {});
  static constexpr int kAllRegisters = 14;

  /// Tests a < b, for signed words.
  Value less(const Value& a, const Value& b) { return compare("slt", a, b); }
  /// Writes a branch. `weights`: its branch-weight metadata.
  void if_else(const Value& condition, const std::function<void()>& then,
               const std::function<void()>& otherwise, const char* weights = "");
  /// The same, with `then` placed out of line.
  void if_rarely(const Value& condition, const std::function<void()>& then,
                 const std::function<void()>& otherwise);

  /// do { carried = body(carried) } while (condition): `body` returns the next values and, last,
  /// the condition, an i1. Returns the values after the loop.
  Values do_while(const Values& initial, const std::function<Values(const Values&)>& body) {
    return while_loop(initial, nullptr, body);
  }
  /// if (condition) do_while(initial, body). Returns the values after the loop, or `initial`.
  Values do_while_if(const Value& condition, const Values& initial,
                     const std::function<Values(const Values&)>& body);
  /// if (condition) if_true() else if_false(), which return equally many values. Returns the values
  /// of the case that ran.
  Values either(const Value& condition, const std::function<Values()>& if_true,
                const std::function<Values()>& if_false, const char* weights = "");
  /// while (condition(carried)) carried = body(carried). Without a `condition`, the same as
  /// do_while().
  Values while_loop(const Values& initial, const std::function<Value(const Values&)>& condition,
                    const std::function<Values(const Values&)>& body);

  /// for (i = 0; i < extent; ++i) body(i), for a positive extent.
  void count_to(int64_t extent, const std::function<void(const Value& i)>& body);
  /// The same with a loop-carried value: `body` gets it and returns the next. Returns the last.
  Value count_to(int64_t extent, const Value& initial,
                 const std::function<Value(const Value& carried, const Value& i)>& body);
  /// Runs body(cursors) `turns` times and moves each cursor on by its `bytes` after each turn.
  /// Returns the final cursors. Cursors::kOpaque: opaque() hides from LLVM how they move.
  enum class Cursors { kPlain, kOpaque };
  Values advance(int64_t turns, const Values& cursors, const std::vector<int64_t>& bytes,
                 const std::function<void(const Values&)>& body, Cursors kind = Cursors::kPlain);
  void copy(const Value& from, const Value& to, int64_t words);
  /// Stores `value` to `words` words from `target` on.
  void fill(const Value& target, int64_t words, uint32_t value);
  /// The same, with 16 stores per turn.
  void fill_fast(const Value& target, int64_t words, uint32_t value);

  /// Returns the module: `void symbol(i8* noalias parameter…)` with the written code as its body.
  std::string function(const std::string& symbol, const std::vector<std::string>& parameters) const;

 private:
  Value binary(const char* opcode, const Value& a, const Value& b);
  Value compare(const char* how, const Value& a, const Value& b);
  Value high_word(const Value& a, const char* extend_a, const Value& b, const char* extend_b);
  // Accesses of `bits`: the typed address; the loaded value, extended to a word; a store of a
  // word's low bits.
  Value place(int bits, const Value& address);
  Value load(int bits, const char* extend, const Value& address);
  void store(int bits, const Value& value, const Value& address);
  Value call_assembly(const std::string& text, const std::vector<std::string>& types,
                      const std::vector<std::string>& registers, const Values& carried,
                      const Values& read);
  Value part(const Value& all, const std::string& type, int index);
  Value emit(const std::string& type, const std::string& instruction);
  std::string label() { return "b" + std::to_string(next_++); }
  Values phis(const Values& initial);

  int next_ = 0;
  std::string block_ = "entry";  // the block being written
  std::string body_, metadata_;
  std::set<std::string> declarations_;
};

using Value = IrText::Value;
using Values = IrText::Values;

/// Returns the type of a pointer to an integer of `bits` bits, as the LLVM in use writes it.
std::string pointer_to(int bits);

/// Returns a parameter of the function, which is an address.
inline Value argument(const std::string& name) { return {pointer_to(8), "%" + name}; }

}  // namespace tinytune
