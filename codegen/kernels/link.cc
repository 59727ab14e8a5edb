#include <elf.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstring>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "codegen/kernels/kernel.h"
#include "codegen/kernels/runtime.h"

namespace tinytune {
namespace {

std::string region_text(const char* name, const MemoryRegion& memory) {
  char text[128];
  std::snprintf(text, sizeof text, "  %s : ORIGIN = 0x%x, LENGTH = 0x%x\n", name, memory.address,
                memory.size_bytes);
  return text;
}

// Every section in the memory the device file gives it.
std::string linker_script(const Device& device, CodeHome home) {
  const bool fast_code = !device.fast_code_memory.empty();
  const bool fast_constants = !device.fast_rodata_memory.empty();
  const bool shares_data = device.fast_rodata_memory == device.data_memory;
  const std::string text = ".text .text.*";
  std::string script = "MEMORY {\n" + region_text("code", device.memory(device.code_memory)) +
                       region_text("constants", device.memory(device.rodata_memory)) +
                       region_text("data", device.memory(device.data_memory));
  if (fast_code) script += region_text("fast_code", device.memory(device.fast_code_memory));
  if (fast_constants && !shares_data)
    script += region_text("fast_constants", device.memory(device.fast_rodata_memory));
  script += "}\nSECTIONS {\n";
  if (fast_code)
    script += std::string("  ") + kFastText + " : { *(" + device.fast_code_section +
              (home == CodeHome::kFast ? " " + text : "") + ") } > fast_code\n";
  if (fast_code && home == CodeHome::kHelpersFast)
    script += "  .fast_helpers : { *(.text.__aeabi_*) } > fast_code\n";
  script += "  .text : { *(" + text + ") } > code\n" +
            "  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } > constants\n";
  if (fast_constants)
    script += std::string("  ") + kFastRodata + " : { *(" + kFastWeightsSection + ") } > " +
              (shares_data ? "data\n" : "fast_constants\n");
  return script +
         "  .data : { *(.data .data.* .sdata .sdata.*) } > data\n"
         "  .bss : { *(.bss .bss.* .sbss .sbss.* COMMON) } > data\n"
         "  /DISCARD/ : { *(.comment .note* .eh_frame* .ARM.exidx* .ARM.extab*) }\n"
         "}\n";
}

Elf32_Ehdr header_of(const std::vector<uint8_t>& elf) {
  Elf32_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  return header;
}

// Bytes of the segments that hold no writable data: code and constants.
uint64_t constant_bytes(const std::vector<uint8_t>& elf) {
  const Elf32_Ehdr header = header_of(elf);
  uint64_t total = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf32_Phdr segment;
    std::memcpy(&segment, elf.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0) total += segment.p_filesz;
  }
  return total;
}

// Of the linker's own output, whose tables need no checking.
std::map<std::string, uint64_t> section_bytes(const std::vector<uint8_t>& elf) {
  const Elf32_Ehdr header = header_of(elf);
  const auto section = [&](unsigned i) {
    Elf32_Shdr found;
    std::memcpy(&found, elf.data() + header.e_shoff + i * sizeof found, sizeof found);
    return found;
  };
  const char* const names =
      reinterpret_cast<const char*>(elf.data()) + section(header.e_shstrndx).sh_offset;
  std::map<std::string, uint64_t> bytes;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    if (const Elf32_Shdr s = section(i); (s.sh_flags & SHF_ALLOC) != 0)
      bytes[names + s.sh_name] += s.sh_size;
  return bytes;
}

Result<Image> link_at(std::span<const std::vector<uint8_t>> objects, const Device& device,
                      const std::string& entry, CodeHome home) {
  TT_TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::create("link"));
  const std::string script = directory.file("image.ld"), output = directory.file("image.elf");
  TT_TRY(write_file(script, linker_script(device, home)));
  std::vector<std::string> words = {
      "ld.lld", "--threads=1", "--no-dynamic-linker", "-T", script, "-e", entry, "-o", output};
  for (size_t i = 0; i < objects.size(); ++i) {
    words.push_back(directory.file(std::to_string(i) + ".o"));
    TT_TRY(write_file(words.back(), text_of(objects[i])));
  }
  TT_TRY_ASSIGN(const auto runtime, runtime_object(device));
  if (!runtime.empty()) {
    TT_TRY(write_file(directory.file("runtime.o"), text_of(runtime)));
    words.insert(words.end(), {"--start-lib", directory.file("runtime.o"), "--end-lib"});
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
    const auto says = [&](const char* words) { return messages.find(words) != std::string::npos; };
    if (says("will not fit in region"))
      return Error(ErrorCode::kInvalidInput,
                   "does not fit device " + device.name + ": " + messages);
    // Its files are ours and were there a moment ago, so these are the machine's doing.
    const bool files = says("cannot open") || says("failed to open") || says("failed to write");
    return Error(files ? ErrorCode::kFailed : ErrorCode::kUnsupported, "lld: " + messages);
  }
  Image image;
  TT_TRY_ASSIGN(image.elf, read_file(output));
  if (image.elf.size() < sizeof(Elf32_Ehdr)) return Error(ErrorCode::kFailed, "lld left no image");
  image.code_bytes = constant_bytes(image.elf);
  image.sections = section_bytes(image.elf);
  return image;
}

}  // namespace

Result<Image> link_image(std::span<const std::vector<uint8_t>> objects, const Device& device,
                         const std::string& entry, CodeHome home) {
  auto image = link_at(objects, device, entry, home);
  const bool too_large = !image && image.error().code() == ErrorCode::kInvalidInput;
  if (!too_large || home == CodeHome::kSlow || device.fast_code_memory.empty()) return image;
  return link_at(objects, device, entry, CodeHome::kSlow);
}

}  // namespace tinytune
