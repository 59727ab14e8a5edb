// Input from a GDB server: packets, and the documents that they carry.
#include "rpc_device/boards/gdb/description.h"
#include "rpc_device/boards/gdb/packet.h"
#include "tests/fuzz/fuzz.h"

using namespace tinytune;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of({data, size}));
  (void)gdb::parse_memory_map(text);
  (void)gdb::read_registers([&](const std::string&) { return Result<std::string>(text); });
  gdb::PacketReader reader;
  reader.feed({data, size});
  while (const auto event = reader.next()) {
    if (event->kind != gdb::Event::Kind::kPacket) continue;
    (void)gdb::from_hex(event->payload);
    gdb::PacketReader other;
    other.feed(gdb::frame(event->payload));
    const auto again = other.next();
    // A client never sends `*`, which marks a repetition in a server's packet.
    if (event->payload.find('*') == std::string::npos)
      fuzz::require(again && again->payload == event->payload);
  }
  return 0;
}
