// Fuses DEPTH_TO_SPACE into the layer before it: the layer writes its bytes where the image will
// be, and rows of blocks are separated in place, so that there is no second tensor of that size.
#include "codegen/passes/rewriting.h"
#include "codegen/passes/transposed_convolution.h"
#include "models/control_flow.h"

namespace tinytune {
namespace {

// Returns the kernel whose output is images that only this DEPTH_TO_SPACE reads; null: none.
KernelOp* producer_of(Rewriting& network, size_t step) {
  const Operator& op = network.op(step);
  const std::vector<int>& image = network.graph().tensor(op.inputs[0]).shape;
  const auto writer = network.writer_of(op.inputs[0]);
  if (!writer || network.only_reader_of(op.inputs[0]) != step || image.size() != 4) return nullptr;
  auto* kernel = std::get_if<KernelOp>(&network.form(*writer));
  if (kernel == nullptr || kernel->transposes) return nullptr;
  const Workload& w = kernel->workload;
  return w.batch == image[0] && w.out_h == image[1] && w.out_w == image[2] && w.out_c == image[3]
             ? kernel
             : nullptr;
}

}  // namespace

void fuse_depth_to_space(IntegerNetwork& network) {
  if (has_control_flow(network.graph)) return;
  Rewriting rewriting(network);
  for (size_t step = 0; step < rewriting.steps(); ++step) {
    const Operator& op = rewriting.op(step);
    if (op.kind != OperatorKind::kDepthToSpace ||
        rewriting.graph().tensor(op.inputs[0]).is_constant)
      continue;
    KernelOp* kernel = producer_of(rewriting, step);
    if (kernel == nullptr) continue;
    kernel->transposes =
        separated_rows(kernel->workload, std::get<BlockAttributes>(op.attributes).size);
    const size_t writer = *rewriting.writer_of(op.inputs[0]);
    const std::vector<int> outputs = op.outputs;
    rewriting.absorb(step, rewriting.op(writer).index);
    rewriting.set_outputs(writer, outputs);
  }
}

}  // namespace tinytune
