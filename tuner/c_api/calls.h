// What every call of the C interface does: forget the last error, check pointers, turn an Error
// into a status, and options into their C++ form.
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

/// Keeps the message for tinytune_last_error().
tinytune_status fail(const Error& error);

/// The start of a call that can fail. INVALID_INPUT names the first of these that is null.
struct Argument {
  const char* name;
  const void* value;
};
tinytune_status begin(std::initializer_list<Argument> required);

/// NOT_FOUND for an index at or beyond `count`.
tinytune_status check_index(size_t index, size_t count);

/// INVALID_INPUT for a number that is none of an enum's, which are 0 to `last`.
tinytune_status check_enum(const char* name, int value, int last);

inline const char* text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

MemoryLimits limits_of(const tinytune_limits& limits);
LayoutPolicy layout_of(tinytune_layout layout);
MessageSink sink_of(tinytune_message_callback callback, void* context);
tinytune_footprint footprint_of(const Footprint& footprint);

/// A new object for the caller, or the reason why there is none. `Object` wraps one value.
template <typename Object, typename T>
tinytune_status hand_out(Result<T> result, Object** to) {
  *to = nullptr;
  if (!result) return fail(result.error());
  *to = new Object{std::move(result).value()};
  return TINYTUNE_OK;
}

}  // namespace tinytune::c_api
