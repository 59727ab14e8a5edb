#include "records/log_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "records/line_fields.h"

namespace tinytune {
namespace {

Error bad(const std::string& why) { return Error(ErrorCode::kInvalidInput, why); }

Result<uint64_t> parse_hex64(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size())
    return bad("device_hash is not 16 hexadecimal digits");
  return value;
}

/// Reads the keys that some versions of the log do not have.
Status read_optional(const LineFields& line, TextPool& texts, Measurement& m) {
  const std::pair<const char*, SharedText*> optional[] = {
      {"tuner", &m.tuner},   {"detail", &m.detail}, {"run", &m.run},
      {"source", &m.source}, {"build", &m.build},
  };
  for (const auto& [key, field] : optional)
    if (line.has(key)) {
      TT_TRY_ASSIGN(const std::string_view text, line.text(key));
      *field = texts.shared(text);
    }
  if (line.has("image")) {
    TT_TRY_ASSIGN(const std::string_view image, line.text("image"));
    m.image = image;
  }
  if (line.has("constant_bytes")) {
    TT_TRY_ASSIGN(m.code.constant_bytes, line.whole("constant_bytes"));
  }
  if (line.has("seconds")) {
    TT_TRY_ASSIGN(m.seconds, line.real("seconds"));
  }
  if (line.has("fidelity")) {
    TT_TRY_ASSIGN(const std::string_view name, line.text("fidelity"));
    const std::optional<Fidelity> parsed = parse_fidelity(name);
    if (!parsed) return bad("unknown fidelity '" + std::string(name) + "'");
    m.fidelity = *parsed;
  }
  return ok_status();
}

}  // namespace

bool begins_like_ours(std::string_view line) {
  const size_t common = std::min(line.size(), kLogLineStart.size());
  return line.substr(0, common) == kLogLineStart.substr(0, common);
}

Status check_cycles(const Measurement& m) {
  if ((m.outcome == Outcome::kOk) == m.cycles.empty())
    return bad("cycles and outcome do not fit together");
  if (std::count(m.cycles.begin(), m.cycles.end(), 0u) > 0) return bad("a call of no cycles");
  return ok_status();
}

std::string to_log_line(const Measurement& m) {
  nlohmann::ordered_json line;
  line["v"] = static_cast<uint64_t>(kLogVersion);
  line["device"] = m.device.str();
  line["device_hash"] = hex64(m.device_hash);
  line["workload"] = m.workload.str();
  line["schedule"] = m.schedule.str();
  line["outcome"] = std::string(name_of(m.outcome));
  line["cycles"] = m.cycles;
  line["instructions"] = m.instructions;
  line["code_bytes"] = m.code.code_bytes;
  if (m.code.constant_bytes > 0) line["constant_bytes"] = m.code.constant_bytes;
  line["ram_bytes"] = m.ram_bytes;
  line["seed"] = m.seed;
  if (!m.tuner.empty()) line["tuner"] = m.tuner.str();
  line["tool"] = m.tool.str();
  line["time"] = m.time.str();
  if (std::isfinite(m.seconds) && m.seconds > 0) line["seconds"] = m.seconds;
  if (!m.run.empty()) line["run"] = m.run.str();
  line["source"] = m.source.str();
  line["fidelity"] = std::string(name_of(m.fidelity));
  if (!m.image.empty()) line["image"] = m.image;
  if (!m.build.empty()) line["build"] = m.build.str();
  if (!m.detail.empty()) line["detail"] = m.detail.str();
  // The checksum is of the text as written, in which invalid UTF-8 is already replaced.
  const auto written = [&line] {
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  };
  line["sum"] = checksum_of(written());
  return written();
}

Result<Measurement> parse_log_line(std::string_view line) {
  TextPool texts;
  return parse_log_line(line, texts);
}

Result<Measurement> parse_log_line(std::string_view bytes, TextPool& texts) {
  if (bytes.size() > kLongestLogLine)
    return bad("longer than " + std::to_string(kLongestLogLine) + " bytes");
  TT_TRY_ASSIGN(const LineFields line, LineFields::read(bytes));
  TT_TRY_ASSIGN(const uint64_t version, line.whole("v"));
  if (version != kLogVersion) return bad("log version " + std::to_string(version));
  Measurement m;
  const std::pair<const char*, SharedText*> required[] = {{"device", &m.device},
                                                          {"workload", &m.workload},
                                                          {"schedule", &m.schedule},
                                                          {"tool", &m.tool},
                                                          {"time", &m.time}};
  for (const auto& [key, field] : required) {
    TT_TRY_ASSIGN(const std::string_view text, line.text(key));
    *field = texts.shared(text);
  }
  TT_TRY_ASSIGN(const std::string_view hash, line.text("device_hash"));
  TT_TRY_ASSIGN(m.device_hash, parse_hex64(hash));
  TT_TRY_ASSIGN(const std::string_view outcome, line.text("outcome"));
  const std::optional<Outcome> parsed = parse_outcome(outcome);
  if (!parsed) return bad("unknown outcome '" + std::string(outcome) + "'");
  m.outcome = *parsed;
  TT_TRY_ASSIGN(m.cycles, line.counts("cycles"));
  TT_TRY(check_cycles(m));
  TT_TRY_ASSIGN(m.instructions, line.whole("instructions"));
  TT_TRY_ASSIGN(m.code.code_bytes, line.whole("code_bytes"));
  TT_TRY_ASSIGN(m.ram_bytes, line.whole("ram_bytes"));
  TT_TRY_ASSIGN(m.seed, line.whole("seed"));
  TT_TRY(read_optional(line, texts, m));
  return m;
}

}  // namespace tinytune
