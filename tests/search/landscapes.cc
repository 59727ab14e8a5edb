#include "tests/search/landscapes.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>

#include "base/hash.h"
#include "base/rng.h"
#include "search/shared_model.h"

namespace tinytune::landscapes {
namespace {

double hashed(const Schedule& schedule, const char* salt) {  // uniform in [0, 1)
  return Rng(fnv1a(to_text(schedule) + salt)).uniform();
}

struct Tiles {
  int oc, px, ku;
  bool channels_outer;
  std::string sched;
  explicit Tiles(const Schedule& s)
      : oc(s.get_int("oc")),
        px(s.get_int("px")),
        ku(s.get_int("ku")),
        channels_outer(s.get("order") == "channels_outer"),
        sched(s.get("sched")) {}
};

int tiles_of(int extent, int tile) { return (extent + tile - 1) / tile; }

LoopNest describe_tiles(const Schedule& schedule, const Shape& shape) {
  const Tiles t(schedule);
  const int64_t channels_in = shape.channels;
  LoopNest nest;
  nest.accesses = {{"input", 1, false, {}}, {"weights", 1, false, {}}, {"output", 1, true, {}}};
  const auto loop = [&](const char* name, int64_t extent, bool unrolled, bool reduces, int64_t in,
                        int64_t weights, int64_t out) {
    nest.loops.push_back(
        {name, extent, unrolled ? Loop::Kind::kUnrolled : Loop::Kind::kSerial, reduces});
    const int64_t strides[] = {in, weights, out};
    for (size_t a = 0; a < 3; ++a) nest.accesses[a].strides.push_back(strides[a]);
  };
  const auto channels = [&] {
    loop("oc_outer", tiles_of(shape.channels, t.oc), false, false, 0, channels_in * t.oc, t.oc);
  };
  if (t.channels_outer) channels();
  loop("px_outer", tiles_of(shape.pixels, t.px), false, false, channels_in * t.px, 0,
       channels_in * t.px);
  if (!t.channels_outer) channels();
  loop("k", tiles_of(shape.channels, t.ku), false, true, t.ku, t.ku * t.oc, 0);
  loop("ku", t.ku, true, true, 1, t.oc, 0);
  loop("px", t.px, true, false, channels_in, 0, channels_in);
  loop("oc", t.oc, true, false, 0, 1, 1);
  nest.macs = channels_in * channels_in * shape.pixels;
  nest.outputs = channels_in * shape.pixels;
  nest.accumulators = t.oc * t.px;
  nest.unrolled_body = int64_t{t.oc} * t.px * t.ku;
  for (const char* kind : {"source", "pressure", "ilp"})
    nest.switches.emplace_back(std::string("sched_") + kind, t.sched == kind ? 1 : 0);
  return nest;
}

double tile_cycles(const Schedule& schedule, const Shape& shape) {
  const Tiles t(schedule);
  const double macs = double(shape.channels) * tiles_of(shape.channels, t.ku) * t.ku *
                      tiles_of(shape.pixels, t.px) * t.px * tiles_of(shape.channels, t.oc) * t.oc /
                      shape.channels;
  const double live = t.oc * t.px + std::min(t.oc, t.px) + 3;
  const double room = t.sched == "pressure" ? 26 : t.sched == "source" ? 22 : 18;
  const double spilled = std::max(0.0, live - room) / live;
  double per_mac = 2 + 1.0 / t.oc + 1.0 / t.px + 5.0 / (t.oc * t.px * t.ku) + 4 * spilled;
  if (t.sched == "ilp") per_mac -= 0.3;
  if (t.oc * t.px * t.ku > 256) per_mac += 0.8;  // exceeds a code cache
  if (t.channels_outer) per_mac += 0.1;
  return macs * per_mac;
}

using Cycles = std::function<double(const Schedule&)>;

void measure(Landscape& landscape, const Cycles& cycles, double noise, double failing) {
  landscape.optimum = 1e300;
  for (size_t p = 0; p < landscape.space.size(); ++p) {
    const Schedule schedule = landscape.space.schedule(p);
    if (hashed(schedule, "fails") < failing) {
      landscape.outcomes.push_back({p, Outcome::kRunTimeout});
      continue;
    }
    const double scatter = 1 + noise * (2 * hashed(schedule, "noise") - 1);
    landscape.outcomes.push_back(ran(p, std::round(cycles(schedule) * scatter)));
    landscape.optimum = std::min(landscape.optimum, *landscape.outcomes.back().cycles());
  }
}

std::vector<Knob> tile_knobs() {
  return {int_knob("oc", {1, 2, 4, 8, 16, 32}),
          int_knob("px", {1, 2, 3, 4, 5, 6, 8, 10, 12}),
          int_knob("ku", {1, 2, 4, 8, 16, 32}),
          {"order", {"pixels_outer", "channels_outer"}},
          {"sched", {"source", "pressure", "ilp"}}};
}

Landscape tiled(std::string name, std::vector<Knob> knobs, const ConfigSpace::Constraint& legal,
                const Cycles& cycles, double noise, double failing, const Shape& shape = {}) {
  Landscape landscape;
  landscape.name = std::move(name);
  landscape.space.add({"tiles", 1, std::move(knobs)}, legal);
  landscape.describe = [space = landscape.space, shape](size_t p) {
    return describe_tiles(space.schedule(p), shape);
  };
  measure(landscape, cycles, noise, failing);
  return landscape;
}

/// A knob with values 0, 1, …; cycles grow with the distance from its best value.
struct MoreKnob {
  const char* name;
  int count, best;
  double weight;  ///< share of the cycles per step
};

Landscape tiled_and_more(std::string name, const std::vector<MoreKnob>& more) {
  std::vector<Knob> knobs = tile_knobs();
  for (const MoreKnob& knob : more) {
    std::vector<int> values(static_cast<size_t>(knob.count));
    std::iota(values.begin(), values.end(), 0);
    knobs.push_back(int_knob(knob.name, values));
  }
  const auto cycles = [more](const Schedule& s) {
    double factor = 1;
    for (const MoreKnob& knob : more)
      factor += knob.weight * std::abs(s.get_int(knob.name) - knob.best);
    return tile_cycles(s, {}) * factor;
  };
  return tiled(
      std::move(name), std::move(knobs), [](const Schedule&) { return true; }, cycles, 0.03, 0);
}

}  // namespace

Observation ran(size_t point, double cycles) {
  return {point, Outcome::kOk, {static_cast<uint64_t>(cycles)}};
}

Landscape tiled_convolution(double noise, double failing, const Shape& shape) {
  return tiled(
      "tiles, noise " + std::to_string(static_cast<int>(noise * 100)) + " %, failing " +
          std::to_string(static_cast<int>(failing * 100)) + " %",
      tile_knobs(), [](const Schedule&) { return true; },
      [shape](const Schedule& s) { return tile_cycles(s, shape); }, noise, failing, shape);
}

Landscape blind_knobs() {
  Landscape landscape;
  landscape.name = "knobs the nest does not show";
  const auto constraint = [](const Schedule& s) { return s.get_int("a") * s.get_int("b") <= 42; };
  landscape.space.add({"blind",
                       1,
                       {int_knob("a", {1, 2, 3, 4, 5, 6, 7, 8}),
                        int_knob("b", {1, 2, 3, 4, 5, 6, 7, 8}),
                        int_knob("c", {0, 1, 2, 3, 4}),
                        int_knob("d", {0, 1, 2, 3}),
                        {"e", {"x", "y"}}}},
                      constraint);
  landscape.describe = [](size_t) {
    LoopNest nest;
    nest.loops = {{"all", 1000, Loop::Kind::kSerial, true}};
    nest.macs = 1000;
    return nest;
  };
  const auto cycles = [](const Schedule& s) {
    const double a = s.get_int("a"), b = s.get_int("b"), c = s.get_int("c"), d = s.get_int("d");
    const double twist = s.get("e") == "x" ? std::abs(c - 3) : std::abs(c - 1) + 0.5;
    return 1e5 * (2 + 0.2 * std::abs(a - 6) + 0.15 * std::abs(b - 3) + 0.3 * twist +
                  0.2 * std::abs(d - 2) + (a + d > 9 ? 1 : 0));
  };
  measure(landscape, cycles, 0.02, 0);
  return landscape;
}

Landscape large_space() { return tiled_and_more("large", {{"f", 8, 5, 0.03}, {"g", 8, 2, 0.02}}); }

Landscape huge_space() {
  return tiled_and_more("huge", {{"f", 8, 5, 0.03}, {"g", 8, 2, 0.02}, {"h", 9, 4, 0.01}});
}

Landscape two_hundred_points() {
  return tiled(
      "200 points",
      {int_knob("oc", {1, 2, 4, 8, 16}),
       int_knob("px", {1, 2, 3, 4, 5}),
       int_knob("ku", {1, 2, 4, 8}),
       {"order", {"pixels_outer", "channels_outer"}},
       {"sched", {"source"}}},
      [](const Schedule&) { return true; }, [](const Schedule& s) { return tile_cycles(s, {}); },
      0.05, 0.1);
}

std::vector<size_t> trials_until(Strategy& strategy, const Landscape& landscape, size_t in_flight,
                                 const std::vector<double>& shares) {
  std::vector<size_t> trials(shares.size(), landscape.space.size() + 1);
  std::deque<size_t> out;
  size_t observed = 0, reached = 0;
  bool more = true;
  while (reached < shares.size() && (more || !out.empty())) {
    while (more && out.size() < in_flight) {
      const auto proposal = strategy.propose();
      more = proposal.has_value();
      if (more) out.push_back(proposal->point);
    }
    if (out.empty()) break;
    const Observation& outcome = landscape.outcomes[out.front()];
    out.pop_front();
    strategy.observe(outcome);
    ++observed;
    const auto cycles = outcome.cycles();
    if (!cycles) continue;
    for (size_t i = 0; i < shares.size(); ++i) {
      if (trials[i] <= landscape.space.size()) continue;
      if (*cycles <= landscape.optimum * (1 + shares[i])) trials[i] = observed, ++reached;
    }
  }
  return trials;
}

size_t trials_of_second_task(const std::string& strategy, size_t first, uint64_t seed) {
  const Landscape known = tiled_convolution(0.02, 0);
  const Landscape fresh = tiled_convolution(0.02, 0, {.channels = 32, .pixels = 30});
  const auto model = std::make_shared<SharedModel>(seed);
  const auto strategy_of = [&](const Landscape& landscape) {
    SearchProblem problem = landscape.problem(seed, Rng(seed).below(landscape.space.size()));
    problem.model = model;
    return make_strategy(strategy, std::move(problem)).value();
  };
  const auto one = strategy_of(known), other = strategy_of(fresh);
  for (size_t t = 0; t < first; ++t) one->observe(known.outcomes[one->propose()->point]);
  return trials_until(*other, fresh, 1, {0.05})[0];
}

}  // namespace tinytune::landscapes
