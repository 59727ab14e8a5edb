#include <elf.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "codegen/kernel.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

// A directory of its own that goes when it does. lld reads and writes files only.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "tinytune-link-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  bool ok() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

Status write_file(const std::string& path, std::span<const uint8_t> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) return Error(ErrorCode::kFailed, "cannot write " + path);
  return ok_status();
}

// Every section in the memory the device file gives it.
std::string linker_script(const Device& device) {
  const MemoryRegion& code = device.memory(device.code_memory);
  const MemoryRegion& constants = device.memory(device.rodata_memory);
  const MemoryRegion& data = device.memory(device.data_memory);
  char text[1024];
  std::snprintf(text, sizeof text,
                "MEMORY {\n"
                "  code : ORIGIN = 0x%x, LENGTH = 0x%x\n"
                "  constants : ORIGIN = 0x%x, LENGTH = 0x%x\n"
                "  data : ORIGIN = 0x%x, LENGTH = 0x%x\n"
                "}\n"
                "SECTIONS {\n"
                "  .text : { *(.text .text.*) } > code\n"
                "  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } > constants\n"
                "  .data : { *(.data .data.* .sdata .sdata.*) } > data\n"
                "  .bss : { *(.bss .bss.* .sbss .sbss.* COMMON) } > data\n"
                "  /DISCARD/ : { *(.comment .note* .eh_frame* .ARM.exidx* .ARM.extab*) }\n"
                "}\n",
                code.address, code.size_bytes, constants.address, constants.size_bytes,
                data.address, data.size_bytes);
  return text;
}

// Bytes of the segments that hold no writable data: code and constants.
uint64_t constant_bytes(const std::vector<uint8_t>& elf) {
  Elf32_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  uint64_t total = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf32_Phdr segment;
    std::memcpy(&segment, elf.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0) total += segment.p_filesz;
  }
  return total;
}

}  // namespace

Result<Image> link_image(std::span<const std::vector<uint8_t>> objects, const Device& device,
                         const std::string& entry) {
  const TemporaryDirectory directory;
  if (!directory.ok()) return Error(ErrorCode::kFailed, "cannot make a temporary directory");
  const std::string script = directory.file("image.ld"), output = directory.file("image.elf");
  const std::string text = linker_script(device);
  TT_TRY(write_file(script, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
  std::vector<std::string> words = {
      "ld.lld", "--threads=1", "--no-dynamic-linker", "-T", script, "-e", entry, "-o", output};
  for (size_t i = 0; i < objects.size(); ++i) {
    words.push_back(directory.file(std::to_string(i) + ".o"));
    TT_TRY(write_file(words.back(), objects[i]));
  }
  std::vector<const char*> arguments;
  for (const std::string& w : words) arguments.push_back(w.c_str());

  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const bool linked = lld::elf::link(arguments, llvm::nulls(), stream, /*exitEarly=*/false,
                                     /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();  // else the next link would still see this one's sections
  if (!linked) {
    stream.flush();
    const bool overflow = messages.find("will not fit in region") != std::string::npos;
    return Error(overflow ? ErrorCode::kInvalidInput : ErrorCode::kFailed,
                 (overflow ? "does not fit device " + device.name + ": " : "lld: ") + messages);
  }
  Image image;
  std::ifstream in(output, std::ios::binary);
  image.elf.assign(std::istreambuf_iterator<char>(in), {});
  if (image.elf.size() < sizeof(Elf32_Ehdr)) return Error(ErrorCode::kFailed, "lld left no image");
  image.code_bytes = constant_bytes(image.elf);
  return image;
}

}  // namespace tinytune
