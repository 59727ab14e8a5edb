// Pins what every template generates: assembly, loop nest and constants of some hundred schedules
// in generated_code.txt. Restructuring templates/ must change none of them; an intended change
// shows here which schedules it reaches.
//
// After an intended change: TINYTUNE_WRITE_GENERATED_CODE=1 templates_test
// --gtest_filter='*GeneratedCode*' writes the file, seeded: its points stay. The code is LLVM 14's.
// With another version, loop nests, constants and scratch are compared, and the code must have at
// least half as many lines.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "base/digest.h"
#include "base/rng.h"
#include "base/toolchain.h"
#include "codegen/kernels/kernel.h"
#include "devices/device.h"
#include "templates/kernel_template.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

constexpr const char* kFile = TINYTUNE_SOURCE_DIR "/tests/templates/generated_code.txt";
constexpr const char* kPortable = "portable C";
constexpr const char* kVectors = "cortex-m55";

// RV32 without and with Zb*, Thumb-2 with and without the DSP extension, Thumb-1, Helium.
constexpr const char* kDevices[] = {"rv32imc", "hazard3", "cortex-m4", "qemu-mps2-m3",
                                    "rp2040",  kVectors,  kPortable};

// Every layout, staging and border: words, pairs, odd runs, single taps; nothing, one side, all.
constexpr const char* kPrintedShapes[] = {
    "conv2d_s8 nhwc n1 in5x5x8 out5x5x12 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "conv2d_s8 nhwc n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1",
    "conv2d_s8 nhwc n1 in10x9x4 out10x9x7 k3x3 s1x1 d1x1 p1,1 g1 m1",
    "conv2d_s8 nhwc n1 in9x13x6 out7x11x8 k3x3 s1x1 d1x1 p0,0 g1 m1",
    "conv2d_s8 nhwc n1 in12x9x1 out6x5x4 k10x4 s2x2 d1x1 p4,1 g1 m1",
    "conv2d_s8 nhwc n1 in9x9x4 out9x9x4 k3x3 s1x1 d2x2 p2,2 g1 m1",
    "conv2d_s8 nhwc n1 in1x17x3 out1x17x13 k1x8 s1x1 d1x1 p0,3 g1 m1",
    "conv2d_s8 nhwc n2 in6x6x8 out6x6x12 k3x3 s1x1 d1x1 p1,1 g4 m1",
    "conv2d_s8 nchw n1 in9x7x3 out5x4x6 k3x3 s2x2 d1x1 p1,1 g1 m1",
    "conv2d_s8 nchw n2 in5x5x8 out5x5x8 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "depthwise_conv2d_s8 nhwc n1 in7x9x8 out7x9x8 k3x3 s1x1 d1x1 p1,1 g1 m1",
    "depthwise_conv2d_s8 nhwc n1 in13x13x3 out6x6x3 k3x3 s2x2 d1x1 p0,0 g1 m1",
    "depthwise_conv2d_s8 nhwc n1 in9x7x2 out9x7x6 k3x5 s1x1 d1x1 p1,2 g1 m3",
    "depthwise_conv2d_s8 nchw n1 in7x5x8 out7x5x8 k3x3 s1x1 d1x1 p1,1 g1 m1",
    "dense_s8 nhwc n1 in1x1x64 out1x1x24 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "dense_s8 nhwc n1 in1x1x37 out1x1x10 k1x1 s1x1 d1x1 p0,0 g1 m1",
    "dense_s8 nhwc n3 in1x1x40 out1x1x7 k1x1 s1x1 d1x1 p0,0 g1 m1"};

constexpr const char* kEnds[] = {"long", "shifted", "short", "fused", "stepped"};
constexpr const char* kLimits[] = {"act-128,127", "act-100,90"};

Device device_called(const std::string& name) {
  return name == kPortable ? with_portable_kernels(load_device("rv32imc").value())
                           : load_device(name).value();
}

/// Sets `end` and `limits` whatever the constants prove: lowering trusts the workload.
Workload workload_of(const char* shape, const char* end, const char* limits) {
  const bool half_to_even = end == std::string("stepped");
  return parse_workload(std::string(shape) + " zp3,-5 " + limits + " lane4 " + end +
                        (half_to_even ? " even" : ""))
      .value();
}

LayerData data_of(const Workload& w) { return random_layer(w, Scales::kTypical, 17).data; }

/// A schedule of a layer on a device; key() is its name in the file.
struct Point {
  std::string device;
  Schedule schedule;
  Workload workload;

  std::string key() const { return device + " | " + to_text(schedule) + " | " + to_text(workload); }
};

Point parse_point(const std::string& key) {
  const size_t first = key.find(" | "), second = key.find(" | ", first + 3);
  return {key.substr(0, first), parse_schedule(key.substr(first + 3, second - first - 3)).value(),
          parse_workload(key.substr(second + 3)).value()};
}

std::string short_digest(const Digester& digester) {
  return to_text(digester.value()).substr(0, 16);
}

std::string describe_text(const LoopNest& nest) {
  std::ostringstream text;
  for (const Loop& l : nest.loops)
    text << l.name << ' ' << l.extent << ' ' << static_cast<int>(l.kind) << ' ' << l.reduction
         << ' ' << l.taken << '\n';
  for (const Access& a : nest.accesses) {
    text << a.tensor << ' ' << a.element_bytes << ' ' << a.is_write << ' ' << a.body_bytes;
    for (const int64_t stride : a.strides) text << ' ' << stride;
    text << '\n';
  }
  text << nest.macs << ' ' << nest.macs_per_step << ' ' << nest.multiplies_per_mac << ' '
       << nest.accumulators << ' ' << nest.outputs << ' ' << nest.prologue_bytes << ' '
       << nest.unrolled_body << '\n';
  for (const auto& [name, value] : nest.switches) text << name << ' ' << value << '\n';
  return text.str();
}

std::string constants_digest(const KernelTemplate& t, const Point& p) {
  const auto constants = t.pack(p.workload, data_of(p.workload), p.schedule);
  if (!constants) return "refused";
  Digester digester;
  for (const PackedConstant& c : *constants)
    digester.add(c.name).add(static_cast<uint64_t>(c.element_bytes)).add(std::span(c.bytes));
  return short_digest(digester);
}

/// Generates in a process of its own: names that Halide numbers decide the order of some operands.
std::string generate(const Point& p) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const Device device = device_called(p.device);
    const auto kernel = compile_kernel(p.workload, p.schedule, device, "kernel",
                                       p.device == kPortable ? Emit::kPortableC : Emit::kAssembly);
    const std::string text = !kernel                 ? kernel.error().message()
                             : p.device == kPortable ? kernel->portable_c
                                                     : kernel->assembly;
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t written = write(ends[1], text.data() + done, text.size() - done);
      if (written <= 0) _exit(1);
      done += static_cast<size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[1 << 16];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : "the generator ended with status " + std::to_string(status);
}

/// Returns the lines that are not blank: where inline assembly ends does not matter.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(" \t") != std::string::npos) lines.push_back(line);
  return lines;
}

/// Returns one of 64 characters for every eight lines: it shows the first that differ, 63 times in
/// 64.
constexpr size_t kTogether = 8;
std::string sketch_of(const std::vector<std::string>& lines) {
  constexpr char kCharacters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string sketch;
  for (size_t first = 0; first < lines.size(); first += kTogether) {
    Digester digester;
    for (size_t i = first; i < std::min(first + kTogether, lines.size()); ++i)
      digester.add(lines[i]);
    sketch += kCharacters[digester.value().low & 63];
  }
  return sketch;
}

/// The file's entry for a point.
struct Generated {
  std::string facts, code, sketch;
};

Generated generated(const Point& p, std::vector<std::string>* code_lines = nullptr) {
  const KernelTemplate& t = **find_template(p.schedule);
  const std::string code = generate(p);
  const auto lines = lines_of(code);
  Digester all;
  for (const std::string& line : lines) all.add(line);
  const std::string digest = short_digest(all);
  if (code_lines != nullptr) *code_lines = lines;
  return {"nest " +
              short_digest(Digester().add(describe_text(t.describe(p.workload, p.schedule)))) +
              " constants " + constants_digest(t, p) + " scratch " +
              std::to_string(t.scratch_bytes(p.workload, p.schedule)),
          digest, sketch_of(lines)};
}

std::vector<std::pair<std::string, Generated>> read_file() {
  std::vector<std::pair<std::string, Generated>> all;
  std::ifstream in(kFile);
  for (std::string key, facts, code; std::getline(in, key);) {
    if (key.starts_with('#')) continue;
    std::getline(in, facts);
    std::getline(in, code);
    const size_t space = code.find(' ', 2);
    all.push_back({key, {facts.substr(2), code.substr(2, space - 2), code.substr(space + 1)}});
  }
  return all;
}

/// Returns the names of what a point covers.
std::vector<std::string> features(const std::string& device, const Schedule& s, const char* shape,
                                  const char* end, const char* limits) {
  // Kernels without vectors are pinned on other cores.
  if (device == kVectors && !s.template_name().starts_with("helium")) return {};
  const std::string prefix = device + " " + s.template_name() + " ";
  std::vector<std::string> all = {prefix + end + " " + limits, prefix + shape};
  if (s.template_name().starts_with("d")) {  // direct, depthwise: Halide knows shapes and cores
    if (device == "hazard3" || device == kPortable) return {};
    all = {prefix + end, prefix + limits};
  }
  for (const auto& [knob, value] : s.knobs()) all.push_back(prefix + knob + "=" + value);
  return all;
}

/// Likewise for a point of the file.
std::vector<std::string> features(const Point& p) {
  const std::string text = to_text(p.workload);
  for (const char* shape : kPrintedShapes)
    if (text.starts_with(std::string(shape) + " "))
      return features(p.device, p.schedule, shape, name_of(p.workload.facts.requantise).data(),
                      p.workload.activation_min == -128 ? kLimits[0] : kLimits[1]);
  return {};
}

void for_each_space(const std::string& device_name,
                    const std::function<void(const char* shape, const char* end, const char* limits,
                                             const ConfigSpace&)>& body) {
  const Device device = device_called(device_name);
  for (const char* end : kEnds)
    for (size_t i = 0; i < std::size(kPrintedShapes); ++i)
      for (const char* limits : kLimits) {
        // Half of the combinations: each end meets both limits.
        if ((i % 2 == 0) != (limits == kLimits[0])) continue;
        body(kPrintedShapes[i], end, limits,
             space_of(workload_of(kPrintedShapes[i], end, limits), device));
      }
}

/// Chooses the file's points that still exist, then greedily from samples of every space.
std::vector<Point> choose_points(const std::string& device) {
  std::set<std::string> covered;
  std::vector<Point> chosen;
  for (const auto& [key, before] : read_file()) {
    const Point p = parse_point(key);
    if (p.device != device || !space_of(p.workload, device_called(device)).find(p.schedule))
      continue;
    for (std::string& f : features(p)) covered.insert(std::move(f));
    chosen.push_back(p);
  }
  const auto choose_from = [&](const char* shape, const char* end, const char* limits,
                               const ConfigSpace& space, const std::vector<size_t>& points) {
    for (;;) {
      size_t best = 0, gain = 0;
      for (const size_t point : points) {
        size_t fresh = 0;
        for (const std::string& f : features(device, space.schedule(point), shape, end, limits))
          fresh += covered.contains(f) ? 0 : 1;
        if (fresh > gain) best = point, gain = fresh;
      }
      if (gain == 0) return;
      const Schedule schedule = space.schedule(best);
      for (std::string& f : features(device, schedule, shape, end, limits))
        covered.insert(std::move(f));
      chosen.push_back({device, schedule, workload_of(shape, end, limits)});
    }
  };
  Rng rng(29);
  for (const bool all : {false, true})
    for_each_space(device, [&](const char* shape, const char* end, const char* limits,
                               const ConfigSpace& space) {
      std::map<size_t, std::vector<size_t>> by_family;
      for (size_t point = 0; point < space.size(); ++point)
        by_family[space.family_of(point)].push_back(point);
      for (auto& [family, points] : by_family) {
        constexpr size_t kSample = 100;
        if (all) {
          std::erase_if(points, [&](size_t point) {
            const auto f = features(device, space.schedule(point), shape, end, limits);
            return std::all_of(f.begin(), f.end(),
                               [&](const std::string& name) { return covered.contains(name); });
          });
        } else if (points.size() > kSample) {
          std::vector<size_t> sample;
          for (size_t i = 0; i < kSample; ++i) sample.push_back(points[rng.below(points.size())]);
          points = sample;
        }
        choose_from(shape, end, limits, space, points);
      }
    });
  return chosen;
}

/// Replaces the device's points in the file by `points`.
void write_file(const std::string& device, const std::vector<Point>& points) {
  auto all = read_file();
  std::erase_if(all, [&](const auto& entry) { return parse_point(entry.first).device == device; });
  for (const Point& p : points) all.emplace_back(p.key(), generated(p));
  std::ofstream out(kFile);
  out << "# Written by generated_code_test.cc: device | schedule | workload; what goes with the "
         "code; its digest and a character for eight lines.\n";
  for (const auto& [key, g] : all)
    out << key << "\n  " << g.facts << "\n  " << g.code << ' ' << g.sketch << "\n";
}

class GeneratedCode : public ::testing::TestWithParam<const char*> {};

TEST_P(GeneratedCode, IsWhatTheFileSays) {
  if (std::getenv("TINYTUNE_WRITE_GENERATED_CODE") != nullptr && llvm_version() == 14)
    write_file(GetParam(), choose_points(GetParam()));
  size_t points = 0;
  for (const auto& [key, expected] : read_file()) {
    const Point p = parse_point(key);
    if (p.device != GetParam()) continue;
    ++points;
    std::vector<std::string> lines;
    const Generated now = generated(p, &lines);
    EXPECT_EQ(now.facts, expected.facts) << key;
    if (llvm_version() != 14) {  // at least half as many lines: no message in their place
      EXPECT_GE(2 * now.sketch.size(), expected.sketch.size()) << key;
      continue;
    }
    if (now.code == expected.code) continue;
    const auto differs = std::mismatch(now.sketch.begin(), now.sketch.end(),
                                       expected.sketch.begin(), expected.sketch.end())
                             .first -
                         now.sketch.begin();
    const size_t at = kTogether * static_cast<size_t>(differs);
    std::string there;
    for (size_t i = at; i < std::min(at + kTogether, lines.size()); ++i)
      there += "  " + std::to_string(i + 1) + ": " + lines[i] + "\n";
    ADD_FAILURE() << p.schedule.template_name() << " generates other code than before\n  " << key
                  << "\n  the first of " << lines.size() << " lines that differ:\n"
                  << there;
  }
  EXPECT_GE(points, 30u);
}

TEST_P(GeneratedCode, CoversTemplatesKnobsEndsAndLimits) {
  std::set<std::string> covered;
  for (const auto& [key, expected] : read_file()) {
    const Point p = parse_point(key);
    if (p.device != GetParam()) continue;
    for (std::string& f : features(p)) covered.insert(std::move(f));
  }
  std::set<std::string> missing;
  for_each_space(GetParam(), [&](const char* shape, const char* end, const char* limits,
                                 const ConfigSpace& space) {
    for (size_t point = 0; point < space.size(); ++point)
      for (std::string& f : features(GetParam(), space.schedule(point), shape, end, limits))
        if (!covered.contains(f)) missing.insert(std::move(f));
  });
  EXPECT_EQ(missing, std::set<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Devices, GeneratedCode, ::testing::ValuesIn(kDevices),
                         [](const ::testing::TestParamInfo<const char*>& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == ' '; });
                           return name;
                         });

}  // namespace
}  // namespace tinytune
