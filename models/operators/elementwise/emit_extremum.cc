// MAXIMUM and MINIMUM: four bytes at a time if the core compares them so (Arm's DSP extension) and
// no operand is broadcast.
#include "codegen/operators/elementwise.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/pair_text.h"

namespace tinytune::emitter {
namespace {

constexpr int64_t kWord = 4;

void print_choice(CWriter& w, const ExtremumOp& op, const std::string& a, const std::string& b,
                  const std::string& output) {
  w.line(output + " = " + a + (op.maximum ? " > " : " < ") + b + " ? " + a + " : " + b + ";");
}

// One assembly statement: nothing may come between the comparison and the selection by its flags.
void print_words(CWriter& w, const ExtremumOp& op, const ElementPointers& p) {
  const std::string chosen = op.maximum ? "%1, %2" : "%2, %1";
  w.open("for (int32_t i = 0; i < " + std::to_string(op.elements / kWord) + "; ++i)");
  w.line("uint32_t word;");
  w.line("__asm__(\"ssub8 %0, %1, %2\\n\\tsel %0, " + chosen + "\"");
  w.line("        : \"=&r\"(word)");
  w.line("        : \"r\"(((const uint32_t *)" + p.a + ")[i]), \"r\"(((const uint32_t *)" + p.b +
         ")[i]));");
  w.line("((uint32_t *)" + p.output + ")[i] = word;").close();
  for (int64_t i = op.elements / kWord * kWord; i < op.elements; ++i) {
    const std::string at = "[" + std::to_string(i) + "]";
    print_choice(w, op, p.a + at, p.b + at, p.output + at);
  }
}

}  // namespace

std::string emit(const ExtremumOp& op, EmitContext& context) {
  const ElementPointers pointers = binary_pointers(context);
  CWriter w(1);
  if (op.broadcast.equal_shapes) {
    w.line(kIfPairs);
    print_words(w, op, pointers);
    w.line("#else");
  }
  print_elementwise(w, op.broadcast, pointers,
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      print_choice(e, op, a, b, out);
                    });
  if (op.broadcast.equal_shapes) w.line("#endif");
  return w.text();
}

bool in_place(const ExtremumOp&, int) { return true; }

}  // namespace tinytune::emitter
