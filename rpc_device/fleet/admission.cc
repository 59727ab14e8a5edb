#include "rpc_device/fleet/admission.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>

#include <ctime>
#include <string_view>

namespace tinytune {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// The socket beside an encrypted port is unencrypted: only processes of this machine reach it.
bool is_encrypted(const grpc::AuthContext& caller) {
  const auto kinds = caller.FindPropertyValues(GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  return kinds.size() == 1 && kinds[0] == GRPC_SSL_TRANSPORT_SECURITY_TYPE;
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> Admission::credentials() const {
  if (!keys_) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      tokens_.empty() ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                      : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = keys_->authority;
  options.pem_key_cert_pairs = {{keys_->key, keys_->certificate}};
  return grpc::SslServerCredentials(options);
}

Result<Scope> Admission::admit(const grpc::CallbackServerContext& caller) const {
  const auto identity = caller.auth_context();
  if (identity == nullptr || !is_encrypted(*identity)) return Scope::all();
  if (identity->IsPeerAuthenticated()) {
    const auto subjects = identity->FindPropertyValues(GRPC_X509_SUBJECT_PROPERTY_NAME);
    if (subjects.size() == 1) return scope_of_subject({subjects[0].data(), subjects[0].size()});
    return Error(ErrorCode::kInvalidInput, "a certificate of no subject");
  }
  const auto shown = caller.client_metadata().find("authorization");
  const std::string_view words = shown == caller.client_metadata().end()
                                     ? std::string_view()
                                     : std::string_view(shown->second.data(), shown->second.size());
  if (!words.starts_with(kBearer))
    return Error(ErrorCode::kInvalidInput, "neither a certificate nor a token was shown");
  return tokens_.admit(words.substr(kBearer.size()), std::time(nullptr));
}

}  // namespace tinytune
