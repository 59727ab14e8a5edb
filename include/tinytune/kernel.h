// A tuned kernel by itself: code, constants and the prototype for another compiler to call it.
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
  std::optional<std::string> schedule;     ///< overrides the log's, in the notation of logs
  std::string symbol = "tinytune_kernel";  ///< the kernel's C name
  std::string header;                      ///< header that `source` includes; empty: SYMBOL.h
  MessageSink on_message;                  ///< receives warnings; may be empty
};

/// A kernel with the prototype
///   void symbol(const int8_t *input, const T *array…, void *scratch, int8_t *output)
/// without `scratch` if scratch_bytes is 0. Input and output are int8 in the workload's layout and
/// 4-byte aligned, scratch 8-byte aligned; none of them overlap. The kernel keeps no state, calls
/// nothing, and follows the device's standard calling convention.
struct TunedKernel {
  std::string symbol;              ///< the kernel's C name
  std::string prototype;           ///< C, without the semicolon
  std::string workload, schedule;  ///< in text forms (doc/naming.md)
  bool tuned = false;              ///< the schedule is from the log and not the default
  std::string assembly;            ///< a .S file for GNU-compatible assemblers
  std::string llvm_ir;             ///< LLVM 14, typed pointers, optimised; with the device's triple
  std::vector<uint8_t> object;     ///< ELF, relocatable
  std::vector<PackedArray> constants;  ///< of the layer, in the prototype's order
  std::string header;  ///< C: the prototype, sizes, and SYMBOL_run(input, scratch, output)
  std::string source;  ///< C: the constants, and SYMBOL_run() that passes them
  uint64_t input_bytes = 0, output_bytes = 0, scratch_bytes = 0;  ///< of the caller's buffers
  uint64_t constant_bytes = 0;                                    ///< of all packed arrays
  /// Of one call, from the log; absent if the log lacks the schedule.
  std::optional<uint64_t> cycles, instructions;
};

/// Builds the log's best schedule for the layer's workload on `device`, or the default schedule.
/// kNotFound, kInvalidInput: the device or log is missing or malformed, or `symbol` no C name.
/// kUnsupported: no template takes the workload here, or `schedule` is not in its space.
/// kFailed: the kernel does not build. Not thread-safe: LLVM's options are global to the process.
Result<TunedKernel> compile_workload(const Layer& layer, const std::string& device,
                                     const KernelOptions& options = {});

}  // namespace tinytune
