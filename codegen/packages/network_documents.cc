#include <cstdio>

#include "codegen/kernels/kernel.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/constant_pool.h"
#include "codegen/operators/outside_text.h"
#include "codegen/packages/package_parts.h"

namespace tinytune {
namespace {

std::string ports_table(const std::string& name, const std::vector<Port>& ports,
                        const std::string& direction) {
  std::string out;
  for (size_t i = 0; i < ports.size(); ++i) {
    const Tensor& t = ports[i].tensor;
    out += "| `" + name + "_" + direction + "_" + std::to_string(i) + "(arena)` | " +
           std::string(name_of(t.type)) + " | " + shape_text(t.shape) + " | " +
           std::to_string(t.bytes()) + " |\n";
  }
  return out;
}

std::string row(const char* what, uint64_t bytes) {
  return std::string("| ") + what + " | " + std::to_string(bytes) + " |\n";
}

std::string tool_of(const Provenance& provenance) {
  return provenance.tool.empty() ? "tinytune" : in_markdown(provenance.tool);
}

// The table's line for a streamed input, which the arena never holds as a whole.
std::string row_of_stream(const GeneratedNetwork& network) {
  const Tensor& input = network.inputs[0].tensor;
  return "| `rows` of `" + network.invoke_symbol + "` | " + std::string(name_of(input.type)) +
         " | " + shape_text(input.shape) + ", in " + rows_word(*network.stream) + " | " +
         std::to_string(input.bytes()) + " |\n";
}

std::string origin_section(const Provenance& provenance) {
  std::string rows;
  if (!provenance.model_sha256.empty())
    rows += "* model: SHA-256 `" + in_markdown_code(provenance.model_sha256) + "`\n";
  if (!provenance.records.empty())
    rows += "* schedules: `" + in_markdown_code(provenance.records) + "`\n";
  return rows.empty() ? "" : "## Made from\n\n" + rows + "\n";
}

// Prints an example: a whole file that is both C and C++.
std::string example(const GeneratedNetwork& network) {
  const std::string &name = network.name, upper = c_upper(name);
  const auto element = [](const Port& port) { return c_type_of(port.tensor.type); };
  const std::string in = element(network.inputs[0]), out = element(network.outputs[0]);
  if (network.stream) {
    const std::string word = row_word(*network.stream);
    const std::string words = c_upper(rows_word(*network.stream));
    return "```c\n#include \"" + name + ".h\"\n\n" + upper + "_STATIC_ARENA(arena);\n\n" +
           "/* Once before the first " + word + ". */\nint " + name +
           "_example_begin(void) {\n  return " + name + "_reset(arena) == " + upper +
           "_OK ? 0 : -1;\n}\n\n/* With each " + word +
           ": 1 while others are missing, 0 with the results. */\nint " + name + "_example(const " +
           in + " *" + word + ", " + out + " *results) {\n  const " + name +
           "_status status = " + network.invoke_symbol + "(arena, " + word +
           ", 1);\n  if (status == " + upper + "_MORE_" + words +
           ") return 1;\n  if (status != " + upper + "_OK) return -1;\n  const " + out +
           " *output = " + name + "_output_0(arena);\n  for (unsigned i = 0; i < " + upper +
           "_OUTPUT_0_ELEMENTS; ++i) results[i] = output[i];\n  return 0;\n}\n```\n";
  }
  return "```c\n#include \"" + name + ".h\"\n\n" + upper + "_STATIC_ARENA(arena);\n\nint " + name +
         "_example(const " + in + " *values, " + out + " *results) {\n  " + in +
         " *input = " + name + "_input_0(arena);\n  for (unsigned i = 0; i < " + upper +
         "_INPUT_0_ELEMENTS; ++i) input[i] = values[i];\n  if (" + name +
         "_invoke(arena) != " + upper + "_OK) return -1;\n  const " + out + " *output = " + name +
         "_output_0(arena);\n  for (unsigned i = 0; i < " + upper +
         "_OUTPUT_0_ELEMENTS; ++i) results[i] = output[i];\n  return 0;\n}\n```\n";
}

std::string memory_section(const PackageParts& parts) {
  const GeneratedNetwork& network = parts.network;
  std::string out = "## Memory\n\n| | bytes |\n|---|--:|\n" +
                    row(network.stream ? "arena, what waits of the input and outputs included"
                                       : "arena, inputs and outputs included",
                        network.arena_bytes);
  if (!network.footprint) return out + "\n";
  const Footprint& takes = *network.footprint;
  const std::string latency = latency_text(parts.device, takes);
  out += row("weights copied to RAM", takes.weights_bytes) +
         row("code copied to RAM", takes.code_bytes);
  if (takes.data_bytes > 0) out += row("other data", takes.data_bytes);
  return out +
         row(takes.stacks > 1 ? "stacks of both cores in one call" : "stack of one call",
             takes.stack_bytes) +
         row("**RAM**, all of these", takes.ram_bytes()) +
         row("**flash**, what is copied included", takes.flash_bytes) +
         "\nBuilt with `clang -O2`; other compilers differ in the C code of the layers. One " +
         (network.stream && network.stream->hop > 0 ? "step, from one result to the next, "
                                                    : "inference ") +
         "takes " + std::to_string(takes.cycles) + " cycles of the simulated device" +
         (latency.empty() ? "" : ", " + latency) + ". The stack is the deepest that a call of `" +
         network.invoke_symbol + "` wrote" +
         (network.stream ? "" : ", and every call goes as deep") +
         "; interrupts add theirs. The header has these figures as macros.\n\n";
}

std::string region_of(const Device& device, const std::string& name) {
  const MemoryRegion& memory = device.memory(name);
  char text[96];
  std::snprintf(text, sizeof text, "%u KiB at 0x%08x", memory.size_bytes / 1024, memory.address);
  return "`" + in_markdown_code(name) + "` (" + text + ")";
}

// Prints what firmware must do for parts in fast memory, whichever they are: users may change it.
std::string fast_memory_section(const PackageParts& parts) {
  if (parts.network.placeable.empty()) return "";
  const Device& device = parts.device;
  std::string out =
      "\n## Fast memory\n\n`" + placement_header(parts.network.name) +
      "` says what is copied from flash to faster memory; set a switch to 0 to leave a "
      "part in flash. The network computes the same wherever its parts are.\n\n";
  for (size_t i = 0; i < device.fast_rodata_memories.size(); ++i)
    out += std::string(i == 0 ? "* Weights" : "* Weights that find no room there") + ": section `" +
           fast_weights_section(i) +
           "`, which linker scripts take for a part of `.data`, so that start-up code copies it. "
           "Simulated in " +
           region_of(device, device.fast_rodata_memories[i]) + ".\n";
  if (device.fast_code_memory.empty()) return out;
  return out + "* Code: section `" + as_symbol_word(device.fast_code_section) + "`. Simulated in " +
         region_of(device, device.fast_code_memory) +
         ". If your linker script does not know the section, it stays in flash: right, and slower. "
         "To place it, add\n\n```\n.fast_text : ALIGN(4) {\n  fast_text_start = .;\n  *(" +
         as_symbol_word(device.fast_code_section) +
         ")\n  . = ALIGN(4);\n  fast_text_end = .;\n} > FAST AT > FLASH\nfast_text_load = "
         "LOADADDR(.fast_text);\n```\n\nwith your names of the two memories, and copy "
         "`fast_text_end - fast_text_start` bytes from `fast_text_load` to `fast_text_start` "
         "before "
         "the first call, as start-up code does for `.data`.\n";
}

}  // namespace

std::string print_readme(const PackageParts& parts, const Files& files, const std::string& steps) {
  const GeneratedNetwork& network = parts.network;
  const std::string& name = network.name;
  std::string out =
      "# " + name + " for " + in_markdown(parts.device.name) + "\n\n" +
      "A neural network as a C library, generated by " + tool_of(network.provenance) +
      ". It needs no runtime, no heap and no C library.\n\n" + example(network) +
      "\n| tensor | type | shape | bytes |\n|---|---|---|--:|\n" +
      (network.stream ? row_of_stream(network) : ports_table(name, network.inputs, "input")) +
      ports_table(name, network.outputs, "output") +
      (network.stream ? "\nThe input arrives in " + rows_word(*network.stream) +
                            ", and never exists as a whole.\n\n"
                      : "\nFill the inputs again before every call: their memory is reused.\n\n") +
      memory_section(parts) + origin_section(network.provenance) + "## Build\n\nFor " +
      in_markdown(parts.device.target.isa) +
      (parts.device.target.abi.empty() ? "" : ", ABI " + in_markdown(parts.device.target.abi)) +
      ".\n\n" + steps + "\nBy hand: compile these files with `-O2` (C11) and link them.\n\n";
  for (const GeneratedFile& file : files)
    if (file.role == FileRole::kSource) out += "* `" + file.name + "`\n";
  out += fast_memory_section(parts);
  for (const GeneratedFile& file : files)
    if (file.role == FileRole::kTest)
      out += "\n`" + file.name + "` runs one inference and compares every output byte: `" + name +
             "_smoke()` returns 0, and its `main` does too (and prints PASS where there is a C "
             "library).\n";
  for (const GeneratedFile& file : files)
    if (file.role == FileRole::kBench)
      out += "\n`" + file.name +
             "` prints the cycles of every layer by the core's own counter. Save what the console "
             "shows; `tune import-times` reads it.\n";
  return out;
}

}  // namespace tinytune
