#include "measure/built_kernel.h"

#include "measure/byte_stream.h"

namespace tinytune {

Digest BuiltKernel::image() const {
  Digester digester;
  digester.add(std::span<const uint8_t>(elf)).add(symbol);
  for (const PackedConstant& constant : constants)
    digester.add(constant.name)
        .add(static_cast<uint64_t>(constant.element_bytes))
        .add(std::span<const uint8_t>(constant.bytes));
  return digester.add(static_cast<uint64_t>(scratch_bytes)).value();
}

std::vector<uint8_t> to_bytes(const BuiltKernel& kernel) {
  ByteWriter writer;
  writer.add(kernel.elf)
      .add(kernel.symbol)
      .add(kernel.scratch_bytes)
      .add(kernel.code.code_bytes)
      .add(kernel.code.constant_bytes)
      .add(uint64_t{kernel.constants.size()});
  for (const PackedConstant& constant : kernel.constants)
    writer.add(constant.name).add(constant.element_bytes).add(constant.bytes);
  return writer.take();
}

Result<BuiltKernel> built_kernel_from(std::span<const uint8_t> bytes) {
  BuiltKernel kernel;
  ByteReader reader(bytes);
  reader.get(kernel.elf);
  reader.get(kernel.symbol);
  reader.get(kernel.scratch_bytes);
  reader.get(kernel.code.code_bytes);
  reader.get(kernel.code.constant_bytes);
  uint64_t count = 0;
  reader.get(count);
  // A constant takes at least 20 bytes (three numbers), so a wrong count cannot allocate much.
  if (count > bytes.size() / 20)
    return Error(ErrorCode::kInvalidInput, "a built kernel with more constants than bytes");
  kernel.constants.resize(count);
  for (PackedConstant& constant : kernel.constants) {
    reader.get(constant.name);
    reader.get(constant.element_bytes);
    reader.get(constant.bytes);
  }
  if (!reader.complete()) return Error(ErrorCode::kInvalidInput, "a built kernel is cut short");
  return kernel;
}

}  // namespace tinytune
