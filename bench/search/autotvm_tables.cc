#include "bench/search/autotvm_tables.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/check.h"
#include "templates/nest_builder.h"

namespace tinytune::bench {
namespace {

using Cells = std::vector<std::string>;

Cells split(const std::string& line) {
  Cells cells(1);
  for (char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

Result<std::vector<Cells>> read_gzip(const std::filesystem::path& path) {
  const gzFile file = ::gzopen(path.c_str(), "rb");
  if (file == nullptr) return Error(ErrorCode::kNotFound, path.string());
  std::string text;
  char buffer[8192];
  for (int n = 0; (n = ::gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  ::gzclose(file);
  std::vector<Cells> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(split(line));
  if (rows.size() < 2) return Error(ErrorCode::kInvalidInput, path.string() + ": no table");
  return rows;
}

// Returns the tile size: AutoTVM's "-1x8" is a tile of 8.
std::string spelled(const std::string& value) {
  const size_t x = value.find('x');
  return x == std::string::npos ? value : value.substr(x + 1);
}

// Parses a number; True and False are 1 and 0.
int number(const std::string& value) {
  if (value == "True") return 1;
  if (value == "False") return 0;
  return std::stoi(value);
}

// Both tasks of keyword spotting give 64 channels of 25 by 5; a blocked layout [C/b][H][W][b].
constexpr int64_t kC = 64, kH = 25, kW = 5;

constexpr NestBuilder::Kind kSerial = NestBuilder::kSerial, kUnrolled = NestBuilder::kUnrolled,
                            kReduces = NestBuilder::kReduces,
                            kReducesUnrolled = NestBuilder::kReducesUnrolled;

// Rounds up: a tile that does not divide its loop takes guarded steps beyond the end.
int64_t tiles(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

/// AutoTVM's kernels end in sums: four bytes per output, and no constants per channel.
LoopNest nest_of_sums(NestBuilder& builder, const Schedule& schedule) {
  LoopNest nest = builder.finish(schedule);
  nest.accesses.pop_back();
  nest.accesses.back().element_bytes = 4;
  nest.outputs = kC * kH * kW;
  return nest;
}

LoopNest pointwise_blocked(const Schedule& s) {
  const int64_t ic = number(s.get("tile_ic")), oc = number(s.get("tile_oc"));
  const int64_t ow = number(s.get("tile_ow")), oh = number(s.get("tile_oh"));
  NestBuilder b(1, 1, 0);
  b.loop("oc_chunk", kC / oc, {.weights = kC * oc, .output = 4 * kH * kW * oc});
  b.loop("oh_outer", tiles(kH, oh), {.input = oh * kW * ic, .output = 4 * oh * kW * oc});
  b.loop("ow_outer", tiles(kW, ow), {.input = ow * ic, .output = 4 * ow * oc});
  b.loop("ic_chunk", kC / ic, {.input = kH * kW * ic, .weights = ic * oc}, kReduces);
  b.loop("ic", ic, {.input = 1, .weights = oc}, kReduces);
  b.loop("oh", oh, {.input = kW * ic, .output = 4 * kW * oc}, kUnrolled);
  b.loop("ow", ow, {.input = ic, .output = 4 * oc}, kUnrolled);
  b.loop("oc", oc, {.weights = 1, .output = 4}, kUnrolled);
  LoopNest nest = nest_of_sums(b, s);
  nest.macs = kC * kC * kH * kW;
  nest.accumulators = static_cast<int>(oh * ow * oc);
  nest.unrolled_body = oh * ow * oc;
  return nest;
}

LoopNest depthwise_blocked(const Schedule& s) {
  const int64_t ic = number(s.get("tile_ic")), oc = number(s.get("tile_oc"));
  const int64_t ow = number(s.get("tile_ow"));
  const bool unrolled = number(s.get("unroll_kw")) == 1;
  NestBuilder b(1, 1, 0);
  b.loop("oc_chunk", kC / oc,
         {.input = (kH + 2) * (kW + 2) * oc, .weights = 9 * oc, .output = 4 * kH * kW * oc});
  b.loop("oh", kH, {.input = (kW + 2) * ic, .output = 4 * kW * oc});
  b.loop("ow_outer", tiles(kW, ow), {.input = ow * ic, .output = 4 * ow * oc});
  b.loop("kh", 3, {.input = (kW + 2) * ic, .weights = 3 * oc}, kReduces);
  b.loop("kw", 3, {.input = ic, .weights = oc}, unrolled ? kReducesUnrolled : kReduces);
  b.loop("ow", ow, {.input = ic, .output = 4 * oc}, kUnrolled);
  b.loop("oc", oc, {.input = 1, .weights = 1, .output = 4}, kUnrolled);
  LoopNest nest = nest_of_sums(b, s);
  nest.macs = 9 * kC * kH * kW;
  nest.accumulators = static_cast<int>(ow * oc);
  nest.unrolled_body = ow * oc * (unrolled ? 3 : 1);
  nest.prologue_bytes = kC * (kH + 2) * (kW + 2);
  nest.switches = {{"input_is_repacked", ic == oc ? 0.0 : 1.0}};
  return nest;
}

LoopNest depthwise_plain(const Schedule& s) {
  const int64_t c = number(s.get("tile_c")), h = number(s.get("tile_h"));
  const int64_t w = number(s.get("tile_w"));
  const bool unrolled = number(s.get("unroll_tile")) == 1;
  const NestBuilder::Kind kind = unrolled ? kUnrolled : kSerial;
  const NestBuilder::Kind window = unrolled ? kReducesUnrolled : kReduces;
  NestBuilder b(1, 1, 0);
  b.loop("h_outer", tiles(kH, h), {.input = h * (kW + 2) * kC, .output = 4 * h * kW * kC});
  b.loop("w_outer", tiles(kW, w), {.input = w * kC, .output = 4 * w * kC});
  b.loop("c_outer", kC / c, {.input = c, .weights = c, .output = 4 * c});
  b.loop("h", h, {.input = (kW + 2) * kC, .output = 4 * kW * kC}, kind);
  b.loop("w", w, {.input = kC, .output = 4 * kC}, kind);
  b.loop("kh", 3, {.input = (kW + 2) * kC, .weights = 3 * kC}, window);
  b.loop("kw", 3, {.input = kC, .weights = kC}, window);
  b.loop("c", c, {.input = 1, .weights = 1, .output = 4}, kUnrolled);
  LoopNest nest = nest_of_sums(b, s);
  nest.macs = 9 * kC * kH * kW;
  nest.accumulators = static_cast<int>(c);
  nest.unrolled_body = h * w * c * (unrolled ? 9 : 1);
  const int pad = number(s.get("data_pad_strategy"));
  nest.prologue_bytes = pad == 1 ? kC * (kH + 2) * (kW + 2) : 0;
  nest.switches = {{"locate_output", 1.0 * number(s.get("locate_output"))}, {"pad", 1.0 * pad}};
  return nest;
}

Result<Table> read_table(const std::filesystem::path& path, const std::string& name) {
  TT_TRY_ASSIGN(const std::vector<Cells> rows, read_gzip(path));
  // index, knobs…, instructions, error
  const size_t knobs = rows[0].size() - 3;
  ConfigSpace::Family family{"autotvm", 1, {}};
  std::map<std::string, double> instructions;
  for (size_t k = 1; k <= knobs; ++k) family.knobs.push_back({rows[0][k], {}});
  for (size_t r = 1; r < rows.size(); ++r) {
    std::string key;
    for (size_t k = 1; k <= knobs; ++k) {
      std::vector<std::string>& values = family.knobs[k - 1].values;
      const std::string value = spelled(rows[r][k]);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      key += " " + rows[0][k] + "=" + value;
    }
    instructions["autotvm/1" + key] = std::stod(rows[r][knobs + 1]);
  }
  for (Knob& knob : family.knobs)
    std::sort(knob.values.begin(), knob.values.end(),
              [](const std::string& a, const std::string& b) { return number(a) < number(b); });

  Table table;
  landscapes::Landscape& landscape = table.landscape;
  landscape.name = name;
  landscape.space.add(std::move(family),
                      [&](const Schedule& s) { return instructions.count(to_text(s)) == 1; });
  auto* const describe = name.starts_with("pw")           ? &pointwise_blocked
                         : name.starts_with("dw_dw_nhwc") ? &depthwise_plain
                                                          : &depthwise_blocked;
  landscape.describe = [space = landscape.space, describe](size_t p) {
    return describe(space.schedule(p));
  };
  landscape.optimum = 1e300;
  for (size_t p = 0; p < landscape.space.size(); ++p) {
    const double cycles = instructions.at(to_text(landscape.space.schedule(p)));
    landscape.outcomes.push_back(landscapes::ran(p, cycles));
    landscape.optimum = std::min(landscape.optimum, cycles);
  }
  return table;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// Rows of replay.csv: task,template,tuner,seed,trials_to_5pct,trials_to_2pct,…; ">392" is "never".
std::optional<Published> published(const std::vector<Cells>& rows, const std::string& table,
                                   const std::string& tuner) {
  std::vector<double> five, two;
  const auto trials = [](const std::string& cell) {
    return cell[0] == '>' ? std::stod(cell.substr(1)) + 1 : std::stod(cell);
  };
  for (const Cells& row : rows) {
    if (row.size() < 6 || row[0] + "_" + row[1] != table || row[2] != tuner) continue;
    five.push_back(trials(row[4]));
    two.push_back(trials(row[5]));
  }
  if (two.empty()) return std::nullopt;
  return Published{median(five), median(two)};
}

}  // namespace

Result<std::vector<Table>> read_autotvm_tables(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    return Error(ErrorCode::kNotFound, directory.string());
  std::vector<Cells> replay;
  std::ifstream file(directory / "replay.csv");
  for (std::string line; std::getline(file, line);) replay.push_back(split(line));

  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().starts_with("table_")) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Table> tables;
  for (const auto& path : paths) {
    std::string name = path.filename().string().substr(6);
    name.resize(name.size() - std::string(".csv.gz").size());
    TT_TRY_ASSIGN(Table table, read_table(path, name));
    table.xgb = published(replay, name, "xgb");
    table.random = published(replay, name, "random");
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace tinytune::bench
