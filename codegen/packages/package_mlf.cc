// TVM's Model Library Format, version 5, as its documentation describes it, as far as a library
// without TVM's runtime can follow it.
//
// Weights are linked in, so the parameter file is an empty list. The export time is a constant:
// same inputs, same bytes.
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "codegen/packages/package_parts.h"

namespace tinytune {
namespace {

using Json = nlohmann::json;

constexpr int kFormatVersion = 5;
constexpr int kCpu = 1;  // DLPack's kDLCPU, TVM's device type for microcontrollers
constexpr size_t kBlock = 512;

std::string workspace(uint32_t bytes, const std::string& more) {
  return "{\"device\": " + std::to_string(kCpu) +
         ", \"workspace_size_bytes\": " + std::to_string(bytes) + more + "}";
}

std::string metadata(const PackageParts& parts) {
  const GeneratedNetwork& network = parts.network;
  int64_t ports = 0;
  for (const auto* list : {&network.inputs, &network.outputs})
    for (const Port& port : *list) ports += port.tensor.bytes();
  std::string functions;
  for (const LayerFunction& f : parts.network.functions)
    functions += (functions.empty() ? "\n" : ",\n") + std::string("      {\"function_name\": \"") +
                 f.symbol + "\", \"workspace\": [" + workspace(0, "") + "]}";
  return "{\n  \"executors\": [\"aot\"],\n  \"export_datetime\": \"1970-01-01 00:00:00Z\",\n"
         "  \"memory\": {\n    \"main\": [" +
         workspace(network.arena_bytes,
                   ", \"constants_size_bytes\": " + std::to_string(network.constant_bytes) +
                       ", \"io_size_bytes\": " + std::to_string(ports)) +
         "],\n    \"operator_functions\": [" + functions + "\n    ]\n  },\n  \"model_name\": \"" +
         parts.network.name + "\",\n  \"style\": \"full-model\",\n  \"target\": {\"" +
         std::to_string(kCpu) + "\": " +
         Json("c -keys=cpu -mcpu=" + parts.device.target.cpu)
             .dump(-1, ' ', true, Json::error_handler_t::replace) +
         "},\n  \"version\": " + std::to_string(kFormatVersion) + "\n}\n";
}

// TVM's list of arrays: magic, a reserved word, no names, no arrays; 64 bits each.
std::string no_parameters() {
  uint64_t magic = 0xF7E58D4F05049CB7;
  std::string bytes;
  for (int i = 0; i < 8; ++i, magic >>= 8) bytes += static_cast<char>(magic & 0xff);
  return bytes + std::string(24, '\0');
}

std::string octal(uint64_t value, size_t digits) {
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0; value >>= 3) text[i] = static_cast<char>('0' + (value & 7));
  return text;
}

// A ustar header: owner, group and time are 0.
std::string tar_header(const std::string& name, size_t bytes) {
  std::string block(kBlock, '\0');
  std::string path = name, prefix;
  if (path.size() > 100) {
    const size_t slash = path.rfind('/');
    TT_CHECK(slash != std::string::npos && slash <= 155, "no place for a path this long in a tar");
    prefix = path.substr(0, slash);
    path = path.substr(slash + 1);
    TT_CHECK(path.size() <= 100, "no place for a name this long in a tar");
  }
  const auto put = [&](size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  put(0, path);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(bytes, 11));
  put(136, octal(0, 11));
  put(148, "        ");  // the checksum counts itself as blanks
  put(156, "0");
  put(257, std::string("ustar\0"
                       "00",
                       8));
  put(345, prefix);
  uint64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  return block;
}

}  // namespace

Files arrange_mlf(const PackageParts& parts, Files files) {
  for (GeneratedFile& file : files) {
    if (file.role == FileRole::kTest || file.role == FileRole::kBench) continue;
    file.name = std::string("codegen/host/") +
                (file.role == FileRole::kHeader ? "include/" : "src/") + file.name;
  }
  std::string layers;
  for (const LayerFunction& f : parts.network.functions)
    layers += f.symbol + ": " + f.comment + "\n";
  files.push_back({"metadata.json", metadata(parts)});
  files.push_back({"parameters/" + parts.network.name + ".params", no_parameters()});
  files.push_back({"src/layers.txt", layers});
  return files;
}

std::string make_tar(const Files& files) {
  std::string tar;
  for (const GeneratedFile& file : files) {
    tar += tar_header(file.name, file.contents.size()) + file.contents;
    tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
  }
  return tar + std::string(2 * kBlock, '\0');
}

}  // namespace tinytune
