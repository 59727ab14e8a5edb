#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace tinytune {

namespace {

using Digest = std::array<unsigned char, 32>;

Digest digest_of(const void* bytes, size_t count) {
  Digest digest;
  unsigned size = 0;
  const int done = EVP_Digest(bytes, count, digest.data(), &size, EVP_sha256(), nullptr);
  TT_CHECK(done == 1 && size == digest.size(), "OpenSSL knows SHA-256");
  return digest;
}

}  // namespace

std::string sha256(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest_of(bytes.data(), bytes.size())) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string sha256_base64(std::string_view text) {
  const Digest digest = digest_of(text.data(), text.size());
  std::array<unsigned char, (digest.size() + 2) / 3 * 4 + 1> encoded;
  const int size = EVP_EncodeBlock(encoded.data(), digest.data(), digest.size());
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<size_t>(size)};
}

}  // namespace tinytune
