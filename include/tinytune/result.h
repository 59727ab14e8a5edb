// Result<T>: a value or an Error. Spelled like std::expected, so that C++23 can make it an alias.
//
// An Error means that a call could not do its job. Outcomes of tuning (a kernel that does not
// build, crashes, or computes wrong bytes) are data: see records/measurement.h.
//
// Thread-safety: as for any value type. No exceptions, no RTTI.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tinytune {

/// Kind of a failure. The list is closed; the message names the input at fault.
enum class ErrorCode {
  kInvalidInput,  ///< malformed model, log, device file, option or argument
  kUnsupported,   ///< well formed, but outside what this version does
  kNotFound,      ///< no such file, device, task or symbol
  kFailed,        ///< the work itself failed: I/O, a tool, a resource
  kDeviceLost,    ///< a board or worker is in an unknown state; reset it before asking again
  kInterrupted,   ///< stopped on request; what was reported is kept
};
/// A failure: a code for programs and a line for people, which names the input at fault.
class Error {
 public:
  /// Makes an error from a code and one line that names what is at fault.
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  ErrorCode code() const { return code_; }                 ///< for programs to branch on
  const std::string& message() const { return message_; }  ///< for people

  /// Returns the same error with "context: " before the message, for callers that know more.
  Error within(const std::string& context) const { return Error(code_, context + ": " + message_); }

 private:
  ErrorCode code_;
  std::string message_;
};

namespace internal {
[[noreturn]] void result_misused(const char* what, const char* detail);
}
/// A value or an Error. Both convert implicitly, so that a function can return either.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      ///< success
  Result(Error error) : state_(std::move(error)) {}  ///< failure

  bool has_value() const { return state_.index() == 0; }  ///< whether the call succeeded
  explicit operator bool() const { return has_value(); }  ///< the same

  /// Returns the value. Aborts through the check handler if there is none, in release builds too.
  T& value() & { return require(), std::get<0>(state_); }
  const T& value() const& { return require(), std::get<0>(state_); }    ///< as above
  T&& value() && { return require(), std::get<0>(std::move(state_)); }  ///< as above
  T& operator*() & { return value(); }                                  ///< as above
  const T& operator*() const& { return value(); }                       ///< as above
  T&& operator*() && { return std::move(*this).value(); }               ///< as above
  T* operator->() { return &value(); }                                  ///< as above
  const T* operator->() const { return &value(); }                      ///< as above
  /// Returns the error. Aborts if there is a value.
  const Error& error() const {
    if (has_value()) internal::result_misused("error() of a Result that holds a value", "");
    return std::get<1>(state_);
  }

 private:
  void require() const {
    if (!has_value())
      internal::result_misused("value() of a failed Result", std::get<1>(state_).message().c_str());
  }
  std::variant<T, Error> state_;
};
/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;                                ///< success
  Result(Error error) : error_(std::move(error)) {}  ///< failure

  bool has_value() const { return !error_.has_value(); }  ///< whether the call succeeded
  explicit operator bool() const { return has_value(); }  ///< the same
  const Error& error() const {                            ///< aborts if the call succeeded
    if (has_value()) internal::result_misused("error() of an ok Status", "");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

/// Success or an Error.
using Status = Result<void>;
inline Status ok_status() { return Status(); }  ///< success

}  // namespace tinytune

#define TT_CONCAT_INNER_(a, b) a##b
#define TT_CONCAT_(a, b) TT_CONCAT_INNER_(a, b)

/// Returns the error of `expression` (a Status or Result) from the enclosing function.
#define TT_TRY(expression)                                                                  \
  do {                                                                                      \
    if (auto tt_status_ = (expression); !tt_status_.has_value()) return tt_status_.error(); \
  } while (false)

/// `TT_TRY_ASSIGN(auto graph, import(path));` declares `graph`, or returns the error.
#define TT_TRY_ASSIGN(declaration, expression) \
  TT_TRY_ASSIGN_(TT_CONCAT_(tt_result_, __LINE__), declaration, expression)
#define TT_TRY_ASSIGN_(result, declaration, expression) \
  auto result = (expression);                           \
  if (!result.has_value()) return result.error();       \
  declaration = std::move(result).value()
