// Text of `tune explain`: the moves tried for a network, and each kernel's cycles per
// multiply-accumulate by class of instruction.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/report_text.h"
#include "cli/table.h"
#include "cli/units.h"

namespace tinytune {
namespace {

constexpr std::array<const char*, 6> kClasses = {"multiply", "load",  "store",
                                                 "branch",   "other", "stall"};

// Returns cycles per MAC by class. The classes other than stalls are counts of instructions, so the
// sum is the kernel's cycles per MAC unless it executes several instructions in a cycle.
std::array<double, 6> per_mac(const KernelCost& kernel, int64_t macs) {
  std::array<double, 6> shares{};
  const std::array<uint64_t, 6> counts = {kernel.multiplies,     kernel.loads,    kernel.stores,
                                          kernel.branches_taken, kernel.others(), kernel.stalls()};
  for (size_t i = 0; i < counts.size(); ++i)
    shares[i] = static_cast<double>(counts[i]) / static_cast<double>(macs);
  return shares;
}

// Returns "0.31 load and 0.20 other": differences of at least 0.01 in the direction of `sign`.
std::string differences(const std::array<double, 6>& from, const std::array<double, 6>& to,
                        double sign) {
  std::vector<std::pair<double, const char*>> found;
  for (size_t i = 0; i < kClasses.size(); ++i)
    if (sign * (from[i] - to[i]) >= 0.01) found.emplace_back(sign * (from[i] - to[i]), kClasses[i]);
  std::sort(found.rbegin(), found.rend());
  std::string text;
  for (size_t i = 0; i < found.size(); ++i)
    text += fmt::format("{}{:.2f} {}",
                        i == 0                  ? ""
                        : i + 1 == found.size() ? " and "
                                                : ", ",
                        found[i].first, found[i].second);
  return text;
}

std::string comparison(const KernelCost& winner, const KernelCost& other, int64_t macs) {
  const auto ours = per_mac(winner, macs), theirs = per_mac(other, macs);
  const std::string saved = differences(theirs, ours, 1), spent = differences(theirs, ours, -1);
  std::string text = fmt::format("against {} the winner ", other.role);
  if (saved.empty() && spent.empty()) return text + "is the same within 0.01 a MAC\n";
  if (!saved.empty()) text += "saves " + saved + " a MAC";
  if (!spent.empty()) text += (saved.empty() ? "spends " : ", and spends ") + spent + " more";
  return text + "\n";
}

std::string per_byte(uint64_t cycles, uint64_t bytes) {
  if (bytes == 0) return "-";
  return fmt::format("{:.2f}", static_cast<double>(cycles) / static_cast<double>(bytes));
}

// Returns an empty text on devices whose memories are equally fast.
std::string waits_text(const std::vector<KernelCost>& kernels) {
  if (kernels.front().in_flash.cycles == 0) return "";
  Table table({"from flash", "cycles", "waits for code", "a byte", "waits for weights", "a byte"});
  for (const KernelCost& kernel : kernels) {
    const KernelCost::InFlash& flash = kernel.in_flash;
    table.add({kernel.role, grouped(flash.cycles), grouped(flash.fetch_wait_cycles),
               per_byte(flash.fetch_wait_cycles, flash.code_bytes), grouped(flash.read_wait_cycles),
               per_byte(flash.read_wait_cycles, flash.constant_bytes)});
  }
  return "\nwith code and weights in flash: cycles that it waits, of all and for each byte there "
         "is\n" +
         table.text();
}

}  // namespace

std::string to_text(const TaskExplanation& explanation) {
  const TaskInfo& task = explanation.task;
  std::string text =
      fmt::format("task {}: {}, layer(s) {}, {} MACs a layer; {} trials, {} valid\n\n", task.index,
                  task.name, fmt::join(task.layers, ","), grouped(static_cast<uint64_t>(task.macs)),
                  explanation.trials, explanation.valid);
  Table table({"kernel", "cycles", "instr/MAC", "multiply", "load", "store", "branch taken",
               "other", "stall"});
  for (const KernelCost& kernel : explanation.kernels) {
    std::vector<std::string> row = {kernel.role, grouped(kernel.cycles),
                                    fmt::format("{:.2f}", static_cast<double>(kernel.instructions) /
                                                              static_cast<double>(task.macs))};
    for (const double share : per_mac(kernel, task.macs))
      row.push_back(fmt::format("{:.2f}", share));
    table.add(std::move(row));
  }
  text += table.text() + waits_text(explanation.kernels) + "\n";
  for (const KernelCost& kernel : explanation.kernels)
    text += fmt::format("{}: {}\n", kernel.role, kernel.schedule);
  text += "\n";
  const KernelCost& winner = explanation.kernels.front();
  for (size_t i = 1; i < explanation.kernels.size(); ++i)
    text += comparison(winner, explanation.kernels[i], task.macs);
  text += fmt::format(
      "limit: this way of computing multiplies at least {} times; the winner takes {:.2f} "
      "instructions and {:.2f} cycles for each\n",
      grouped(explanation.least_multiplies),
      static_cast<double>(winner.instructions) / static_cast<double>(explanation.least_multiplies),
      static_cast<double>(winner.cycles) / static_cast<double>(explanation.least_multiplies));
  if (!explanation.knobs.empty())
    text += "\nwhat another value of a knob costs, best record each\n";
  Table knobs({"knob", "winner", "other", "cycles"});
  for (const KnobEffect& effect : explanation.knobs)
    knobs.add(
        {effect.knob, effect.value, effect.other, fmt::format("{:+.1f} %", 100 * effect.slowdown)});
  return explanation.knobs.empty() ? text : text + knobs.text();
}

std::string to_text(const NetworkExplanation& explanation) {
  Table table({"move", "networks", "cycles", "outcome"});
  for (const MoveOutcome& move : explanation.moves) {
    std::string outcome = move.kept > 0 ? "kept" : move.why;
    if (move.kept > 0 && move.times > 1)
      outcome = fmt::format("kept {} of {} times", move.kept, move.times);
    table.add({std::string(2 * static_cast<size_t>(move.depth), ' ') + move.name,
               std::to_string(move.networks), move.cycles ? grouped(*move.cycles) : "-",
               std::move(outcome)});
  }
  const Footprint& takes = explanation.deployed.footprint;
  return table.text() + fmt::format("\ndeployed: {} cycles, RAM {}, of it arena {}; flash {}\n",
                                    grouped(takes.cycles), grouped(takes.ram_bytes()),
                                    grouped(takes.arena_bytes), grouped(takes.flash_bytes));
}

}  // namespace tinytune
