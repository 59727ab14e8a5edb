#include "tinytune/tensors.h"

#include "models/external_operator.h"
#include "models/model_file.h"

namespace tinytune {

Result<std::vector<TensorDetails>> model_tensors(const std::string& path,
                                                 const LoadOptions& options) {
  TT_TRY_ASSIGN(const auto externals, read_externals(options.externals));
  TT_TRY_ASSIGN(const ModelSummary summary, summarise_model(path, externals));
  std::vector<TensorDetails> tensors;
  for (const TensorSummary& t : summary.tensors)
    tensors.push_back({{t.id, t.name, t.type, t.shape, t.bytes},
                       t.is_constant,
                       t.quantization.scales,
                       t.quantization.zero_points,
                       t.quantization.axis});
  return tensors;
}

}  // namespace tinytune
