// AVERAGE_POOL_2D and MAX_POOL_2D.
//
// In a pixel, blocks of channels are the outer loops and taps the inner ones, so that one pointer
// walks the window while a block's accumulators stay in registers. Windows that padding clips get
// their bounds and number of taps at run time; those of all others are constants.
#include <algorithm>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {
namespace {

constexpr int kBlock = 8;  // accumulators of one block; 16 would spill beside the pointers on RV32

// The elements' type in the C text, and its range.
struct Element {
  std::string type;
  int low, high;
};

struct Window {
  bool clipped_h, clipped_w;
  bool clipped() const { return clipped_h || clipped_w; }
};

bool clips(int in, int out, int filter, int stride, int pad) {
  return pad > 0 || (out - 1) * stride - pad + filter > in;
}

std::string lane(const char* name, int i) { return name + std::to_string(i); }

void accumulate(CWriter& w, const PoolOp& op, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    const std::string a = lane("a", i), tap = "tap[" + std::to_string(i) + "]";
    w.line(op.average ? a + " += " + tap + ";"
                      : a + " = " + tap + " > " + a + " ? " + tap + " : " + a + ";");
  }
}

void taps(CWriter& w, const PoolOp& op, const Element& element, const Window& window, int lanes) {
  const std::string c = std::to_string(op.channels);
  const int64_t row = int64_t{op.in_w} * op.channels;
  w.line("const " + element.type + " *tap = corner + c;");
  if (!window.clipped() && (op.filter_w == op.in_w || op.filter_h == 1)) {
    w.loop("t", int64_t{op.filter_h} * op.filter_w);  // rows follow each other without a gap
    accumulate(w, op, lanes);
    w.line("tap += " + c + ";").close();
    return;
  }
  const std::string rows = window.clipped_h ? "y1 - y0" : std::to_string(op.filter_h);
  const std::string columns = window.clipped_w ? "x1 - x0" : std::to_string(op.filter_w);
  w.open("for (int32_t y = " + rows + "; y > 0; --y)");
  w.open("for (int32_t x = " + columns + "; x > 0; --x)");
  accumulate(w, op, lanes);
  w.line("tap += " + c + ";").close();
  const std::string width = window.clipped_w ? "(x1 - x0)" : std::to_string(op.filter_w);
  w.line("tap += " + std::to_string(row) + " - " + width + " * " + c + ";").close();
}

void finish(CWriter& w, const PoolOp& op, const Element& element, const Window& window, int i) {
  const std::string a = lane("a", i);
  if (op.average) {
    const int count = op.filter_h * op.filter_w;
    if (window.clipped())  // half a count away from zero, then towards zero: TFLite's rounding
      w.line(a + " = (" + a + " > 0 ? " + a + " + count / 2 : " + a + " - count / 2) / count;");
    else if (count > 1)
      w.line(a + " = (" + a + " > 0 ? " + a + " + " + std::to_string(count / 2) + " : " + a +
             " - " + std::to_string(count / 2) + ") / " + std::to_string(count) + ";");
  }
  if (op.activation_min > element.low)
    w.line("if (" + a + " < " + c_int(op.activation_min) + ") " + a + " = " +
           c_int(op.activation_min) + ";");
  if (op.activation_max < element.high)
    w.line("if (" + a + " > " + c_int(op.activation_max) + ") " + a + " = " +
           c_int(op.activation_max) + ";");
  w.line("output[c + " + std::to_string(i) + "] = (" + element.type + ")" + a + ";");
}

void block(CWriter& w, const PoolOp& op, const Element& element, const Window& window, int lanes) {
  for (int i = 0; i < lanes; ++i)
    w.line("int32_t " + lane("a", i) + " = " + std::to_string(op.average ? 0 : element.low) + ";");
  taps(w, op, element, window, lanes);
  for (int i = 0; i < lanes; ++i) finish(w, op, element, window, i);
}

void bounds(CWriter& w, const char* axis, const std::string& at, int stride, int pad, int filter,
            int in, bool clipped) {
  const std::string first = std::string(axis) + "0", last = std::string(axis) + "1";
  const std::string start = at + " * " + std::to_string(stride);
  if (!clipped) {
    w.line("const int32_t " + first + " = " + start + ";");
    return;
  }
  w.line("int32_t " + first + " = " + c_plus(start, -pad) + ";");
  w.line("int32_t " + last + " = " + c_plus(first, filter) + ";");
  w.line("if (" + first + " < 0) " + first + " = 0;");
  w.line("if (" + last + " > " + std::to_string(in) + ") " + last + " = " + std::to_string(in) +
         ";");
}

std::string print(const PoolOp& op, const Element& element, EmitContext& context) {
  const Window window{clips(op.in_h, op.out_h, op.filter_h, op.stride_h, op.pad_top),
                      clips(op.in_w, op.out_w, op.filter_w, op.stride_w, op.pad_left)};
  CWriter w(1);
  if (op.batch > 1) w.loop("n", op.batch);
  w.loop("oy", op.out_h);
  bounds(w, "y", "oy", op.stride_h, op.pad_top, op.filter_h, op.in_h, window.clipped_h);
  w.loop("ox", op.out_w);
  bounds(w, "x", "ox", op.stride_w, op.pad_left, op.filter_w, op.in_w, window.clipped_w);
  if (op.average && window.clipped()) {
    const std::string rows = window.clipped_h ? "(y1 - y0)" : std::to_string(op.filter_h);
    const std::string columns = window.clipped_w ? "(x1 - x0)" : std::to_string(op.filter_w);
    w.line("const int32_t count = " + rows + " * " + columns + ";");
  }
  w.line("const " + element.type + " *const corner = " + context.input(0) + " + (y0 * " +
         std::to_string(op.in_w) + " + x0) * " + std::to_string(op.channels) + ";");
  const int whole = op.channels / kBlock * kBlock, rest = op.channels - whole;
  if (whole > 0) {
    w.loop("c", whole, kBlock);
    block(w, op, element, window, kBlock);
    w.close();
  }
  if (rest > 0) {
    w.open("for (int32_t c = " + std::to_string(whole) + "; c < " + std::to_string(op.channels) +
           "; ++c)");
    block(w, op, element, window, 1);
    w.close();
  }
  w.line(context.output() + " += " + std::to_string(op.channels) + ";");
  w.close().close();
  if (op.batch > 1)
    w.line(context.input(0) + " += " + std::to_string(int64_t{op.in_h} * op.in_w * op.channels) +
           ";")
        .close();
  return w.text();
}

}  // namespace

std::string emit(const PoolOp& op, EmitContext& context) {
  return print(op, {"int8_t", -128, 127}, context);
}

bool in_place(const PoolOp&, int) { return false; }

std::string emit(const WidePoolOp& op, EmitContext& context) {
  return print(op.pool, {"int16_t", -32768, 32767}, context);
}

bool in_place(const WidePoolOp&, int) { return false; }

}  // namespace tinytune::emitter
