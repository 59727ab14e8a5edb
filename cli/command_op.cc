// tune op: one operator, tuned and written as a kernel.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/constants_file.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "cli/tuning_options.h"
#include "cli/units.h"
#include "rpc_device/boards/open_board.h"
#include "tinytune/kernel.h"
#include "tinytune/layer.h"

namespace tinytune {
namespace {

using namespace options;

struct OpArguments : Arguments {
  std::string workload;                  ///< description of the layer
  std::optional<std::string> constants;  ///< path of a JSON file
  std::vector<std::string> emit;         ///< files; the extension decides the contents
  std::string symbol = "kernel";
  bool apply = false;  ///< use the log's best schedule without tuning
};

namespace fs = std::filesystem;

/// Returns the contents of a file by its extension; kInvalidInput: an unknown one.
Result<std::string> contents_for(const std::string& path, const TunedKernel& kernel) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".S" || extension == ".s") return kernel.assembly;
  if (extension == ".o") return std::string(text_of(kernel.object));
  if (extension == ".ll") return kernel.llvm_ir;
  if (extension == ".h") return kernel.header;
  if (extension == ".c") return kernel.source;
  return Error(ErrorCode::kInvalidInput,
               path + ": --emit takes files that end in .S, .o, .ll, .h or .c");
}

std::string records_of(const OpArguments& arguments) {
  return arguments.records.value_or(
      "ops." + fs::path(device_part(arguments.device)).stem().string() + ".jsonl");
}

/// Returns the path of the emitted .h file relative to the emitted .c file, which includes it;
/// empty unless both are emitted.
std::string header_for(const std::vector<std::string>& emit) {
  const auto named = [&](const char* extension) {
    const auto file = std::find_if(emit.begin(), emit.end(), [&](const std::string& path) {
      return fs::path(path).extension() == extension;
    });
    return file == emit.end() ? fs::path() : fs::path(*file);
  };
  const fs::path source = named(".c"), header = named(".h");
  if (source.empty() || header.empty()) return {};
  return fs::absolute(header)
      .lexically_relative(fs::absolute(source).parent_path())
      .generic_string();
}

/// Results to print at the end.
struct Done {
  TunedKernel kernel;
  std::optional<TuneReport> tuned;
};

Result<Done> tune_and_compile(const OpArguments& arguments, const Context& context) {
  for (const std::string& path : arguments.emit) TT_TRY(contents_for(path, {}));
  LayerOptions of_layer;
  if (arguments.constants) {
    TT_TRY_ASSIGN(of_layer.constants, read_constants(*arguments.constants));
  }
  TT_TRY_ASSIGN(const Layer layer, Layer::describe(arguments.workload, of_layer));
  Done done;
  if (!arguments.apply) {
    ProgressLine line;
    TuneOptions options = tuning_options(arguments, context, line);
    options.records = records_of(arguments);
    auto report = tune_workload(layer, arguments.device, options);
    line.finish();
    if (!report) return report.error();
    done.tuned = std::move(report).value();
  }
  KernelOptions options;
  const bool has_log = !arguments.apply || arguments.records || fs::exists(records_of(arguments));
  if (has_log) options.records = records_of(arguments);
  options.symbol = arguments.symbol;
  options.header = header_for(arguments.emit);
  options.on_message = [&](MessageKind kind, const std::string& text) {
    // After tuning, its messages would repeat those of tuning.
    if (arguments.apply) context.console.message(kind, text);
  };
  TT_TRY_ASSIGN(done.kernel, compile_workload(layer, arguments.device, options));
  for (const std::string& path : arguments.emit) {
    TT_TRY_ASSIGN(const std::string contents, contents_for(path, done.kernel));
    TT_TRY(write_file(path, contents));
  }
  return done;
}

std::string to_text(const Done& done, const OpArguments& arguments) {
  const TunedKernel& kernel = done.kernel;
  std::string text = kernel.workload + "\n" + kernel.schedule +
                     (kernel.tuned ? "\n" : "   (the default: nothing of it in the log)\n");
  if (kernel.cycles)
    text += fmt::format("{} cycles, {}", grouped(*kernel.cycles),
                        *kernel.instructions > 0 ? grouped(*kernel.instructions) + " instructions"
                                                 : "instructions not counted");
  if (kernel.cycles && done.tuned && done.tuned->default_cycles)
    text += fmt::format("; default {}, {}", grouped(*done.tuned->default_cycles),
                        speedup_text(done.tuned->default_cycles, kernel.cycles));
  if (kernel.cycles) text += "\n";
  text += fmt::format("constants {} bytes, scratch {} bytes\n{};\n", grouped(kernel.constant_bytes),
                      grouped(kernel.scratch_bytes), kernel.prototype);
  for (const std::string& path : arguments.emit) text += "wrote " + path + "\n";
  return text;
}

std::string to_json(const Done& done, const OpArguments& arguments) {
  const TunedKernel& kernel = done.kernel;
  const auto or_null = [](const std::optional<uint64_t>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  const auto counted = [&](const std::optional<uint64_t>& value) {  // 0 on boards: not counted
    return or_null(value && *value > 0 ? value : std::nullopt);
  };
  auto constants = nlohmann::ordered_json::array();
  for (const PackedArray& array : kernel.constants)
    constants.push_back(
        {{"name", array.name}, {"type", array.c_type}, {"bytes", array.bytes.size()}});
  const nlohmann::ordered_json json = {
      {"workload", kernel.workload},
      {"schedule", kernel.schedule},
      {"tuned", kernel.tuned},
      {"cycles", or_null(kernel.cycles)},
      {"instructions", counted(kernel.instructions)},
      {"default_cycles", done.tuned ? or_null(done.tuned->default_cycles) : or_null({})},
      {"measured", done.tuned ? done.tuned->measured : 0},
      {"symbol", kernel.symbol},
      {"prototype", kernel.prototype},
      {"constants", std::move(constants)},
      {"input_bytes", kernel.input_bytes},
      {"output_bytes", kernel.output_bytes},
      {"scratch_bytes", kernel.scratch_bytes},
      {"records", records_of(arguments)},
      {"files", arguments.emit}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

int run_op(const OpArguments& arguments, const Context& context) {
  const Result<Done> done = tune_and_compile(arguments, context);
  if (!done && done.error().code() == ErrorCode::kInterrupted)
    return context.console.fail(kExitInterrupted,
                                done.error().message() + "; to go on: " + context.line);
  if (!done) return context.console.fail(done.error());
  return context.console.result(arguments.json ? to_json(*done, arguments)
                                               : to_text(*done, arguments));
}

}  // namespace

Command op_command() {
  return {
      .name = "op",
      .summary = "Tune one operator and write its kernel",
      .options =
          all_of({{{.names = "WORKLOAD",
                    .field = own(&OpArguments::workload),
                    .help = "Description of an operator, or a workload of `tune inspect`",
                    .required = true},
                   device(),
                   records("Log to continue or create", "ops.DEVICE.jsonl"),
                   {.names = "--constants",
                    .field = own(&OpArguments::constants),
                    .value = "FILE",
                    .help = "Constants as JSON: weights, bias, multiplier, shift",
                    .otherwise = "generated from the seed 1"},
                   {.names = "--emit",
                    .field = own(&OpArguments::emit),
                    .value = "FILE",
                    .help = "Write k.S, k.o, k.ll (LLVM IR), k.h (prototype) or k.c (constants, "
                            "and a function that passes them); may be repeated",
                    .otherwise = "none"},
                   {.names = "--symbol",
                    .field = own(&OpArguments::symbol),
                    .value = "NAME",
                    .help = "Name of the kernel in C",
                    .otherwise = "kernel"},
                   {.names = "--apply",
                    .field = own(&OpArguments::apply),
                    .help = "Take the log's best, or the default; tune nothing"}},
                  searching(),
                  {arena(), workers(), board_patience(), json(), quiet()}}),
      .examples =
          "A description: operator, window, channels, size, then strides, padding and more:\n"
          "  conv2d 3x3 16->32 in24x24 s2 same relu      depthwise 3x3 64->64 @25x5\n"
          "  dense 256->10 zp-128,5                      conv2d 5x5 8->8 in32x32 p2,2 g2\n"
          "Facts of constants that are not at hand: lane2 fused (see include/tinytune/layer.h).\n"
          "\n"
          "Examples:\n"
          "  tune op \"conv2d 1x1 64->64 @25x5\" --device esp32c3 --emit kernel.S\n"
          "  tune op \"dense 640->128\" --device cortex-m4 --emit kernel.o --emit kernel.h\n"
          "  tune op \"dense 640->128\" --device cortex-m4 --apply --emit kernel.ll",
      .does = does<run_op>(),
      .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
