#include "tinytune/tinytune.h"
#include "tuner/commands.h"
#include "tuner/report_json.h"
#include "tuner/report_text.h"

namespace tinytune {

int run_devices(const Console& console) {
  const std::vector<DeviceInfo> devices = list_devices();
  console.result(console.json() ? to_json(devices) : to_text(devices));
  return 0;
}

}  // namespace tinytune
