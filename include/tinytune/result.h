// Result<T>: a value or an Error. Spelled like std::expected, so that C++23 can make it an alias.
//
// Errors are for calls that could not do their job. Outcomes of tuning (a kernel that does not
// build, crashes, or computes wrong bytes) are data: see records/measurement.h.
//
// Thread-safety: as for any value type. No exceptions, no RTTI.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tinytune {

/// Why a call could not do its job. The list is closed; the message names the input at fault.
enum class ErrorCode {
  kInvalidInput,  ///< malformed model, log, device file, option or argument
  kUnsupported,   ///< well formed, but outside what this version does
  kNotFound,      ///< no such file, device, task or symbol
  kFailed,        ///< the work itself failed: I/O, a tool, a resource
  kDeviceLost,    ///< a board or worker is in an unknown state; reset it before asking again
  kInterrupted,   ///< stopped on request; what was reported is kept
};
/// Why a call could not do its job: a code for programs, a line for people.
class Error {
 public:  // made of a code, and of one line that names what is at fault
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  ErrorCode code() const { return code_; }                 ///< for programs to branch on
  const std::string& message() const { return message_; }  ///< for people

  /// The same error with "context: " before the message, for borders that know more.
  Error within(const std::string& context) const { return Error(code_, context + ": " + message_); }

 private:
  ErrorCode code_;
  std::string message_;
};

namespace internal {
[[noreturn]] void result_misused(const char* what, const char* detail);
}
/// A value, or the error in its place. A function returns either as it is.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      ///< it worked
  Result(Error error) : state_(std::move(error)) {}  ///< it did not

  bool has_value() const { return state_.index() == 0; }  ///< whether it worked
  explicit operator bool() const { return has_value(); }  ///< the same

  /// Aborts through the check handler when there is no value, in release builds too.
  T& value() & { return require(), std::get<0>(state_); }
  const T& value() const& { return require(), std::get<0>(state_); }    ///< as above
  T&& value() && { return require(), std::get<0>(std::move(state_)); }  ///< as above
  T& operator*() & { return value(); }                                  ///< as above
  const T& operator*() const& { return value(); }                       ///< as above
  T&& operator*() && { return std::move(*this).value(); }               ///< as above
  T* operator->() { return &value(); }                                  ///< as above
  const T* operator->() const { return &value(); }                      ///< as above
  /// Aborts where there is a value.
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
/// The same without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;                                ///< it worked
  Result(Error error) : error_(std::move(error)) {}  ///< it did not

  bool has_value() const { return !error_.has_value(); }  ///< whether it worked
  explicit operator bool() const { return has_value(); }  ///< the same
  const Error& error() const {                            ///< aborts where it worked
    if (has_value()) internal::result_misused("error() of an ok Status", "");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

/// Success, or the reason why not.
using Status = Result<void>;
inline Status ok_status() { return Status(); }  ///< it worked

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
