// Messages of a fleet, checked as either side checks them on arrival, and the tasks in them.
#include <google/protobuf/stubs/logging.h>

#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.pb.h"
#include "tests/fuzz/fuzz.h"

using namespace tinytune;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Protobuf prints a line for every text that is not UTF-8.
  static const auto silenced = google::protobuf::SetLogHandler(nullptr);
  (void)silenced;
  const int bytes = static_cast<int>(size);
  rpc::FromWorker from_worker;
  if (from_worker.ParseFromArray(data, bytes) && check_message(from_worker) &&
      from_worker.has_finished())
    (void)from_message(from_worker.finished());
  rpc::ToWorker to_worker;
  if (to_worker.ParseFromArray(data, bytes)) (void)check_message(to_worker);
  (void)image_from_wire(fuzz::text_of({data, size}));
  return 0;
}
