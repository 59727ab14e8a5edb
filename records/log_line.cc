#include "records/log_line.h"

#include <charconv>
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

Result<Json> checked_object(std::string_view line) {
  Json object = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return bad("not a JSON object");
  TT_TRY_ASSIGN(const std::string sum, text(object, "sum"));
  object.erase("sum");
  if (sum != hex64(fnv1a(canonical(object)))) return bad("checksum differs");
  TT_TRY_ASSIGN(const uint64_t version, number(object, "v"));
  if (version != kLogVersion) return bad("log version " + std::to_string(version));
  return object;
}

}  // namespace

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
  line["code_bytes"] = m.code_bytes;
  line["ram_bytes"] = m.ram_bytes;
  line["seed"] = m.seed;
  if (!m.tuner.empty()) line["tuner"] = m.tuner;
  line["tool"] = m.tool;
  line["time"] = m.time;
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
  if ((m.outcome == Outcome::kOk) == m.cycles.empty())
    return bad("cycles and outcome do not fit together");
  TT_TRY_ASSIGN(m.instructions, number(object, "instructions"));
  TT_TRY_ASSIGN(m.code_bytes, number(object, "code_bytes"));
  TT_TRY_ASSIGN(m.ram_bytes, number(object, "ram_bytes"));
  TT_TRY_ASSIGN(m.seed, number(object, "seed"));
  TT_TRY_ASSIGN(m.tool, text(object, "tool"));
  TT_TRY_ASSIGN(m.time, text(object, "time"));
  if (object.contains("tuner")) {
    TT_TRY_ASSIGN(m.tuner, text(object, "tuner"));
  }
  if (object.contains("detail")) {
    TT_TRY_ASSIGN(m.detail, text(object, "detail"));
  }
  return m;
}

}  // namespace tinytune
