#include "cli/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <sstream>

#include "cli/table.h"
#include "cli/units.h"
#include "deploy/selection/layouts.h"

namespace tinytune {
namespace {

std::string shape_text(const std::vector<int>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::string shapes_text(const std::vector<TensorInfo>& tensors) {
  constexpr size_t kMostShown = 6;
  std::string text;
  for (const TensorInfo& tensor : std::span(tensors).first(std::min(tensors.size(), kMostShown)))
    text += (text.empty() ? "" : ", ") + shape_text(tensor.shape);
  return tensors.size() > kMostShown ? fmt::format("{}, ... {} in all", text, tensors.size())
                                     : text;
}

std::string or_dash(const std::optional<uint64_t>& value) { return value ? grouped(*value) : "-"; }

// Nine digits identify any float exactly.
std::string quantisation_text(const TensorDetails& tensor) {
  if (tensor.scales.empty() || tensor.zero_points.empty()) return "";
  if (tensor.scales.size() > 1)
    return fmt::format(", {} scales along axis {}", tensor.scales.size(), tensor.axis);
  return fmt::format(", scale {:.9g}, zero point {}", tensor.scales[0], tensor.zero_points[0]);
}

void add_border(std::string& text, const char* what, const std::vector<TensorInfo>& border,
                std::span<const TensorDetails> tensors) {
  for (const TensorInfo& t : border) {
    text += fmt::format("{} t{} {} {} {}", what, t.id, t.name, t.type, shape_text(t.shape));
    if (t.bytes > 0) text += fmt::format(", {} bytes", grouped(static_cast<uint64_t>(t.bytes)));
    text += quantisation_text(tensors[static_cast<size_t>(t.id)]) + "\n";
  }
}

std::string layouts_text(const LayoutComparison& comparison) {
  Table table({"layer", "layout", "nhwc cycles", "nchw cycles"});
  for (const LayoutComparison::Layer& layer : comparison.layers) {
    if (!layer.nhwc_cycles && !layer.nchw_cycles && layer.layout == LayoutPolicy::kNhwc) continue;
    table.add({std::to_string(layer.index), std::string(name_of(layer.layout)),
               or_dash(layer.nhwc_cycles), or_dash(layer.nchw_cycles)});
  }
  const auto total = [](const char* what, const LayoutTotal& t) {
    return fmt::format("{}: {} cycles of tuned layers, {} of them in {} transforms\n", what,
                       t.cycles ? grouped(*t.cycles) : "unknown (not all measured)",
                       grouped(t.transform_cycles), t.transforms);
  };
  return "\nlayouts, as the log has them\n" + table.text() + total("as chosen", comparison.chosen) +
         total("all NHWC", comparison.all_nhwc) + total("all NCHW", comparison.all_nchw);
}

// Returns an empty text if there were no waits, as on devices with a single memory.
std::string waits_text(const RunReport& report) {
  const uint64_t waits = report.fetch_wait_cycles + report.read_wait_cycles;
  if (waits == 0) return "";
  return fmt::format("{} cycles waited for flash ({:.1f} %)\n", grouped(waits),
                     100.0 * static_cast<double>(waits) /
                         static_cast<double>(std::max<uint64_t>(report.footprint.cycles, 1)));
}

std::string ram_text(const Footprint& footprint) {
  std::string text = fmt::format("RAM {} = arena {} + weights {} + code {}",
                                 grouped(footprint.ram_bytes()), grouped(footprint.arena_bytes),
                                 grouped(footprint.weights_bytes), grouped(footprint.code_bytes));
  if (footprint.data_bytes > 0) text += " + data " + grouped(footprint.data_bytes);
  return text + " + stack " + grouped(footprint.stack_bytes) + "\n";
}

template <typename Point>
std::string front_text(const std::string& title, const char* what, std::span<const Point> front,
                       uint64_t Point::*bytes) {
  if (front.size() < 2) return "";  // no choice
  Table table({what, "cycles", "slower"});
  for (const Point& point : front)
    table.add({grouped(point.*bytes), grouped(point.cycles),
               fmt::format("{:.1f} %", 100 * (static_cast<double>(point.cycles) /
                                                  static_cast<double>(front[0].cycles) -
                                              1))});
  return "\n" + title + "\n" + table.text();
}

std::string fronts_text(const RunReport& report) {
  return front_text<FlashPoint>(
             "what less flash costs, estimated from the records; --flash asks for it", "flash",
             report.flash_front, &FlashPoint::flash_bytes) +
         front_text<ArenaPoint>("what a smaller arena costs, as these ran; --arena asks for it",
                                "arena", report.arena_front, &ArenaPoint::arena_bytes);
}

std::string arena_of(const RunReport& report) {
  return arena_text(report.footprint.arena_bytes, report.arena_lower_bound);
}

}  // namespace

std::string to_text(const Inspection& inspection) {
  const ModelInfo& model = inspection.info;
  std::string text = fmt::format("{}: {} operators, {} tasks, {} MACs, {} of them executed\n",
                                 model.name, model.operators.size(), model.tasks.size(),
                                 grouped(static_cast<uint64_t>(model.macs)),
                                 grouped(static_cast<uint64_t>(model.macs_executed)));
  add_border(text, "input ", model.inputs, inspection.tensors);
  add_border(text, "output", model.outputs, inspection.tensors);
  Table operators({"#", "operator", "input", "output", "MACs", "executed", "task"});
  for (const OperatorInfo& op : model.operators) {
    operators.add({std::to_string(op.index), op.op, shapes_text(op.inputs), shapes_text(op.outputs),
                   op.macs > 0 ? grouped(static_cast<uint64_t>(op.macs)) : "-",
                   op.macs > 0 ? grouped(static_cast<uint64_t>(op.macs_executed)) : "-",
                   op.task ? std::to_string(*op.task) : "-"});
  }
  Table tasks({"task", "layers", "name"});
  for (const TaskInfo& task : model.tasks)
    tasks.add(
        {std::to_string(task.index), fmt::format("{}", fmt::join(task.layers, ",")), task.name});
  text += "\n" + operators.text();
  if (!model.tasks.empty()) text += "\n" + tasks.text();
  if (inspection.unsupported.empty())
    text += fmt::format("\narena at least {} bytes: its tensors\n",
                        grouped(static_cast<uint64_t>(model.arena_lower_bound)));
  return text;
}

std::string to_text(std::span<const DeviceInfo> devices) {
  constexpr size_t kWidth = 80, kIndent = 4;  // of a terminal
  Table table({"device", "isa", "clock", "transports"});
  for (const DeviceInfo& device : devices)
    table.add(
        {device.name, device.isa,
         device.clock_hz ? fmt::format("{} MHz", static_cast<double>(*device.clock_hz) / 1e6) : "-",
         device.transports.empty() ? "none"
                                   : fmt::format("{}", fmt::join(device.transports, ","))});
  std::istringstream rows(table.text());
  std::string text, row;
  std::getline(rows, row);
  text += row + "\n";
  for (const DeviceInfo& device : devices) {
    std::getline(rows, row);
    text += row + "\n";
    const std::string fast = device.fast_memory.empty() ? "" : "; fast memory: ";
    for (const std::string& line :
         wrapped(device.description + fast + device.fast_memory, kWidth - kIndent))
      text += std::string(kIndent, ' ') + line + "\n";
  }
  return text;
}

std::string to_text(const TuneReport& report, const std::optional<NetworkCycles>& network) {
  Table table({"task", "name", "layers", "default", "best", "speed-up", "trials"});
  for (const TaskResult& task : report.tasks) {
    table.add({std::to_string(task.index), task.name, std::to_string(task.layers.size()),
               or_dash(task.default_cycles), or_dash(task.best_cycles),
               speedup_text(task.default_cycles, task.best_cycles), std::to_string(task.trials)});
  }
  const bool is_whole = network.has_value();
  const auto by_default = is_whole ? network->by_default : report.default_cycles;
  const auto tuned = is_whole ? network->tuned : report.best_cycles;
  std::string total = "network: ";
  if (by_default && tuned) {
    total += fmt::format("{} cycles by default, {} tuned, {}", grouped(*by_default),
                         grouped(*tuned), speedup_text(by_default, tuned));
    if (report.clock_hz) total += ", " + latency_text(*tuned, report.clock_hz);
  } else {
    total += "not every task has a valid measurement yet";
  }
  return table.text() + total + (is_whole ? "\n" : " (tuned layers only)\n");
}

std::string to_text(const Footprint& footprint, std::optional<uint64_t> clock_hz) {
  std::string text =
      ram_text(footprint) + fmt::format("flash {} bytes, {} cycles", grouped(footprint.flash_bytes),
                                        grouped(footprint.cycles));
  if (clock_hz) text += ", " + latency_text(footprint.cycles, clock_hz);
  return text + "\n";
}

namespace {

std::string board_text(const RunReport& report) {
  const BoardRun& board = *report.board;
  Table table({"layer", "op", "simulated", "on the board", "board / simulated"});
  const auto row = [&](const std::string& layer, const std::string& op, uint64_t simulated,
                       uint64_t measured) {
    table.add({layer, op, grouped(simulated), grouped(measured),
               simulated == 0 ? "-"
                              : fmt::format("{:.3f}", static_cast<double>(measured) /
                                                          static_cast<double>(simulated))});
  };
  for (const LayerCost& layer : report.layers)
    if (const auto at = board.layer_cycles.find(layer.index); at != board.layer_cycles.end())
      row(std::to_string(layer.index), layer.op, layer.cycles, at->second);
  row("", "network", report.footprint.cycles, board.cycles);
  std::string text = "\ncycles on " + board.id + ", by its own counter\n" + table.text();
  if (board.exact)
    text += *board.exact ? "exact on the board: every output byte equals the reference\n"
                         : "NOT exact on the board: " + board.difference + "\n";
  return text;
}

std::string how_computed(const LayerCost& layer) {
  if (layer.fused_into) return fmt::format("in layer {}", *layer.fused_into);
  const std::string schedule = layer.tuned ? "tuned" : layer.macs > 0 ? "default" : "-";
  if (layer.arriving_blocks > 0)
    return fmt::format("{}, weights arrive in {}", schedule,
                       layer.arriving_blocks == 1
                           ? std::string("one block")
                           : fmt::format("{} blocks", layer.arriving_blocks));
  return layer.cores > 1 ? fmt::format("{}, {} cores", schedule, layer.cores) : schedule;
}

}  // namespace

std::string to_text(const RunReport& report) {
  const bool counted = report.instructions > 0;  // boards count cycles only
  Table table({"layer", "op", "MACs", "instructions", "cycles", "schedule"});
  for (const LayerCost& layer : report.layers) {
    table.add({std::to_string(layer.index), layer.op,
               layer.macs > 0 ? grouped(static_cast<uint64_t>(layer.macs)) : "-",
               counted ? grouped(layer.instructions) : "-", grouped(layer.cycles),
               how_computed(layer)});
  }
  std::string text = table.text();
  const uint64_t cycles = report.footprint.cycles;
  text += "total: " + (counted ? grouped(report.instructions) + " instructions, " : "") +
          grouped(cycles) + " cycles";
  if (report.clock_hz) text += ", " + latency_text(cycles, report.clock_hz);
  if (report.mean_cycles != 0 && report.mean_cycles != cycles)
    text += "; mean of all steps: " + grouped(report.mean_cycles) + " cycles";
  text += "\n" + ram_text(report.footprint);
  text += fmt::format("arena {}, flash {} bytes", arena_of(report),
                      grouped(report.footprint.flash_bytes));
  text += counted
              ? fmt::format(", overhead {} instructions\n", grouped(report.overhead_instructions))
              : "\n";
  text += waits_text(report);
  if (report.exact)
    text += *report.exact ? "exact: every output byte equals the reference\n"
                          : "NOT exact: " + report.difference + "\n";
  if (report.board) text += board_text(report);
  return text + fronts_text(report);
}

std::string comparison_text(const RunReport& by_default, const RunReport& tuned,
                            const std::string& device) {
  Table table({"layer", "op", "MACs", "default cycles", "tuned cycles", "speed-up"});
  for (size_t i = 0; i < tuned.layers.size(); ++i) {
    const LayerCost& after = tuned.layers[i];
    const LayerCost& before = by_default.layers[i];
    table.add({std::to_string(after.index), after.op,
               after.macs > 0 ? grouped(static_cast<uint64_t>(after.macs)) : "-",
               grouped(before.cycles), grouped(after.cycles),
               speedup_text(before.cycles, after.cycles)});
  }
  const auto total_macs = [](const RunReport& report) {
    uint64_t macs = 0;
    for (const LayerCost& layer : report.layers) macs += static_cast<uint64_t>(layer.macs);
    return macs;
  };
  const Footprint &before = by_default.footprint, &after = tuned.footprint;
  table.add({"", "network", grouped(total_macs(tuned)), grouped(before.cycles),
             grouped(after.cycles), speedup_text(before.cycles, after.cycles)});
  std::string text = table.text();
  if (tuned.clock_hz) {
    text += fmt::format("latency on {} at {} MHz: {} by default, {} tuned\n", device,
                        static_cast<double>(*tuned.clock_hz) / 1e6,
                        latency_text(before.cycles, tuned.clock_hz),
                        latency_text(after.cycles, tuned.clock_hz));
  }
  if (tuned.instructions > 0)  // boards count cycles only
    text += fmt::format("instructions: {} by default, {} tuned\n", grouped(by_default.instructions),
                        grouped(tuned.instructions));
  text += fmt::format("arena {} by default, {} tuned\n", arena_of(by_default), arena_of(tuned));
  text += "by default " + ram_text(before) + "tuned " + ram_text(after);
  text += fmt::format("flash {} bytes by default, {} tuned\n", grouped(before.flash_bytes),
                      grouped(after.flash_bytes));
  if (tuned.exact && by_default.exact) {
    text += *tuned.exact && *by_default.exact
                ? "exact: both variants equal the reference bit for bit\n"
                : "NOT exact: " + (*tuned.exact ? by_default.difference : tuned.difference) + "\n";
  }
  if (tuned.layouts) text += layouts_text(*tuned.layouts);
  return text + fronts_text(tuned);
}

}  // namespace tinytune
