// A tuned kernel by itself: code, constants and the prototype by which a compiler calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/layer.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// An array that a kernel reads, packed for its schedule from a layer's constants.
struct PackedArray {
  std::string name;            ///< "weights", "params", …: the parameter's name
  std::string c_type;          ///< "int8_t", "int16_t" or "int32_t"
  std::vector<uint8_t> bytes;  ///< little-endian; give it 4-byte alignment
};

/// Which kernel of a layer to build.
struct KernelOptions {
  std::optional<std::string> records;      ///< the log to take the best schedule from
  std::optional<std::string> schedule;     ///< this one instead, as logs write it
  std::string symbol = "tinytune_kernel";  ///< the kernel's C name
  std::string header;                      ///< what `source` includes; empty: SYMBOL.h
  MessageSink on_message;                  ///< warnings; may be empty
};

/// void symbol(const int8_t *input, const T *array…, void *scratch, int8_t *output)
/// with `scratch` only where it has bytes. Input and output are int8 in the workload's layout and
/// 4-byte aligned, scratch 8; none of them overlap. The kernel keeps no state, calls nothing, and
/// follows the device's standard calling convention.
struct TunedKernel {
  std::string symbol;              ///< the kernel's C name
  std::string prototype;           ///< C, without the semicolon
  std::string workload, schedule;  ///< in text forms (doc/naming.md)
  bool tuned = false;              ///< the schedule is from the log and not the default
  std::string assembly;            ///< a .S file for GNU-compatible assemblers
  std::string llvm_ir;          ///< of LLVM 14, typed pointers, optimised; with the device's triple
  std::vector<uint8_t> object;  ///< ELF, relocatable
  std::vector<PackedArray> constants;  ///< of the layer, in the prototype's order
  std::string header;  ///< C: the prototype, sizes, and SYMBOL_run(input, scratch, output)
  std::string source;  ///< C: the constants, and SYMBOL_run() that passes them
  uint64_t input_bytes = 0, output_bytes = 0, scratch_bytes = 0;  ///< of the caller's buffers
  uint64_t constant_bytes = 0;                                    ///< of all packed arrays
  /// Of one call, as the log has them; absent for a schedule that it has not.
  std::optional<uint64_t> cycles, instructions;
};

/// The best schedule that the log has for the layer's workload on `device`, or the default, built.
/// kNotFound, kInvalidInput: no such device or log, or malformed, or a symbol that is no C name.
/// kUnsupported: no template takes the workload here, or `schedule` is not in its space.
/// kFailed: the kernel does not build. Not thread-safe: LLVM's switches belong to the process.
Result<TunedKernel> compile_workload(const Layer& layer, const std::string& device,
                                     const KernelOptions& options = {});

}  // namespace tinytune
