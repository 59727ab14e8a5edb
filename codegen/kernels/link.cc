#include <elf.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstring>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "codegen/kernels/c_compiler.h"
#include "codegen/kernels/kernel.h"
#include "codegen/kernels/linked_regions.h"
#include "codegen/kernels/runtime.h"

#ifdef LLD_HAS_DRIVER
LLD_HAS_DRIVER(elf)  // declares it
#endif

namespace tinytune {
namespace {

#if LLVM_VERSION_MAJOR == 14
constexpr bool kWithSymbolTable = true;
#else
constexpr auto kWithSymbolTable = llvm::SymtabWritingMode::NormalSymtab;
#endif

constexpr const char* kFastHelpers = ".fast_helpers";

std::string region_text(const char* name, const MemoryRegion& memory) {
  char text[128];
  std::snprintf(text, sizeof text, "  %s : ORIGIN = 0x%x, LENGTH = 0x%x\n", name, memory.address,
                memory.size_bytes);
  return text;
}

// Places every section in the memory that the device file gives it.
std::string linker_script(const Device& device, CodeHome home) {
  const bool fast_code = !device.fast_code_memory.empty();
  const std::vector<std::string>& weights = device.fast_rodata_memories;
  const bool literals = device.target.family == CoreFamily::kAnyC;  // Xtensa's, before their code
  const std::string text = std::string(literals ? ".literal .literal.* " : "") + ".text .text.*";
  std::string script = "MEMORY {\n";
  for (const LinkedRegion& region : linked_regions(device))
    script += region_text(region.name.c_str(), region.memory);
  script += "}\nSECTIONS {\n";
  const std::string fast = " } > " + region_of_fast_code(device) + "\n";
  if (fast_code)
    script += std::string("  ") + kFastText + " : { *(" + device.fast_code_section +
              (home == CodeHome::kFast ? " " + text : "") + ")" + fast;
  if (fast_code && home == CodeHome::kHelpersFast)
    script += std::string("  ") + kFastHelpers + " : { *(.text.__aeabi_*)" + fast;
  script += "  .text : { *(" + text + ") } > code\n" +
            "  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } > constants\n";
  for (size_t i = 0; i < weights.size(); ++i)
    script += "  " + image_section_of_weights(i) + " : { *(" + fast_weights_section(i) + ") } > " +
              region_of_weights(device, i) + "\n";
  return script +
         "  .data : { *(.data .data.* .sdata .sdata.*) } > data\n"
         "  .bss : { *(.bss .bss.* .sbss .sbss.* COMMON) } > data\n"
         "  /DISCARD/ : { *(.comment .note* .eh_frame* .ARM.exidx* .ARM.extab*) }\n"
         "}\n";
}

/// ELF types of the image: 32 bits on every core but the machine that we run on.
struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
};

// Fills in sizes from a linker's own output, whose tables need no checking.
template <typename Elf>
void describe(Image& image) {
  const auto at = [&]<typename T>(uint64_t offset, T record) {
    std::memcpy(&record, image.elf.data() + offset, sizeof record);
    return record;
  };
  const auto header = at(0, typename Elf::Header{});
  // Sums the segments without writable data: code and constants.
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        at(header.e_phoff + i * sizeof(typename Elf::Segment), typename Elf::Segment{});
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0)
      image.code_bytes += segment.p_filesz;
  }
  const auto section = [&](unsigned i) {
    return at(header.e_shoff + i * sizeof(typename Elf::Section), typename Elf::Section{});
  };
  const char* const names =
      reinterpret_cast<const char*>(image.elf.data()) + section(header.e_shstrndx).sh_offset;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    if (const auto s = section(i); (s.sh_flags & SHF_ALLOC) != 0)
      image.sections[names + s.sh_name] += s.sh_size;
}

// Writes an archive of one object, which linkers take only if something needs it. Returns its file
// name; empty if the core needs no helpers.
Result<std::string> write_helpers(const TemporaryDirectory& directory, const Device& device) {
  TT_TRY_ASSIGN(const auto object, runtime_object(device));
  if (object.empty()) return std::string();
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  const llvm::NewArchiveMember member(llvm::MemoryBufferRef(bytes, "helpers.o"));
  const std::string archive = directory.file("helpers.a");
  if (auto wrong = llvm::writeArchive(archive, member, kWithSymbolTable,
                                      llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                                      /*Thin=*/false))
    return Error(ErrorCode::kFailed, "helpers.a: " + llvm::toString(std::move(wrong)));
  return archive;
}

// kInvalidInput: a region overflows. kUnsupported: it does not link. kFailed: this machine.
Status link_by_lld(const std::vector<std::string>& objects, const std::string& helpers,
                   const std::string& script, const std::string& entry, const std::string& output,
                   const Device& device) {
  std::vector<const char*> arguments = {"ld.lld",
                                        "--threads=1",
                                        "--no-dynamic-linker",
                                        "--error-limit=0",
                                        "-T",
                                        script.c_str(),
                                        "-e",
                                        entry.c_str(),
                                        "-o",
                                        output.c_str()};
  for (const std::string& object : objects) arguments.push_back(object.c_str());
  if (!helpers.empty()) arguments.push_back(helpers.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const bool linked = lld::elf::link(arguments, llvm::nulls(), stream, /*exitEarly=*/false,
                                     /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();  // else the next link would still see this one's sections
  if (linked) return ok_status();
  stream.flush();
  const auto says = [&](const char* words) { return messages.find(words) != std::string::npos; };
  if (const auto overflow = overflow_text(messages, device))
    return Error(ErrorCode::kInvalidInput, *overflow);
  // The files are ours and were there a moment ago, so such errors are the machine's.
  const bool files = says("cannot open") || says("failed to open") || says("failed to write");
  return Error(files ? ErrorCode::kFailed : ErrorCode::kUnsupported, "lld: " + messages);
}

Result<Image> link_at(std::span<const std::vector<uint8_t>> objects, const Device& device,
                      const std::string& entry, CodeHome home) {
  TT_TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::create("link"));
  const std::string script = directory.file("image.ld"), output = directory.file("image.elf");
  TT_TRY(write_file(script, linker_script(device, home)));
  std::vector<std::string> files;
  for (size_t i = 0; i < objects.size(); ++i) {
    files.push_back(directory.file(std::to_string(i) + ".o"));
    TT_TRY(write_file(files.back(), text_of(objects[i])));
  }
  const auto link = device.target.compiler.empty() ? link_by_lld : link_by_compiler;
  TT_TRY_ASSIGN(const std::string helpers, write_helpers(directory, device));
  Status linked = link(files, helpers, script, entry, output, device);
  if (!linked && linked.error().message().find("undefined symbol") != std::string::npos) {
    TT_TRY_ASSIGN(const std::string library, compiler_library(device.target));
    files.push_back(library);  // behind our objects: it only adds what they lack
    if (!library.empty()) linked = link(files, helpers, script, entry, output, device);
  }
  TT_TRY(std::move(linked));
  Image image;
  TT_TRY_ASSIGN(image.elf, read_file(output));
  if (image.elf.size() < sizeof(Elf32_Ehdr))
    return Error(ErrorCode::kFailed, "the linker left no image");
  image.elf[EI_CLASS] == ELFCLASS64 ? describe<Elf64>(image) : describe<Elf32>(image);
  return image;
}

}  // namespace

std::string fast_weights_section(size_t memory) {
  return numbered(".data.tinytune_weights", memory);
}

std::string image_section_of_weights(size_t memory) { return numbered(".fast_rodata", memory); }

Result<Image> link_image(std::span<const std::vector<uint8_t>> objects, const Device& device,
                         const std::string& entry, CodeHome home) {
  auto image = link_at(objects, device, entry, home);
  const bool too_large = !image && image.error().code() == ErrorCode::kInvalidInput;
  if (too_large && home != CodeHome::kSlow && !device.fast_code_memory.empty())
    return link_image(objects, device, entry, CodeHome::kSlow);
  if (!image || !device.has_open_boundary) return image;
  // The size of the code decides where data begins.
  const uint64_t code = image->sections[kFastText] + image->sections[kFastHelpers];
  return link_at(objects, with_boundary_behind(device, code), entry, home);
}

}  // namespace tinytune
