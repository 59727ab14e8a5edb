#include "rpc_device/fleet/channel.h"

#include <grpcpp/grpcpp.h>

#include <chrono>

#include "rpc_device/fleet/message_checks.h"

namespace tinytune {
namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const std::optional<LinkKeys>& keys) {
  if (!keys) return grpc::InsecureChannelCredentials();
  const auto tls = grpc::SslCredentials({keys->authority, keys->key, keys->certificate});
  if (keys->token.empty()) return tls;
  // gRPC sends it only on encrypted links, after the other end has been authenticated.
  return grpc::CompositeChannelCredentials(tls, grpc::AccessTokenCredentials(keys->token));
}

// Returns possible reasons for a failed link: TLS tells them to neither end.
std::string perhaps(const Address& address, const std::optional<LinkKeys>& keys) {
  if (address.is_unix) return "";
  if (!keys) return ", or only to workers with --keys";
  if (const std::string expired = why_expired(*keys); !expired.empty()) return ": " + expired;
  return keys->token.empty() ? ", or its keys and ours are of two authorities"
                             : ", or it takes no tokens, or its keys are of another authority";
}

std::shared_ptr<grpc::Channel> channel_to(const Address& address,
                                          const std::optional<LinkKeys>& keys) {
  grpc::ChannelArguments arguments;
  // The machine's name does not matter: the private authority signs certificates of one name.
  if (keys) arguments.SetSslTargetNameOverride(std::string(kTunerName));
  arguments.SetMaxReceiveMessageSize(most::kMessageBytes);
  arguments.SetMaxSendMessageSize(most::kMessageBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  return grpc::CreateCustomChannel(address.text(), credentials_of(keys), arguments);
}

}  // namespace

Result<std::shared_ptr<grpc::Channel>> open_channel(const Address& address,
                                                    const std::optional<LinkKeys>& keys,
                                                    int timeout_ms) {
  if (const Status known = check_host(address); !known)  // kFailed, because a retry may succeed
    return Error(ErrorCode::kFailed, known.error().message());
  auto channel = channel_to(address, keys);
  const auto deadline = std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms);
  if (channel->WaitForConnected(deadline)) return channel;
  return Error(ErrorCode::kFailed,
               "no tuner answers at " + address.text() + perhaps(address, keys));
}

}  // namespace tinytune
