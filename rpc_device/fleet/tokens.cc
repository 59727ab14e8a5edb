#include "rpc_device/fleet/tokens.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <span>
#include <sstream>

#include "base/files.h"
#include "base/sha256.h"

namespace tinytune {
namespace {

constexpr uint64_t kLargestList = 1 << 20;
constexpr size_t kTokenBytes = 32, kDigestDigits = 64, kMostNameBytes = 64;
constexpr char kHead[] =
    "# Tokens that this tuner takes: name, scopes, expiry (seconds since 1970), SHA-256 of the\n"
    "# token. Delete a line to withdraw its token.\n";

std::string digest_of_token(std::string_view token) {
  return sha256(std::span(reinterpret_cast<const uint8_t*>(token.data()), token.size()));
}

bool is_digest(std::string_view text) {
  return text.size() == kDigestDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool parse_grant(const std::string& line, TokenGrant& grant) {
  std::istringstream words(line);
  std::string scopes, more;
  if (!(words >> grant.name >> scopes >> grant.expires >> grant.digest) || words >> more)
    return false;
  const auto scope = parse_scope(scopes);
  if (!scope || !is_party_name(grant.name) || !is_digest(grant.digest)) return false;
  grant.scope = *scope;
  return true;
}

}  // namespace

bool is_party_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes &&
         std::ranges::all_of(name, [](unsigned char c) {
           return (std::isalnum(c) != 0 && c < 128) || c == '-' || c == '_';
         });
}

Result<TokenList> TokenList::read(const std::string& path) {
  TokenList list;
  if (!std::filesystem::exists(path)) return list;
  TT_TRY_ASSIGN(const auto bytes, read_file(path, kLargestList));
  std::istringstream lines{std::string(text_of(bytes))};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    TokenGrant grant;
    if (!parse_grant(line, grant))
      return Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: not a token's name, scopes, "
                                                         "expiry and digest; delete the line",
                                                         path, number));
    list.grants_.push_back(std::move(grant));
  }
  return list;
}

Status TokenList::write(const std::string& path) const {
  std::string text = kHead;
  for (const TokenGrant& grant : grants_)
    text += fmt::format("{} {} {} {}\n", grant.name, fmt::join(words_of(grant.scope), ","),
                        grant.expires, grant.digest);
  return write_file(path, text);
}

Result<std::string> TokenList::grant(const std::string& name, const Scope& scope,
                                     std::time_t expires) {
  if (!is_party_name(name))
    return Error(ErrorCode::kInvalidInput,
                 "'" + name + "' is no name for keys: letters, digits, '-' and '_'");
  std::array<unsigned char, kTokenBytes> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return Error(ErrorCode::kFailed, "no randomness for a token");
  const std::string token = fmt::format("tinytune_{:02x}", fmt::join(random, ""));
  std::erase_if(grants_, [&](const TokenGrant& earlier) { return earlier.name == name; });
  grants_.push_back({name, scope, expires, digest_of_token(token)});
  return token;
}

Result<Scope> TokenList::admit(std::string_view token, std::time_t now) const {
  const std::string digest = digest_of_token(token);
  const TokenGrant* granted = nullptr;
  for (const TokenGrant& grant : grants_)  // no early exit: constant time
    if (CRYPTO_memcmp(grant.digest.data(), digest.data(), kDigestDigits) == 0) granted = &grant;
  if (granted == nullptr)
    return Error(ErrorCode::kInvalidInput, "this tuner never granted that token, or withdrew it");
  if (now >= granted->expires)
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("the token '{}' expired on {:%Y-%m-%d at %H:%M} UTC", granted->name,
                             fmt::gmtime(granted->expires)));
  return granted->scope;
}

}  // namespace tinytune
