#include "examples/compressed_weights.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "models/operator_kind.h"

namespace tinytune {
namespace {

using Bytes = std::vector<uint8_t>;

class BitWriter {
 public:
  void write(uint32_t bits, int count) {
    for (int bit = count - 1; bit >= 0; --bit, ++at_) {
      if (at_ % 8 == 0) bytes.push_back(0);
      bytes.back() |= static_cast<uint8_t>((bits >> bit & 1) << (7 - at_ % 8));
    }
  }
  Bytes bytes;

 private:
  size_t at_ = 0;
};

Bytes header(uint8_t kind, uint8_t parameter = 0, uint8_t stride = 0) {
  Bytes bytes(16);
  bytes[0] = kind;
  bytes[1] = bytes[4] = 1;
  bytes[5] = parameter;
  bytes[6] = stride;
  return bytes;
}

Bytes element(const Tensor& t, int64_t i) {
  const auto width = static_cast<std::ptrdiff_t>(size_of(t.type));
  return {t.data.begin() + i * width, t.data.begin() + (i + 1) * width};
}

// Returns the channel of each element; nullopt if the code cannot represent the channels' axis.
std::optional<std::vector<size_t>> channels_of(const Tensor& t) {
  std::vector<size_t> channels(static_cast<size_t>(t.elements()), 0);
  if (!t.quantization.per_channel()) {
    if (t.quantization.axis != 0) return std::nullopt;
    return channels;
  }
  const size_t count = t.quantization.scales.size();
  const bool innermost = t.quantization.axis == static_cast<int>(t.shape.size()) - 1;
  if (!innermost && t.quantization.axis != 0) return std::nullopt;
  for (size_t i = 0; i < channels.size(); ++i)
    channels[i] = innermost ? i % count : i / (channels.size() / count);
  return channels;
}

std::optional<CompressedTensor> by_lookup(const Tensor& t) {
  const auto channels = channels_of(t);
  if (!channels) return std::nullopt;
  std::vector<std::set<Bytes>> values(std::max<size_t>(1, t.quantization.scales.size()));
  for (int64_t i = 0; i < t.elements(); ++i)
    values[(*channels)[static_cast<size_t>(i)]].insert(element(t, i));
  size_t most = 1;
  for (const auto& table : values) most = std::max(most, table.size());
  if (most > 128) return std::nullopt;
  int bits = 1;
  while ((size_t{1} << bits) < most) ++bits;
  CompressedTensor result;
  result.description = header(0, static_cast<uint8_t>(bits), static_cast<uint8_t>(most));
  for (const auto& table : values) {
    for (const Bytes& value : table)
      result.description.insert(result.description.end(), value.begin(), value.end());
    result.description.resize(result.description.size() + (most - table.size()) * size_of(t.type));
  }
  BitWriter writer;
  for (int64_t i = 0; i < t.elements(); ++i) {
    const auto& table = values[(*channels)[static_cast<size_t>(i)]];
    const auto at = std::distance(table.begin(), table.find(element(t, i)));
    writer.write(static_cast<uint32_t>(at), bits);
  }
  result.codes = std::move(writer.bytes);
  return result;
}

std::optional<CompressedTensor> by_pruning(const Tensor& t) {
  const auto channels = channels_of(t);
  const auto& zero_points = t.quantization.zero_points;
  if (!channels) return std::nullopt;
  if (t.type != ElementType::kInt8 && !zero_points.empty() && zero_points[0] != 0)
    return std::nullopt;
  CompressedTensor result;
  result.description = header(2);
  BitWriter writer;
  for (int64_t i = 0; i < t.elements(); ++i) {
    Bytes zero(size_of(t.type), 0);
    if (t.type == ElementType::kInt8 && !zero_points.empty())
      zero[0] = static_cast<uint8_t>(zero_points[(*channels)[static_cast<size_t>(i)]]);
    const Bytes value = element(t, i);
    writer.write(value == zero ? 0 : 1, 1);
    if (value != zero)
      result.description.insert(result.description.end(), value.begin(), value.end());
  }
  result.codes = std::move(writer.bytes);
  return result;
}

struct Node {
  int64_t count = 0;
  uint32_t symbol = 0;
  std::shared_ptr<Node> zero, one;
  bool is_leaf() const { return zero == nullptr; }
};
using NodePtr = std::shared_ptr<Node>;

NodePtr prefix_tree(const std::map<uint32_t, int64_t>& counts) {
  std::vector<NodePtr> nodes;
  for (const auto& [symbol, count] : counts)
    nodes.push_back(std::make_shared<Node>(Node{count, symbol, nullptr, nullptr}));
  const auto rarer = [](const NodePtr& a, const NodePtr& b) { return a->count < b->count; };
  while (nodes.size() > 1) {
    std::stable_sort(nodes.begin(), nodes.end(), rarer);
    auto both =
        std::make_shared<Node>(Node{nodes[0]->count + nodes[1]->count, 0, nodes[0], nodes[1]});
    nodes.erase(nodes.begin(), nodes.begin() + 2);
    nodes.push_back(std::move(both));
  }
  return nodes.front();
}

int depth_of(const NodePtr& node) {
  return node->is_leaf() ? 0 : 1 + std::max(depth_of(node->zero), depth_of(node->one));
}

struct Code {
  uint64_t bits = 0;
  int count = 0;
};

void list_codes(const NodePtr& node, Code code, std::map<uint32_t, Code>& codes) {
  if (node->is_leaf()) {
    codes[node->symbol] = code.count == 0 ? Code{0, 1} : code;
    return;
  }
  list_codes(node->zero, {code.bits << 1, code.count + 1}, codes);
  list_codes(node->one, {code.bits << 1 | 1, code.count + 1}, codes);
}

// A table for the first bits of a code, followed by tables for the other bits of longer codes.
class HuffmanTables {
 public:
  static constexpr int kMostBits = 5;

  explicit HuffmanTables(bool wide)
      : count_at_(wide ? 27 : 11), found_(wide ? 1U << 31 : 1U << 15) {}

  int add(const NodePtr& node) {
    const int bits = std::clamp(depth_of(node), 1, kMostBits);
    const size_t start = entries.size();
    entries.resize(start + (size_t{1} << bits));
    for (uint32_t i = 0; i < 1U << bits; ++i) {
      NodePtr at = node;
      int used = 0;
      for (; used < bits && !at->is_leaf(); ++used)
        at = (i >> (bits - 1 - used) & 1) != 0 ? at->one : at->zero;
      if (at->is_leaf()) {
        entries[start + i] =
            found_ | static_cast<uint32_t>(std::max(used, 1)) << count_at_ | at->symbol;
        continue;
      }
      const auto behind = static_cast<uint32_t>(entries.size() - (start + i));
      fits = fits && behind < 1U << count_at_;
      const int more = add(at);
      entries[start + i] = static_cast<uint32_t>(more - 1) << count_at_ | behind;
    }
    return bits;
  }

  std::vector<uint32_t> entries;
  bool fits = true;

 private:
  int count_at_;
  uint32_t found_;
};

std::optional<CompressedTensor> by_huffman(const Tensor& t) {
  if (t.type != ElementType::kInt8 && t.type != ElementType::kInt16) return std::nullopt;
  const bool wide = t.type == ElementType::kInt16;
  std::vector<uint32_t> symbols;
  std::map<uint32_t, int64_t> counts;
  for (int64_t i = 0; i < t.elements(); ++i) {
    const Bytes bytes = element(t, i);
    symbols.push_back(wide ? bytes[0] | static_cast<uint32_t>(bytes[1]) << 8 : bytes[0]);
    ++counts[symbols.back()];
  }
  const NodePtr tree = prefix_tree(counts);
  HuffmanTables tables(wide);
  const int first = tables.add(tree);
  if (!tables.fits) return std::nullopt;
  CompressedTensor result;
  result.description = header(1, static_cast<uint8_t>((first - 1) << 4 | (wide ? 1 : 0)));
  for (const uint32_t entry : tables.entries)
    for (int byte = 0; byte < (wide ? 4 : 2); ++byte)
      result.description.push_back(static_cast<uint8_t>(entry >> (8 * byte)));
  std::map<uint32_t, Code> codes;
  list_codes(tree, {}, codes);
  BitWriter writer;
  for (const uint32_t symbol : symbols) {
    const Code& code = codes[symbol];
    if (code.count > 32) writer.write(static_cast<uint32_t>(code.bits >> 32), code.count - 32);
    writer.write(static_cast<uint32_t>(code.bits), std::min(code.count, 32));
  }
  // TFLite Micro reads whole words.
  writer.bytes.resize((writer.bytes.size() + 3) / 4 * 4);
  result.codes = std::move(writer.bytes);
  return result;
}

bool is_weights(const Operator& op, size_t input) {
  return input == 1 &&
         (op.kind == OperatorKind::kConv2d || op.kind == OperatorKind::kDepthwiseConv2d ||
          op.kind == OperatorKind::kFullyConnected);
}

int add_bytes(Graph& graph, Bytes bytes, const std::string& name) {
  Tensor t;
  t.id = static_cast<int>(graph.tensors.size());
  t.name = name;
  t.type = ElementType::kUint8;
  t.shape = {static_cast<int>(bytes.size())};
  t.is_constant = true;
  t.data = std::move(bytes);
  graph.tensors.push_back(std::move(t));
  return graph.tensors.back().id;
}

}  // namespace

std::optional<CompressedTensor> compressed(const Tensor& tensor, WeightCode code) {
  switch (code) {
    case WeightCode::kLookup:
      return by_lookup(tensor);
    case WeightCode::kHuffman:
      return by_huffman(tensor);
    case WeightCode::kPruned:
      return by_pruning(tensor);
  }
  return std::nullopt;
}

// Inserts one TFLM_DECODE per reader, before it, as TFLite Micro's own tool does.
Graph with_compressed_weights(const Graph& graph, WeightCode code) {
  Graph result = graph;
  result.operators.clear();
  for (Operator op : graph.operators) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!is_weights(op, i)) continue;
      const Tensor& weights = graph.tensor(op.inputs[i]);
      if (!weights.is_constant || weights.type != ElementType::kInt8) continue;
      auto small = compressed(weights, code);
      if (!small) continue;
      const int codes = add_bytes(result, std::move(small->codes), weights.name + "_codes");
      const int ancillary =
          add_bytes(result, std::move(small->description), weights.name + "_ancillary");
      Tensor decoded = weights;
      decoded.id = static_cast<int>(result.tensors.size());
      decoded.name += "_decoded";
      decoded.is_constant = false;
      decoded.data.clear();
      result.tensors.push_back(std::move(decoded));
      Tensor& before = result.tensors[static_cast<size_t>(op.inputs[i])];
      before.is_constant = false;  // has no readers now: drops its bytes from the file
      before.data.clear();
      op.inputs[i] = static_cast<int>(result.tensors.size()) - 1;
      Operator decode;
      decode.kind = OperatorKind::kDecode;
      decode.inputs = {codes, ancillary};
      decode.outputs = {op.inputs[i]};
      result.operators.push_back(std::move(decode));
    }
    result.operators.push_back(std::move(op));
  }
  for (size_t i = 0; i < result.operators.size(); ++i)
    result.operators[i].index = static_cast<int>(i);
  return result;
}

Graph with_coarse_weights(Graph graph, WeightCode code) {
  for (const Operator& op : graph.operators)
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!is_weights(op, i)) continue;
      Tensor& weights = graph.tensors[static_cast<size_t>(op.inputs[i])];
      if (weights.type != ElementType::kInt8) continue;
      for (uint8_t& byte : weights.data) {
        const int value = static_cast<int8_t>(byte);
        if (code == WeightCode::kLookup) byte = static_cast<uint8_t>((value & ~15) + 8);
        if (code != WeightCode::kLookup && value > -64 && value < 64) byte = 0;
        if (code == WeightCode::kHuffman) byte &= 0xf8;
      }
    }
  return graph;
}

}  // namespace tinytune
