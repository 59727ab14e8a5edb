// The dialling end of a link to a tuner, encrypted and authenticated by its keys.
#pragma once

#include <memory>
#include <optional>

#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/keys.h"
#include "tinytune/result.h"

namespace grpc {
class Channel;
}

namespace tinytune {

/// Waits until a tuner answers. Without keys the link is not encrypted. kFailed: no answer in time;
/// the message has possible reasons.
Result<std::shared_ptr<grpc::Channel>> open_channel(const Address& address,
                                                    const std::optional<LinkKeys>& keys,
                                                    int timeout_ms);

}  // namespace tinytune
