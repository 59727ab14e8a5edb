// A ByteLink that counts bytes and requests: an exact cost of a trial where times are noisy.
#pragma once

#include <memory>
#include <utility>

#include "rpc_device/boards/links/byte_link.h"

namespace tinytune::test {

struct LinkCounts {
  uint64_t sent = 0, received = 0;  ///< bytes, framing included
  uint64_t requests = 0;            ///< writes
};

class CountedLink final : public ByteLink {
 public:
  /// `counts` outlives the link.
  CountedLink(std::unique_ptr<ByteLink> link, LinkCounts& counts)
      : link_(std::move(link)), counts_(counts) {}

  Status write(std::span<const uint8_t> bytes) override {
    counts_.sent += bytes.size();
    ++counts_.requests;
    return link_->write(bytes);
  }
  Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) override {
    TT_TRY_ASSIGN(const size_t got, link_->read(bytes, timeout));
    counts_.received += got;
    return got;
  }

 private:
  const std::unique_ptr<ByteLink> link_;
  LinkCounts& counts_;
};

}  // namespace tinytune::test
