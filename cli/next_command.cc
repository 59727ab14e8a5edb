#include "cli/next_command.h"

#include "cli/shell_line.h"

namespace tinytune {
namespace {

std::string text_of_bytes(uint64_t bytes) {
  return bytes == kAllFastRam ? std::string("all") : std::to_string(bytes);
}

}  // namespace

std::string next_command(const std::string& program, const std::string& verb,
                         const Arguments& arguments, const std::string& device,
                         const std::optional<std::string>& records,
                         const std::vector<std::string>& more) {
  std::vector<std::string> words = {program, verb, "--model", arguments.model, "--device", device};
  const auto add = [&](const char* name, const std::string& value) {
    words.insert(words.end(), {name, value});
  };
  if (records) add("--records", *records);
  words.insert(words.end(), more.begin(), more.end());
  if (arguments.layout != "nhwc") add("--layout", arguments.layout);
  const std::pair<const char*, std::optional<uint64_t>> limits[] = {
      {"--ram", arguments.ram},
      {"--arena", arguments.arena},
      {"--flash", arguments.flash},
      {"--fast-ram", arguments.fast_ram}};
  for (const auto& [name, bytes] : limits)
    if (bytes) add(name, text_of_bytes(*bytes));
  if (!arguments.stream_input.empty()) add("--stream-input", arguments.stream_input);
  for (const std::string& pass : arguments.disabled_passes) add("--disable-pass", pass);
  for (const std::string& external : arguments.externals) add("--external", external);
  for (const std::string& type : arguments.input_types) add("--input-type", type);
  for (const std::string& state : arguments.states) add("--state", state);
  if (arguments.cores != 1) add("--cores", std::to_string(arguments.cores));
  if (arguments.compress_weights) words.emplace_back("--compress-weights");
  if (!arguments.arrival.empty()) add("--arrive", arguments.arrival);
  if (arguments.portable) words.emplace_back("--portable");
  return shell_line(words);
}

}  // namespace tinytune
