#include "tuner/c_api/calls.h"

#include <string>

namespace {

thread_local std::string last_error;

tinytune_status status_of(tinytune::ErrorCode code) {
  using tinytune::ErrorCode;
  switch (code) {
    case ErrorCode::kInvalidInput:
      return TINYTUNE_INVALID_INPUT;
    case ErrorCode::kUnsupported:
      return TINYTUNE_UNSUPPORTED;
    case ErrorCode::kNotFound:
      return TINYTUNE_NOT_FOUND;
    case ErrorCode::kFailed:
      return TINYTUNE_FAILED;
    case ErrorCode::kDeviceLost:
      return TINYTUNE_DEVICE_LOST;
    case ErrorCode::kInterrupted:
      return TINYTUNE_INTERRUPTED;
  }
  return TINYTUNE_FAILED;
}

}  // namespace

namespace tinytune::c_api {

tinytune_status fail(const Error& error) {
  last_error = error.message();
  return status_of(error.code());
}

tinytune_status begin(std::initializer_list<Argument> required) {
  last_error.clear();
  for (const Argument& argument : required)
    if (argument.value == nullptr)
      return fail(Error(ErrorCode::kInvalidInput, std::string(argument.name) + " is null"));
  return TINYTUNE_OK;
}

tinytune_status check_index(size_t index, size_t count) {
  if (index < count) return TINYTUNE_OK;
  return fail(Error(ErrorCode::kNotFound,
                    "there is no " + std::to_string(index) + " of " + std::to_string(count)));
}

tinytune_status check_enum(const char* name, int value, int last) {
  if (value >= 0 && value <= last) return TINYTUNE_OK;
  return fail(Error(ErrorCode::kInvalidInput, std::string(name) + " must be 0 to " +
                                                  std::to_string(last) + ", not " +
                                                  std::to_string(value)));
}

MemoryLimits limits_of(const tinytune_limits& given) {
  MemoryLimits limits;
  if (given.ram_bytes > 0) limits.ram_bytes = given.ram_bytes;
  if (given.arena_bytes > 0) limits.arena_bytes = given.arena_bytes;
  if (given.flash_bytes > 0) limits.flash_bytes = given.flash_bytes;
  switch (given.fast_ram) {
    case TINYTUNE_FAST_RAM_DEFAULT:
      break;
    case TINYTUNE_FAST_RAM_BYTES:
      limits.fast_ram_bytes = given.fast_ram_bytes;
      break;
    case TINYTUNE_FAST_RAM_NONE:
      limits.fast_ram_bytes = 0;
      break;
    case TINYTUNE_FAST_RAM_ALL:
      limits.fast_ram_bytes = kAllFastRam;
      break;
  }
  return limits;
}

LayoutPolicy layout_of(tinytune_layout layout) {
  if (layout == TINYTUNE_LAYOUT_NCHW) return LayoutPolicy::kNchw;
  return layout == TINYTUNE_LAYOUT_AUTO ? LayoutPolicy::kAuto : LayoutPolicy::kNhwc;
}

MessageSink sink_of(tinytune_message_callback callback, void* context) {
  if (callback == nullptr) return {};
  return [=](MessageKind kind, const std::string& line) {
    callback(kind == MessageKind::kWarning ? 1 : 0, line.c_str(), context);
  };
}

tinytune_footprint footprint_of(const Footprint& f) {
  return {f.arena_bytes, f.weights_bytes, f.code_bytes, f.data_bytes,
          f.stack_bytes, f.flash_bytes,   f.cycles};
}

}  // namespace tinytune::c_api

extern "C" {

const char* tinytune_version(void) { return tinytune::version(); }

const char* tinytune_last_error(void) { return last_error.c_str(); }

}  // extern "C"
