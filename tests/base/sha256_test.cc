#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace tinytune::test {
namespace {

std::string sha256_of(std::string_view text) {
  return sha256(std::vector<uint8_t>(text.begin(), text.end()));
}

// FIPS 180-4's examples, as NIST's "Cryptographic Standards and Guidelines" lists them.
TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace tinytune::test
