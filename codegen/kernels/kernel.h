// One kernel: schedule → Halide → LLVM → object or assembly for the device.
//
// Halide's own 32-bit targets are wrong for microcontrollers (double-float ABI on RISC-V,
// application profile on Arm), so only its statements are taken, and LLVM is driven from here: see
// doc/adr/. Not thread-safe (LLVM's switches are global): build in a process of its own when
// kernels are built side by side, as measure/ does.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

struct KernelTemplate;

/// Returns the section of weights in a device's n-th fast memory, from 0: ".data.tinytune_weights",
/// ".data.tinytune_weights_2". Linker scripts that do not know it treat it as part of `.data`.
std::string fast_weights_section(size_t memory);

struct BuildTimes {
  double lower_ms = 0, llvm_ms = 0, link_ms = 0;
};

enum class Emit { kObject, kAssembly, kLlvmIr, kPortableC };

struct CompiledKernel {
  std::string symbol;
  std::vector<uint8_t> object;  ///< ELF relocatable; only for kObject
  std::string assembly;         ///< GNU syntax; only for kAssembly
  std::string llvm_ir;          ///< the optimised module as text; only for kLlvmIr
  std::string portable_c;       ///< its function's body; only for kPortableC: portable_c.h
  BuildTimes times;
};

/// A kernel lowered and optimised, with only the code generator left to run: LLVM bitcode.
/// Schedules whose common_schedule() is equal share it, and lowering is most of a build.
struct LoweredKernel {
  std::vector<uint8_t> bitcode;
  BuildTimes times;
  /// Whether Halide lowered it. Halide's names have numbers that count through a process, and in
  /// some kernels the order of two operands depends on them: a kernel lowered later in this process
  /// may differ from the same kernel lowered first.
  bool counted_names = false;
};

/// A schedule's text without the switches of the code generator (templates/switches.h).
std::string common_schedule(const Schedule& schedule);

/// Lowers and optimises a kernel. Errors as compile_kernel(), which is this and emit_kernel().
Result<LoweredKernel> lower_kernel(const Workload& workload, const Schedule& schedule,
                                   const Device& device, const std::string& symbol);

/// Runs the code generator. Reads only the switches of `schedule`. The times include lowering. If
/// the device's kernels are portable, kObject is the C code compiled by its compiler.
Result<CompiledKernel> emit_kernel(const LoweredKernel& lowered, const Schedule& schedule,
                                   const Device& device, const std::string& symbol, Emit emit);

/// kUnsupported: no such template or an illegal schedule. kFailed: Halide or LLVM refused.
Result<CompiledKernel> compile_kernel(const Workload& workload, const Schedule& schedule,
                                      const Device& device, const std::string& symbol, Emit emit);

/// The same with a template that need not be one of this build's.
Result<CompiledKernel> compile_kernel(const KernelTemplate& kernel_template,
                                      const Workload& workload, const Schedule& schedule,
                                      const Device& device, const std::string& symbol, Emit emit);

struct Image {
  std::vector<uint8_t> elf;  ///< executable, at the device's addresses
  uint64_t code_bytes = 0;   ///< text and read-only data
  /// Bytes by name of those sections that take memory on the device: ".text", ".bss", and what the
  /// generated sources put into fast memory, kFastText and image_section_of_weights().
  std::map<std::string, uint64_t> sections;
};
inline constexpr const char* kFastText = ".fast_text";
/// Returns the image's section for fast_weights_section() of the sources: ".fast_rodata", ….
std::string image_section_of_weights(size_t memory);

/// Where `.text` goes on a device with fast code memory. What generated sources put into the
/// sections of codegen/networks/placement.h is in fast memory in any case.
enum class CodeHome {
  kSlow,
  kHelpersFast,  ///< the compiler's helper functions only, which fast code calls
  kFast,         ///< all of it, if it fits
};

/// Links objects at the device's memories with lld; what the generated sources put into the
/// sections of codegen/networks/placement.h goes to its fast ones. kInvalidInput with "does not
/// fit" when a region overflows. kUnsupported: objects that do not link, with lld's own message.
/// kFailed: no place for lld's files; nothing is wrong with the objects.
Result<Image> link_image(std::span<const std::vector<uint8_t>> objects, const Device& device,
                         const std::string& entry, CodeHome home = CodeHome::kFast);

}  // namespace tinytune
