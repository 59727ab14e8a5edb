#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace tinytune {

std::string sha256(std::span<const uint8_t> bytes) {
  std::array<unsigned char, 32> digest;
  unsigned size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  TT_CHECK(done == 1 && size == digest.size(), "OpenSSL knows SHA-256");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace tinytune
