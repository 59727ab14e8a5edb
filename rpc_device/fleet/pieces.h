// Data too large for one message: its size is announced, then it is sent in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tinytune/result.h"

namespace tinytune {

/// Splits bytes, which may be shared with other senders.
class Pieces {
 public:
  explicit Pieces(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  bool done() const { return at_ == bytes_->size(); }
  std::string_view next();

 private:
  std::shared_ptr<const std::string> bytes_;
  size_t at_ = 0;
};

/// Joins the pieces.
class Assembly {
 public:
  explicit Assembly(uint64_t announced) : announced_(announced) {}
  bool complete() const { return bytes_.size() == announced_; }
  /// Appends a piece. kInvalidInput: more bytes than announced.
  Status add(std::string_view piece);
  std::string take() { return std::move(bytes_); }

 private:
  uint64_t announced_;
  std::string bytes_;  ///< grows with received bytes; the announced size is not trusted
};

}  // namespace tinytune
