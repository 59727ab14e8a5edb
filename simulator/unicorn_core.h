// A Unicorn instance with a device's core, registers and memories: what both engines start from.
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

/// Where calls return to: a page of its own that no device has and no code runs on.
constexpr uint32_t kReturnAddress = 0x0FFFF000;

class UnicornCore {
 public:
  /// The largest core of the target's architecture: the decoder refuses what the device lacks.
  /// `memory` outlives it. kFailed: the emulator's own error.
  static Result<UnicornCore> open(const Target& target, const Memory& memory);

  CoreFamily family() const { return family_; }
  bool is_arm() const { return family_ == CoreFamily::kArmM; }
  /// Registers by their number in the core: 0 to 31, or 0 to 15 on Arm, whose flags are 16;
  /// kRiscvPc.
  static constexpr unsigned kRiscvPc = 32;
  uint32_t get(unsigned reg) const;
  void set(unsigned reg, uint32_t value);

  /// Arm: D registers from d0 on, 8 bytes each.
  void read_vectors(std::span<uint8_t> bytes) const;
  void write_vectors(std::span<const uint8_t> bytes);

  /// From a hook of exceptions: the core goes on at `address`. Writing the program counter there
  /// would throw away what is translated (0.5 ms); a context holds nothing else that has changed.
  void resume_at(uint32_t address);

  /// Has Unicorn call back with `user` for events of `type` at addresses from `begin` to `end`; at
  /// all addresses if it ends before it begins. `callback` is a function of the kind that Unicorn
  /// documents for `type`. kFailed: Unicorn refuses.
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
