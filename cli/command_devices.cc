#include "cli/commands.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "tinytune/tinytune.h"

namespace tinytune {

int run_devices(const Arguments& arguments, const Context& context) {
  const std::vector<DeviceInfo> devices = list_devices();
  return context.console.result(arguments.json ? to_json(devices) : to_text(devices));
}

}  // namespace tinytune
