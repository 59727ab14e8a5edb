// A Unicorn instance with a device's core, registers and memories: the base of both engines.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "devices/device.h"
#include "simulator/memory.h"
#include "tinytune/result.h"

struct uc_struct;  // Unicorn's name of uc_engine
struct uc_context;

namespace tinytune {

/// Return address of calls, in a page of its own that no device has and no code uses.
constexpr uint32_t kReturnAddress = 0x0FFFF000;

class UnicornCore {
 public:
  /// Opens the largest core of the target's architecture: the decoder refuses instructions that the
  /// device lacks. `memory` outlives it. kFailed: the emulator's own error.
  static Result<UnicornCore> open(const Target& target, const Memory& memory);

  CoreFamily family() const { return family_; }
  bool is_arm() const { return family_ == CoreFamily::kArmM; }
  /// Access registers by number: 0 to 31 and kRiscvPc on RISC-V; 0 to 15 on Arm, and 16 for its
  /// flags.
  static constexpr unsigned kRiscvPc = 32;
  uint32_t get(unsigned reg) const;
  void set(unsigned reg, uint32_t value);

  /// Arm: copy D registers from d0 on, 8 bytes each.
  void read_vectors(std::span<uint8_t> bytes) const;
  void write_vectors(std::span<const uint8_t> bytes);

  /// Continues at `address`; called from a hook of exceptions. Writing the program counter there
  /// would discard translations (0.5 ms), so it is written to a saved context, which is restored.
  void resume_at(uint32_t address);

  /// Adds a hook with `user` for events of `type` at addresses from `begin` to `end`; at all
  /// addresses if `begin` is above `end`. `callback` is a function as Unicorn documents it for
  /// `type`. kFailed: Unicorn refuses.
  template <typename Callback>
  Status add_hook(int type, Callback* callback, void* user, uint64_t begin = 1, uint64_t end = 0) {
    return add_untyped_hook(type, reinterpret_cast<void*>(callback), user, begin, end);
  }

  uc_struct* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(uc_struct* unicorn) const;
  };
  explicit UnicornCore(CoreFamily family) : family_(family) {}
  Status add_untyped_hook(int type, void* callback, void* user, uint64_t begin, uint64_t end);

  struct Free {
    void operator()(uc_context* context) const;
  };
  CoreFamily family_;
  std::unique_ptr<uc_struct, Close> handle_;
  std::unique_ptr<uc_context, Free> context_;
};

}  // namespace tinytune
