#include "cli/network_figures.h"

#include <utility>

#include "deploy/selection/layouts.h"

namespace tinytune {
namespace {

Result<RunOptions> tuned_options(const Arguments& arguments) {
  RunOptions options;
  options.records = arguments.records;
  options.limits = arguments.limits();
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  return options;
}

struct Trade {
  std::string name;
  MemoryLimits limits;
};

std::vector<Trade> trades_beside(const NetworkFigures& figures, const MemoryLimits& asked) {
  std::vector<Trade> trades;
  const bool may_copy = !asked.fast_ram_bytes && !figures.tuned.layers.empty() &&
                        !figures.tuned.layers.front().code_memory.empty();
  const auto with = [&](std::string name, auto change) {
    trades.push_back({std::move(name), asked});
    change(trades.back().limits);
  };
  if (may_copy) {
    with("--fast-ram 0", [](MemoryLimits& l) { l.fast_ram_bytes = 0; });
    with("--fast-ram all", [](MemoryLimits& l) { l.fast_ram_bytes = kAllFastRam; });
  }
  if (const auto& front = figures.tuned.flash_front; front.size() > 1) {
    const uint64_t least = front.back().flash_bytes;
    with("--flash " + std::to_string(least), [&](MemoryLimits& l) { l.flash_bytes = least; });
  }
  return trades;
}

}  // namespace

Result<NetworkFigures> compare_variants(const Model& model, const Arguments& arguments,
                                        const MessageSink& sink) {
  NetworkFigures figures;
  TT_TRY_ASSIGN(RunOptions as_asked, tuned_options(arguments));
  as_asked.verify = as_asked.flash_front = true;
  as_asked.arena_front = arguments.arena_front;
  as_asked.on_message = sink;
  TT_TRY_ASSIGN(figures.tuned, run_model(model, arguments.device, as_asked));
  RunOptions untuned;
  untuned.verify = true;
  untuned.on_message = sink;
  TT_TRY_ASSIGN(figures.by_default, run_model(model, arguments.device, untuned));
  figures.configurations = {{"default", figures.by_default.footprint},
                            {"tuned", figures.tuned.footprint}};
  return figures;
}

Result<NetworkFigures> survey_variants(const Model& model, const Arguments& arguments,
                                       const MessageSink& sink) {
  TT_TRY_ASSIGN(NetworkFigures figures, compare_variants(model, arguments, sink));
  for (const Trade& trade : trades_beside(figures, arguments.limits())) {
    TT_TRY_ASSIGN(RunOptions options, tuned_options(arguments));
    options.limits = trade.limits;
    const Result<RunReport> run = run_model(model, arguments.device, options);
    if (run) figures.configurations.push_back({trade.name, run->footprint});
  }
  return figures;
}

}  // namespace tinytune
