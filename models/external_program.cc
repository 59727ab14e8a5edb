// The reference of an external operator: the user's C, built for this machine as a separate
// program, so that its faults end that program and not this one.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "models/external_operator.h"

namespace tinytune {
namespace {

constexpr std::chrono::milliseconds kPatience{60'000};

// Returns C of a program that reads all inputs in order from one file and writes all outputs in
// order to another.
std::string program_text(const ExternalOp& op) {
  std::string arrays, reads, writes, from, to;
  const auto buffer = [&](const char* name, size_t i, int64_t bytes) {
    arrays += fmt::format("static _Alignas(16) unsigned char {}{}[{}];\n", name, i,
                          std::max<int64_t>(bytes, 1));
    return fmt::format("{}{}", name, i);
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const int64_t bytes = op.inputs[i].bytes;
    const std::string name = buffer("in", i, bytes);
    from += op.inputs[i].is_absent ? "0, " : name + ", ";
    reads += fmt::format("  if (fread({}, 1, {}u, file) != {}u) return 3;\n", name, bytes, bytes);
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const int64_t bytes = op.outputs[i].bytes;
    const std::string name = buffer("out", i, bytes);
    to += name + ", ";
    writes += fmt::format("  if (fwrite({}, 1, {}u, file) != {}u) return 4;\n", name, bytes, bytes);
  }
  return fmt::format(
      "#include <stdio.h>\n#include \"{0}.h\"\n{1}{2}"
      "int main(int argc, char **argv) {{\n"
      "  FILE *file = argc == 3 ? fopen(argv[1], \"rb\") : NULL;\n  if (file == NULL) return 2;\n"
      "{3}  fclose(file);\n"
      "  const void *const from[] = {{{4}}};\n  void *const to[] = {{{5}}};\n"
      "  {0}(&tinytune_op, from, to);\n"
      "  file = fopen(argv[2], \"wb\");\n  if (file == NULL) return 2;\n"
      "{6}  return fclose(file) == 0 ? 0 : 4;\n}}\n",
      op.function, arrays, describe_in_c(op), reads, from, to, writes);
}

Error failed(const ExternalFunction& function, const std::string& why) {
  return Error(ErrorCode::kFailed, fmt::format("{}.c on this machine: {}", function.name, why));
}

}  // namespace

Status run_external(const ExternalFunction& function, const ExternalOp& op,
                    std::span<const std::span<const uint8_t>> inputs,
                    std::span<const std::span<uint8_t>> outputs) {
  if (!function.source) {
    for (const std::span<uint8_t> output : outputs) std::fill(output.begin(), output.end(), 0);
    return ok_status();
  }
  TT_TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::create("external"));
  const auto file = [&](const std::string& name) { return directory.file(name); };
  const std::string source = file(function.name + ".c");
  TT_TRY(write_file(file(kExternalHeader), external_header()));
  TT_TRY(write_file(file(function.name + ".h"), function.header));
  TT_TRY(write_file(source, *function.source));
  TT_TRY(write_file(file("a-program.c"), program_text(op)));  // no function's name has a dash
  std::string bytes;
  for (const std::span<const uint8_t> input : inputs) bytes += text_of(input);
  TT_TRY(write_file(file("in"), bytes));
  TT_TRY_ASSIGN(const ProcessResult built,
                run_process({"cc", "-std=c11", "-O1", "-ffp-contract=off", "-o", file("a-program"),
                             file("a-program.c"), source, "-lm"},
                            kPatience));
  if (built.exit_code != 0) return failed(function, built.err.substr(0, built.err.find('\n')));
  TT_TRY_ASSIGN(const ProcessResult ran,
                run_process({file("a-program"), file("in"), file("out")}, kPatience));
  if (ran.exit_code != 0) return failed(function, fmt::format("it ends with {}", ran.exit_code));
  TT_TRY_ASSIGN(const std::vector<uint8_t> result, read_file(file("out")));
  size_t at = 0;
  for (const std::span<uint8_t> output : outputs) {
    if (result.size() - at < output.size()) return failed(function, "it left too few bytes");
    std::copy_n(result.begin() + static_cast<ptrdiff_t>(at), output.size(), output.begin());
    at += output.size();
  }
  return ok_status();
}

}  // namespace tinytune
