// Reads [[port]], [[counter]], [[register]] and [program], which only whole programs use: no
// measurement of a kernel depends on them.
#include <algorithm>

#include "devices/base_device.h"
#include "devices/device_reader.h"
#include "devices/embedded_devices.h"

namespace tinytune::internal {
namespace {

constexpr size_t kMostTables = 32;
constexpr uint32_t kCsrs = 4096;

Result<std::vector<const toml::table*>> tables_of(const Reader& reader, const toml::table& root,
                                                  std::string_view key) {
  std::vector<const toml::table*> tables;
  const toml::node* node = root.get(key);
  if (node == nullptr) return tables;
  if (!node->is_array_of_tables() || node->as_array()->size() > kMostTables) {
    const std::string name(key);
    return reader.error(*node, name + " must be [[" + name + "]] tables, 32 at most");
  }
  for (const toml::node& element : *node->as_array()) tables.push_back(element.as_table());
  return tables;
}

Result<std::vector<uint32_t>> read_csrs(const Reader& reader, const toml::table& table,
                                        std::string_view key) {
  std::vector<uint32_t> csrs;
  const toml::node* node = table.get(key);
  if (node == nullptr) return csrs;
  const Error wrong = reader.error(
      *node, "key '" + std::string(key) + "' in [[counter]] must be an array of CSR numbers");
  if (!node->is_array()) return wrong;
  for (const toml::node& element : *node->as_array()) {
    const auto value = element.value_exact<int64_t>();
    if (!value || *value < 0 || *value >= kCsrs) return wrong;
    csrs.push_back(static_cast<uint32_t>(*value));
  }
  return csrs;
}

Result<std::vector<Port>> read_ports(const Reader& reader, const toml::table& root,
                                     const std::vector<MemoryRegion>& memories) {
  std::vector<Port> ports;
  TT_TRY_ASSIGN(const auto tables, tables_of(reader, root, "port"));
  for (const toml::table* table : tables) {
    const std::string name = "[[port]]";
    TT_TRY(reader.only(*table, name, {"address", "does"}));
    Port port;
    TT_TRY_ASSIGN(port.address, reader.get_word(*table, name, "address"));
    TT_TRY_ASSIGN(const std::string does, reader.get<std::string>(*table, name, "does"));
    if (does == "print_character") {
      port.does = Port::Does::kPrintCharacter;
    } else if (does == "print_hex") {
      port.does = Port::Does::kPrintHex;
    } else if (does == "exit") {
      port.does = Port::Does::kExit;
    } else {
      return reader.error(*table->get("does"), "does must be print_character, print_hex or exit");
    }
    if (port.address % 4 != 0)
      return reader.error(*table->get("address"), "the address of a port must be a multiple of 4");
    for (const MemoryRegion& memory : memories)
      if (port.address / 4096 >= memory.address / 4096 &&
          port.address < uint64_t{memory.address} + memory.size_bytes)
        return reader.error(*table->get("address"),
                            "a port stands in memory '" + memory.name + "'");
    ports.push_back(port);
  }
  return ports;
}

Result<std::vector<CoreCounter>> read_counters(const Reader& reader, const toml::table& root,
                                               const Target& target) {
  std::vector<CoreCounter> counters;
  TT_TRY_ASSIGN(const auto tables, tables_of(reader, root, "counter"));
  for (const toml::table* table : tables) {
    const std::string name = "[[counter]]";
    if (target.family != CoreFamily::kRiscv32)
      return reader.error(*table,
                          "[[counter]] is for RISC-V: other cores have theirs by themselves");
    TT_TRY(reader.only(*table, name, {"counts", "csr", "high", "inhibit_csr", "inhibit_bit"}));
    CoreCounter counter;
    TT_TRY_ASSIGN(const std::string counts, reader.get<std::string>(*table, name, "counts"));
    if (counts != "cycles" && counts != "instructions")
      return reader.error(*table->get("counts"), "counts must be cycles or instructions");
    counter.counts_cycles = counts == "cycles";
    TT_TRY_ASSIGN(counter.csrs, read_csrs(reader, *table, "csr"));
    TT_TRY_ASSIGN(counter.high_csrs, read_csrs(reader, *table, "high"));
    if (counter.csrs.empty()) return reader.error(*table, "a counter needs its 'csr' numbers");
    if (table->contains("inhibit_csr")) {
      TT_TRY_ASSIGN(counter.inhibit_csr, reader.get_word(*table, name, "inhibit_csr"));
      TT_TRY_ASSIGN(counter.inhibit_bit, reader.get_word(*table, name, "inhibit_bit"));
      if (counter.inhibit_csr >= kCsrs || counter.inhibit_bit > 31)
        return reader.error(*table, "inhibit_csr must be below 4096 and inhibit_bit below 32");
    }
    counters.push_back(counter);
  }
  return counters;
}

Result<std::vector<ControlRegister>> read_registers(const Reader& reader, const toml::table& root,
                                                    const Target& target) {
  std::vector<ControlRegister> registers;
  TT_TRY_ASSIGN(const auto tables, tables_of(reader, root, "register"));
  for (const toml::table* table : tables) {
    const std::string name = "[[register]]";
    if (target.family != CoreFamily::kRiscv32)
      return reader.error(*table, "[[register]] is for RISC-V");
    TT_TRY(reader.only(*table, name, {"csr", "reset", "writable"}));
    ControlRegister one;
    TT_TRY_ASSIGN(one.csr, reader.get_word(*table, name, "csr"));
    if (one.csr >= kCsrs) return reader.error(*table->get("csr"), "csr must be below 4096");
    TT_TRY_ASSIGN(one.reset, reader.get_word(*table, name, "reset"));
    if (table->contains("writable")) {
      TT_TRY_ASSIGN(one.writable, reader.get_word(*table, name, "writable"));
    }
    registers.push_back(one);
  }
  return registers;
}

Status read_program(const Reader& reader, const toml::table& root, const Device& device,
                    ProgramFacts& facts) {
  if (!root.contains("program")) return ok_status();
  const std::string name = "[program]";
  TT_TRY_ASSIGN(const toml::table* table, reader.get_table(root, "the file", "program"));
  TT_TRY(reader.only(*table, name, {"misaligned", "no_fetch"}));
  if (const toml::node* misaligned = table->get("misaligned")) {
    if (device.target.family != CoreFamily::kRiscv32)
      return reader.error(*misaligned, "misaligned is for RISC-V: Arm's architecture says it");
    TT_TRY_ASSIGN(const std::string does, reader.get<std::string>(*table, name, "misaligned"));
    if (does != "faults" && does != "works")
      return reader.error(*misaligned, "misaligned must be faults or works");
    facts.misaligned_faults = does == "faults";
  }
  if (!table->contains("no_fetch")) return ok_status();
  TT_TRY_ASSIGN(facts.no_fetch, reader.get_strings(*table, name, "no_fetch"));
  for (const std::string& memory : facts.no_fetch) {
    const auto found = std::find_if(device.memories.begin(), device.memories.end(),
                                    [&](const MemoryRegion& m) { return m.name == memory; });
    if (found == device.memories.end() || found->executable)
      return reader.error(*table->get("no_fetch"),
                          "no_fetch must name memories that are not executable");
  }
  return ok_status();
}

}  // namespace

Result<ProgramFacts> read_program_facts(const Reader& reader, const toml::table& root,
                                        const Device& device) {
  ProgramFacts facts;
  TT_TRY_ASSIGN(facts.ports, read_ports(reader, root, device.memories));
  TT_TRY_ASSIGN(facts.counters, read_counters(reader, root, device.target));
  TT_TRY_ASSIGN(facts.registers, read_registers(reader, root, device.target));
  TT_TRY(read_program(reader, root, device, facts));
  return facts;
}

}  // namespace tinytune::internal

namespace tinytune {

Result<ProgramFacts> load_program_facts(std::string_view name_or_path) {
  TT_TRY_ASSIGN(const internal::DeviceText file, internal::find_device_text(name_or_path));
  TT_TRY_ASSIGN(const Device device, parse_device(file.text, file.origin));
  TT_TRY_ASSIGN(const toml::table root, internal::read_tables(file.text, file.origin));
  return internal::read_program_facts(internal::Reader(file.origin), root, device);
}

}  // namespace tinytune
