// Shared immutable text, for texts that many records have in common: workload, device, run.
//
// A log of a million records holds a few thousand different texts. Equal ones from one TextPool
// share an allocation, and copying a record only increments a few reference counts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace tinytune {

/// Immutable, and cheap to copy. Converts implicitly from and to a string, so that other code can
/// treat it as one.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)  // NOLINT(google-explicit-constructor): it is a string
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(std::string_view text) : SharedText(std::string(text)) {}  // NOLINT
  SharedText(const char* text) : SharedText(std::string(text)) {}       // NOLINT

  const std::string& str() const {
    static const std::string kNone;
    return text_ ? *text_ : kNone;
  }
  operator const std::string&() const { return str(); }  // NOLINT
  operator std::string_view() const { return str(); }    // NOLINT
  bool empty() const { return !text_; }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.str() == b.str();
  }
  template <typename Text>
  requires(!std::is_same_v<Text, SharedText> &&
           std::is_convertible_v<const Text&, std::string_view>) friend bool
  operator==(const SharedText& a, const Text& b) {
    return a.str() == std::string_view(b);
  }
  friend auto operator<=>(const SharedText& a, const SharedText& b) { return a.str() <=> b.str(); }

 private:
  std::shared_ptr<const std::string> text_;  ///< null where empty
};

/// Interns texts. Not thread-safe; the texts may outlive the pool.
class TextPool {
 public:
  SharedText shared(std::string_view text) {
    if (const auto known = known_.find(text); known != known_.end()) return known->second;
    const SharedText made(text);
    known_.emplace(made.str(), made);
    return made;
  }

 private:
  std::unordered_map<std::string_view, SharedText> known_;  // views of the texts themselves
};

}  // namespace tinytune
