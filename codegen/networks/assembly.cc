#include "codegen/networks/assembly.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace tinytune {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
}

// Whether a directive applies to the whole file: the compiler's command line decides it.
bool is_dropped(const std::string& line) {
  static constexpr std::array<std::string_view, 9> kDropped = {
      ".file",  ".attribute", ".eabi_attribute",
      ".cpu",   ".fpu",       ".arch",
      ".ident", ".addrsig",   ".section\t\".note.GNU-stack\""};
  const std::string_view text = std::string_view(line).substr(line.find_first_not_of(" \t"));
  return std::any_of(kDropped.begin(), kDropped.end(), [&](std::string_view directive) {
    return text.substr(0, directive.size()) == directive &&
           (text.size() == directive.size() || !is_word(text[directive.size()]));
  });
}

// Directives that enable vector instructions. Compilers emit none, as they use no vectors
// themselves, so they are added here. A kernel with Helium is recognised by a .cpu directive inside
// its function: LLVM's assemblers enable vectors by that name and not as an extension, GNU's (2.40)
// the other way round; neither needs it on the command line. A kernel with RVV is recognised by its
// write of the rounding mode: GNU's assemblers take the extensions from the text, LLVM's (14) from
// the command line alone.
struct Vectors {
  CoreFamily family;
  std::string_view written_by;  ///< how a line of such a kernel begins
  VectorDirectives directives;
};
constexpr Vectors kVectors[] = {
    {CoreFamily::kArmM,
     "\t.cpu\tcortex-m55",
     {"\t.cpu\tcortex-m55\n",
      "\t.arch\tarmv8.1-m.main\n\t.arch_extension\tdsp\n\t.arch_extension\tmve\n"}},
    {CoreFamily::kRiscv32, "\tcsrwi\tvxrm,", {"", "\t.option\tarch, +zicsr, +zve32x\n"}}};

// Returns the directives that a line inside a function requires; empty: none.
VectorDirectives vectors_of(const std::string& line, CoreFamily family) {
  for (const Vectors& vectors : kVectors)
    if (vectors.family == family && line.starts_with(vectors.written_by)) return vectors.directives;
  return {};
}

std::string without_comment(std::string line, CoreFamily family) {
  const char mark = family == CoreFamily::kRiscv32 ? '#' : '@';
  // "@progbits" and "@function" are words of directives; an Arm comment has a blank after its mark.
  for (size_t at = line.find(mark); at != std::string::npos; at = line.find(mark, at + 1))
    if (mark == '#' || at + 1 == line.size() || line[at + 1] == ' ') {
      line.resize(at);
      break;
    }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.pop_back();
  return line;
}

std::string label_of(const std::string& line) {
  size_t end = 0;
  while (end < line.size() && is_word(line[end])) ++end;
  return end > 0 && end < line.size() && line[end] == ':' ? line.substr(0, end) : std::string();
}

std::string renamed(const std::string& line, const std::set<std::string>& labels, int number) {
  std::string out;
  for (size_t i = 0; i < line.size();) {
    size_t end = i;
    while (end < line.size() && is_word(line[end])) ++end;
    if (end == i) {
      out += line[i++];
      continue;
    }
    const std::string word = line.substr(i, end - i);
    out += word;
    if (labels.count(word) == 1) out += "_k" + std::to_string(number);
    i = end;
  }
  return out;
}

}  // namespace

std::string VectorDirectives::text() const {
  if (gnu.empty()) return "";
  const std::string for_gnu(gnu);
  return llvm.empty() ? "#ifndef __clang__\n" + for_gnu + "#endif\n"
                      : "#ifdef __clang__\n" + std::string(llvm) + "#else\n" + for_gnu + "#endif\n";
}

KernelAssembly clean_assembly(const std::string& assembly, const std::string& symbol, int number,
                              CoreFamily family) {
  std::vector<std::string> lines;
  std::set<std::string> labels;
  std::istringstream in(assembly);
  bool inside = false;
  VectorDirectives vectors;
  for (std::string raw; std::getline(in, raw);) {
    std::string line = without_comment(std::move(raw), family);
    if (inside && vectors.gnu.empty()) vectors = vectors_of(line, family);
    if (line.empty() || is_dropped(line)) continue;
    inside |= label_of(line) == symbol;
    if (const std::string label = label_of(line); !label.empty() && label != symbol)
      labels.insert(label);
    lines.push_back(std::move(line));
  }
  // The compiler gives every function a section of its own.
  const std::string section = "\t.section\t.text." + symbol + ",";
  KernelAssembly out;
  out.vectors = vectors;
  for (const std::string& line : lines) {
    const std::string text = renamed(line, labels, number) + "\n";
    out.lines += line[0] == '\t' ? 1 : 0;
    out.calls_helpers |= line.starts_with("\tbl\t") && !labels.contains(line.substr(4));
    if (out.section.empty() && text.starts_with(section))
      out.section = text;
    else
      (out.section.empty() ? out.head : out.rest) += text;
  }
  return out;
}

}  // namespace tinytune
