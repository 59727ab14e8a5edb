#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/next_command.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/shared_options.h"
#include "cli/units.h"
#include "codegen/packages/package.h"
#include "deploy/selection/layouts.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

using namespace options;

struct CompileArguments : Arguments {
  bool share_arena = false;
  std::string directory;
  std::string format = "cmake";
  std::string package_version = "1.0.0", package_url, package_licence;
  bool require_tuned = false;
  bool bench = false;  ///< add a program that prints cycles by layer
};

/// Checks that values contain no special characters of the manifests' formats: YAML, JSON and
/// properties.
Status check_identity(const PackageIdentity& identity) {
  const auto has_only = [](const std::string& text, const std::string& more) {
    return std::ranges::all_of(text, [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || more.find(c) != std::string::npos;
    });
  };
  const auto refused = [](const std::string& option, const std::string& takes) {
    return Error(ErrorCode::kInvalidInput, option + " takes " + takes);
  };
  const std::string& version = identity.version;
  if (std::ranges::count(version, '.') != 2 ||
      version.find_first_not_of("0123456789.") < version.size() || version.front() == '.' ||
      version.back() == '.' || version.find("..") < version.size())
    return refused("--package-version", "three numbers: 1.0.0");
  const bool is_web = identity.url.starts_with("https://") || identity.url.starts_with("http://");
  if (!identity.url.empty() && (!is_web || !has_only(identity.url, ":/.-_~?&=%+@#")))
    return refused("--package-url", "an address: https://example.com/kws");
  if (!has_only(identity.licence, ".-+() "))
    return refused("--package-licence", "an SPDX expression: Apache-2.0");
  return ok_status();
}

Result<CompileOptions> options_of(const CompileArguments& arguments, const Console& console) {
  CompileOptions options;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  options.identity = {arguments.package_version, arguments.package_url, arguments.package_licence};
  TT_TRY(check_identity(options.identity));
  options.records = arguments.records;
  options.format = parse_package_format(arguments.format).value_or(PackageFormat::kCmake);
  options.limits = arguments.limits();
  options.input = arguments.input();
  options.require_tuned = arguments.require_tuned;
  options.portable = arguments.portable;
  options.cores = arguments.core_count();
  options.compress_weights = arguments.compress_weights;
  options.arrival = arguments.arrival;
  options.bench = arguments.bench;
  options.on_message = console.sink();
  return options;
}

Result<CompileReport> compile(const CompileArguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const CompileOptions options, options_of(arguments, console));
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  return compile_model(model, arguments.device, arguments.directory, options);
}

Result<SharedArenaReport> compile_shared(const CompileArguments& arguments,
                                         const Console& console) {
  std::vector<Model> models;
  std::vector<std::string> files = {arguments.model};
  files.insert(files.end(), arguments.more_models.begin(), arguments.more_models.end());
  for (const std::string& file : files) {
    TT_TRY_ASSIGN(Model model, Model::load(file, arguments.loading()));
    models.push_back(std::move(model));
  }
  TT_TRY_ASSIGN(const CompileOptions options, options_of(arguments, console));
  return compile_models(models, arguments.device, arguments.directory, options);
}

std::string files_of(const CompileReport& report) {
  return fmt::format("{}: {} files, {} of {} layers tuned", report.directory, report.files.size(),
                     report.layers_tuned, report.layers_tunable);
}

std::string exactness_of(const CompileReport& report) {
  if (!report.exact) return "";
  return *report.exact ? "exact: one inference, every byte as the reference's\n"
                       : "NOT exact: `tune run --verify` says where\n";
}

int run_compile_shared(const CompileArguments& arguments, const Context& context) {
  const Result<SharedArenaReport> report = compile_shared(arguments, context.console);
  if (!report) return context.console.fail(report.error());
  bool exact = true;
  std::string text;
  for (const CompileReport& network : report->networks) {
    exact = exact && network.exact.value_or(true);
    text += files_of(network) + "\n" + exactness_of(network);
  }
  text += fmt::format("one arena of {} bytes for {} networks, one after another; apart {}",
                      grouped(report->arena_bytes), report->networks.size(),
                      grouped(report->apart_bytes));
  if (report->state_bytes > 0)
    text += fmt::format("; the first {} hold state", grouped(report->state_bytes));
  text += "\n";
  if (report->footprint) text += to_text(*report->footprint, report->networks.front().clock_hz);
  const int told = context.console.result(arguments.json ? to_json(*report) : text);
  return exact ? told : kExitFailed;
}

int run_compile(const CompileArguments& arguments, const Context& context) {
  if (arguments.share_arena) return run_compile_shared(arguments, context);
  if (!arguments.more_models.empty())
    return context.console.fail(
        kExitWrongInput, "several models need --share-arena: one arena that they use in turn");
  const Result<CompileReport> report = compile(arguments, context.console);
  if (!report) return context.console.fail(report.error());
  if (arguments.json) return context.console.result(to_json(*report));
  std::string text = files_of(*report) + ", arena " +
                     arena_text(report->arena_bytes, report->arena_lower_bound) + "\n";
  if (report->footprint) text += to_text(*report->footprint, report->clock_hz);
  text += exactness_of(*report);
  if (report->footprint)  // otherwise this machine cannot run it
    text += "next: " + next_command(context.program, "run", arguments, arguments.device,
                                    arguments.records, {"--verify"});
  const int told = context.console.result(text);
  return report->exact.value_or(true) ? told : kExitFailed;
}

}  // namespace

Command compile_command() {
  return {
      .name = "compile",
      .summary = "Write the network as a C library",
      .options = all_of({{models(), device(), log(), layout_of_activations()},
                         memory_limits(),
                         {{.names = "--share-arena",
                           .field = own(&CompileArguments::share_arena),
                           .help = "Plan several models (--model repeated), which run one "
                                   "after another, into one arena"},
                          stream_input()},
                         loading(),
                         {{.names = "-o,--output",
                           .field = own(&CompileArguments::directory),
                           .value = "DIR",
                           .help = "Directory to write",
                           .required = true},
                          choice("--format", own(&CompileArguments::format),
                                 {"cmake", "esp-idf", "zephyr", "arduino", "mlf", "platformio",
                                  "pico-sdk", "stm32cube"},
                                 "Build system or kit of the package", "cmake"),
                          {.names = "--package-version",
                           .field = own(&CompileArguments::package_version),
                           .value = "N.N.N",
                           .help = "Version in the package's manifest",
                           .otherwise = "1.0.0"},
                          {.names = "--package-url",
                           .field = own(&CompileArguments::package_url),
                           .value = "URL",
                           .help = "Address in the package's manifest, which registries ask for",
                           .otherwise = "none"},
                          {.names = "--package-licence",
                           .field = own(&CompileArguments::package_licence),
                           .value = "SPDX",
                           .help = "Licence in the package's manifest: an SPDX expression",
                           .otherwise = "none"},
                          {.names = "--require-tuned",
                           .field = own(&CompileArguments::require_tuned),
                           .help = "Fail if a layer has no usable record"},
                          {.names = "--bench",
                           .field = own(&CompileArguments::bench),
                           .help = "Add a program that prints cycles by layer on the chip"}},
                         generating(),
                         {json()}}),
      .examples =
          "Examples:\n"
          "  tune compile --model kws.tflite --device esp32c3 --records "
          "kws.esp32c3.jsonl -o kws/\n"
          "  tune compile --model kws.tflite --model ad.tflite --share-arena "
          "--device esp32c3 -o both/",
      .does = does<run_compile>()};
}

}  // namespace tinytune
