#include "rpc_device/fleet/keys.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/files.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestPem = 64 * 1024;
constexpr long kSecondsOfADay = 24 * 60 * 60;
constexpr long kClocksDiffer = 60 * 60;  // seconds
constexpr char kAuthorityName[] = "tinytune authority";
constexpr char kBuild[] = "build", kRun[] = "run";

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
  std::set<std::string> scopes;
  bool is_authority = false;
};

/// Signed by the authority, or by itself where that is null.
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
  for (const std::string& scope : subject.scopes) named = named && add_name(name, "OU", scope);
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

// Readable by its owner alone from its first byte on.
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

Result<LinkKeys> read_keys(const std::string& directory) {
  LinkKeys keys;
  const struct {
    const char* name;
    std::string LinkKeys::*member;
  } files[] = {{"ca.pem", &LinkKeys::authority},
               {"cert.pem", &LinkKeys::certificate},
               {"key.pem", &LinkKeys::key}};
  for (const auto& [name, member] : files) {
    TT_TRY_ASSIGN(const auto bytes, read_file(directory + "/" + name, kLargestPem));
    keys.*member = std::string(text_of(bytes));
  }
  struct stat facts {};
  const std::string key = directory + "/key.pem";
  if (::stat(key.c_str(), &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Error(ErrorCode::kInvalidInput, key + ": others may read it; chmod 600 " + key);
  return keys;
}

Status write_keys(const std::string& directory, const KeyOptions& options) {
  const bool has_authority = fs::exists(directory + "/ca.key");
  TT_TRY_ASSIGN(const Authority authority, has_authority ? read_authority(directory)
                                                         : make_authority(directory, options.days));
  Subject worker{std::string(kWorkerName), {}};
  if (options.may_build) worker.scopes.insert(kBuild);
  if (options.may_run) worker.scopes.insert(kRun);
  TT_TRY(write_party(directory + "/worker", worker, authority, options.days));
  return write_party(directory + "/tuner", {std::string(kTunerName), {}}, authority, options.days);
}

// "OU=build,OU=run,CN=worker.tinytune", in whatever order.
WorkerScope scope_of_subject(std::string_view subject) {
  WorkerScope scope;
  bool is_worker = false;
  while (!subject.empty()) {
    const size_t end = std::min(subject.find_first_of(",+/"), subject.size());
    const std::string_view part = subject.substr(0, end);
    is_worker = is_worker || part == "CN=" + std::string(kWorkerName);
    scope.may_build = scope.may_build || part == std::string("OU=") + kBuild;
    scope.may_run = scope.may_run || part == std::string("OU=") + kRun;
    subject.remove_prefix(std::min(end + 1, subject.size()));
  }
  return is_worker ? scope : WorkerScope{};
}

}  // namespace tinytune
