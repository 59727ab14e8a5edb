// Writes one LLVM function as assembly text: the few instructions that integer kernels need.
//
// Text and not IRBuilder, so that templates stay free of LLVM's headers and a kernel can be read in
// a debugger. All integers are i32 and wrap; addresses are i8 pointers with byte offsets.
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
  /// Of values that are not negative, by a positive one.
  Value divide(const Value& a, const Value& b) { return binary("udiv", a, b); }
  Value remainder(const Value& a, const Value& b) { return binary("urem", a, b); }
  /// High word of the 64-bit product of two signed words; of a signed and an unsigned one.
  Value multiply_high(const Value& a, const Value& b) { return high_word(a, "sext", b, "sext"); }
  Value multiply_high_unsigned(const Value& a, const Value& b) {
    return high_word(a, "sext", b, "zext");
  }
  /// Of two unsigned ones.
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
  /// body(first) of every tile of `size`; the last one moves back to fit `extent`.
  void tiles(int extent, int size, const std::function<void(const Value& first)>& body) {
    count_to((extent + size - 1) / size,
             [&](const Value& i) { body(tile_start(i, size, extent)); });
  }
  /// Where the `i`-th of them starts.
  Value tile_start(const Value& i, int size, int extent) {
    const Value start = mul(i, size);
    return extent % size == 0 ? start : clamp(start, 0, extent - size);
  }
  /// The same value, of which LLVM knows nothing. A loop's cursors stay registers of their own:
  /// else strength reduction expresses one by another, which saves a register between the loops and
  /// costs an addition per access inside.
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
  /// A byte, as the last of one case of if_else(). It stays there: stores that end both cases LLVM
  /// makes one behind them, of what either then moves into the same register.
  void store_byte_here(const Value& value, const Value& address);

  Value select(const Value& condition, const Value& if_true, const Value& if_false);
  /// 0 <= a < limit, for a positive limit.
  Value below(const Value& a, const Value& limit) { return compare("ult", a, limit); }
  Value differs(const Value& a, const Value& b) { return compare("ne", a, b); }

  /// Assembly that reads memory. `carried` are read and written, `read` only read, and
  /// `temporaries` registers lost; operands are numbered in the order carried, temporaries, (the
  /// carried ones once more), read. Returns what was carried. LLVM escapes: "\\0A" ends a line.
  /// `registers`: LLVM's letter for those that may be taken, "l" for Thumb's r0 to r7.
  Values assembly(const std::string& text, const Values& carried, const Values& read,
                  int temporaries, const char* registers = "r");
  /// Assembly that takes all of Arm's registers: operand i is the i-th of r0 to r12 and lr, so
  /// lists of neighbouring operands are what LDM loads. `read` are in the first ones; returns the
  /// words in operands `results`.
  Values assembly_of_all_registers(const std::string& text, const Values& read,
                                   const std::vector<int>& results = {});
  static constexpr int kAllRegisters = 14;

  /// a < b, of signed words.
  Value less(const Value& a, const Value& b) { return compare("slt", a, b); }
  /// Code of its own for either case. `weights` is metadata of the branch.
  void if_else(const Value& condition, const std::function<void()>& then,
               const std::function<void()>& otherwise, const char* weights = "");
  /// The same, with `then` out of the way of what follows.
  void if_rarely(const Value& condition, const std::function<void()>& then,
                 const std::function<void()>& otherwise);

  /// do { carried = body(carried) } while (condition): the body returns the next values and, last,
  /// an i1. Returns the values after the loop.
  Values do_while(const Values& initial, const std::function<Values(const Values&)>& body) {
    return while_loop(initial, nullptr, body);
  }
  /// if (condition) do_while(initial, body): the values after either.
  Values do_while_if(const Value& condition, const Values& initial,
                     const std::function<Values(const Values&)>& body);
  /// if (condition) if_true() else if_false(), each of which returns as many values: those of the
  /// one that ran.
  Values either(const Value& condition, const std::function<Values()>& if_true,
                const std::function<Values()>& if_false, const char* weights = "");
  /// while (condition(carried)) carried = body(carried), the test made before each turn; do_while()
  /// where there is no condition.
  Values while_loop(const Values& initial, const std::function<Value(const Values&)>& condition,
                    const std::function<Values(const Values&)>& body);

  /// for (i = 0; i < extent; ++i) body(i), for a positive extent.
  void count_to(int64_t extent, const std::function<void(const Value& i)>& body);
  /// The same with a value that the body gets and returns the next of. Returns the last.
  Value count_to(int64_t extent, const Value& initial,
                 const std::function<Value(const Value& carried, const Value& i)>& body);
  /// `turns` times body(cursors), then each cursor moves on by its `bytes`. Returns where they end.
  /// Cursors::kOpaque: opaque() hides from LLVM how they move.
  enum class Cursors { kPlain, kOpaque };
  Values advance(int64_t turns, const Values& cursors, const std::vector<int64_t>& bytes,
                 const std::function<void(const Values&)>& body, Cursors kind = Cursors::kPlain);
  void copy(const Value& from, const Value& to, int64_t words);
  /// Stores `value` to `words` words from `target` on.
  void fill(const Value& target, int64_t words, uint32_t value);
  /// The same, with 16 stores a turn.
  void fill_fast(const Value& target, int64_t words, uint32_t value);

  /// The module: `void symbol(i8* noalias parameter…)` around what was written.
  std::string function(const std::string& symbol, const std::vector<std::string>& parameters) const;

 private:
  Value binary(const char* opcode, const Value& a, const Value& b);
  Value compare(const char* how, const Value& a, const Value& b);
  Value high_word(const Value& a, const char* extend_a, const Value& b, const char* extend_b);
  // Of memory, of `bits`: the typed address; a word, extended; the low bits of one.
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

/// The type of an address of integers of `bits` bits, as the LLVM in use writes it.
std::string pointer_to(int bits);

/// Of the function: an address.
inline Value argument(const std::string& name) { return {pointer_to(8), "%" + name}; }

}  // namespace tinytune
