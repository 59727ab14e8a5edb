#include "measure/contents.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/rng.h"

namespace tinytune {

Status write_contents(const Contents& contents, std::span<uint8_t> buffer) {
  switch (contents.kind) {
    case Contents::Kind::kFill:
      std::fill(buffer.begin(), buffer.end(), contents.fill);
      return ok_status();
    case Contents::Kind::kSeed: {
      Rng rng(contents.seed);
      for (uint8_t& byte : buffer) byte = static_cast<uint8_t>(rng.next());
      return ok_status();
    }
    case Contents::Kind::kBytes:
      break;
  }
  if (contents.bytes.size() != buffer.size())
    return Error(ErrorCode::kInvalidInput, std::to_string(contents.bytes.size()) +
                                               " bytes for a buffer of " +
                                               std::to_string(buffer.size()));
  std::copy(contents.bytes.begin(), contents.bytes.end(), buffer.begin());
  return ok_status();
}

std::vector<uint8_t> bytes_of(const Contents& contents, size_t size) {
  std::vector<uint8_t> bytes(size);
  const Status written = write_contents(contents, bytes);
  TT_CHECK(written.has_value(), "contents of another size than their buffer");
  return bytes;
}

}  // namespace tinytune
