#include "rpc_device/fleet/pieces.h"

#include <algorithm>

#include "rpc_device/fleet/message_checks.h"

namespace tinytune {

std::string_view Pieces::next() {
  const size_t size = std::min<size_t>(most::kPieceBytes, bytes_->size() - at_);
  const std::string_view piece = std::string_view(*bytes_).substr(at_, size);
  at_ += size;
  return piece;
}

Status Assembly::add(std::string_view piece) {
  if (piece.size() > announced_ - bytes_.size())
    return Error(ErrorCode::kInvalidInput, "more bytes than were announced");
  bytes_ += piece;
  return ok_status();
}

}  // namespace tinytune
