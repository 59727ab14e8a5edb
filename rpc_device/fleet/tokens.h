// The other way in: a secret word over TLS, where a worker is to have no certificate of its own.
//
// The tuner holds a list of what it granted and never the words themselves: who reads the list
// learns digests of 256 random bits, from which there is no way back. To withdraw a token is to
// delete its line. See doc/adr/0043-tls-certificates-tokens.md.
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
  /// No such file is an empty list. kInvalidInput: a line that is none, with its number.
  static Result<TokenList> read(const std::string& path);
  Status write(const std::string& path) const;

  bool empty() const { return grants_.empty(); }

  /// Makes a token and grants it; an earlier one of this name is withdrawn. kInvalidInput: the name
  /// is no word. kFailed: no randomness.
  Result<std::string> grant(const std::string& name, const Scope& scope, std::time_t expires);

  /// What the bearer may do. The time it takes does not tell how much of a token is right.
  /// kInvalidInput: nobody was given this token, or it has expired.
  Result<Scope> admit(std::string_view token, std::time_t now) const;

 private:
  std::vector<TokenGrant> grants_;
};

/// A word of letters, digits, '-' and '_', which can name a directory.
bool is_party_name(std::string_view name);

}  // namespace tinytune
