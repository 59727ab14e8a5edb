#include "codegen/packages/build_id.h"

#include <algorithm>

#include "base/check.h"
#include "base/digest.h"
#include "codegen/operators/c_writer.h"

namespace tinytune {
namespace {

using Symbols = std::vector<std::string>;

/// The first that any layer uses; empty without one.
std::string first_used(const GeneratedNetwork& network, Symbols Uses::*uses) {
  for (const LayerFunction& function : network.functions)
    if (!(function.uses.*uses).empty()) return (function.uses.*uses).front();
  return "";
}

std::string rename(const std::string& symbol, const std::string& id) {
  return symbol.empty() ? "" : "#define " + symbol + " " + symbol + "_build_" + id + "\n";
}

constexpr const char* kWhy = "/* Links with files of the same build only. */\n";

void insert_behind(std::string& text, const std::string& line, const std::string& more) {
  const size_t at = text.find(line);
  TT_CHECK(at != std::string::npos, "no line '" + line + "' in a generated file");
  text.insert(at + line.size(), more);
}

std::string define_id(const std::string& name, const std::string& macro_part,
                      const std::string& id) {
  return "\n/* The build that this belongs to: all files of a package come from one. */\n#define " +
         c_upper(name) + "_" + macro_part + "BUILD_ID 0x" + id + "\n";
}

}  // namespace

std::string build_id(const GeneratedNetwork& network) {
  Digester digester;
  for (const GeneratedFile& file : network.files)
    digester.add(file.name).add(std::string_view(file.contents));
  return to_text(digester.value()).substr(0, 8);
}

std::string build_check(const std::string& name, const std::string& id,
                        const std::string& macro_part) {
  const std::string header = name + (macro_part.empty() ? ".h" : "_internal.h");
  return "\n#if " + c_upper(name) + "_" + macro_part + "BUILD_ID != 0x" + id + "\n#error \"" +
         header + " is of another build than this file: write the whole package again\"\n#endif\n";
}

std::vector<GeneratedFile> with_build_id(const GeneratedNetwork& network) {
  const std::string& name = network.name;
  const std::string id = build_id(network), upper = c_upper(name);
  const std::string array = rename(first_used(network, &Uses::constants), id);
  const std::string kernel = rename(first_used(network, &Uses::kernels), id);
  std::vector<GeneratedFile> files = network.files;
  for (GeneratedFile& file : files) {
    std::string& text = file.contents;
    if (file.name == name + ".h") {
      insert_behind(text, "#define " + upper + "_H\n", define_id(name, "", id));
    } else if (file.name == name + "_internal.h") {
      insert_behind(text, "#define " + upper + "_INTERNAL_H\n", define_id(name, "INTERNAL_", id));
    } else if (file.name == name + ".c") {
      insert_behind(text, "\n", kWhy + array + kernel);
      text += build_check(name, id) + build_check(name, id, "INTERNAL_");
    } else if (file.name == name + "_weights.c") {
      insert_behind(text, "\n", kWhy + array);
      text += build_check(name, id, "INTERNAL_");
    } else if (file.name == name + "_kernels.S") {
      insert_behind(text, "\n", kWhy + kernel);
    } else if (file.name == name + "_kernels.c") {
      insert_behind(text, "\n", kWhy + kernel);
      text += build_check(name, id, "INTERNAL_");
    }
  }
  return files;
}

}  // namespace tinytune
