#include "codegen/kernels/thumb_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace tinytune {
namespace {

constexpr uint64_t bit(int reg) { return uint64_t{1} << reg; }

// How an instruction uses its operands.
enum class Form { kMove, kUnary, kBinary, kCompare, kInsert, kProduct, kSum, kLong, kLongSum };

struct Known {
  Form form;
  InstructionKind kind = InstructionKind::kAlu;
  bool complex = false, extends = false, writes_flags = false;
};

const std::map<std::string_view, Known>& known_mnemonics() {
  static const auto* const kKnown = [] {
    auto* known = new std::map<std::string_view, Known>;
    const auto add = [&](std::initializer_list<const char*> names, const Known& as) {
      for (const char* name : names) known->emplace(name, as);
    };
    add({"mov", "movw", "mvn"}, {Form::kMove});
    add({"movs", "mvns"}, {Form::kMove, InstructionKind::kAlu, false, false, true});
    add({"movt"}, {Form::kInsert});
    add({"add", "addw", "sub", "subw", "rsb", "and", "orr", "orn", "eor", "bic", "lsl", "lsr",
         "asr", "ror"},
        {Form::kBinary});
    add({"adds", "subs", "rsbs", "ands", "orrs", "eors", "bics", "lsls", "lsrs", "asrs"},
        {Form::kBinary, InstructionKind::kAlu, false, false, true});
    add({"cmp", "cmn", "tst", "teq"}, {Form::kCompare, InstructionKind::kAlu, false, false, true});
    add({"sxtb", "sxth", "uxtb", "uxth"}, {Form::kUnary, InstructionKind::kAlu, true, true});
    add({"sxtb16", "uxtb16", "ssat", "usat", "sbfx", "ubfx", "rev", "rev16", "clz"},
        {Form::kUnary, InstructionKind::kAlu, true});
    add({"pkhbt", "pkhtb", "qadd", "qsub", "sxtab16", "uxtab16", "sxtab", "sxtah", "uxtab",
         "uxtah"},
        {Form::kBinary, InstructionKind::kAlu, true});
    add({"bfi"}, {Form::kInsert, InstructionKind::kAlu, true});
    add({"mul", "smulbb", "smulbt", "smultb", "smultt", "smuad", "smuadx"},
        {Form::kProduct, InstructionKind::kMultiply});
    add({"muls"}, {Form::kProduct, InstructionKind::kMultiply, false, false, true});
    add({"smmul", "smmulr"}, {Form::kProduct, InstructionKind::kMultiplyHigh});
    add({"mla", "mls", "smlad", "smladx", "smlabb", "smlabt", "smlatb", "smlatt"},
        {Form::kSum, InstructionKind::kMultiply});
    add({"smmla", "smmlar", "smmls", "smmlsr"}, {Form::kSum, InstructionKind::kMultiplyHigh});
    add({"smull", "umull"}, {Form::kLong, InstructionKind::kMultiplyHigh});
    add({"smlal", "umlal"}, {Form::kLongSum, InstructionKind::kMultiplyHigh});
    return known;
  }();
  return *kKnown;
}

struct Access {
  bool loads;
  int64_t bytes;
  int registers = 1;
};

const std::map<std::string_view, Access>& known_accesses() {
  static const auto* const kKnown = new std::map<std::string_view, Access>{
      {"ldr", {true, 4}},   {"ldrb", {true, 1}},    {"ldrsb", {true, 1}}, {"ldrh", {true, 2}},
      {"ldrsh", {true, 2}}, {"ldrd", {true, 8, 2}}, {"str", {false, 4}},  {"strb", {false, 1}},
      {"strh", {false, 2}}, {"strd", {false, 8, 2}}};
  return *kKnown;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

// Mnemonic without its width, and operands at the commas outside of brackets.
struct Words {
  std::string_view mnemonic;
  std::vector<std::string_view> operands;
};

Words operands_of(std::string_view rest) {
  Words words;
  int depth = 0;
  for (size_t i = 0; i <= rest.size(); ++i) {
    const char c = i < rest.size() ? rest[i] : ',';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c != ',' || depth > 0) continue;
    if (const auto operand = trimmed(rest.substr(0, i)); !operand.empty())
      words.operands.push_back(operand);
    if (i == rest.size()) break;
    rest.remove_prefix(i + 1);
    i = static_cast<size_t>(-1);
  }
  return words;
}

Words words_of(std::string_view line) {
  line = trimmed(line.substr(0, line.find('@')));
  const size_t space = line.find_first_of(" \t");
  Words words = operands_of(space == line.npos ? std::string_view() : line.substr(space));
  words.mnemonic = line.substr(0, space);
  if (words.mnemonic.ends_with(".w") || words.mnemonic.ends_with(".n"))
    words.mnemonic.remove_suffix(2);
  return words;
}

std::optional<int> register_of(std::string_view text) {
  if (text == "sp") return kThumbSp;
  if (text == "lr") return kThumbLr;
  int number = 0;
  if (!text.starts_with('r')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > 12) return std::nullopt;
  return number;
}

std::optional<int64_t> constant_of(std::string_view text) {
  if (!text.starts_with('#')) return std::nullopt;
  text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_shift(std::string_view operand) {
  return operand.starts_with("lsl ") || operand.starts_with("lsr ") ||
         operand.starts_with("asr ") || operand.starts_with("ror ");
}

std::optional<ThumbLine> read_access(std::string_view text, const Words& words,
                                     const Access& access) {
  ThumbLine line;
  const auto name = [&](int reg, std::string_view word, bool read, bool written) {
    line.operands.push_back(
        {reg, static_cast<size_t>(word.data() - text.data()), word.size(), read, written});
  };
  const auto count = static_cast<size_t>(access.registers);
  if (words.operands.size() <= count) return std::nullopt;
  uint64_t moved = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto reg = register_of(words.operands[i]);
    if (!reg) return std::nullopt;
    moved |= bit(*reg);
    name(*reg, words.operands[i], !access.loads, access.loads);
  }
  std::string_view address = words.operands[count];
  const bool before = address.ends_with('!');
  if (before) address.remove_suffix(1);
  if (!address.starts_with('[') || !address.ends_with(']')) return std::nullopt;  // of a literal
  const Words inside = operands_of(address.substr(1, address.size() - 2));
  const auto base = inside.operands.empty() ? std::nullopt : register_of(inside.operands[0]);
  if (!base) return std::nullopt;
  line.base = *base;
  line.bytes = access.bytes;
  const bool moves = words.operands.size() > count + 1 || before;
  name(*base, inside.operands[0], true, moves);
  Instruction& facts = line.facts;
  facts.kind = access.loads ? InstructionKind::kLoad : InstructionKind::kStore;
  facts.words = static_cast<uint8_t>(access.registers);
  facts.narrow = access.bytes == 1 || (access.loads && access.bytes == 2);
  facts.address_reads = bit(*base);
  if (inside.operands.size() > 1) {
    if (const auto constant = constant_of(inside.operands[1])) {
      line.offset = *constant;
    } else if (const auto index = register_of(inside.operands[1])) {
      line.index = *index;
      name(*index, inside.operands[1], true, false);
      facts.register_offset = true;
      facts.address_reads |= bit(*index);
    } else {
      return std::nullopt;
    }
  }
  (access.loads ? facts.writes : facts.reads) = moved;
  facts.reads |= facts.address_reads;
  if (words.operands.size() > count + 1 || before) {
    const auto constant =
        before ? std::optional(line.offset) : constant_of(words.operands[count + 1]);
    if (!constant || (before && line.index >= 0)) return std::nullopt;
    line.moved = line.moved_from = *base;
    line.distance = *constant;
    facts.writes |= bit(*base);
  } else if (access.bytes == 4 && access.loads && line.index < 0 && line.offset >= 0) {
    facts.offset = static_cast<int16_t>(line.offset);
  }
  return line;
}

std::optional<ThumbLine> read_arithmetic(std::string_view text, const Words& words,
                                         const Known& known) {
  ThumbLine line;
  Instruction& facts = line.facts;
  facts.kind = known.kind;
  facts.complex = known.complex;
  std::vector<int> registers;
  bool shifts = false;
  for (const std::string_view operand : words.operands) {
    if (const auto reg = register_of(operand)) {
      registers.push_back(*reg);
    } else if (is_shift(operand)) {
      if (!constant_of(operand.substr(4))) return std::nullopt;  // by a register
      shifts = true;
    } else if (!constant_of(operand) && !operand.starts_with("#:")) {
      return std::nullopt;
    }
  }
  if (registers.empty()) return std::nullopt;
  const bool two = known.form == Form::kLong || known.form == Form::kLongSum;
  const size_t defined = known.form == Form::kCompare ? 0 : two ? 2 : 1;
  if (registers.size() < defined) return std::nullopt;
  for (size_t i = 0; i < registers.size(); ++i)
    (i < defined ? facts.writes : facts.reads) |= bit(registers[i]);
  const bool reads_first = known.form == Form::kInsert || known.form == Form::kLongSum;
  // "add r0, #4" and "lsl r0, r1" leave the first operand out.
  const bool shortened =
      (known.form == Form::kBinary || known.form == Form::kProduct) && words.operands.size() == 2;
  if (reads_first || shortened) facts.reads |= facts.writes;
  size_t named = 0;
  for (const std::string_view operand : words.operands) {
    const auto reg = register_of(operand);
    if (!reg) continue;
    const bool writes = named++ < defined;
    line.operands.push_back({*reg, static_cast<size_t>(operand.data() - text.data()),
                             operand.size(), !writes || reads_first || shortened, writes});
  }
  if (known.form == Form::kSum) {
    if (registers.size() != 4) return std::nullopt;
    facts.late_reads = bit(registers[3]);
    facts.added_reads = facts.late_reads;
  }
  if (known.form == Form::kInsert && known.complex) facts.late_reads = facts.writes;
  if (shifts && !known.complex) {
    facts.shifted = true;
    facts.late_reads = facts.reads & ~bit(registers.back());
  }
  if (words.mnemonic.starts_with("sxta") || words.mnemonic.starts_with("uxta"))
    facts.shifted = true;
  if (known.extends) facts.late_reads = facts.reads;
  line.needs_low = words.mnemonic == "muls";
  if (known.writes_flags) facts.writes |= bit(kThumbFlags);
  // A register plus a constant is at a known distance from that register.
  const bool adds = words.mnemonic.starts_with("add"), takes = words.mnemonic.starts_with("sub");
  if ((adds || takes) && !shifts && registers.size() == (words.operands.size() == 2 ? 1u : 2u)) {
    if (const auto constant = constant_of(words.operands.back())) {
      line.moved = registers[0];
      line.moved_from = registers.back();
      line.distance = adds ? *constant : -*constant;
    }
  }
  return line;
}

}  // namespace

std::optional<ThumbLine> read_thumb_line(std::string_view text) {
  const Words words = words_of(text);
  std::optional<ThumbLine> line;
  if (const auto access = known_accesses().find(words.mnemonic); access != known_accesses().end())
    line = read_access(text, words, access->second);
  else if (const auto known = known_mnemonics().find(words.mnemonic);
           known != known_mnemonics().end())
    line = read_arithmetic(text, words, known->second);
  if (line) line->facts.size_bytes = 4;
  return line;
}

std::optional<Instruction> read_thumb_branch(std::string_view text) {
  static constexpr std::array<std::string_view, 16> kBranches = {
      "beq", "bne", "bcs", "bhs", "bcc", "blo", "bmi", "bpl",
      "bvs", "bvc", "bhi", "bls", "bge", "blt", "bgt", "ble"};
  const Words words = words_of(text);
  Instruction branch;
  branch.size_bytes = 2;
  branch.ends_block = true;
  if (words.mnemonic == "b" && words.operands.size() == 1) {
    branch.kind = InstructionKind::kJump;
    return branch;
  }
  branch.kind = InstructionKind::kBranch;
  branch.conditional = true;
  if ((words.mnemonic == "cbz" || words.mnemonic == "cbnz") && words.operands.size() == 2) {
    const auto reg = register_of(words.operands[0]);
    if (!reg) return std::nullopt;
    branch.reads = bit(*reg);
    return branch;
  }
  if (words.operands.size() != 1 ||
      std::find(kBranches.begin(), kBranches.end(), words.mnemonic) == kBranches.end())
    return std::nullopt;
  branch.reads = bit(kThumbFlags);
  return branch;
}

}  // namespace tinytune
