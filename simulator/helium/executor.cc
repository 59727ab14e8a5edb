#include "simulator/helium/executor.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tinytune::helium {
namespace {

/// A row with its pattern as mask and value.
struct Entry {
  uint32_t mask = 0, value = 0;
  const Row* row = nullptr;
};

Entry entry_of(const Row& row) {
  Entry entry;
  entry.row = &row;
  unsigned bits = 0;
  for (const char c : row.pattern) {
    if (c == ' ') continue;
    entry.mask = entry.mask << 1 | (c == '0' || c == '1');
    entry.value = entry.value << 1 | (c == '1');
    ++bits;
  }
  return bits == 32 ? entry : Entry();
}

/// Rows indexed by the instruction's highest bits. If two match, the one with more fixed bits wins.
class Index {
 public:
  Index() {
    for (const auto rows :
         {arithmetic_rows(), scalar_operand_rows(), multiply_rows(), reduction_rows(), shift_rows(),
          narrowing_rows(), compare_rows(), move_rows(), memory_rows(), structure_rows(),
          float_register_rows(), loop_rows(), core_rows()})
      for (const Row& row : rows) add(entry_of(row));
    for (auto& bucket : buckets_)
      std::stable_sort(bucket.begin(), bucket.end(), [](const Entry& a, const Entry& b) {
        return std::popcount(a.mask) > std::popcount(b.mask);
      });
  }

  const Row* find(uint32_t code) const {
    for (const Entry& entry : buckets_[code >> kShift])
      if ((code & entry.mask) == entry.value) return entry.row;
    return nullptr;
  }

 private:
  static constexpr unsigned kShift = 20;

  void add(const Entry& entry) {
    for (uint32_t high = 0; high < buckets_.size(); ++high)
      if (((high ^ entry.value >> kShift) & entry.mask >> kShift) == 0)
        buckets_[high].push_back(entry);
  }

  std::array<std::vector<Entry>, 1u << (32 - kShift)> buckets_;
};

}  // namespace

const Row* find_row(uint32_t code) {
  static const Index kIndex;
  return kIndex.find(code);
}

Executor::Result Executor::execute(uint32_t code, uint32_t address, Core& core) {
  const Row* row = find_row(code);
  if (row == nullptr) return Result::kUnknown;
  const bool in_block = (state_.vpr >> 16 & 0xFF) != 0;
  const bool predicated =
      row->kind == Kind::kVector || row->kind == Kind::kLoad || row->kind == Kind::kStore;
  if (in_block && !predicated) return Result::kRefused;
  Machine machine(state_, core);
  machine.address = address;
  machine.next = address + 4;
  if (predicated) machine.begin_vector();
  if (!row->execute(machine, code)) return Result::kRefused;
  if (in_block && machine.begins_vpt()) return Result::kRefused;
  if (machine.faulted()) return Result::kFault;
  if (predicated) machine.end_vector();
  next_ = machine.next;
  return Result::kDone;
}

}  // namespace tinytune::helium
