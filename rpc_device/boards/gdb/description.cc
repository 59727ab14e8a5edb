#include "rpc_device/boards/gdb/description.h"

#include <expat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

namespace tinytune::gdb {
namespace {

// Far more than any target has; a larger description is an attempt to exhaust memory.
constexpr size_t kMostDocuments = 64, kMostRegisters = 65'536, kMostAreas = 1'024;
constexpr uint32_t kWidestRegister = 65'536;

using Attributes = std::map<std::string, std::string>;
using OnElement = std::function<void(const std::string& name, const Attributes&)>;

void XMLCALL begin_element(void* user, const XML_Char* name, const XML_Char** pairs) {
  Attributes attributes;
  for (; *pairs != nullptr; pairs += 2) attributes[pairs[0]] = pairs[1];
  (*static_cast<OnElement*>(user))(name, attributes);
}

Status for_each_element(std::string_view xml, const char* what, OnElement on_element) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), XML_ParserFree);
  if (parser == nullptr) return Error(ErrorCode::kFailed, "no memory for a parser");
  XML_SetUserData(parser.get(), &on_element);
  XML_SetElementHandler(parser.get(), begin_element, [](void*, const XML_Char*) {});
  if (XML_Parse(parser.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE) == XML_STATUS_OK)
    return ok_status();
  return Error(ErrorCode::kInvalidInput,
               std::string("the GDB server's ") + what + ", line " +
                   std::to_string(XML_GetCurrentLineNumber(parser.get())) + ": " +
                   XML_ErrorString(XML_GetErrorCode(parser.get())));
}

std::optional<uint64_t> number_in(const Attributes& attributes, const char* key) {
  const auto at = attributes.find(key);
  if (at == attributes.end()) return std::nullopt;
  std::string_view text = at->second;
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// By number: x0, x1, …
constexpr std::array<std::string_view, 32> kRiscvNames = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

// Returns the form used in Register::name.
std::string usual_name(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (size_t i = 0; i < kRiscvNames.size(); ++i)
    if (name == "x" + std::to_string(i)) return std::string(kRiscvNames[i]);
  if (name == "s0") return "fp";
  if (name == "r13") return "sp";
  if (name == "r14") return "lr";
  if (name == "r15") return "pc";
  return name;
}

struct NamedCsr {
  uint32_t number;
  std::string_view name;
};
constexpr std::array kCsrNames = {
    NamedCsr{0x300, "mstatus"}, NamedCsr{0x305, "mtvec"},  NamedCsr{0x320, "mcountinhibit"},
    NamedCsr{0x341, "mepc"},    NamedCsr{0x342, "mcause"}, NamedCsr{0x343, "mtval"},
    NamedCsr{0x7B0, "dcsr"},    NamedCsr{0x7E0, "mpcer"},  NamedCsr{0x7E1, "mpcmr"},
    NamedCsr{0x7E2, "mpccr"},   NamedCsr{0xB00, "mcycle"}, NamedCsr{0xC00, "cycle"},
};

}  // namespace

RegisterSet::RegisterSet(std::vector<Register> registers) : registers_(std::move(registers)) {
  std::stable_sort(registers_.begin(), registers_.end(),
                   [](const Register& a, const Register& b) { return a.number < b.number; });
}

const Register* RegisterSet::find(std::string_view name) const {
  const auto at = std::find_if(registers_.begin(), registers_.end(),
                               [&](const Register& r) { return r.name == name; });
  return at == registers_.end() ? nullptr : &*at;
}

std::optional<Register> RegisterSet::csr(uint32_t number) const {
  std::optional<uint32_t> base;
  bool have_one_base = true;
  for (const NamedCsr& csr : kCsrNames) {
    const Register* found = find(csr.name);
    if (found == nullptr) continue;
    if (csr.number == number) return *found;
    const uint32_t its_base = found->number - csr.number;
    have_one_base = have_one_base && base.value_or(its_base) == its_base;
    base = its_base;
  }
  if (!base || !have_one_base) return std::nullopt;
  return Register{"csr" + std::to_string(number), *base + number, 32};
}

Result<RegisterSet> read_registers(const ReadDocument& read) {
  std::vector<Register> registers;
  std::vector<std::string> documents = {"target.xml"};
  uint32_t next_number = 0;
  bool sound = true;
  for (size_t i = 0; i < documents.size(); ++i) {
    TT_TRY_ASSIGN(const std::string xml, read(documents[i]));
    TT_TRY(for_each_element(
        xml, "target description", [&](const std::string& name, const Attributes& attributes) {
          if (name == "xi:include" && attributes.contains("href"))
            documents.push_back(attributes.at("href"));
          if (name != "reg" || !attributes.contains("name")) return;
          const uint64_t number = number_in(attributes, "regnum").value_or(next_number);
          const uint64_t bits = number_in(attributes, "bitsize").value_or(32);
          sound = sound && number < kMostRegisters && bits <= kWidestRegister &&
                  registers.size() < kMostRegisters;
          if (!sound) return;
          registers.push_back({usual_name(attributes.at("name")), static_cast<uint32_t>(number),
                               static_cast<uint32_t>(bits)});
          next_number = static_cast<uint32_t>(number) + 1;
        }));
    if (documents.size() > kMostDocuments || !sound)
      return Error(ErrorCode::kInvalidInput,
                   "the GDB server describes more documents or registers than a target has");
  }
  return RegisterSet(std::move(registers));
}

Result<std::vector<MemoryArea>> parse_memory_map(std::string_view xml) {
  std::vector<MemoryArea> areas;
  TT_TRY(for_each_element(
      xml, "memory map", [&](const std::string& name, const Attributes& attributes) {
        const auto start = number_in(attributes, "start"), length = number_in(attributes, "length");
        if (name != "memory" || !start || !length || areas.size() == kMostAreas) return;
        const auto type = attributes.find("type");
        const std::string kind = type == attributes.end() ? "" : type->second;
        areas.push_back({kind == "ram"     ? MemoryArea::Kind::kRam
                         : kind == "flash" ? MemoryArea::Kind::kFlash
                                           : MemoryArea::Kind::kRom,
                         *start, *length});
      }));
  return areas;
}

}  // namespace tinytune::gdb
