// TFLM_DECODE: decompresses constant tensors of a model. Import computes them.
//
// Each output has a pair of inputs, codes and their description. A description begins with 16
// bytes: the kind of code, its version, and from byte 4 on the kind's parameters. Codes are packed
// bit by bit, the highest bit of a byte first. Codes that point outside their tables are refused
// here; TFLite Micro would read out of bounds.
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "models/constant_operator.h"
#include "models/operators/operator_view.h"

namespace tinytune {
namespace {

enum Kind : uint8_t { kLookup = 0, kHuffman = 1, kPruned = 2 };
constexpr size_t kKindAt = 0, kVersionAt = 1, kKindVersionAt = 4, kHeaderBytes = 16;

using Bytes = std::vector<uint8_t>;

class BitReader {
 public:
  explicit BitReader(const Bytes& bytes) : bytes_(bytes) {}

  /// Returns zeros beyond the end, because prefix codes look ahead.
  uint32_t next(int count) {
    uint32_t bits = 0;
    for (; count > 0; --count, ++at_) {
      const size_t byte = at_ / 8;
      const uint32_t bit = byte < bytes_.size() ? bytes_[byte] >> (7 - at_ % 8) & 1 : 0;
      bits = bits << 1 | bit;
    }
    return bits;
  }
  void put_back(int count) { at_ -= static_cast<size_t>(count); }
  bool is_past_end() const { return at_ > bytes_.size() * 8; }

 private:
  const Bytes& bytes_;
  size_t at_ = 0;  // in bits
};

// One pair of inputs and its output.
struct Compressed {
  const OperatorView& view;
  const Tensor &codes, &description, &output;

  size_t width() const { return size_of(output.type); }
  size_t table_bytes() const { return description.data.size() - kHeaderBytes; }
  const uint8_t* table() const { return description.data.data() + kHeaderBytes; }
  Error invalid(const std::string& why) const {
    return view.invalid(describe(codes) + " of " + describe(output) + ": " + why);
  }
  Error unsupported(const std::string& why) const {
    return view.unsupported(describe(output) + " " + why);
  }
};

// The channels of a tensor, along the outermost axis or the innermost.
struct Channels {
  int64_t count = 1, elements = 1;  // consecutive elements of one channel

  int64_t of(int64_t element) const { return element / elements % count; }
};

Result<Channels> channels_of(const Compressed& c) {
  const Quantization& q = c.output.quantization;
  Channels channels{1, c.output.elements()};
  if (q.scales.empty()) return channels;
  channels.count = static_cast<int64_t>(q.scales.size());
  const bool is_innermost = q.axis == static_cast<int>(c.output.shape.size()) - 1;
  if (!(is_innermost && q.per_channel()) && q.axis != 0)
    return c.unsupported(fmt::format("is quantised along axis {}, which TFLite refuses", q.axis));
  channels.elements = is_innermost && q.per_channel() ? 1 : channels.elements / channels.count;
  return channels;
}

// Decodes indices of 1 to 7 bits into a table of values per channel.
Result<Bytes> decode_lookup(const Compressed& c) {
  constexpr size_t kBitsAt = 5, kStrideAt = 6;
  TT_TRY_ASSIGN(const Channels channels, channels_of(c));
  const int bits = c.description.data[kBitsAt] & 7;
  const size_t stride = c.description.data[kStrideAt];
  if (bits == 0) return c.invalid("indices of 0 bits");
  BitReader codes(c.codes.data);
  Bytes values;
  for (int64_t i = 0; i < c.output.elements(); ++i) {
    const size_t at = (static_cast<size_t>(channels.of(i)) * stride + codes.next(bits)) * c.width();
    if (at + c.width() > c.table_bytes()) return c.invalid("an index leads outside its table");
    values.insert(values.end(), c.table() + at, c.table() + at + c.width());
  }
  if (codes.is_past_end()) return c.invalid("it has fewer indices than values");
  return values;
}

// Decodes a bit per value: 1 takes the table's next value, 0 the channel's zero point.
Result<Bytes> decode_pruned(const Compressed& c) {
  const Quantization& q = c.output.quantization;
  TT_TRY_ASSIGN(const Channels channels, channels_of(c));
  const bool is_int8 = c.output.type == ElementType::kInt8;
  if (!is_int8 && !q.zero_points.empty() && q.zero_points[0] != 0)
    return c.unsupported(fmt::format("is pruned to {}, not to 0", q.zero_points[0]));
  BitReader codes(c.codes.data);
  Bytes values(static_cast<size_t>(c.output.bytes()));
  size_t taken = 0;
  for (int64_t i = 0; i < c.output.elements(); ++i) {
    uint8_t* value = values.data() + static_cast<size_t>(i) * c.width();
    if (codes.next(1) == 0) {
      if (is_int8 && !q.zero_points.empty())
        *value = static_cast<uint8_t>(q.zero_points[static_cast<size_t>(channels.of(i))]);
      continue;
    }
    if (taken + c.width() > c.table_bytes())
      return c.invalid("it keeps more values than there are");
    std::memcpy(value, c.table() + taken, c.width());
    taken += c.width();
  }
  if (codes.is_past_end()) return c.invalid("it has fewer bits than values");
  return values;
}

// Decodes prefix codes, by tables of entries of 16 or 32 bits. A leaf holds a symbol and the number
// of looked-up bits that belong to its code. Any other entry holds the number of bits to look up
// next, less 1, and the distance from this entry to their table.
Result<Bytes> decode_huffman(const Compressed& c) {
  constexpr size_t kTablesAt = 5;
  const uint8_t tables = c.description.data[kTablesAt];
  const bool is_wide = (tables & 1) != 0;
  const int first_bits = (tables >> 4) + 1;
  if (c.output.type != ElementType::kInt8 && !(is_wide && c.output.type == ElementType::kInt16))
    return c.unsupported(fmt::format("is {}, by a Huffman code of {} bits", name_of(c.output.type),
                                     is_wide ? 32 : 16));
  const size_t entry_bytes = is_wide ? 4 : 2;
  const int count_at = is_wide ? 27 : 11;
  const auto entry = [&](size_t i) -> std::optional<uint32_t> {
    if (i >= c.table_bytes() / entry_bytes) return std::nullopt;
    uint32_t value = 0;
    std::memcpy(&value, c.table() + i * entry_bytes, entry_bytes);
    return value;
  };
  BitReader codes(c.codes.data);
  Bytes values;
  for (int64_t i = 0; i < c.output.elements(); ++i) {
    int bits = first_bits;
    size_t table = 0;
    for (;;) {
      if (codes.is_past_end()) return c.invalid("it has fewer codes than values");
      const size_t at = table + codes.next(bits);
      const auto found = entry(at);
      if (!found) return c.invalid("a code leads outside its tables");
      const int count = static_cast<int>(*found >> count_at & 15);
      const uint32_t value = *found & ((1U << count_at) - 1);
      if ((*found >> (entry_bytes * 8 - 1)) != 0) {
        for (size_t byte = 0; byte < c.width(); ++byte)
          values.push_back(static_cast<uint8_t>(value >> (8 * byte)));
        if (bits > count) codes.put_back(bits - count);
        break;
      }
      bits = count + 1;
      table = at + value;
    }
  }
  if (codes.is_past_end()) return c.invalid("it has fewer codes than values");
  return values;
}

Result<Bytes> decode(const Compressed& c) {
  for (const Tensor* t : {&c.codes, &c.description})
    if (!t->is_constant) return c.unsupported("is computed from " + describe(*t));
  if (c.description.data.size() < kHeaderBytes)
    return c.invalid(fmt::format("a description of {} bytes", c.description.data.size()));
  if (c.output.type == ElementType::kInt4 || c.output.type == ElementType::kUint8)
    return c.unsupported(fmt::format("is {}", name_of(c.output.type)));
  for (const size_t at : {kVersionAt, kKindVersionAt})
    if (c.description.data[at] != 1)
      return c.unsupported(fmt::format("is compressed by version {}", c.description.data[at]));
  switch (c.description.data[kKindAt]) {
    case kLookup:
      return decode_lookup(c);
    case kHuffman:
      return decode_huffman(c);
    case kPruned:
      return decode_pruned(c);
    default:
      return c.unsupported(fmt::format("is compressed as type {}", c.description.data[kKindAt]));
  }
}

}  // namespace

Result<IntegerOp> prepare_decode(const OperatorView& view) {
  if (view.inputs() != 2 * view.outputs())
    return view.invalid(fmt::format("{} inputs for {} outputs", view.inputs(), view.outputs()));
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < view.outputs(); ++i) {
    TT_TRY_ASSIGN(Bytes values,
                  decode({view, view.input(2 * i), view.input(2 * i + 1), view.output(i)}));
    outputs.push_back(std::move(values));
  }
  return IntegerOp(copy_of_constants(std::move(outputs)));
}

}  // namespace tinytune
