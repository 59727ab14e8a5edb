#include "records/log_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace tinytune {
namespace {

using Json = nlohmann::json;  // sorts its keys: the canonical form

std::string canonical(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Error bad(const std::string& why) { return Error(ErrorCode::kInvalidInput, why); }

Result<std::string> text(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_string()) return bad(std::string(key) + " is not a string");
  return at->get<std::string>();
}

Result<uint64_t> number(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number_unsigned())
    return bad(std::string(key) + " is not a whole number");
  return at->get<uint64_t>();
}

Result<uint64_t> parse_hex64(const std::string& digits) {
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 16 || error != std::errc() || end != digits.data() + digits.size())
    return bad("device_hash is not 16 hexadecimal digits");
  return value;
}

/// A line of ours nests two deep; a parser's stack need not see what nests deeper.
bool nests_deeper_than(std::string_view line, int most) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

Result<Json> checked_object(std::string_view line) {
  constexpr int kDeepest = 8;
  if (line.size() > kLongestLogLine)
    return bad("longer than " + std::to_string(kLongestLogLine) + " bytes");
  if (nests_deeper_than(line, kDeepest)) return bad("nests deeper than a record");
  Json object = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return bad("not a JSON object");
  TT_TRY_ASSIGN(const std::string sum, text(object, "sum"));
  object.erase("sum");
  if (sum != hex64(fnv1a(canonical(object)))) return bad("checksum differs");
  TT_TRY_ASSIGN(const uint64_t version, number(object, "v"));
  if (version != kLogVersion) return bad("log version " + std::to_string(version));
  return object;
}

/// Keys that not every version wrote.
Status read_optional(const Json& object, Measurement& m) {
  const std::pair<const char*, std::string*> texts[] = {
      {"tuner", &m.tuner},   {"detail", &m.detail}, {"run", &m.run},
      {"source", &m.source}, {"image", &m.image},   {"build", &m.build},
  };
  for (const auto& [key, field] : texts)
    if (object.contains(key)) {
      TT_TRY_ASSIGN(*field, text(object, key));
    }
  if (object.contains("constant_bytes")) {
    TT_TRY_ASSIGN(m.code.constant_bytes, number(object, "constant_bytes"));
  }
  if (const auto seconds = object.find("seconds"); seconds != object.end()) {
    if (!seconds->is_number()) return bad("seconds is not a number");
    m.seconds = seconds->get<double>();
  }
  if (object.contains("fidelity")) {
    TT_TRY_ASSIGN(const std::string name, text(object, "fidelity"));
    const std::optional<Fidelity> parsed = parse_fidelity(name);
    if (!parsed) return bad("unknown fidelity '" + name + "'");
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
  line["device"] = m.device;
  line["device_hash"] = hex64(m.device_hash);
  line["workload"] = m.workload;
  line["schedule"] = m.schedule;
  line["outcome"] = std::string(name_of(m.outcome));
  line["cycles"] = m.cycles;
  line["instructions"] = m.instructions;
  line["code_bytes"] = m.code.code_bytes;
  if (m.code.constant_bytes > 0) line["constant_bytes"] = m.code.constant_bytes;
  line["ram_bytes"] = m.ram_bytes;
  line["seed"] = m.seed;
  if (!m.tuner.empty()) line["tuner"] = m.tuner;
  line["tool"] = m.tool;
  line["time"] = m.time;
  if (std::isfinite(m.seconds) && m.seconds > 0) line["seconds"] = m.seconds;
  if (!m.run.empty()) line["run"] = m.run;
  line["source"] = m.source;
  line["fidelity"] = std::string(name_of(m.fidelity));
  if (!m.image.empty()) line["image"] = m.image;
  if (!m.build.empty()) line["build"] = m.build;
  if (!m.detail.empty()) line["detail"] = m.detail;
  // Through text, so that both forms hold the same replaced bytes.
  const Json sorted =
      Json::parse(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  line["sum"] = hex64(fnv1a(canonical(sorted)));
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Measurement> parse_log_line(std::string_view line) {
  TT_TRY_ASSIGN(const Json object, checked_object(line));
  Measurement m;
  TT_TRY_ASSIGN(m.device, text(object, "device"));
  TT_TRY_ASSIGN(const std::string hash, text(object, "device_hash"));
  TT_TRY_ASSIGN(m.device_hash, parse_hex64(hash));
  TT_TRY_ASSIGN(m.workload, text(object, "workload"));
  TT_TRY_ASSIGN(m.schedule, text(object, "schedule"));
  TT_TRY_ASSIGN(const std::string outcome, text(object, "outcome"));
  const std::optional<Outcome> parsed = parse_outcome(outcome);
  if (!parsed) return bad("unknown outcome '" + outcome + "'");
  m.outcome = *parsed;
  const auto cycles = object.find("cycles");
  if (cycles == object.end() || !cycles->is_array()) return bad("cycles is not an array");
  for (const Json& repeat : *cycles) {
    if (!repeat.is_number_unsigned()) return bad("cycles holds something that is not a count");
    m.cycles.push_back(repeat.get<uint64_t>());
  }
  TT_TRY(check_cycles(m));
  TT_TRY_ASSIGN(m.instructions, number(object, "instructions"));
  TT_TRY_ASSIGN(m.code.code_bytes, number(object, "code_bytes"));
  TT_TRY_ASSIGN(m.ram_bytes, number(object, "ram_bytes"));
  TT_TRY_ASSIGN(m.seed, number(object, "seed"));
  TT_TRY_ASSIGN(m.tool, text(object, "tool"));
  TT_TRY_ASSIGN(m.time, text(object, "time"));
  TT_TRY(read_optional(object, m));
  return m;
}

}  // namespace tinytune
