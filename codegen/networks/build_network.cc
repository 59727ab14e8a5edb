#include "base/files.h"
#include "base/temporary_directory.h"
#include "codegen/kernels/build_cache.h"
#include "codegen/kernels/c_compiler.h"
#include "codegen/kernels/kernel.h"
#include "codegen/kernels/runtime.h"
#include "codegen/networks/library_parts.h"
#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network.h"

namespace tinytune {
namespace {

// Flash also holds the data that start-up code copies to RAM; the arena has no initial data.
Footprint footprint_of(const Image& image, const Device& device, uint64_t arena_bytes,
                       uint64_t callers_in_bss) {
  const auto bytes_of = [&](const std::string& section) {
    const auto found = image.sections.find(section);
    return found == image.sections.end() ? 0 : found->second;
  };
  Footprint footprint;
  footprint.arena_bytes = arena_bytes;
  for (size_t i = 0; i < device.fast_rodata_memories.size(); ++i) {
    const uint64_t weights = bytes_of(image_section_of_weights(i));
    footprint.weights_bytes += weights;
    if (device.fast_rodata_memories[i] == device.data_memory)
      footprint.weights_beside_arena_bytes = weights;
  }
  footprint.code_bytes = bytes_of(kFastText);
  footprint.data_bytes = bytes_of(".data") + bytes_of(".bss") - callers_in_bss;
  footprint.flash_bytes = image.code_bytes + footprint.weights_bytes + bytes_of(".data");
  return footprint;
}

}  // namespace

Result<BuiltNetwork> build_network(const GeneratedNetwork& network, const Device& device) {
  TT_TRY_ASSIGN(const TemporaryDirectory directory, TemporaryDirectory::create("build"));
  std::vector<GeneratedFile> files = network.files;
  // The caller's part: the arena, and rows of an input that arrives in them. It is not in the
  // library, so its size counts as memory alone.
  std::vector<ZeroedArray> callers;
  uint32_t callers_in_bss = 0;
  const auto add = [&](const std::string& name, uint32_t bytes) {
    bytes = std::max((bytes + kArenaAlignment - 1) / kArenaAlignment, 1u) * kArenaAlignment;
    callers.push_back({name, bytes, kArenaAlignment});
    callers_in_bss += bytes;
  };
  add(network.arena_symbol, network.arena_bytes);
  if (const auto& stream = network.stream)
    add(stream->rows_symbol, static_cast<uint32_t>(stream->rows) * stream->row_bytes);
  if (!network.stubs.empty()) files.push_back({"the-stubs.c", network.stubs, FileRole::kSource});
  std::string headers;
  for (const GeneratedFile& f : files) {
    if (f.role != FileRole::kHeader) continue;
    TT_TRY(write_file(directory.file(f.name), f.contents));
    headers += f.name + "\n" + f.contents;
  }
  BuildCache none;
  BuildCache& builds = network.builds ? *network.builds : none;
  std::vector<std::vector<uint8_t>> objects;
  for (const GeneratedFile& f : files) {
    if (f.role != FileRole::kSource) continue;
    const auto compile = [&]() -> Result<std::vector<uint8_t>> {
      if (has_linked_parts(network, device)) {
        if (f.name == kernels_file(network.name, device)) return kernels_object(network, device);
        if (f.name == constants_file(network.name)) return constants_object(network, device);
      }
      TT_TRY(write_file(directory.file(f.name), f.contents));
      return compile_source(directory.file(f.name), directory.file(f.name + ".o"), directory.path(),
                            device, f.is_theirs ? Warnings::kAreTheirs : Warnings::kAreErrors);
    };
    TT_TRY_ASSIGN(auto object, builds.object(f.name, headers + f.contents, device, compile));
    objects.push_back(std::move(object));
  }
  TT_TRY_ASSIGN(auto arrays, arrays_object(callers, device));
  objects.push_back(std::move(arrays));
  // While flash is locked, helpers in it cannot run, and users' linkers do not put them elsewhere.
  const bool locks_flash = network.arrivals && network.arrivals->way.locks_flash;
  const CodeHome home =
      has_fast_code(network) && !locks_flash ? CodeHome::kHelpersFast : CodeHome::kSlow;
  TT_TRY_ASSIGN(Image image, link_image(objects, device, network.invoke_symbol, home));
  const Footprint footprint = footprint_of(image, device, network.arena_bytes, callers_in_bss);
  return BuiltNetwork{std::move(image.elf), footprint};
}

}  // namespace tinytune
