#include "models/operators/matmul/emit_lane_blocks.h"

#include <algorithm>
#include <vector>

#include "schedules/lane_words.h"

namespace tinytune {
namespace {

constexpr int kWords = 2;         // per group of rows
constexpr int kColumns = 4;       // with four words: 16 accumulators, and registers left
constexpr int64_t kLongest = 64;  // sums of so many products fit a lane
constexpr int64_t kLowest = -128 * 127, kHighest = 128 * 128;  // a product of two bytes
static_assert(kLongest * (kHighest - kLowest) < int64_t{1} << 21,
              "the lanes of three in two words");

// The start value of lanes, which keeps their sums at 0 or above.
constexpr uint32_t kMiddle = static_cast<uint32_t>(-kLongest * kLowest);

std::string number(int64_t n) { return std::to_string(n); }
std::string unsigned_number(int64_t n) { return number(static_cast<uint32_t>(n)) + "u"; }

// Words of LaneWords as C expressions, each step a variable of its own.
class CLaneWords {
 public:
  explicit CLaneWords(CWriter& w) : w_(w) {}

  std::string add(const std::string& a, const std::string& b) { return named(a + " + " + b); }
  std::string opaque(const std::string& a) { return a; }
  std::string sub(const std::string& a, const std::string& b) { return named(a + " - " + b); }
  std::string shift_left(const std::string& a, int by) { return named(a + " << " + number(by)); }
  std::string shift_right_unsigned(const std::string& a, int by) {
    return named(a + " >> " + number(by));
  }

 private:
  std::string named(const std::string& value) {
    const std::string name = "t" + number(count_++);
    w_.line("const uint32_t " + name + " = " + value + ";");
    return name;
  }

  CWriter& w_;
  int count_ = 0;
};

std::string word_sum(int word, int column) { return "w" + number(word) + number(column); }

}  // namespace

int LaneBlocks::terms() const { return depth % 4 == 0 ? 4 : depth % 2 == 0 ? 2 : 1; }

int LaneBlocks::chunks() const { return static_cast<int>((depth + kLongest - 1) / kLongest); }

bool LaneBlocks::fit() const {
  constexpr int64_t kReach = 2047;  // of a load's offset
  constexpr int64_t kMostStack = 4096;
  const int64_t words = 2 * kWords * depth + (staged.offset != 0 ? streamed_rows : 0);
  return staged_rows >= kLanes && streamed_rows >= kColumns && 4 * words <= kMostStack &&
         (kColumns - 1) * streamed.step + (terms() - 1) * streamed.depth_step <= kReach;
}

// Counted on RV32IMC.
int64_t LaneBlocks::instructions() const {
  const int64_t columns = streamed_rows, rows = rows_in_blocks();
  const int64_t sums = rows * columns, plain = (staged_rows - rows) * columns;
  const int64_t summing = staged.offset != 0 && !ones_row() ? 3 * columns * depth : 0;
  return summing + 9 * rows * depth / 2 + sums * (depth * 7 / 4 + 6 * chunks()) + plain * depth * 3;
}

// Prints the sum of each streamed row times the staged side's offset, a term of all its sums.
void LaneBlocks::print_streamed_sums(CWriter& w) const {
  if (staged.offset == 0) return;
  w.line("uint32_t of_streamed[" + number(streamed_rows) + "];");
  if (ones_row()) return;
  w.loop(streamed_row, streamed_rows);
  w.line("const int8_t *const from = " + streamed.from + ";");
  w.line("int32_t sum = 0;");
  w.open("for (int32_t d = 0; d < " + number(depth * streamed.depth_step) +
         "; d += " + number(terms() * streamed.depth_step) + ")");
  for (int k = 0; k < terms(); ++k)
    w.line("sum += from[" + c_plus("d", k * streamed.depth_step) + "];");
  w.close();
  w.line("of_streamed[" + streamed_row + "] = (uint32_t)(sum * " + c_int(staged.offset) + ");");
  w.close();
}

// Declares `staged`, and "start0" etc., the start values of the rows' sums.
void LaneBlocks::print_staging(CWriter& w, const Block& block) const {
  const LaneWords lanes(block.lanes, block.words);
  const bool totals = streamed.offset != 0;
  w.line("uint32_t staged[" + number(block.words * depth) + "];");
  for (int r = 0; r < block.rows; ++r) w.line("uint32_t start" + number(r) + " = 0;");
  w.open("");
  w.line("const int8_t *from = " + staged.from + ";");
  w.line("uint32_t *to = staged;");
  const int unroll = depth % 2 == 0 ? 2 : 1;
  w.loop("d", depth, unroll);
  const auto element = [&](int lane) {
    return lane < block.rows ? "e" + number(lane) : std::string("UINT32_C(1)");
  };
  for (int k = 0; k < unroll; ++k) {
    w.open("");
    for (int r = 0; r < block.rows; ++r)
      w.line("const uint32_t " + element(r) + " = (uint32_t)from[" +
             number(r * staged.step + k * staged.depth_step) + "];");
    CLaneWords code(w);
    for (int i = 0; i < block.words; ++i)
      w.line("to[" + number(k * block.words + i) + "] = " + lanes.pack(i, element, code) + ";");
    for (int r = 0; totals && r < block.rows; ++r)
      w.line("start" + number(r) + " += " + element(r) + ";");
    w.close();
  }
  w.line("from += " + number(unroll * staged.depth_step) + ";");
  w.line("to += " + number(unroll * block.words) + ";");
  w.close().close();
  const int64_t constant =
      depth * staged.offset * streamed.offset - int64_t{chunks()} * int64_t{kMiddle};
  for (int r = 0; r < block.rows; ++r) {
    const std::string start = "start" + number(r);
    w.line(start + " = " +
           (totals ? start + " * " + unsigned_number(streamed.offset) + " + " : "") +
           unsigned_number(constant) + ";");
  }
}

// Prints up to kLongest terms of a block; advances `x` and `y`.
void LaneBlocks::print_products(CWriter& w, const Block& block) const {
  const LaneWords lanes(block.lanes, block.words);
  for (int i = 0; i < block.words; ++i)
    for (int c = 0; c < block.columns; ++c)
      w.line("uint32_t " + word_sum(i, c) + " = " + unsigned_number(lanes.word_of(i, kMiddle)) +
             ";");
  const int64_t longest = block.words * std::min(depth, kLongest);
  const int64_t last = block.words * (depth % kLongest);
  w.line("const uint32_t *const end = x + " +
         (depth < kLongest || last == 0 ? number(longest)
                                        : "(k < " + number(depth / kLongest * kLongest) + " ? " +
                                              number(longest) + " : " + number(last) + ")") +
         ";");
  w.open("while (x != end)");
  for (int k = 0; k < terms(); ++k) {
    if (terms() > 1) w.open("");
    for (int i = 0; i < block.words; ++i)
      w.line("const uint32_t u" + number(i) + " = x[" + number(k * block.words + i) + "];");
    for (int c = 0; c < block.columns; ++c) {
      const std::string v = "v" + number(c);
      w.line("const uint32_t " + v + " = (uint32_t)y[" +
             number(c * streamed.step + k * streamed.depth_step) + "];");
      for (int i = 0; i < block.words; ++i)
        w.line(word_sum(i, c) + " += u" + number(i) + " * " + v + ";");
    }
    if (terms() > 1) w.close();
  }
  w.line("x += " + number(terms() * block.words) + ";");
  w.line("y += " + number(terms() * streamed.depth_step) + ";").close();
}

// Returns the start value of the sum of a row and a column.
std::string LaneBlocks::start_of(int row, int column) const {
  return "start" + number(row) + (staged.offset == 0 ? "" : " + column" + number(column));
}

// Prints the start values of columns; a block with a row of ones has just summed them.
void LaneBlocks::print_columns(CWriter& w, const Block& block) const {
  if (staged.offset == 0) return;
  for (int c = 0; c < block.columns; ++c) {
    const std::string column = "column" + number(c);
    const std::string kept = "of_streamed[" + c_plus(streamed_row, c) + "]";
    if (block.ones()) {
      w.line(kept + " = (" + dot_sum(block.rows, c) + " - " +
             unsigned_number(int64_t{chunks()} * kMiddle) + ") * " +
             unsigned_number(staged.offset) + ";");
    }
    w.line("const uint32_t " + column + " = " + kept + ";");
  }
}

// If lanes are emptied once and no row of ones is needed first, stores each sum as it is unpacked;
// else accumulates the unpacked sums and stores all of them at the end.
void LaneBlocks::print_block(CWriter& w, const Block& block, const Store& store) const {
  const LaneWords lanes(block.lanes, block.words);
  const bool at_once = chunks() == 1 && !block.ones();
  for (int r = 0; !at_once && r < block.lanes; ++r)
    for (int c = 0; c < block.columns; ++c) w.line("uint32_t " + dot_sum(r, c) + " = 0;");
  w.line("const uint32_t *x = staged;");
  w.line("const int8_t *y = " + streamed.from + ";");
  if (chunks() > 1) w.loop("k", depth, kLongest);
  print_products(w, block);
  if (at_once) print_columns(w, block);
  for (int c = 0; c < block.columns; ++c) {
    std::vector<std::string> words;
    for (int i = 0; i < block.words; ++i) words.push_back(word_sum(i, c));
    w.open("");
    CLaneWords code(w);
    lanes.unpack(words, LaneWords::End::kBottom, code, [&](int lane, const std::string& value) {
      if (at_once)
        store(lane, c, "(" + value + " + " + start_of(lane, c) + ")");
      else
        w.line(dot_sum(lane, c) + " += " + value + ";");
    });
    w.close();
  }
  if (chunks() > 1) w.close();
  if (at_once) return;
  print_columns(w, block);
  for (int r = 0; r < block.rows; ++r)
    for (int c = 0; c < block.columns; ++c)
      store(r, c, "(" + dot_sum(r, c) + " + " + start_of(r, c) + ")");
}

void LaneBlocks::print_rows(CWriter& w, int first, int end, int rows, const BeforeStores& begin,
                            const Store& store) const {
  if (first == end) return;
  const auto open = [&](const std::string& v, int from, int to, int step) {
    w.open("for (int32_t " + v + " = " + number(from) + "; " + v + " < " + number(to) + "; " + v +
           " += " + number(step) + ")");
  };
  const int groups = (rows + kLanes - 1) / kLanes;
  Block block{rows, groups * kLanes, groups * kWords, kColumns};
  open(staged_row, first, end, rows);
  print_staging(w, block);
  const int whole = streamed_rows / kColumns * kColumns;
  for (const bool rest : {false, true}) {
    if (rest && whole == streamed_rows) break;
    block.columns = rest ? 1 : kColumns;
    open(streamed_row, rest ? whole : 0, rest ? streamed_rows : whole, block.columns);
    begin();
    print_block(w, block, store);
    w.close();
  }
  w.close();
}

// The block with a row of ones comes first, since all other blocks read its sums.
void LaneBlocks::print(CWriter& w, const BeforeStores& begin, const Store& store) const {
  const int whole = staged_rows / kLanes * kLanes, pairs = whole / (2 * kLanes) * (2 * kLanes);
  print_streamed_sums(w);
  print_rows(w, whole, rows_in_blocks(), 2, begin, store);
  print_rows(w, 0, pairs, 2 * kLanes, begin, store);
  print_rows(w, pairs, whole, kLanes, begin, store);
}

}  // namespace tinytune
