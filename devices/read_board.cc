// Reads [board], the facts needed to drive a real board.
#include <algorithm>

#include "devices/base_device.h"
#include "devices/board_facts.h"
#include "devices/device_reader.h"
#include "devices/embedded_devices.h"

namespace tinytune {
namespace internal {
namespace {

constexpr size_t kMostSetupWrites = 64;
constexpr uint32_t kCsrs = 4096, kLongestUniqueId = 32;
const std::string kName = "[board]";

Result<CycleCounter> read_counter(const Reader& reader, const toml::table& table,
                                  const Target& target) {
  if (target.family == CoreFamily::kRiscv32) {
    if (table.contains("counter"))
      return reader.error(*table.get("counter"), "a RISC-V core's counter is a [[counter]] table");
    return CycleCounter::kCsr;
  }
  if (target.family == CoreFamily::kAnyC) return CycleCounter::kRunner;
  if (!table.contains("counter"))
    return target.isa == "armv6-m" ? CycleCounter::kSysTick : CycleCounter::kDwt;
  TT_TRY_ASSIGN(const std::string counter, reader.get<std::string>(table, kName, "counter"));
  if (counter == "dwt") return CycleCounter::kDwt;
  if (counter == "systick") return CycleCounter::kSysTick;
  return reader.error(*table.get("counter"), "counter must be dwt or systick");
}

Result<std::vector<std::string>> read_ram(const Reader& reader, const toml::table& table,
                                          const Device& device) {
  TT_TRY_ASSIGN(const auto names, reader.get_strings(table, kName, "ram"));
  for (const std::string& name : names)
    if (std::none_of(device.memories.begin(), device.memories.end(),
                     [&](const MemoryRegion& memory) { return memory.name == name; }))
      return reader.error(*table.get("ram"), "no memory is named '" + name + "'");
  return names;
}

Result<std::vector<SetupWrite>> read_setup(const Reader& reader, const toml::table& table) {
  std::vector<SetupWrite> writes;
  const toml::node* node = table.get("setup");
  if (node == nullptr) return writes;
  const Error wrong = reader.error(
      *node, "setup must be an array of { address = A, value = V } and { csr = N, value = V }");
  if (!node->is_array() || node->as_array()->size() > kMostSetupWrites) return wrong;
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_table()) return wrong;
    const toml::table& entry = *element.as_table();
    TT_TRY(reader.only(entry, "setup", {"address", "csr", "value"}));
    SetupWrite write;
    write.is_csr = entry.contains("csr");
    TT_TRY_ASSIGN(write.where, reader.get_word(entry, "setup", write.is_csr ? "csr" : "address"));
    TT_TRY_ASSIGN(write.value, reader.get_word(entry, "setup", "value"));
    if (write.is_csr ? write.where >= kCsrs || entry.contains("address") : write.where % 4 != 0)
      return wrong;
    writes.push_back(write);
  }
  return writes;
}

Result<RunnerPlace> read_runner(const Reader& reader, const toml::table& table,
                                const Target& target) {
  const std::string name = "runner";
  TT_TRY(reader.only(table, name, {"core",          "code_address",     "code_bytes",
                                   "ram_address",   "ram_bytes",        "uart",
                                   "uart_address",  "uart_clock_hz",    "baud",
                                   "timer_now",     "timer_compare",    "timer_shift",
                                   "plic_address",  "uart_interrupt",   "uart_fraction_bits",
                                   "core_clock_hz", "code_bus_address", "data_bus_address",
                                   "bus_bytes",     "loader",           "setup"}));
  RunnerPlace place;
  const bool any_core = target.family == CoreFamily::kAnyC;  // its sources know the rest
  if (any_core) {
    TT_TRY_ASSIGN(place.core, reader.get_name(table, name, "core"));
  }
  struct Word {
    const char* key;
    uint32_t RunnerPlace::*member;
    bool optional = false;
  };
  const Word words[] = {{"code_address", &RunnerPlace::code_address, any_core},
                        {"code_bytes", &RunnerPlace::code_bytes, any_core},
                        {"ram_address", &RunnerPlace::ram_address, any_core},
                        {"ram_bytes", &RunnerPlace::ram_bytes, any_core},
                        {"uart_address", &RunnerPlace::uart_address, any_core},
                        {"baud", &RunnerPlace::baud},
                        {"uart_clock_hz", &RunnerPlace::uart_clock_hz, true},
                        {"timer_now", &RunnerPlace::timer_now, true},
                        {"timer_compare", &RunnerPlace::timer_compare, true},
                        {"timer_shift", &RunnerPlace::timer_shift, true},
                        {"plic_address", &RunnerPlace::plic_address, true},
                        {"uart_interrupt", &RunnerPlace::uart_interrupt, true},
                        {"uart_fraction_bits", &RunnerPlace::uart_fraction_bits, true},
                        {"core_clock_hz", &RunnerPlace::core_clock_hz, true},
                        {"code_bus_address", &RunnerPlace::code_bus_address, true},
                        {"data_bus_address", &RunnerPlace::data_bus_address, true},
                        {"bus_bytes", &RunnerPlace::bus_bytes, true}};
  for (const Word& word : words) {
    if (word.optional && !table.contains(word.key)) continue;
    TT_TRY_ASSIGN(place.*word.member, reader.get_word(table, name, word.key));
  }
  TT_TRY_ASSIGN(place.uart, reader.get_name(table, name, "uart"));
  if (table.contains("loader")) {
    TT_TRY_ASSIGN(place.loader, reader.get_name(table, name, "loader"));
  }
  TT_TRY_ASSIGN(place.setup, read_setup(reader, table));
  if (place.baud == 0 || place.timer_shift > 31 || place.uart_fraction_bits > 16)
    return reader.error(table,
                        "runner needs a baud above 0, a timer_shift below 32 and at most 16 "
                        "uart_fraction_bits");
  if ((place.plic_address == 0) != (place.uart_interrupt == 0) || place.uart_interrupt > 31)
    return reader.error(table,
                        "runner needs plic_address and a uart_interrupt of 1 to 31 together");
  return place;
}

Result<QemuMachine> read_qemu(const Reader& reader, const toml::table& table) {
  const std::string name = "qemu";
  TT_TRY(reader.only(table, name, {"system", "machine", "cpu", "icount_shift"}));
  QemuMachine qemu;
  TT_TRY_ASSIGN(qemu.system, reader.get_name(table, name, "system"));
  TT_TRY_ASSIGN(qemu.machine, reader.get_name(table, name, "machine"));
  TT_TRY_ASSIGN(qemu.cpu, reader.get_name(table, name, "cpu"));
  TT_TRY_ASSIGN(qemu.icount_shift, reader.get_word(table, name, "icount_shift"));
  if (qemu.icount_shift > 10) return reader.error(table, "icount_shift must be 0 to 10");
  return qemu;
}

// Returns the names of the known devices that have this one as base and a [board].
std::string boards_of(const Device& device) {
  std::string names;
  for (const auto& known : embedded_devices()) {
    const auto tables = parse_tables(known.toml, known.name);
    if (!tables || (*tables)["base"].value<std::string>() != device.name) continue;
    if (tables->contains("board")) names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return names;
}

}  // namespace

Result<BoardFacts> read_board_facts(const Reader& reader, const toml::table& root,
                                    const Device& device) {
  TT_TRY_ASSIGN(const toml::table* table, reader.get_table(root, "the file", "board"));
  TT_TRY(reader.only(*table, kName, {"ram", "counter", "unique_id", "setup", "runner", "qemu"}));
  BoardFacts facts;
  TT_TRY_ASSIGN(facts.ram, read_ram(reader, *table, device));
  TT_TRY_ASSIGN(facts.counter, read_counter(reader, *table, device.target));
  TT_TRY_ASSIGN(facts.setup, read_setup(reader, *table));
  if (table->contains("unique_id")) {
    TT_TRY_ASSIGN(const toml::table* id, reader.get_table(*table, kName, "unique_id"));
    TT_TRY(reader.only(*id, "unique_id", {"address", "size_bytes"}));
    facts.unique_id = BoardFacts::UniqueId{};
    TT_TRY_ASSIGN(facts.unique_id->address, reader.get_word(*id, "unique_id", "address"));
    TT_TRY_ASSIGN(facts.unique_id->size_bytes, reader.get_word(*id, "unique_id", "size_bytes"));
    if (facts.unique_id->size_bytes == 0 || facts.unique_id->size_bytes > kLongestUniqueId)
      return reader.error(*id, "unique_id must be 1 to 32 bytes");
  }
  if (table->contains("runner")) {
    TT_TRY_ASSIGN(const toml::table* runner, reader.get_table(*table, kName, "runner"));
    TT_TRY_ASSIGN(facts.runner, read_runner(reader, *runner, device.target));
  }
  if (table->contains("qemu")) {
    TT_TRY_ASSIGN(const toml::table* qemu, reader.get_table(*table, kName, "qemu"));
    TT_TRY_ASSIGN(facts.qemu, read_qemu(reader, *qemu));
  }
  if (facts.counter != CycleCounter::kCsr) return facts;
  TT_TRY_ASSIGN(const ProgramFacts programs, read_program_facts(reader, root, device));
  const auto cycles = std::find_if(programs.counters.begin(), programs.counters.end(),
                                   [](const CoreCounter& c) { return c.counts_cycles; });
  if (cycles == programs.counters.end())
    return reader.error(*table, "a board needs a [[counter]] that counts cycles");
  facts.counter_csr = cycles->csrs.front();
  facts.inhibit_csr = cycles->inhibit_csr;
  facts.inhibit_bit = cycles->inhibit_bit;
  return facts;
}

}  // namespace internal

bool BoardFacts::may_write(const Device& device, uint32_t address, uint64_t size_bytes) const {
  return std::any_of(device.memories.begin(), device.memories.end(), [&](const MemoryRegion& m) {
    return std::find(ram.begin(), ram.end(), m.name) != ram.end() && address >= m.address &&
           uint64_t{address} + size_bytes <= uint64_t{m.address} + m.size_bytes;
  });
}

Result<BoardFacts> load_board_facts(std::string_view name_or_path) {
  TT_TRY_ASSIGN(const internal::DeviceText file, internal::find_device_text(name_or_path));
  TT_TRY_ASSIGN(const Device device, parse_device(file.text, file.origin));
  TT_TRY_ASSIGN(const toml::table root, internal::read_tables(file.text, file.origin));
  if (!root.contains("board")) {
    const std::string others = internal::boards_of(device);
    return Error(ErrorCode::kUnsupported,
                 "device " + device.name + " has no [board] in its file: it is simulated only" +
                     (others.empty() ? "" : "; as a board it is " + others));
  }
  return internal::read_board_facts(internal::Reader(file.origin), root, device);
}

}  // namespace tinytune
