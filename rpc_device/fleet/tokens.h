// Tokens: secrets sent over TLS by workers that have no certificate of their own.
//
// The tuner keeps a list of grants with digests, never the tokens themselves: the digests are of
// 256 random bits, so the list does not reveal them. Deleting its line withdraws a token. See
// doc/adr/0043-tls-certificates-tokens.md.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "rpc_device/fleet/scope.h"
#include "tinytune/result.h"

namespace tinytune {

/// A line of the list: "NAME SCOPE[,SCOPE…] EXPIRES DIGEST".
struct TokenGrant {
  std::string name;  ///< a word, for people and logs
  Scope scope;
  std::time_t expires = 0;  ///< seconds since 1970
  std::string digest;       ///< SHA-256 of the token, in hexadecimal digits
};

class TokenList {
 public:
  /// Reads a list; a missing file is an empty list. kInvalidInput names the line at fault.
  static Result<TokenList> read(const std::string& path);
  Status write(const std::string& path) const;

  bool empty() const { return grants_.empty(); }

  /// Makes and grants a token; withdraws an earlier one of this name. kInvalidInput: the name is
  /// invalid (is_party_name()). kFailed: no randomness.
  Result<std::string> grant(const std::string& name, const Scope& scope, std::time_t expires);

  /// Returns the permissions of the token's bearer, in a time that does not depend on how much of
  /// the token is right. kInvalidInput: the token was not granted, or has expired.
  Result<Scope> admit(std::string_view token, std::time_t now) const;

 private:
  std::vector<TokenGrant> grants_;
};

/// Returns whether `name` consists of letters, digits, '-' and '_' and can name a directory.
bool is_party_name(std::string_view name);

}  // namespace tinytune
