// A ByteLink over a file descriptor that poll() takes: a socket, a terminal.
#pragma once

#include "base/descriptor.h"
#include "rpc_device/boards/links/byte_link.h"

namespace tinytune {

class DescriptorLink : public ByteLink {
 public:
  /// `name` is the other end's name in messages. The descriptor must be non-blocking.
  DescriptorLink(Descriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

  Status write(std::span<const uint8_t> bytes) override;
  Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) override;

 protected:
  int descriptor() const { return descriptor_.get(); }
  const std::string& name() const { return name_; }

 private:
  Descriptor descriptor_;
  std::string name_;
};

}  // namespace tinytune
