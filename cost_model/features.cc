#include "cost_model/features.h"

#include <algorithm>
#include <cmath>

#include "cost_model/nest_facts.h"

namespace tinytune {
namespace {

struct Feature {
  const char* name;
  double (*value)(const NestFacts&);
};

// Sizes range over six decades, and their ratios matter.
double log_of(double x) { return std::log2(1 + std::max(0.0, x)); }

double per_mac(const NestFacts& f, double count) {
  return count / static_cast<double>(std::max<int64_t>(1, f.nest->macs));
}

double bodies(const NestFacts& f) { return f.steps / f.body_steps; }

// Returns the number of values live at once: accumulators, and the smaller of the body's two
// operand sets.
double live(const NestFacts& f) {
  const double operands =
      std::min(f.access[kInput].body_elements, f.access[kWeights].body_elements) /
      std::max(1.0, f.body_reduction);
  return f.nest->accumulators + std::max(1.0, operands);
}

// Returns the live values beyond a number of registers. In-order cores without a cache have 13 to
// 31 usable ones; the thresholds 12 and 24 are both columns.
template <int kRegisters>
double over(const NestFacts& f) {
  return std::max(0.0, live(f) - kRegisters);
}

// Estimates instructions per MAC: multiply, add, loads, loop control, spills, and 14 per output.
// Decision trees approximate such sums of products poorly, so the sum is a feature of its own.
double by_rule_of_thumb(const NestFacts& f) {
  const double body = std::max(1.0, f.body_steps);
  const double in_registers = over<24>(f) > 0 ? over<24>(f) / live(f) : 0;
  return f.nest->multiplies_per_mac + 1 + f.body_loads / body + per_mac(f, 4 * bodies(f)) +
         2 * in_registers + per_mac(f, 14.0 * static_cast<double>(f.nest->outputs));
}

template <size_t kLevel>
double trips(const NestFacts& f) {
  return kLevel < f.serial.size() ? log_of(f.serial[kLevel].trips) : 0;
}
template <size_t kLevel>
double reduces(const NestFacts& f) {
  return kLevel < f.serial.size() ? f.serial[kLevel].reduces : 0;
}
template <size_t kLevel>
double bytes_inside(const NestFacts& f) {
  return kLevel < f.serial.size() ? log_of(f.serial[kLevel].bytes) : 0;
}

template <Role kRole>
double bytes(const NestFacts& f) {
  return log_of(f.access[kRole].bytes);
}
template <Role kRole>
double in_body(const NestFacts& f) {
  return f.access[kRole].body_elements;
}
template <Role kRole>
double loads_per_mac(const NestFacts& f) {
  return f.access[kRole].body_elements / f.body_steps;
}
template <Role kRole>
double moved(const NestFacts& f) {  // loads or stores per distinct element
  return log_of(f.access[kRole].body_elements * bodies(f) /
                std::max(1.0, f.access[kRole].elements));
}
template <Role kRole>
double step(const NestFacts& f) {
  return log_of(f.access[kRole].step_bytes);
}
template <Role kRole>
double reuse(const NestFacts& f) {
  return log_of(f.access[kRole].reuse);
}

#define TT_ROLE_FEATURES(role, ROLE)                                                      \
  {#role ".log_bytes", &bytes<ROLE>}, {#role ".in_body", &in_body<ROLE>},                 \
      {#role ".loads_per_mac", &loads_per_mac<ROLE>}, {#role ".log_moved", &moved<ROLE>}, \
      {#role ".log_step_bytes", &step<ROLE>}, {                                           \
#role ".log_reuse", &reuse < ROLE>                                                    \
  }

#define TT_LEVEL_FEATURES(n)                                                    \
  {"level" #n ".log_trips", &trips<n>}, {"level" #n ".reduces", &reduces<n>}, { \
    "level" #n ".log_bytes", &bytes_inside<n>                                   \
  }

const Feature kFeatures[] = {
    {"log_macs", [](const NestFacts& f) { return log_of(static_cast<double>(f.nest->macs)); }},
    {"log_reduction", [](const NestFacts& f) { return log_of(f.reduction); }},
    {"log_outputs",
     [](const NestFacts& f) { return log_of(static_cast<double>(f.nest->outputs)); }},
    {"multiplies_per_mac", [](const NestFacts& f) { return f.nest->multiplies_per_mac; }},
    {"wasted_steps", [](const NestFacts& f) { return per_mac(f, f.steps); }},
    {"recomputed_outputs",
     [](const NestFacts& f) {
       return static_cast<double>(f.nest->outputs) / std::max(1.0, f.access[kOutput].elements);
     }},
    {"outputs_per_mac",
     [](const NestFacts& f) { return per_mac(f, static_cast<double>(f.nest->outputs)); }},
    {"prologue_bytes_per_mac",
     [](const NestFacts& f) { return per_mac(f, static_cast<double>(f.nest->prologue_bytes)); }},
    {"log_body_steps", [](const NestFacts& f) { return log_of(f.body_steps); }},
    {"log_unrolled_body",
     [](const NestFacts& f) { return log_of(static_cast<double>(f.nest->unrolled_body)); }},
    {"log_body_reduction", [](const NestFacts& f) { return log_of(f.body_reduction); }},
    {"bodies_per_mac", [](const NestFacts& f) { return per_mac(f, bodies(f)); }},
    {"accumulators", [](const NestFacts& f) { return static_cast<double>(f.nest->accumulators); }},
    {"log_accumulated", [](const NestFacts& f) { return log_of(f.accumulated); }},
    {"live", &live},
    {"over_12_registers", &over<12>},
    {"over_24_registers", &over<24>},
    {"body_loads_per_mac", [](const NestFacts& f) { return f.body_loads / f.body_steps; }},
    {"arithmetic_intensity",
     [](const NestFacts& f) {
       double bytes = 0;
       for (const AccessFacts& a : f.access) bytes += a.bytes;
       return log_of(static_cast<double>(f.nest->macs) / std::max(1.0, bytes));
     }},
    {"rule_of_thumb", &by_rule_of_thumb},
    TT_ROLE_FEATURES(input, kInput),
    TT_ROLE_FEATURES(weights, kWeights),
    TT_ROLE_FEATURES(output, kOutput),
    TT_ROLE_FEATURES(other, kOther),
    TT_LEVEL_FEATURES(0),
    TT_LEVEL_FEATURES(1),
    TT_LEVEL_FEATURES(2),
    TT_LEVEL_FEATURES(3),
};

std::vector<std::string> names_of_table() {
  std::vector<std::string> names;
  for (const Feature& feature : kFeatures) names.emplace_back(feature.name);
  return names;
}

}  // namespace

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> kNames = names_of_table();
  return kNames;
}

std::vector<float> features_of(const LoopNest& nest) {
  const NestFacts facts = facts_of(nest);
  std::vector<float> values;
  values.reserve(std::size(kFeatures));
  // The ranker rejects infinities, and a template's arithmetic may overflow on an extreme workload.
  constexpr double kLargest = 1e30;
  for (const Feature& feature : kFeatures) {
    const double value = feature.value(facts);
    values.push_back(static_cast<float>(std::isnan(value) ? kLargest : std::min(value, kLargest)));
  }
  return values;
}

double rule_of_thumb(const LoopNest& nest) { return by_rule_of_thumb(facts_of(nest)); }

}  // namespace tinytune
