#include "deploy/deployment/trial.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "deploy/deployment/deployment.h"
#include "deploy/deployment/move_trace.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/device_memory.h"

namespace tinytune {
namespace {

uint64_t beyond(uint64_t bytes, uint64_t allowed) { return bytes - std::min(bytes, allowed); }

std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

Result<RunReport> try_out(const Deployment& deployment, const GeneratedNetwork& network) {
  const Model& model = deployment.model;
  if (deployment.trace != nullptr) deployment.trace->count_network();
  TT_TRY_ASSIGN(NetworkSimulation simulation,
                NetworkSimulation::load(model.state().graph, network, deployment.device));
  TT_TRY_ASSIGN(const auto inputs, generate_inputs(model, 1));
  TT_TRY_ASSIGN(RunReport first, simulation.invoke(inputs));
  if (deployment.input != InputArrival::kFrames) return first;
  TT_TRY_ASSIGN(RunReport step, simulation.invoke(inputs));
  step.outputs = std::move(first.outputs);
  return step;
}

Status run_once(const Deployment& deployment, Candidate& candidate) {
  if (candidate.ran) return ok_status();
  TT_TRY_ASSIGN(candidate.ran, try_out(deployment, candidate.network));
  return ok_status();
}

// Only the stack needs a run to be known, and it is not in the device's data memory.
Result<Footprint> footprint_of(const Deployment& deployment, const GeneratedNetwork& network) {
  if (deployment.limits.ram_bytes) {
    TT_TRY_ASSIGN(const RunReport ran, try_out(deployment, network));
    return ran.footprint;
  }
  TT_TRY_ASSIGN(const BuiltNetwork built, build_library(network, deployment.device));
  return built.footprint;
}

uint64_t excess(const Deployment& deployment, const Footprint& takes) {
  const Device& device = deployment.device;
  const std::optional<uint64_t>& allowed = deployment.limits.ram_bytes;
  const uint64_t size = device.memory(device.data_memory).size_bytes;
  const uint64_t in_data = beyond(in_data_memory(takes, device), size);
  return allowed ? std::max(in_data, beyond(takes.ram_bytes(), *allowed)) : in_data;
}

Error exceeded(const Deployment& deployment, const Footprint& takes) {
  const Device& device = deployment.device;
  const MemoryRegion& data = device.memory(device.data_memory);
  const uint64_t in_data = in_data_memory(takes, device);
  const bool by_device = in_data > data.size_bytes;
  const std::string there =
      by_device ? "of " + data.name + ", which has " : "of RAM, --ram allows ";
  return Error(
      ErrorCode::kFailed,
      "the network takes " + bytes_text(by_device ? in_data : takes.ram_bytes()) + " " + there +
          std::to_string(by_device ? data.size_bytes : deployment.limits.ram_bytes.value_or(0)));
}

uint64_t limit_for(const Deployment& deployment, const Footprint& takes) {
  return deployment.limits.ram_bytes ? takes.ram_bytes() : in_data_memory(takes, deployment.device);
}

bool is_close(const Deployment& deployment, uint64_t arena_bytes) {
  const Device& device = deployment.device;
  if (arena_bytes + kDataBytes > device.memory(device.data_memory).size_bytes) return true;
  return deployment.limits.ram_bytes && arena_bytes + kBesideArena > *deployment.limits.ram_bytes;
}

Status check_arena(const Deployment& deployment, const GeneratedNetwork& network) {
  const Device& device = deployment.device;
  const MemoryRegion& ram = device.memory(device.data_memory);
  if (network.arena_bytes <= ram.size_bytes) return ok_status();
  const std::string without_strips =
      deployment.model.state().network.may_run_in_strips ? "" : "let layers run in strips, or ";
  return Error(ErrorCode::kFailed, "it does not fit " + device.name + ": its arena takes " +
                                       bytes_text(network.arena_bytes) + ", " + ram.name + " has " +
                                       std::to_string(ram.size_bytes) + "; " + without_strips +
                                       "take a device with more RAM or a smaller network");
}

Status check_footprint(const Deployment& deployment, const Footprint& takes) {
  const auto& [name, device, sink] =
      std::tie(deployment.model.info().name, deployment.device, deployment.sink);
  const uint64_t flash = flash_of(device), ram = ram_of(device), in_ram = takes.ram_bytes();
  if (takes.flash_bytes > flash) {
    return Error(ErrorCode::kFailed, deployment.model.path() + ": it does not fit " + device.name +
                                         ": the library takes " + bytes_text(takes.flash_bytes) +
                                         " of flash, there are " + std::to_string(flash) +
                                         "; take a device with more flash or a smaller network; "
                                         "--flash limits kernels");
  }
  if (!sink) return ok_status();
  const MemoryRegion& data = device.memory(device.data_memory);
  const uint64_t in_data = in_data_memory(takes, device);
  if (in_data + kSmallApplicationBytes > data.size_bytes) {
    sink(MessageKind::kWarning,
         name + " takes " + bytes_text(in_data) + " of " + data.name + ", which has " +
             std::to_string(data.size_bytes) +
             ": an application of 8 KiB with 2 KiB of stack and heap does not fit beside it");
  } else if (in_ram * 10 > ram * 7) {
    sink(MessageKind::kInfo, name + " takes " + std::to_string(in_ram * 100 / ram) +
                                 " % of the RAM of " + device.name + ": " + bytes_text(in_ram) +
                                 " of " + std::to_string(ram) +
                                 "; --fast-ram and --ram make it less");
  }
  return ok_status();
}

}  // namespace tinytune
