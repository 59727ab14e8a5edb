#include "bench/simulator/helium/qemu.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tinytune::helium {
namespace {

constexpr uint32_t kParameters = 0x44, kName = 0x100, kDump = 0x200;

using Bytes = std::vector<char>;

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

template <typename Value>
void put(Bytes& image, uint32_t address, const Value& value) {
  std::memcpy(&image[address], &value, sizeof value);
}

uint32_t in_memory_order(uint32_t code) { return code >> 16 | code << 16; }

/// Encodes B.W.
uint32_t branch(uint32_t from, uint32_t to) {
  const uint32_t offset = to - (from + 4), sign = offset >> 31;
  const uint32_t j1 = ~((offset >> 23 & 1) ^ sign) & 1, j2 = ~((offset >> 22 & 1) ^ sign) & 1;
  return 0xF0009000 | sign << 26 | (offset >> 12 & 0x3FF) << 16 | j1 << 13 | j2 << 11 |
         (offset >> 1 & 0x7FF);
}

}  // namespace

bool qemu_exists() { return std::system("qemu-system-arm --version >/dev/null 2>&1") == 0; }

QemuResult run_in_qemu(const std::vector<Stream>& streams, const std::vector<uint32_t>& addresses,
                       const std::string& harness, const std::string& scratch) {
  QemuResult result;
  Bytes image = read_file(harness);
  if (image.empty() || image.size() > kTable) {
    result.problem = harness + " is not the assembled harness";
    return result;
  }
  const std::string image_path = scratch + ".image", out_path = scratch + ".blocks";
  if (out_path.size() > 255) {
    result.problem = "the path of " + out_path + " is too long";
    return result;
  }
  const size_t bytes = 16 + streams.size() * sizeof(Block);
  image.resize(kHeader + bytes);
  const uint32_t parameters[] = {kTable,
                                 static_cast<uint32_t>(streams.size()),
                                 kHeader,
                                 static_cast<uint32_t>(bytes),
                                 uint32_t{sizeof(Block)},
                                 static_cast<uint32_t>(out_path.size())};
  put(image, kParameters, parameters);
  std::memcpy(&image[kName], out_path.c_str(), out_path.size() + 1);
  for (size_t i = 0; i < streams.size(); ++i) {
    uint32_t at = addresses[i];
    put(image, kTable + 4 * static_cast<uint32_t>(i), at);
    for (const uint32_t code : streams[i].code) {
      put(image, at, in_memory_order(code));
      at += 4;
    }
    put(image, at, in_memory_order(branch(at, kDump)));
    put(image, kFirstBlock + static_cast<uint32_t>(i * sizeof(Block)), streams[i].begin);
  }
  std::ofstream(image_path, std::ios::binary)
      .write(image.data(), static_cast<std::streamsize>(image.size()));
  std::filesystem::remove(out_path);
  const std::string command =
      "timeout 120 qemu-system-arm -M mps3-an547 -display none -serial none -monitor none "
      "-semihosting-config enable=on,target=native -kernel '" +
      image_path + "' >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  const Bytes out = read_file(out_path);
  std::filesystem::remove(image_path);
  std::filesystem::remove(out_path);
  if (out.size() != bytes) {
    result.problem = "QEMU wrote no results (status " + std::to_string(status) + ")";
    return result;
  }
  std::memcpy(&result.finished, out.data(), 4);
  std::memcpy(&result.fault_address, out.data() + 4, 4);
  result.blocks.resize(streams.size());
  std::memcpy(result.blocks.data(), out.data() + 16, bytes - 16);
  return result;
}

}  // namespace tinytune::helium
