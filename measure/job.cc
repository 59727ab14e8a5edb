#include "measure/job.h"

namespace tinytune {

Digest TaskData::digest() const {
  Digester digester;
  digester.add(to_text(workload))
      .add_all(data.weights)
      .add_all(data.bias)
      .add_all(data.multiplier)
      .add_all(data.shift);
  if (!data.addend.empty()) digester.add_all(data.addend);
  for (const TestCase& test : cases)
    digester.add(test.name)
        .add(static_cast<uint64_t>(test.input.kind))
        .add(uint64_t{test.input.fill})
        .add(test.input.seed)
        .add_all(test.input.bytes)
        .add_all(test.expected);
  return digester.value();
}

}  // namespace tinytune
