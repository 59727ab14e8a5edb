#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>

#include "records/formats/clock.h"
#include "records/formats/formats.h"
#include "records/log_line.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"

namespace tinytune {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRecordKey = "tinytune_record";
constexpr double kVersion = 0.2;
constexpr double kFailedCost = 1e9;  // AutoTVM's own value for a failure

/// Returns AutoTVM's MeasureErrorNo.
int error_number(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return 0;
    case Outcome::kDoesNotFit:
      return 1;  // INSTANTIATION_ERROR
    case Outcome::kBuildFailed:
      return 3;  // COMPILE_DEVICE
    case Outcome::kCrashed:
      return 4;  // RUNTIME_DEVICE
    case Outcome::kWrongOutput:
      return 5;  // WRONG_ANSWER
    case Outcome::kBuildTimeout:
      return 6;
    case Outcome::kRunTimeout:
      return 7;
    case Outcome::kLost:
      return 8;  // UNKNOWN_ERROR
  }
  return 8;
}

std::string target_of(const Device& device) {
  std::string target = "c -keys=cpu";
  if (device.target.family == CoreFamily::kArmM) target += " -mcpu=" + device.target.cpu;
  return target + " -model=" + device.name;
}

Json tensor(std::initializer_list<int> shape) {
  return Json::array({"TENSOR", Json(std::vector<int>(shape)), "int8"});
}

/// Returns operator and arguments in the form of AutoTVM's own tasks for these operators.
Json task_of(const Workload& w) {
  if (w.op == OpKind::kDense)
    return Json::array(
        {"dense.tinytune",
         Json::array({tensor({w.batch, w.in_c}), tensor({w.out_c, w.in_c}), nullptr, "int32"})});
  const bool nchw = w.layout == Layout::kNchw;
  const bool depthwise = w.op == OpKind::kDepthwiseConv2d;
  const int down = std::max(
      0, (w.out_h - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1 - w.in_h - w.pad_top);
  const int right = std::max(
      0, (w.out_w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1 - w.in_w - w.pad_left);
  const Json data =
      nchw ? tensor({w.batch, w.in_c, w.in_h, w.in_w}) : tensor({w.batch, w.in_h, w.in_w, w.in_c});
  const Json kernel = depthwise ? tensor({w.kernel_h, w.kernel_w, w.in_c, w.depth_multiplier})
                                : tensor({w.kernel_h, w.kernel_w, w.in_c / w.groups, w.out_c});
  const std::string name = std::string(depthwise       ? "depthwise_conv2d"
                                       : w.groups == 1 ? "conv2d"
                                                       : "group_conv2d") +
                           (nchw ? "_nchw" : "_nhwc") + ".tinytune";
  return Json::array({name, Json::array({data, kernel, Json::array({w.stride_h, w.stride_w}),
                                         Json::array({w.pad_top, w.pad_left, down, right}),
                                         Json::array({w.dilation_h, w.dilation_w}), "int32"})});
}

/// Returns numeric text as a number, because AutoTVM compares option values.
Json value_of(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

Json config_of(const Schedule& schedule, size_t index) {
  Json entity = Json::array({Json::array(
      {"template", "ot", schedule.template_name() + "/" + std::to_string(schedule.version())})});
  for (const auto& [knob, value] : schedule.knobs())
    entity.push_back(Json::array({knob, "ot", value_of(value)}));
  return {{"index", index}, {"code_hash", nullptr}, {"entity", std::move(entity)}};
}

Json result_of(const Measurement& m, double clock_hz) {
  Json costs = Json::array();
  for (const uint64_t cycles : m.cycles) costs.push_back(static_cast<double>(cycles) / clock_hz);
  if (costs.empty()) costs.push_back(kFailedCost);
  return Json::array({std::move(costs), error_number(m.outcome), m.seconds,
                      static_cast<double>(unix_time(m.time))});
}

/// Returns the name of a line's task; empty if it is not a line of AutoTVM.
std::string task_name_of(const Json& line) {
  if (!line.is_object() || !line.contains("input") || !line.contains("version")) return "";
  const Json& input = line["input"];
  return input.is_array() && input.size() >= 3 && input[1].is_string() ? input[1].get<std::string>()
                                                                       : "";
}

Result<std::optional<Measurement>> our_record(const Json& line) {
  const Json& input = line["input"];
  if (input.size() < 4 || !input[3].is_object() || !input[3].contains(kRecordKey) ||
      !input[3][kRecordKey].is_string())
    return std::optional<Measurement>();
  TT_TRY_ASSIGN(Measurement m, parse_log_line(input[3][kRecordKey].get<std::string>()));
  return std::optional<Measurement>(std::move(m));
}

Error foreign(const std::string& origin, size_t lines, const std::set<std::string>& tasks) {
  std::string names;
  for (const std::string& name : tasks) names += (names.empty() ? "" : ", ") + name;
  return Error(ErrorCode::kUnsupported,
               origin + ": " + std::to_string(lines) + " record(s) of TVM's own templates (" +
                   names +
                   "), whose schedules have no counterpart here; nothing is imported (`tune op` "
                   "tunes such operators anew)");
}

}  // namespace

int64_t unix_time(const std::string& utc) {
  std::tm parts{};
  const char* end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end != nullptr && *end == '\0' ? static_cast<int64_t>(timegm(&parts)) : 0;
}

Result<std::string> to_autotvm(std::span<const Measurement> measurements,
                               const DeviceOf& device_of) {
  std::string out;
  size_t index = 0;
  for (const Measurement& m : measurements) {
    TT_TRY_ASSIGN(const Device device, device_of(m.device));
    TT_TRY_ASSIGN(const double clock_hz, clock_of(device));
    TT_TRY_ASSIGN(const Workload workload, parse_workload(m.workload));
    TT_TRY_ASSIGN(const Schedule schedule, parse_schedule(m.schedule));
    const Json task = task_of(workload);
    const Json line = {{"input", Json::array({target_of(device), task[0], task[1],
                                              Json::object({{kRecordKey, to_log_line(m)}})})},
                       {"config", config_of(schedule, index++)},
                       {"result", result_of(m, clock_hz)},
                       {"version", kVersion},
                       {"tvm_version", m.tool}};
    out += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

Result<std::vector<Measurement>> from_autotvm(std::string_view text, const std::string& origin) {
  std::vector<Measurement> found;
  std::set<std::string> foreign_tasks;
  size_t number = 0, foreign_lines = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view bytes = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (bytes.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Json line = Json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false);
    const std::string task = task_name_of(line);
    const std::string where = origin + ": line " + std::to_string(number);
    if (task.empty())
      return Error(ErrorCode::kInvalidInput, where + ": not a record of AutoTVM (version 0.2)");
    auto record = our_record(line);
    if (!record) return record.error().within(where);
    if (*record) {
      found.push_back(std::move(**record));
    } else {
      foreign_tasks.insert(task);
      ++foreign_lines;
    }
  }
  if (foreign_lines > 0) return foreign(origin, foreign_lines, foreign_tasks);
  return found;
}

}  // namespace tinytune
