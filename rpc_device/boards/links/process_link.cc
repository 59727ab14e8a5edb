#include "rpc_device/boards/links/process_link.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/child.h"
#include "rpc_device/boards/links/descriptor_link.h"

namespace tinytune {
namespace {

class ProcessLink final : public ByteLink {
 public:
  ProcessLink(Child child, Descriptor descriptor, const std::string& name)
      : child_(std::move(child)), bytes_(std::move(descriptor), name) {}

  Status write(std::span<const uint8_t> bytes) override { return bytes_.write(bytes); }
  Result<size_t> read(std::span<uint8_t> bytes, std::chrono::milliseconds timeout) override {
    return bytes_.read(bytes, timeout);
  }

 private:
  Child child_;
  DescriptorLink bytes_;
};

}  // namespace

Result<std::unique_ptr<ByteLink>> start_process_link(const std::vector<std::string>& argv,
                                                     const std::string& name) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error(ErrorCode::kFailed, name + ": " + std::strerror(errno));
  Descriptor ours(ends[0]), theirs(ends[1]);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);  // theirs blocks, as programs expect
  const Descriptor silent(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  TT_TRY_ASSIGN(Child child, Child::start(argv, theirs.get(), silent.get(), theirs.get()));
  return std::unique_ptr<ByteLink>(
      std::make_unique<ProcessLink>(std::move(child), std::move(ours), name));
}

}  // namespace tinytune
