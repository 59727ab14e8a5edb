#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "rpc_device/boards/scan.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

using namespace options;

struct DevicesArguments : Arguments {
  bool scan = false;  ///< list places instead of devices
};

std::string to_text(const std::vector<FoundPlace>& places) {
  if (places.empty()) return "No USB serial port, and no GDB server on a usual port.\n";
  Table table({"behind DEVICE", "what"});
  for (const FoundPlace& place : places) table.add({place.place, place.what});
  return table.text();
}

std::string to_json(const std::vector<FoundPlace>& places) {
  auto all = nlohmann::ordered_json::array();
  for (const FoundPlace& place : places)
    all.push_back({{"place", place.place}, {"what", place.what}});
  return nlohmann::ordered_json{{"places", std::move(all)}}.dump(
      2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

int run_devices(const DevicesArguments& arguments, const Context& context) {
  if (arguments.scan) {
    const std::vector<FoundPlace> places = scan_for_boards();
    return context.console.result(arguments.json ? to_json(places) : to_text(places));
  }
  const std::vector<DeviceInfo> devices = list_devices();
  return context.console.result(arguments.json ? to_json(devices) : to_text(devices));
}

}  // namespace

Command devices_command() {
  return {.name = "devices",
          .summary = "List the known devices, or what is plugged in",
          .options = {{.names = "--scan",
                       .field = own(&DevicesArguments::scan),
                       .help = "List serial ports and GDB servers of this machine; opens none"},
                      json()},
          .examples =
              "Examples:\n"
              "  tune devices --json\n"
              "  tune devices --scan      # then: tune doctor --device esp32c3@serial:/dev/...",
          .does = does<run_devices>(),
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
