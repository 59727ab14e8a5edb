#include "bench/spaces/space_table.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "base/files.h"
#include "templates/kernel_template.h"

namespace tinytune::bench {
namespace {

constexpr std::string_view kFirstLine = "tinytune table 1";

Error bad(const std::string& what) { return Error(ErrorCode::kInvalidInput, what); }

// A coordinate is one character: no knob has more values than there are digits.
constexpr std::string_view kDigits =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string place_of(const ConfigSpace& space, size_t point) {
  std::string place(1, kDigits.at(space.family_of(point)));
  for (const uint16_t at : space.coordinates(point)) place += kDigits.at(at);
  return place;
}

/// Formats a family as "direct_nhwc/3 oc=1,2,4 sched=source,ilp".
std::string family_text(const ConfigSpace::Family& family) {
  std::string text = family.template_name + "/" + std::to_string(family.version);
  for (const Knob& knob : family.knobs) {
    text += " " + knob.name + "=";
    for (size_t v = 0; v < knob.values.size(); ++v) text += (v == 0 ? "" : ",") + knob.values[v];
  }
  return text;
}

Result<ConfigSpace::Family> parse_family(const std::string& text) {
  // A family reads like a schedule whose values are lists.
  TT_TRY_ASSIGN(const Schedule lists, parse_schedule(text));
  if (const auto known = find_template(lists); !known)
    return known.error().within("measure this table again");
  ConfigSpace::Family family{lists.template_name(), lists.version(), {}};
  for (const auto& [name, values] : lists.knobs()) {
    family.knobs.push_back({name, {}});
    std::istringstream each(values);
    for (std::string value; std::getline(each, value, ',');)
      family.knobs.back().values.push_back(value);
    if (family.knobs.back().values.empty()) return bad("a knob without values: " + name);
  }
  return family;
}

struct Line {
  std::string key, rest;
};

Line split(const std::string& line) {
  const size_t space = line.find(' ');
  if (space == std::string::npos) return {line, ""};
  return {line.substr(0, space), line.substr(space + 1)};
}

struct Parsed {
  std::vector<ConfigSpace::Family> families;
  std::vector<std::string> defaults;            // places
  std::map<std::string, SpaceTable::Row> rows;  // by place
  std::vector<std::string> unmeasured;          // legal places without a row
};

Result<SpaceTable::Row> parse_row(const std::string& text) {
  std::istringstream words(text);
  std::string what;
  SpaceTable::Row row;
  if (!(words >> what >> row.code_bytes)) return bad("a row of '" + text + "'");
  if (const auto outcome = parse_outcome(what)) {
    row.outcome = *outcome;
    return row;
  }
  const auto [end, error] = std::from_chars(what.data(), what.data() + what.size(), row.cycles);
  if (error != std::errc() || end != what.data() + what.size() || row.cycles == 0)
    return bad("neither cycles nor an outcome: '" + what + "'");
  row.outcome = Outcome::kOk;
  return row;
}

Status parse_line(const Line& line, SpaceTable& table, Parsed& parsed) {
  const auto count = [&] { return static_cast<size_t>(std::strtoull(line.rest.c_str(), {}, 10)); };
  if (line.key == "task") {
    table.task = line.rest;
  } else if (line.key == "device") {
    table.device = line.rest;
  } else if (line.key == "half") {
    table.half = line.rest == name_of(Half::kTest) ? Half::kTest : Half::kTuning;
  } else if (line.key == "workload") {
    TT_TRY_ASSIGN(table.workload, parse_workload(line.rest));
  } else if (line.key == "layers") {
    table.layers = static_cast<int>(count());
  } else if (line.key == "whole") {
    table.whole_points = count();
  } else if (line.key == "family") {
    TT_TRY_ASSIGN(auto family, parse_family(line.rest));
    parsed.families.push_back(std::move(family));
  } else if (line.key == "default") {
    parsed.defaults.push_back(line.rest);
  } else if (line.rest.empty()) {
    parsed.unmeasured.push_back(line.key);
  } else {
    TT_TRY_ASSIGN(parsed.rows[line.key], parse_row(line.rest));
  }
  return ok_status();
}

}  // namespace

std::string_view name_of(Half half) { return half == Half::kTest ? "test" : "tuning"; }

std::optional<uint64_t> SpaceTable::best() const {
  std::optional<uint64_t> best;
  for (const auto& [point, row] : rows)
    if (row.outcome == Outcome::kOk) best = std::min(row.cycles, best.value_or(row.cycles));
  return best;
}

// Legal points that are not measured yet must be named too: each is a line without a figure, until
// a line with one replaces it.
std::string head_of(const SpaceTable& table) {
  std::string text(kFirstLine);
  text += "\ntask " + table.task + "\ndevice " + table.device;
  text += "\nhalf " + std::string(name_of(table.half));
  text += "\nworkload " + to_text(table.workload) + "\nlayers " + std::to_string(table.layers);
  text += "\nwhole " + std::to_string(table.whole_points) + "\n";
  for (size_t f = 0; f < table.space.family_count(); ++f)
    text += "family " + family_text(table.space.family(f)) + "\n";
  for (const size_t point : table.defaults)
    text += "default " + place_of(table.space, point) + "\n";
  for (size_t p = 0; p < table.space.size(); ++p)
    if (!table.rows.contains(p)) text += place_of(table.space, p) + "\n";
  return text;
}

std::string line_of(const SpaceTable& table, size_t point, const SpaceTable::Row& row) {
  const std::string what =
      row.outcome == Outcome::kOk ? std::to_string(row.cycles) : std::string(name_of(row.outcome));
  return place_of(table.space, point) + " " + what + " " + std::to_string(row.code_bytes) + "\n";
}

Result<SpaceTable> read_table(const std::filesystem::path& path) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path.string()));
  std::istringstream lines{std::string(text_of(bytes))};
  std::string text;
  if (!std::getline(lines, text) || text != kFirstLine)
    return bad(path.string() + ": no table; `spaces` writes them");
  SpaceTable table;
  Parsed parsed;
  while (std::getline(lines, text))
    if (const Status read = parse_line(split(text), table, parsed); !read)
      return read.error().within(path.string());

  for (size_t f = 0; f < parsed.families.size(); ++f) {
    std::vector<std::string> legal = parsed.unmeasured;
    for (const auto& [place, row] : parsed.rows) legal.push_back(place);
    std::sort(legal.begin(), legal.end());
    const ConfigSpace::Family& family = parsed.families[f];
    const auto is_legal = [&](const Schedule& s) {
      std::string place(1, kDigits.at(f));
      for (const Knob& knob : family.knobs) {
        const auto at = std::find(knob.values.begin(), knob.values.end(), s.get(knob.name));
        place += kDigits.at(static_cast<size_t>(at - knob.values.begin()));
      }
      return std::binary_search(legal.begin(), legal.end(), place);
    };
    ConfigSpace one;
    one.add(family, is_legal);
    table.space.append(one);
  }
  std::map<std::string, size_t> points;
  for (size_t p = 0; p < table.space.size(); ++p) points[place_of(table.space, p)] = p;
  for (const auto& [place, row] : parsed.rows) {
    if (!points.contains(place)) return bad(path.string() + ": no such point: " + place);
    table.rows[points[place]] = row;
  }
  for (const std::string& place : parsed.defaults) {
    if (!points.contains(place)) return bad(path.string() + ": no such point: " + place);
    table.defaults.push_back(points[place]);
  }
  if (table.defaults.empty()) return bad(path.string() + ": no default");
  return table;
}

Result<SpaceTables> read_tables(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".table") paths.push_back(entry.path());
  if (error) return Error(ErrorCode::kNotFound, folder.string() + ": " + error.message());
  std::sort(paths.begin(), paths.end());
  SpaceTables tables;
  for (const auto& path : paths) {
    auto table = read_table(path);
    if (!table && table.error().code() != ErrorCode::kNotFound) return table.error();
    if (!table)
      tables.left_out.push_back(table.error().message());
    else if (!table->complete())
      tables.left_out.push_back(path.string() + ": not complete; `spaces` goes on with it");
    else
      tables.complete.push_back(std::move(table).value());
  }
  return tables;
}

}  // namespace tinytune::bench
