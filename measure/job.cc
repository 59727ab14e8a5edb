#include "measure/job.h"

#include "base/hash.h"

namespace tinytune {
namespace {

template <typename T>
void add(Fnv1a& hash, const std::vector<T>& values) {
  const uint64_t size = values.size();
  hash.add(std::string_view(reinterpret_cast<const char*>(&size), sizeof size));
  hash.add(std::string_view(reinterpret_cast<const char*>(values.data()), size * sizeof(T)));
}

}  // namespace

uint64_t TaskData::hash() const {
  Fnv1a hash;
  hash.add(to_text(workload));
  add(hash, data.weights);
  add(hash, data.bias);
  add(hash, data.multiplier);
  add(hash, data.shift);
  for (const TestCase& test : cases) {
    hash.add(test.name);
    add(hash, test.input);
    add(hash, test.expected);
  }
  return hash.value();
}

}  // namespace tinytune
