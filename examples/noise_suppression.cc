#include "examples/noise_suppression.h"

#include <utility>

#include "examples/untrained_network.h"

namespace tinytune {

Graph make_noise_suppression(uint64_t seed) {
  constexpr int kBins = 129, kUnits = 96, kFrames = 24;
  UntrainedNetwork network("noise_suppression", {1, 1, kBins}, seed, kFrames);
  network.lstm(kUnits);
  network.lstm(kUnits);
  network.reshape();
  network.classify(kBins);
  network.logistic();
  return std::move(network).finish();
}

}  // namespace tinytune
