#include "rpc_device/fleet/keys.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/printable.h"
#include "rpc_device/fleet/tokens.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestPem = 64 * 1024;
constexpr long kSecondsOfADay = 24 * 60 * 60;
constexpr long kClocksDiffer = 60 * 60;  // seconds by which machines' clocks may differ
constexpr char kAuthorityName[] = "tinytune authority";
constexpr char kTuner[] = "tuner", kTokenName[] = "token";

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Bio = std::unique_ptr<BIO, Free>;

Error failed(const std::string& what) {
  char text[160] = "no reason given";
  if (const unsigned long error = ERR_get_error()) ERR_error_string_n(error, text, sizeof text);
  return Error(ErrorCode::kFailed, what + ": " + text);
}

std::string text_in(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

Result<std::string> pem_of(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failed("writing a key");
  return text_in(bio.get());
}

Result<std::string> pem_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(bio.get(), certificate) != 1) return failed("writing a certificate");
  return text_in(bio.get());
}

Status add_extension(X509* to, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  if (extension == nullptr || X509_add_ext(to, extension.get(), -1) != 1)
    return failed("making a certificate");
  return ok_status();
}

bool add_name(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(value.c_str()), -1, -1,
                                    0) == 1;
}

struct Subject {
  std::string name;
  Scope scope;
  bool is_authority = false;
};

/// Makes a certificate signed by the authority, or self-signed if `authority` is null.
Result<Certificate> make_certificate(const Subject& subject, EVP_PKEY* key, X509* authority,
                                     EVP_PKEY* authority_key, int days) {
  Certificate certificate(X509_new());
  X509* const x = certificate.get();
  uint64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1)
    return failed("no randomness");
  X509_set_version(x, X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(x), -kClocksDiffer);
  X509_gmtime_adj(X509_getm_notAfter(x), days * kSecondsOfADay);
  X509_set_pubkey(x, key);
  X509_NAME* const name = X509_get_subject_name(x);
  bool named = add_name(name, "CN", subject.name);
  for (const std::string& word : words_of(subject.scope))
    named = named && add_name(name, "OU", word);
  if (!named) return failed("naming a certificate");
  X509* const issuer = authority == nullptr ? x : authority;
  X509_set_issuer_name(x, X509_get_subject_name(issuer));
  TT_TRY(add_extension(x, issuer, NID_basic_constraints,
                       subject.is_authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE"));
  TT_TRY(
      add_extension(x, issuer, NID_key_usage,
                    subject.is_authority ? "critical,keyCertSign" : "critical,digitalSignature"));
  if (!subject.is_authority) {
    TT_TRY(add_extension(x, issuer, NID_subject_alt_name, "DNS:" + subject.name));
    TT_TRY(add_extension(x, issuer, NID_ext_key_usage,
                         subject.name == kTunerName ? "serverAuth" : "clientAuth"));
  }
  if (X509_sign(x, authority_key, EVP_sha256()) == 0) return failed("signing a certificate");
  return certificate;
}

// Writes a file that only its owner can read, from its first byte on.
Status write_secret(const std::string& path, const std::string& text) {
  const mode_t before = ::umask(0077);
  const Status written = write_file(path, text);
  ::umask(before);
  return written;
}

struct Authority {
  Key key;
  Certificate certificate;
  std::string pem;
};

Result<Authority> make_authority(const std::string& directory, int days) {
  Authority made;
  made.key.reset(EVP_EC_gen("P-256"));
  if (made.key == nullptr) return failed("making a key");
  TT_TRY_ASSIGN(made.certificate, make_certificate({kAuthorityName, {}, true}, made.key.get(),
                                                   nullptr, made.key.get(), days));
  TT_TRY_ASSIGN(const std::string key, pem_of(made.key.get()));
  TT_TRY_ASSIGN(made.pem, pem_of(made.certificate.get()));
  TT_TRY(write_secret(directory + "/ca.key", key));
  TT_TRY(write_file(directory + "/ca.pem", made.pem));
  return made;
}

Result<Authority> read_authority(const std::string& directory) {
  Authority read;
  TT_TRY_ASSIGN(const auto key, read_file(directory + "/ca.key", kLargestPem));
  TT_TRY_ASSIGN(const auto certificate, read_file(directory + "/ca.pem", kLargestPem));
  read.pem = std::string(text_of(certificate));
  const Bio key_bio(BIO_new_mem_buf(key.data(), static_cast<int>(key.size())));
  const Bio bio(BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())));
  read.key.reset(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  read.certificate.reset(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (read.key == nullptr || read.certificate == nullptr)
    return failed(directory + " holds no authority");
  return read;
}

Status write_party(const std::string& directory, const Subject& subject, const Authority& authority,
                   int days) {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return failed("making a key");
  TT_TRY_ASSIGN(
      const Certificate certificate,
      make_certificate(subject, key.get(), authority.certificate.get(), authority.key.get(), days));
  TT_TRY_ASSIGN(const std::string key_pem, pem_of(key.get()));
  TT_TRY_ASSIGN(const std::string certificate_pem, pem_of(certificate.get()));
  TT_TRY(write_file(directory + "/ca.pem", authority.pem));
  TT_TRY(write_file(directory + "/cert.pem", certificate_pem));
  return write_secret(directory + "/key.pem", key_pem);
}

}  // namespace

namespace {

Status check_secret(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Error(ErrorCode::kInvalidInput, path + ": others may read it; chmod 600 " + path);
  return ok_status();
}

Result<std::string> read_text(const std::string& path) {
  TT_TRY_ASSIGN(const auto bytes, read_file(path, kLargestPem));
  return std::string(text_of(bytes));
}

Status write_token(const std::string& directory, const KeyOptions& options,
                   const Authority& authority) {
  const std::string list = directory + "/" + kTuner + "/" + kTokenListName;
  TT_TRY_ASSIGN(TokenList tokens, TokenList::read(list));
  TT_TRY_ASSIGN(const std::string token,
                tokens.grant(options.name, options.scope,
                             std::time(nullptr) + options.days * kSecondsOfADay));
  const std::string party = directory + "/" + options.name;
  TT_TRY(write_file(party + "/ca.pem", authority.pem));
  TT_TRY(write_secret(party + "/" + kTokenName, token + "\n"));
  return tokens.write(list);
}

// Removes the keys of an earlier call: a directory holds either a token or a certificate, and stale
// files would be read, or believed to be in use.
void remove_earlier(const std::string& party) {
  for (const char* name : {kTokenName, "cert.pem", "key.pem"}) {
    std::error_code ignored;  // the file may be missing; later writes report other problems
    fs::remove(party + "/" + name, ignored);
  }
}

}  // namespace

Result<LinkKeys> read_keys(const std::string& directory) {
  LinkKeys keys;
  TT_TRY_ASSIGN(keys.authority, read_text(directory + "/ca.pem"));
  if (const std::string path = directory + "/" + kTokenName; fs::exists(path)) {
    TT_TRY_ASSIGN(keys.token, read_text(path));
    keys.token.erase(keys.token.find_last_not_of(" \r\n") + 1);
    if (keys.token.empty() || !is_one_line(keys.token))
      return Error(ErrorCode::kInvalidInput, path + ": holds no token");
    TT_TRY(check_secret(path));
    return keys;
  }
  TT_TRY_ASSIGN(keys.certificate, read_text(directory + "/cert.pem"));
  const std::string path = directory + "/key.pem";
  TT_TRY_ASSIGN(keys.key, read_text(path));
  TT_TRY(check_secret(path));
  return keys;
}

std::string why_expired(const LinkKeys& keys) {
  const Bio bio(
      BIO_new_mem_buf(keys.certificate.data(), static_cast<int>(keys.certificate.size())));
  const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return "";
  const ASN1_TIME* const end = X509_get0_notAfter(certificate.get());
  if (X509_cmp_current_time(end) >= 0) return "";
  const Bio text(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(text.get(), end);
  return "our certificate expired on " + text_in(text.get()) + "; make new keys with tune keys";
}

Status write_keys(const std::string& directory, const KeyOptions& options) {
  if (!is_party_name(options.name) || options.name == kTuner)
    return Error(ErrorCode::kInvalidInput, "'" + options.name +
                                               "' is no name for keys: letters, digits, '-' and "
                                               "'_', and not tuner");
  const bool has_authority = fs::exists(directory + "/ca.key");
  TT_TRY_ASSIGN(const Authority authority, has_authority ? read_authority(directory)
                                                         : make_authority(directory, options.days));
  const std::string party = directory + "/" + options.name;
  remove_earlier(party);
  if (options.token) {
    TT_TRY(write_token(directory, options, authority));
  } else {
    TT_TRY(write_party(party, {std::string(kWorkerName), options.scope}, authority, options.days));
  }
  return write_party(directory + "/" + kTuner, {std::string(kTunerName), {}}, authority,
                     options.days);
}

// The subject is "OU=build,OU=run,CN=worker.tinytune", in any order.
Scope scope_of_subject(std::string_view subject) {
  Scope scope;
  bool is_worker = false;
  while (!subject.empty()) {
    const size_t end = std::min(subject.find_first_of(",+/"), subject.size());
    const std::string_view part = subject.substr(0, end);
    is_worker = is_worker || part == "CN=" + std::string(kWorkerName);
    if (part.starts_with("OU=")) allow(scope, part.substr(3));
    subject.remove_prefix(std::min(end + 1, subject.size()));
  }
  return is_worker ? scope : Scope{};
}

}  // namespace tinytune
