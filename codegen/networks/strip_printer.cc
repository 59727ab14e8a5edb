#include "codegen/networks/strip_printer.h"

#include <utility>

#include "base/check.h"
#include "codegen/networks/storage.h"

namespace tinytune {
namespace {

// A call of a variant or, without one, a move of a window's rows from the input to the output.
struct Statement {
  std::optional<size_t> variant;
  LayerPrinter::Operands operands;
};

using Statements = std::vector<Statement>;

bool same_but_places(const Statements& a, const Statements& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].variant != b[i].variant || a[i].operands.output.bytes != b[i].operands.output.bytes)
      return false;
  return true;
}

// Visits the places of both lists in pairs.
template <typename Visit>
void for_places(Statements& a, const Statements& b, const Visit& visit) {
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t o = 0; o < a[i].operands.inputs.size(); ++o)
      visit(a[i].operands.inputs[o], b[i].operands.inputs[o]);
    visit(a[i].operands.output, b[i].operands.output);
  }
}

// Adds `next` to the loop as one more iteration, if it continues it. Rows advance: no step is
// negative.
bool extend(Statements& loop, const Statements& next) {
  if (!same_but_places(loop, next)) return false;
  bool follows = true;
  for_places(loop, next, [&](const ArenaPlace& place, const ArenaPlace& there) {
    const int64_t moved = int64_t{there.offset} - place.offset;
    const int64_t expected = int64_t{place.step} * place.turns;
    follows = follows && (place.turns == 1 ? moved >= 0 : moved == expected);
  });
  if (!follows) return false;
  for_places(loop, next, [](ArenaPlace& place, const ArenaPlace& there) {
    if (place.turns == 1) place.step = there.offset - place.offset;
    ++place.turns;
  });
  return true;
}

class StripPrinter {
 public:
  StripPrinter(LayerPrinter& printer, const Graph& graph, const StripFlow& flow,
               const StripSite& site)
      : printer_(printer), graph_(graph), flow_(flow), site_(site) {}

  LayerFunction run() {
    std::vector<Statements> loops;
    for (size_t s = 0; s < flow_.strips.size(); ++s) {
      Statements statements = flow_.streamed ? streamed_statements_of(s) : statements_of(s);
      if (loops.empty() || !extend(loops.back(), statements))
        loops.push_back(std::move(statements));
    }
    if (site_.first) print_move(*site_.first);
    if (flow_.streamed) {
      print_cases(loops);
    } else {
      for (const Statements& loop : loops) print_loop(loop);
    }
    return std::move(body_).finish(site_.symbol, site_.comment);
  }

 private:
  Statements statements_of(size_t s) const {
    const Strip& strip = flow_.strips[s];
    Statements statements;
    for (const RowSlide& slide : strip.slides) statements.push_back(statement_of(slide));
    for (const RowCall& call : strip.calls) statements.push_back(statement_of(strip, call));
    return statements;
  }

  // Windows slide right after a strip, before rows of the next one arrive. The output (a window if
  // frames arrive) slides only before the next strip, because it is read until then. The last strip
  // of frames follows itself.
  Statements streamed_statements_of(size_t s) const {
    const Strip& strip = flow_.strips[s];
    const bool is_last = s + 1 == flow_.strips.size();
    Statements statements;
    const auto slide = [&](const std::vector<RowSlide>& slides, bool output) {
      for (const RowSlide& slide : slides)
        if ((flow_.windows[slide.window].tensor == flow_.output) == output)
          statements.push_back(statement_of(slide));
    };
    slide(strip.slides, true);
    for (const RowCall& call : strip.calls) statements.push_back(statement_of(strip, call));
    slide(is_last ? flow_.slides_of_step : flow_.strips[s + 1].slides, false);
    return statements;
  }

  Statement statement_of(const RowSlide& slide) const {
    const int tensor = flow_.windows[slide.window].tensor;
    const ArenaPlace window = place_of(tensor);
    const auto row = static_cast<uint32_t>(row_bytes(graph_.tensor(tensor)));
    const uint32_t bytes = static_cast<uint32_t>(slide.kept) * row;
    const uint32_t dropped = static_cast<uint32_t>(slide.dropped) * row;
    return {{}, {{{window.offset + dropped, bytes}}, {window.offset, bytes}}};
  }

  Statement statement_of(const Strip& strip, const RowCall& call) const {
    const Operator& op = graph_.operators[call.step];
    Statement statement{call.variant, {}};
    for (const int input : op.inputs) {
      const bool constant = input < 0 || graph_.tensor(input).is_constant;
      statement.operands.inputs.push_back(constant ? ArenaPlace() : rows_of(strip, input, call.in));
    }
    statement.operands.output = rows_of(strip, op.outputs[0], call.out);
    statement.operands.scratch = site_.scratch[member(call.step)];
    return statement;
  }

  ArenaPlace rows_of(const Strip& strip, int tensor, const RowRange& rows) const {
    const auto bytes = static_cast<uint32_t>(row_bytes(graph_.tensor(tensor)));
    const auto window = flow_.window_of(tensor);
    const int first = window ? strip.window_row[*window] : 0;
    return {place_of(tensor).offset + static_cast<uint32_t>(rows.begin - first) * bytes,
            static_cast<uint32_t>(rows.count()) * bytes};
  }

  const ArenaPlace& place_of(int tensor) const {
    const auto& place = site_.places.at(static_cast<size_t>(tensor));
    TT_CHECK(place.has_value(), "tensor " + std::to_string(tensor) + " is not in the arena");
    return *place;
  }

  size_t member(size_t step) const { return step - static_cast<size_t>(flow_.first_step); }

  static uint32_t turns_of(const Statements& loop) { return loop.front().operands.output.turns; }

  void print_loop(const Statements& loop) {
    if (turns_of(loop) > 1) body_.writer().loop(kTurn, turns_of(loop));
    print(loop);
    if (turns_of(loop) > 1) body_.writer().close();
  }

  // Prints each loop as a case that the number of the next strip selects.
  void print_cases(const std::vector<Statements>& loops) {
    CWriter& w = body_.writer();
    const ArenaPlace strip = {site_.progress->offset + RowProgress::kComputedStrips, 4};
    w.line("const int32_t strip = *" + body_.read_from(strip, "int32_t") + ";");
    uint32_t first = 0;
    for (const Statements& loop : loops) {
      const uint32_t end = first + turns_of(loop);
      w.open(std::string("if (strip >= ") + std::to_string(first) + " && strip < " +
             std::to_string(end) + ")");
      if (turns_of(loop) > 1)
        w.line(std::string("const int32_t ") + kTurn + " = strip - " + std::to_string(first) + ";");
      print(loop);
      w.close();
      first = end;
    }
  }

  void print(const Statements& statements) {
    for (const Statement& statement : statements) {
      if (!statement.variant) {
        print_move({statement.operands.inputs[0], statement.operands.output});
        continue;
      }
      const StripVariant& variant = flow_.variants[*statement.variant];
      const LayerSite site{
          site_.layer_symbols[member(variant.step)], {}, graph_.operators[variant.step]};
      if (const auto& call = site_.calls[*statement.variant])
        printer_.call_kernel(body_, site, *call, with_scratch_of(*call, statement.operands));
      else
        printer_.emit(body_, site, variant.form, statement.operands);
    }
  }

  // A step's scratch is that of its most demanding variant; another may need none.
  static LayerPrinter::Operands with_scratch_of(const KernelCall& call,
                                                LayerPrinter::Operands operands) {
    if (call.scratch_bytes == 0) operands.scratch.reset();
    return operands;
  }

  // Copies words, since rows begin at words; bytes copied beyond the last one are overwritten
  // before they are read. Copies backwards if the target is above the source, as both may overlap.
  void print_move(const ArenaMove& move) {
    if (move.from == move.to) return;
    CWriter& w = body_.writer();
    const std::string source = body_.read_from(move.from, "uint32_t");
    const std::string target = body_.written_to(move.to, "uint32_t");
    const int64_t words = (move.from.bytes + 3) / 4;
    w.open("");
    w.line("const uint32_t *from = " + source + ";");
    w.line("uint32_t *to = " + target + ";");
    if (move.to.offset > move.from.offset) {
      w.open("for (int32_t i = " + std::to_string(words - 1) + "; i >= 0; --i)");
      w.line("to[i] = from[i];").close();
    } else {
      print_unrolled(w, words, [&](const std::string& variable, int64_t added) {
        const std::string at = "[" + c_plus(variable, added) + "]";
        w.line("to" + at + " = from" + at + ";");
      });
    }
    w.close();
  }

  LayerPrinter& printer_;
  const Graph& graph_;
  const StripFlow& flow_;
  const StripSite& site_;
  FunctionBody body_;
};

}  // namespace

LayerFunction print_strips(LayerPrinter& printer, const Graph& graph, const StripFlow& flow,
                           const StripSite& site) {
  return StripPrinter(printer, graph, flow, site).run();
}

}  // namespace tinytune
