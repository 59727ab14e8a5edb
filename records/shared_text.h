// Text that many records have in common: a workload, a device, the name of a run.
//
// A log of a million records holds a few thousand different texts. Equal ones that came through one
// TextPool are one allocation, and a copy of a record is a few counters.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace tinytune {

/// Immutable, and cheap to copy and to look up: it knows its hash. Converts from and to a string,
/// so that nobody else need know.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text)  // NOLINT(google-explicit-constructor): it is a string
      : SharedText(text, std::hash<std::string_view>()(text)) {}
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}  // NOLINT
  SharedText(const char* text) : SharedText(std::string_view(text)) {}         // NOLINT

  const std::string& str() const {
    static const std::string none;
    return text_ ? text_->bytes : none;
  }
  operator const std::string&() const { return str(); }  // NOLINT
  operator std::string_view() const { return str(); }    // NOLINT
  bool empty() const { return !text_; }
  /// std::hash of its bytes.
  size_t hash() const { return text_ ? text_->hash : std::hash<std::string_view>()({}); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || (a.hash() == b.hash() && a.str() == b.str());
  }
  template <typename Text>
  requires(!std::is_same_v<Text, SharedText> &&
           std::is_convertible_v<const Text&, std::string_view>) friend bool
  operator==(const SharedText& a, const Text& b) {
    return a.str() == std::string_view(b);
  }
  friend auto operator<=>(const SharedText& a, const SharedText& b) { return a.str() <=> b.str(); }

 private:
  struct Text {
    std::string bytes;
    size_t hash;
  };
  SharedText(std::string_view text, size_t hash) {
    if (!text.empty()) text_ = std::make_shared<const Text>(Text{std::string(text), hash});
  }

  std::shared_ptr<const Text> text_;  ///< null where empty
};

/// A map by texts that is asked with texts of either kind.
struct HashOfText {
  using is_transparent = void;
  size_t operator()(const SharedText& text) const { return text.hash(); }
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename Value>
using MapByText = std::unordered_map<SharedText, Value, HashOfText, std::equal_to<>>;

/// Makes equal texts one. Not thread-safe; texts outlive it.
class TextPool {
 public:
  SharedText shared(std::string_view text) {
    if (const auto known = known_.find(text); known != known_.end()) return *known;
    return *known_.insert(SharedText(text)).first;
  }

 private:
  std::unordered_set<SharedText, HashOfText, std::equal_to<>> known_;
};

}  // namespace tinytune
