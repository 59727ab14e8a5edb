// Helpers shared by the calls of the C interface: clear the last error, check pointers, convert an
// Error to a status, and options to their C++ form.
#pragma once

#include <initializer_list>
#include <utility>

#include "tinytune/tinytune.h"
#include "tinytune/tinytune_c.h"

struct tinytune_model {
  tinytune::Model model;
};

struct tinytune_layer {
  tinytune::Layer layer;
  tinytune_model model;
};

namespace tinytune::c_api {

/// Stores the message for tinytune_last_error() and returns the status.
tinytune_status fail(const Error& error);

/// A required pointer argument of a call.
struct Argument {
  const char* name;
  const void* value;
};
/// Starts a call that can fail. INVALID_INPUT names the first required argument that is null.
tinytune_status begin(std::initializer_list<Argument> required);

/// Returns NOT_FOUND for an index at or beyond `count`.
tinytune_status check_index(size_t index, size_t count);

/// Returns INVALID_INPUT for a number outside the enum's values, 0 to `last`.
tinytune_status check_enum(const char* name, int value, int last);

inline const char* text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

MemoryLimits limits_of(const tinytune_limits& limits);
LayoutPolicy layout_of(tinytune_layout layout);
MessageSink sink_of(tinytune_message_callback callback, void* context);
tinytune_footprint footprint_of(const Footprint& footprint);

/// Hands a new object to the caller, or returns the error's status. `Object` wraps one value.
template <typename Object, typename T>
tinytune_status hand_out(Result<T> result, Object** to) {
  *to = nullptr;
  if (!result) return fail(result.error());
  *to = new Object{std::move(result).value()};
  return TINYTUNE_OK;
}

}  // namespace tinytune::c_api
