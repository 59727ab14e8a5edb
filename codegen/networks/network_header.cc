#include <algorithm>
#include <cstdio>

#include "codegen/networks/arrival_text.h"
#include "codegen/networks/core_text.h"
#include "codegen/networks/marked_text.h"
#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network_parts.h"
#include "codegen/networks/placed_text.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/outside_text.h"

namespace tinytune {
namespace {

std::string element_text(const Tensor& tensor) {
  std::string text = std::string(name_of(tensor.type)) + " " + shape_text(tensor.shape);
  return text;
}

std::string tool_name(const Provenance& provenance) {
  return provenance.tool.empty() ? "tinytune" : in_c_comment(provenance.tool);
}

std::string origin(const Provenance& provenance) {
  std::string out;
  if (!provenance.model_sha256.empty())
    out += " * Model: SHA-256 " + in_c_comment(provenance.model_sha256) + "\n";
  if (!provenance.records.empty())
    out += " * Schedules: " + in_c_comment(provenance.records) + "\n";
  return out;
}

void define(std::string& out, const std::string& name, const std::string& value) {
  out += "#define " + name + " " + value + "\n";
}

void footprint_macros(std::string& out, const HeaderFacts& facts, const Footprint& footprint) {
  const std::string upper = c_upper(facts.name);
  const std::string latency = latency_text(facts.device, footprint);
  out +=
      "\n/* Memory and cycles of the network, built for this device (clang -O2) and run in its\n"
      " * simulator: all RAM (arena, weights and code that start-up code copies, stack below the\n"
      " * caller), flash, cycles of one inference" +
      (latency.empty() ? "" : "\n * (" + latency + ")") + ". */\n";
  define(out, upper + "_RAM_BYTES", std::to_string(footprint.ram_bytes()) + "u");
  define(out, upper + "_RAM_WEIGHTS_BYTES", std::to_string(footprint.weights_bytes) + "u");
  define(out, upper + "_RAM_CODE_BYTES", std::to_string(footprint.code_bytes) + "u");
  define(out, upper + "_STACK_BYTES", std::to_string(footprint.stack_bytes) + "u");
  if (footprint.stacks > 1)
    define(out, upper + "_STACK_BYTES_OF_A_CORE",
           std::to_string(footprint.stack_bytes / static_cast<uint64_t>(footprint.stacks)) + "u");
  define(out, upper + "_FLASH_BYTES", std::to_string(footprint.flash_bytes) + "u");
  define(out, upper + "_CYCLES", std::to_string(footprint.cycles) + "ull");
}

void port_macros(std::string& out, const HeaderFacts& facts, const Port& port,
                 const std::string& direction, size_t i) {
  const Tensor& t = port.tensor;
  const std::string prefix = c_upper(facts.name + "_" + direction + "_" + std::to_string(i));
  out += "\n/* " + direction + " " + std::to_string(i) + ": \"" + in_c_comment(t.name) + "\", " +
         element_text(t) + " */\n";
  const bool arrives = facts.stream && direction == "input";
  if (!arrives) define(out, prefix + "_OFFSET", std::to_string(port.offset) + "u");
  define(out, prefix + "_BYTES", std::to_string(t.bytes()) + "u");
  define(out, prefix + "_ELEMENTS", std::to_string(t.elements()) + "u");
  define(out, prefix + "_RANK", std::to_string(t.shape.size()) + "u");
  std::string dimensions;
  for (const int extent : t.shape)
    dimensions += (dimensions.empty() ? "" : ", ") + std::to_string(extent);
  if (!dimensions.empty()) define(out, prefix + "_SHAPE", "{" + dimensions + "}");
  if (t.quantization.scales.size() == 1) {
    define(out, prefix + "_SCALE", c_float(t.quantization.scales[0]));
    const auto& zero_points = t.quantization.zero_points;
    define(out, prefix + "_ZERO_POINT",
           zero_points.empty() ? "0" : "(" + c_int(zero_points[0]) + ")");
  }
}

void port_function(std::string& out, const HeaderFacts& facts, const Port& port,
                   const std::string& direction, size_t i) {
  const std::string number = std::to_string(i);
  const std::string function = facts.name + "_" + direction + "_" + number;
  const std::string type = c_type_of(port.tensor.type);
  out += "static inline " + type + " *" + function + "(void *arena) {\n  return (" + type +
         " *)((unsigned char *)arena + " + c_upper(function) + "_OFFSET);\n}\n";
}

constexpr const char* kStatus = R"(/* Status of a call. Unless it is OK, no memory was written. */
typedef enum {
  %U_OK = 0,
  %U_ERROR_NULL_ARENA = 1,      /* the arena is a null pointer */
  %U_ERROR_MISALIGNED_ARENA = 2 /* its address is not a multiple of %U_ARENA_ALIGNMENT */
} %L_status;
)";

constexpr const char* kInvoke =
    R"(/* Runs the network once: reads the inputs in the arena, writes the outputs there.
 *
 * Inputs and outputs share memory with intermediate results, so inputs must be filled again before
 * every call, and outputs are valid until the next call or until an input is written. There is no
 * state outside the arena: calls on different arenas may run at the same time. */
%L_status %L_invoke(void *arena);
)";

/// C++ wants the alignment first and spells it otherwise.
constexpr const char* kStaticArena =
    R"(/* Defines the arena as a static array: %U_STATIC_ARENA(arena); */
#ifdef __cplusplus
#define %U_STATIC_ARENA(name) alignas(%U_ARENA_ALIGNMENT) static unsigned char name[%U_ARENA_BYTES]
#else
#define %U_STATIC_ARENA(name) _Alignas(%U_ARENA_ALIGNMENT) static unsigned char name[%U_ARENA_BYTES]
#endif
)";

constexpr const char* kInvokeWithState =
    R"(/* Resets the state. Call it before the first %L_invoke on an arena, and before each new sequence
 * of inputs. */
%L_status %L_reset(void *arena);

/* Runs the network once: reads the inputs in the arena, writes the outputs there, and keeps
 * the state for the next call in the arena.
 *
 * Inputs and outputs share memory with intermediate results, so inputs must be filled again before
 * every call, and outputs are valid until the next call or until an input is written. There is no
 * state outside the arena: each arena is a sequence of its own. */
%L_status %L_invoke(void *arena);
)";

constexpr const char* kStreamStatus =
    R"(/* Status of a call. If it is an error, no memory was written. */
typedef enum {
  %U_OK = 0,                     /* the outputs are complete */
  %U_ERROR_NULL_ARENA = 1,       /* the arena is a null pointer */
  %U_ERROR_MISALIGNED_ARENA = 2, /* its address is not a multiple of %U_ARENA_ALIGNMENT */
  %U_MORE_%R = 3, /* all of them were taken, others have to follow */
  %U_ERROR_%R = 4 /* more than are missing, fewer than none, or a null pointer */
} %L_status;
)";

constexpr const char* kPushRows =
    R"(/* Makes the network forget rows that arrived: before the first of them on an arena, and wherever
 * an input is given up before its last row. */
%L_status %L_reset(void *arena);

/* Takes the next `count` rows of the input, from the top, any number at a time; %U_ROWS of them are
 * one input. They are dense, last dimension fastest, and may be overwritten as soon as the call
 * returns: what of them is needed again is in the arena. Layers are computed as soon as their rows
 * are there, so calls take differently long. %U_MORE_ROWS: not all have arrived. %U_OK: with the last
 * row the outputs are there, valid until the next call; the row after it is the first of another
 * input. There is no state outside the arena: each arena is an input of its own. */
%L_status %L_push_rows(void *arena, const %T *rows, int32_t count);
)";

constexpr const char* kPushFrames =
    R"(/* Makes the network forget frames that arrived: before the first of them on an arena, and wherever
 * they are not what follows the last ones. */
%L_status %L_reset(void *arena);

/* Takes the next `count` frames, rows of the input from the top.
 *
 * The first result comes with frame %U_FRAMES, and each later one
 * %U_FRAMES_STEP frames after the one before: it is what the whole network makes
 * of the last %U_FRAMES frames, but only what is new of them is computed. No call
 * takes frames beyond a result. They are dense, last dimension fastest, and may be overwritten as
 * soon as the call returns. %U_MORE_FRAMES: others have to follow.
 * %U_OK: the outputs are there, valid until the next call. There is no state outside
 * the arena: each arena is a sequence of its own. */
%L_status %L_push_frames(void *arena, const %T *rows, int32_t count);
)";

std::string calls_of(const HeaderFacts& facts) {
  if (!facts.stream) return with_names(facts.has_state ? kInvokeWithState : kInvoke, facts.name);
  const std::string text = facts.stream->hop > 0 ? kPushFrames : kPushRows;
  return with_names(with(text, "%T", c_type_of(facts.inputs[0].tensor.type)), facts.name);
}

}  // namespace

std::string latency_text(const Device& device, const Footprint& footprint) {
  if (!device.clock_hz) return "";
  const auto clock = static_cast<double>(*device.clock_hz);
  char text[64];
  std::snprintf(text, sizeof text, "%.4g ms at %.4g MHz",
                static_cast<double>(footprint.cycles) * 1e3 / clock, clock / 1e6);
  return text;
}

std::string print_header(const HeaderFacts& facts) {
  const std::string upper = c_upper(facts.name);
  const std::string word = facts.stream ? row_word(*facts.stream) : "";
  const std::string words = facts.stream ? rows_word(*facts.stream) : "";
  std::string out =
      "/* " + facts.name + ": a neural network for " + in_c_comment(facts.device.name) +
      ", generated by " + tool_name(facts.provenance) + ". Do not edit.\n" +
      origin(facts.provenance) +
      " *\n"
      " *   " +
      upper +
      "_STATIC_ARENA(arena);\n"
      " *" +
      (facts.stream ? "   " + facts.name + "_reset(arena);\n *   while (" + facts.name + "_push_" +
                          words + "(arena, " + word + ", 1) == " + upper + "_MORE_" +
                          c_upper(words) + ") ... the next " + word + " ...\n"
                    : "   ... write " + facts.name + "_input_0(arena) ...\n *   if (" + facts.name +
                          "_invoke(arena) != " + upper + "_OK) ...\n") +
      " *   ... read " + facts.name +
      "_output_0(arena) ...\n"
      " *\n"
      " * real = SCALE * (stored - ZERO_POINT). Tensors are dense, last dimension "
      "fastest. */\n"
      "#ifndef " +
      upper + "_H\n#define " + upper +
      "_H\n\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
      "/* Memory that the caller provides: " +
      (facts.stream ? words + " that wait" : "inputs") + ", outputs and everything between. */\n";
  define(out, upper + "_ARENA_BYTES", std::to_string(facts.arena_bytes) + "u");
  define(out, upper + "_ARENA_ALIGNMENT", std::to_string(kArenaAlignment));
  out += with_names(kStaticArena, facts.name);
  if (facts.footprint) footprint_macros(out, facts, *facts.footprint);
  out += "\n";
  define(out, upper + "_INPUT_COUNT", std::to_string(facts.inputs.size()) + "u");
  define(out, upper + "_OUTPUT_COUNT", std::to_string(facts.outputs.size()) + "u");
  for (size_t i = 0; i < facts.inputs.size(); ++i)
    port_macros(out, facts, facts.inputs[i], "input", i);
  for (size_t i = 0; i < facts.outputs.size(); ++i)
    port_macros(out, facts, facts.outputs[i], "output", i);
  if (facts.stream) {
    const int hop = facts.stream->hop;
    const std::string upper_words = c_upper(words);
    out += "\n/* Rows of the input, " +
           std::string(hop > 0 ? "from one result to the next, " : "") + "and bytes of each */\n";
    define(out, upper + "_" + upper_words, std::to_string(facts.stream->rows));
    if (hop > 0) define(out, upper + "_" + upper_words + "_STEP", std::to_string(hop));
    define(out, upper + "_" + c_upper(word) + "_BYTES",
           std::to_string(facts.stream->row_bytes) + "u");
  }
  out += "\n" +
         with_names(facts.stream ? with(kStreamStatus, "%R", c_upper(words)) : kStatus, facts.name);
  if (!facts.stream) {
    out += "\n/* Return the addresses of the inputs. */\n";
    for (size_t i = 0; i < facts.inputs.size(); ++i)
      port_function(out, facts, facts.inputs[i], "input", i);
  }
  out += "\n/* Return the addresses of the outputs. */\n";
  for (size_t i = 0; i < facts.outputs.size(); ++i)
    port_function(out, facts, facts.outputs[i], "output", i);
  out += "\n" + calls_of(facts) + print_core_api(facts.name, facts.cores) +
         (facts.arrival_way ? print_arrival_api(facts.name, *facts.arrival_way) : "") +
         "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " + upper + "_H */\n";
  return out;
}

void state_facts(GeneratedNetwork& network, const Device& device, const Provenance& provenance,
                 const std::optional<Footprint>& footprint) {
  network.provenance = provenance;
  network.footprint = footprint;
  for (GeneratedFile& file : network.files)
    if (file.name == network.name + ".h")
      file.contents =
          print_header({network.name, device, network.inputs, network.outputs, network.arena_bytes,
                        !network.reset_symbol.empty(), network.stream, network.cores,
                        network.arrivals ? std::optional(network.arrivals->way) : std::nullopt,
                        footprint, provenance});
}

std::string print_internal_header(const NetworkParts& parts) {
  const std::string guard = c_upper(parts.name) + "_INTERNAL_H";
  std::string out = "/* Declarations that the sources of " + parts.name +
                    " share. Not for callers. */\n#ifndef " + guard + "\n#define " + guard +
                    "\n\n#include <stdint.h>\n" + include_placement(parts);
  if (!parts.constants.arrays().empty()) out += "\n/* " + parts.name + "_weights.c */\n";
  for (const ConstantPool::Array& array : parts.constants.arrays())
    out += "extern " + placed_declarator(parts, array) + ";\n";
  if (!parts.kernels.empty()) out += "\n/* " + kernels_file(parts.name, parts.device) + " */\n";
  for (const KernelSet::Kernel& kernel : parts.kernels) {
    std::string parameters;
    for (const std::string& p : kernel.parameters)
      parameters += (parameters.empty() ? "" : ", ") + p;
    out += "void " + kernel.symbol + "(" + parameters + ");\n";
  }
  out += "\n/* " + parts.name + ".c: one function per operator, to be seen by profilers */\n";
  for (const LayerFunction& f : parts.functions)
    out += "void " + f.symbol + "(unsigned char *arena);\n";
  return out + "\n#endif /* " + guard + " */\n";
}

}  // namespace tinytune
