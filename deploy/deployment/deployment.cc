#include "deploy/deployment/deployment.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "deploy/deployment/network_moves.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_worth.h"

namespace tinytune {
namespace {

/// Reports the speed-up that a larger arena would give; for an arena that the user did not limit.
void tell_what_arena_buys(const ArenaWorth& worth, const MessageSink& sink) {
  constexpr double kWorthTelling = 1.05;
  const double faster = static_cast<double>(worth.cycles) /
                        static_cast<double>(std::max<uint64_t>(1, worth.fewest_cycles));
  if (faster < kWorthTelling || worth.most_bytes <= worth.arena_bytes) return;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", faster);
  sink(MessageKind::kInfo, "with " + std::to_string(worth.most_bytes - worth.arena_bytes) +
                               " bytes more (--arena " + std::to_string(worth.most_bytes) +
                               ") its kernels would be " + text + " times as fast");
}

constexpr Move<NetworkSearch> kNetworkMoves[] = {
    {"layer by layer", by_layers},
    {"rows of the input", by_rows},
    {"frames of the input", by_frames},
    {"strips", in_strips},
    {"two cores", on_two_cores, "one core computes all layers"},
    {"weights that arrive", with_arrivals, "no weights arrive"},
};

}  // namespace

Result<Candidate> fastest_network(const Deployment& deployment, const NetworkOptions& options) {
  NetworkSearch search{deployment, options};
  make_moves(kNetworkMoves, search);
  return std::move(search.best);
}

Deployment Deployment::with(const Device& other, const Records& known) const {
  return {model, other, known, limits, sink, input, share, cores, compress_weights, arrival, trace};
}

Deployment deployment_of(const Model& model, const Device& device, const Records& records,
                         const RunOptions& options, std::optional<ArrivalWay> arrival) {
  return {.model = model,
          .device = device,
          .records = records,
          .limits = options.limits,
          .sink = options.on_message,
          .input = options.input,
          .cores = options.cores,
          .compress_weights = options.compress_weights,
          .arrival = std::move(arrival)};
}

NetworkOptions Deployment::options(LayoutChoice& layouts) const {
  NetworkOptions options;
  options.name = model.info().name;
  options.builds = model.state().builds;
  options.layouts = layouts.source();
  options.share = share;
  options.cores = cores;
  options.compress_weights = compress_weights;
  return options;
}

Result<Candidate> Deployment::generate(LayoutChoice& layouts) const {
  TT_TRY(check_cores(*this));
  TT_TRY(check_arrival(*this));
  const NetworkOptions options = this->options(layouts);
  Result<Candidate> found = fastest_network(*this, options);
  TT_TRY(layouts.status());
  if (!found) return found.error().within(model.path());
  if (!sink) return found;
  const GeneratedNetwork& network = found->network;
  for (const std::string& warning : network.warnings) sink(MessageKind::kWarning, warning);
  if (input == InputArrival::kWhole)
    if (const auto worth =
            arena_worth(model.state().network, device, records, network.arena_bytes, options);
        worth && *worth)
      tell_what_arena_buys(**worth, sink);
  return found;
}

}  // namespace tinytune
