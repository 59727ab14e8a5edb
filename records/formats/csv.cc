#include <string>

#include "base/printable.h"
#include "records/formats/formats.h"

namespace tinytune {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string to_csv(std::span<const Measurement> measurements) {
  std::string out =
      "device,workload,schedule,outcome,cycles,instructions,code_bytes,constant_bytes,ram_bytes,"
      "seconds,tuner,seed,fidelity,source,time,tool,detail\r\n";
  for (const Measurement& m : measurements) {
    const auto cycles = m.median_cycles();
    const std::string cells[] = {m.device,
                                 m.workload,
                                 m.schedule,
                                 std::string(name_of(m.outcome)),
                                 cycles ? std::to_string(*cycles) : "",
                                 cycles && m.instructions > 0 ? std::to_string(m.instructions) : "",
                                 std::to_string(m.code.code_bytes),
                                 std::to_string(m.code.constant_bytes),
                                 std::to_string(m.ram_bytes),
                                 std::to_string(m.seconds),
                                 m.tuner,
                                 std::to_string(m.seed),
                                 std::string(name_of(m.fidelity)),
                                 m.source,
                                 m.time,
                                 m.tool,
                                 m.detail};
    std::string line;
    for (const std::string& cell : cells)
      line += (&cell == cells ? "" : ",") + quoted(without_controls(cell));
    out += line + "\r\n";
  }
  return out;
}

}  // namespace tinytune
