// Bytes that are too many for one message: announced with their number, sent in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tinytune/result.h"

namespace tinytune {

/// Cuts bytes that are shared with other senders.
class Pieces {
 public:
  explicit Pieces(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  bool done() const { return at_ == bytes_->size(); }
  std::string_view next();

 private:
  std::shared_ptr<const std::string> bytes_;
  size_t at_ = 0;
};

/// Puts them together again.
class Assembly {
 public:
  explicit Assembly(uint64_t announced) : announced_(announced) {}
  bool complete() const { return bytes_.size() == announced_; }
  /// kInvalidInput: more than was announced.
  Status add(std::string_view piece);
  std::string take() { return std::move(bytes_); }

 private:
  uint64_t announced_;
  std::string bytes_;  ///< grows with what came, not with what was promised
};

}  // namespace tinytune
