#include "templates/tile/ir_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/toolchain.h"

namespace tinytune {

std::string pointer_to(int bits) {
  return llvm_version() < 15 ? "i" + std::to_string(bits) + "*" : "ptr";
}

Value IrText::emit(const std::string& type, const std::string& instruction) {
  Value value{type, "%v" + std::to_string(next_++)};
  body_ += "  " + value.text + " = " + instruction + "\n";
  return value;
}

Value IrText::binary(const char* opcode, const Value& a, const Value& b) {
  return emit(a.type, fmt::format("{} {} {}, {}", opcode, a.type, a.text, b.text));
}

Value IrText::high_word(const Value& a, const char* extend_a, const Value& b,
                        const char* extend_b) {
  const Value wide_a = emit("i64", fmt::format("{} i32 {} to i64", extend_a, a.text));
  const Value wide_b = emit("i64", fmt::format("{} i32 {} to i64", extend_b, b.text));
  const Value high = binary("lshr", binary("mul", wide_a, wide_b), {"i64", "32"});
  return emit("i32", fmt::format("trunc i64 {} to i32", high.text));
}

Value IrText::clamp(const Value& a, const Value& low, const Value& high) {
  const auto limit = [&](const Value& v, const char* keep_if, const Value& bound) {
    return select(compare(keep_if, v, bound), v, bound);
  };
  return limit(limit(a, "slt", high), "sgt", low);
}

Value IrText::call(const std::string& intrinsic, const Values& arguments) {
  std::string list, types;
  for (const Value& a : arguments) {
    list += (list.empty() ? "" : ", ") + a.type + " " + a.text;
    types += (types.empty() ? "" : ", ") + a.type;
  }
  declarations_.insert(fmt::format("declare i32 @{}({})\n", intrinsic, types));
  return emit("i32", fmt::format("call i32 @{}({})", intrinsic, list));
}

Value IrText::rotate_right(const Value& a, int bits) { return call("llvm.fshr.i32", {a, a, bits}); }

Value IrText::at(const Value& base, const Value& bytes) {
  return emit(pointer_to(8),
              fmt::format("getelementptr i8, {} {}, i32 {}", pointer_to(8), base.text, bytes.text));
}

Value IrText::opaque(const Value& a) {
  return emit(a.type, fmt::format("call {} asm \"\", \"=r,0\"({} {}) nounwind readnone", a.type,
                                  a.type, a.text));
}

Value IrText::distance(const Value& address, const Value& base) {
  const auto number = [&](const Value& pointer) {
    return emit("i32", fmt::format("ptrtoint {} {} to i32", pointer_to(8), pointer.text));
  };
  const Value a = number(address);
  return sub(a, number(base));
}

Value IrText::place(int bits, const Value& address) {
  const std::string type = pointer_to(bits);
  return emit(type, fmt::format("bitcast {} {} to {}", pointer_to(8), address.text, type));
}

Value IrText::load(int bits, const char* extend, const Value& address) {
  const Value loaded = emit(fmt::format("i{}", bits),
                            fmt::format("load i{}, {} {}, align {}", bits, pointer_to(bits),
                                        place(bits, address).text, bits / 8));
  if (bits == 32) return loaded;
  return emit("i32", fmt::format("{} {} {} to i32", extend, loaded.type, loaded.text));
}

void IrText::store(int bits, const Value& value, const Value& address) {
  const Value low =
      bits == 32 ? value : emit("", fmt::format("trunc i32 {} to i{}", value.text, bits));
  body_ += fmt::format("  store i{} {}, {} {}, align {}\n", bits, low.text, pointer_to(bits),
                       place(bits, address).text, bits / 8);
}

void IrText::store_byte_here(const Value& value, const Value& address) {
  store_byte(value, address);
  body_ += "  call void asm sideeffect \"\", \"\"() nounwind\n";
}

Value IrText::select(const Value& condition, const Value& if_true, const Value& if_false) {
  return emit(if_true.type, fmt::format("select i1 {}, {} {}, {} {}", condition.text, if_true.type,
                                        if_true.text, if_false.type, if_false.text));
}

Value IrText::compare(const char* how, const Value& a, const Value& b) {
  return emit("i1", fmt::format("icmp {} {} {}, {}", how, a.type, a.text, b.text));
}

void IrText::if_else(const Value& condition, const std::function<void()>& then,
                     const std::function<void()>& otherwise, const char* weights) {
  const auto no_values = [](const std::function<void()>& write) {
    return [&write] { return write(), Values(); };
  };
  either(condition, no_values(then), no_values(otherwise), weights);
}

void IrText::if_rarely(const Value& condition, const std::function<void()>& then,
                       const std::function<void()>& otherwise) {
  metadata_ = "!0 = !{!\"branch_weights\", i32 1, i32 1000}\n";
  if_else(condition, then, otherwise, ", !prof !0");
}

Values IrText::phis(const Values& initial) {
  Values values;
  for (const Value& v : initial) values.push_back({v.type, "%v" + std::to_string(next_++)});
  return values;
}

namespace {

std::string phi_lines(const Values& phi, const Values& first, const std::string& from,
                      const Values& next, const std::string& latch) {
  std::string lines;
  for (size_t i = 0; i < phi.size(); ++i)
    lines += fmt::format("  {} = phi {} [ {}, %{} ], [ {}, %{} ]\n", phi[i].text, phi[i].type,
                         first[i].text, from, next[i].text, latch);
  return lines;
}

}  // namespace

// Writes the call. Its results have these types and registers; the first start with the values
// `carried`.
Value IrText::call_assembly(const std::string& text, const std::vector<std::string>& types,
                            const std::vector<std::string>& registers, const Values& carried,
                            const Values& read) {
  std::string constraints, arguments;
  for (const std::string& reg : registers) constraints += "=&" + reg + ",";
  for (size_t i = 0; i < carried.size(); ++i) constraints += std::to_string(i) + ",";
  for (size_t i = 0; i < read.size(); ++i) constraints += "r,";
  for (const Values* values : {&carried, &read})
    for (const Value& v : *values)
      arguments += (arguments.empty() ? "" : ", ") + v.type + " " + v.text;
  const std::string all = fmt::format("{{ {} }}", fmt::join(types, ", "));
  return emit(
      all, fmt::format("call {} asm sideeffect \"{}\", \"{}~{{memory}},~{{cc}}\"({}) nounwind", all,
                       text, constraints, arguments));
}

Value IrText::part(const Value& all, const std::string& type, int index) {
  return emit(type, fmt::format("extractvalue {} {}, {}", all.type, all.text, index));
}

Values IrText::assembly(const std::string& text, const Values& carried, const Values& read,
                        int temporaries, const char* kind) {
  std::vector<std::string> types(carried.size() + static_cast<size_t>(temporaries), "i32");
  for (size_t i = 0; i < carried.size(); ++i) types[i] = carried[i].type;
  const std::vector<std::string> registers(types.size(), kind);
  const Value all = call_assembly(text, types, registers, carried, read);
  Values results;
  for (size_t i = 0; i < carried.size(); ++i)
    results.push_back(part(all, carried[i].type, static_cast<int>(i)));
  return results;
}

Values IrText::assembly_of_all_registers(const std::string& text, const Values& read,
                                         const std::vector<int>& results) {
  std::vector<std::string> types(kAllRegisters, "i32"), registers;
  for (size_t i = 0; i < read.size(); ++i) types[i] = read[i].type;
  for (int i = 0; i + 1 < kAllRegisters; ++i) registers.push_back(fmt::format("{{r{}}}", i));
  registers.emplace_back("{lr}");
  const Value all = call_assembly(text, types, registers, read, {});
  Values words;
  for (const int i : results) words.push_back(part(all, "i32", i));
  return words;
}

Values IrText::do_while_if(const Value& condition, const Values& initial,
                           const std::function<Values(const Values&)>& body) {
  return either(
      condition, [&] { return do_while(initial, body); }, [&] { return initial; });
}

Values IrText::either(const Value& condition, const std::function<Values()>& if_true,
                      const std::function<Values()>& if_false, const char* weights) {
  const std::string yes = label(), no = label(), after = label();
  body_ += fmt::format("  br i1 {}, label %{}, label %{}{}\n", condition.text, yes, no, weights);
  const auto branch = [&](const std::string& name, const std::function<Values()>& write) {
    body_ += name + ":\n";
    block_ = name;
    Values values = write();
    body_ += fmt::format("  br label %{}\n", after);
    return std::pair(std::move(values), block_);
  };
  const auto [first, from_first] = branch(yes, if_true);
  const auto [second, from_second] = branch(no, if_false);
  const Values result = phis(first);
  body_ += after + ":\n" + phi_lines(result, first, from_first, second, from_second);
  block_ = after;
  return result;
}

Values IrText::while_loop(const Values& initial,
                          const std::function<Value(const Values&)>& condition,
                          const std::function<Values(const Values&)>& body) {
  const std::string head = label(), inside = condition ? label() : "", exit = label();
  const std::string entry = block_;
  const Values carried = phis(initial);
  std::string before = std::move(body_) + fmt::format("  br label %{}\n{}:\n", head, head);
  body_.clear();
  block_ = head;
  const auto branch = [&](const Value& go_on, const std::string& to, const std::string& next) {
    body_ += fmt::format("  br i1 {}, label %{}, label %{}\n{}:\n", go_on.text, to, exit, next);
  };
  if (condition) branch(condition(carried), inside, inside), block_ = inside;
  Values next = body(carried);
  const std::string latch = block_;
  TT_CHECK(next.size() == initial.size() + (condition ? 0 : 1), "a loop returns its values");
  if (condition)
    body_ += fmt::format("  br label %{}\n{}:\n", head, exit);
  else
    branch(next.back(), head, exit), next.pop_back();
  body_ = before + phi_lines(carried, initial, entry, next, latch) + body_;
  block_ = exit;
  return condition ? carried : next;
}

void IrText::count_to(int64_t extent, const std::function<void(const Value&)>& body) {
  do_while({0}, [&](const Values& v) {
    body(v[0]);
    const Value next = add(v[0], 1);
    return Values{next, differs(next, extent)};
  });
}

Value IrText::count_to(int64_t extent, const Value& initial,
                       const std::function<Value(const Value&, const Value&)>& body) {
  return do_while({initial, 0}, [&](const Values& v) {
    const Value carried = body(v[0], v[1]), next = add(v[1], 1);
    return Values{carried, next, differs(next, extent)};
  })[0];
}

Values IrText::advance(int64_t turns, const Values& cursors, const std::vector<int64_t>& bytes,
                       const std::function<void(const Values&)>& body, Cursors kind) {
  const Value end = at(cursors[0], turns * bytes[0]);
  Values reached = do_while(cursors, [&](const Values& v) {
    body(v);
    Values next;
    for (size_t i = 0; i < v.size(); ++i) {
      const Value moved = at(v[i], bytes[i]);
      next.push_back(kind == Cursors::kOpaque ? opaque(moved) : moved);
    }
    next.push_back(differs(next[0], end));
    return next;
  });
  reached[0] = end;
  return reached;
}

void IrText::copy(const Value& from, const Value& to, int64_t words) {
  constexpr int64_t kTogether = 4;  // consecutive loads are cheaper
  const auto copy_some = [&](const Value& source, const Value& target, int64_t count) {
    Values loaded;
    for (int64_t i = 0; i < count; ++i) loaded.push_back(load_word(at(source, 4 * i)));
    for (int64_t i = 0; i < count; ++i)
      store_word(loaded[static_cast<size_t>(i)], at(target, 4 * i));
  };
  const int64_t first = words % kTogether;
  copy_some(from, to, first);
  if (first == words) return;
  const Value end = at(from, 4 * words);
  do_while({at(from, 4 * first), at(to, 4 * first)}, [&](const Values& v) {
    copy_some(v[0], v[1], kTogether);
    const Value next = at(v[0], 4 * kTogether);
    return Values{next, at(v[1], 4 * kTogether), differs(next, end)};
  });
}

void IrText::fill(const Value& target, int64_t words, uint32_t value) {
  count_to(words, [&](const Value& i) {
    const Value to = at(target, shift_left(i, 2));
    store_word(static_cast<int32_t>(value), to);
  });
}

void IrText::fill_fast(const Value& target, int64_t words, uint32_t value) {
  constexpr int kTogether = 16;
  const auto store = [&](const Value& to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) store_word(static_cast<int32_t>(value), at(to, 4 * i));
  };
  Value to = target;
  if (words >= kTogether)
    to = advance(words / kTogether, {to}, {4 * kTogether},
                 [&](const Values& v) { store(v[0], kTogether); })[0];
  store(to, words % kTogether);
}

std::string IrText::function(const std::string& symbol,
                             const std::vector<std::string>& parameters) const {
  std::string list;
  for (const std::string& p : parameters)
    list += (list.empty() ? "" : ", ") + (pointer_to(8) + " noalias nocapture %" + p);
  std::string declared;
  for (const std::string& line : declarations_) declared += line;
  return declared + fmt::format("define void @{}({}) nounwind {{\nentry:\n{}  ret void\n}}\n{}",
                                symbol, list, body_, metadata_);
}

}  // namespace tinytune
