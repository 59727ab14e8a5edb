"""Writes a C program that runs a network of MLPerf Tiny through the functions of CMSIS-NN.

As TensorFlow Lite for Microcontrollers calls them: weights and biases are constants, multipliers and shifts are in
memory beside the tensors, sums of dense weights are made beforehand. The program infers twice and prints what the cycle
counter says of each layer of the second inference, then the output.
"""
import re

import tflite_network as tflite
from semihosting import ASK_HOST

HEAD = r"""
#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#define ARENA __attribute__((section(".arena"), aligned(16)))
#define CYCLES (*(volatile uint32_t *)0xE0001004)
void *memcpy(void *to, const void *from, size_t bytes) {
  char *out = to;
  for (const char *in = from; bytes != 0; --bytes) *out++ = *in++;
  return to;
}
void *memset(void *to, int value, size_t bytes) {
  for (char *out = to; bytes != 0; --bytes) *out++ = (char)value;
  return to;
}
""" + ASK_HOST + r"""static void fail(void) {
  ask_host(4, "refused\n");
  ask_host(0x18, (void *)0x20023);
}
static void print(int number) {
  char text[14], *at = text + 13;
  unsigned left = number < 0 ? 0u - (unsigned)number : (unsigned)number;
  *at = 0;
  *--at = ' ';
  do *--at = (char)('0' + left % 10); while (left /= 10);
  if (number < 0) *--at = '-';
  ask_host(4, at);
}
"""

TAIL = r"""
extern uint32_t stack_end;
void start(void);
__attribute__((section(".vectors"), used)) void *const vectors[] = {&stack_end, start};
void start(void) {
  *(volatile uint32_t *)0xE000ED88 |= 0xF00000;   // lets vectors run
  *(volatile uint32_t *)0xE000EDFC |= 1u << 24;   // and the counter, which starts here
  *(volatile uint32_t *)0xE0001000 |= 1;
  prepare();
  memcpy(arena + INPUT, input, sizeof input);
  infer();
  memcpy(arena + INPUT, input, sizeof input);
  infer();
  for (int i = 0; i < LAYERS; ++i) print((int)(passed[i + 1] - passed[i]));
  ask_host(4, "\n");
  for (int i = 0; i < OUTPUT_BYTES; ++i) print(arena[OUTPUT + i]);
  ask_host(4, "\n");
  ask_host(0x18, (void *)0x20026);
  for (;;) {}
}
"""


def places(network):
    """Where each tensor begins in the arena, tensors that live at once apart; and how far that reaches."""
    born, dies = {network.input: -1}, {}
    same = {}  # what RESHAPE makes is where its input is
    for step, operator in enumerate(network.operators):
        if operator.kind == tflite.RESHAPE:
            same[operator.output] = operator.inputs[0]
        else:
            born[operator.output] = step
        for tensor in operator.inputs:
            while tensor in same:
                tensor = same[tensor]
            dies[tensor] = step
    dies[network.output] = len(network.operators)
    begins = {}
    for tensor in sorted(born, key=lambda t: -network.tensors[t].size):
        size, at = network.tensors[tensor].size, 0
        beside = sorted((begins[t], begins[t] + network.tensors[t].size) for t in begins
                        if born[t] <= dies[tensor] and born[tensor] <= dies[t])
        for begin, end in beside:
            if at + size > begin:
                at = max(at, (end + 15) // 16 * 16)
        begins[tensor] = at
    for made, source in same.items():
        while source in same:
            source = same[source]
        begins[made] = begins[source]
    return begins, max(begins[t] + network.tensors[t].size for t in born)


class Driver:
    """`headers`: the text of CMSIS-NN's, whose releases differ in how sums of weights are asked for."""

    def __init__(self, network, golden_input, headers):
        self.network, self.headers = network, headers
        self.arrays, self.prepared, self.layers, self.sums = [], [], [], 0
        self.begins, self.bytes = places(network)
        self.scratch = 4096
        self.array("const int8_t", "input", [byte - 256 if byte > 127 else byte for byte in golden_input])

    def array(self, kind, name, numbers):
        where = "" if kind.startswith("const") else "ARENA "
        self.arrays.append(f"static {where}__attribute__((aligned(16))) {kind} {name}[] = "
                           "{" + ",".join(map(str, numbers)) + "};")
        return name

    def tensor(self, index):
        return self.network.tensors[index]

    def at(self, index):
        return f"arena + {self.begins[index]}"

    def constants(self, step, operator):
        """Names of the weights and of the biases."""
        weights, biases = self.tensor(operator.inputs[1]), self.tensor(operator.inputs[2])
        numbers = [byte - 256 if byte > 127 else byte for byte in weights.constant]
        return (self.array("const int8_t", f"weights{step}", numbers),
                self.array("const int32_t", f"biases{step}", biases.words()))

    def channels(self, step, operator):
        """Multipliers and shifts of every channel."""
        taken, weights, made = (self.tensor(t) for t in (*operator.inputs[:2], operator.output))
        pairs = [tflite.fixed_point(taken.scales[0] * scale / made.scales[0]) for scale in weights.scales]
        self.array("int32_t", f"multipliers{step}", [pair[0] for pair in pairs])
        self.array("int32_t", f"shifts{step}", [pair[1] for pair in pairs])
        return f"{{multipliers{step}, shifts{step}}}"

    def convolution(self, step, operator, depthwise):
        taken, weights, made = (self.tensor(t) for t in (*operator.inputs[:2], operator.output))
        options = operator.options
        more = 1 if depthwise else 0  # the depth multiplier stands before the activation
        scheme, wide, high = options.number(0, "<b"), options.number(1), options.number(2)
        low, top = tflite.clamps(options.number(3 + more, "<b"), made)
        dilation = options.number(4 + more, default=1), options.number(5 + more, default=1)
        before = (tflite.padding(scheme, taken.shape[2], weights.shape[2], wide, dilation[0], made.shape[2]),
                  tflite.padding(scheme, taken.shape[1], weights.shape[1], high, dilation[1], made.shape[1]))
        data, biases = self.constants(step, operator)
        kind, function = ("dw_conv", "depthwise_conv") if depthwise else ("conv", "convolve")
        multiplier = f"{options.number(3)}, " if depthwise else ""
        taps = weights.shape[1] * weights.shape[2]
        self.scratch = max(self.scratch, 4 * taps * (128 if depthwise else taken.shape[3] + 8) + 1024)
        # A filter's first extent is the number of outputs, unless it is depthwise.
        shape = [1 if depthwise else weights.shape[0], *weights.shape[1:]]
        return f"""
  static const cmsis_nn_{kind}_params how = {{{-taken.zero_point}, {made.zero_point}, {multiplier}{{{wide}, {high}}},
    {{{before[0]}, {before[1]}}}, {{{dilation[0]}, {dilation[1]}}}, {{{low}, {top}}}}};
  static const cmsis_nn_per_channel_quant_params scales = {self.channels(step, operator)};
  static const cmsis_nn_dims in = {dims(taken.shape)}, filter = {dims(shape)}, bias = {{1, 1, 1, {made.shape[3]}}},
    out = {dims(made.shape)};
  const cmsis_nn_context context = {{scratch, sizeof scratch}};
  if (arm_{function}_wrapper_s8_get_buffer_size(&how, &in, &filter, &out) > (int)sizeof scratch) fail();
  if (arm_{function}_wrapper_s8(&context, &how, &scales, &in, {self.at(operator.inputs[0])}, &filter, {data}, &bias,
      {biases}, &out, {self.at(operator.output)}) != ARM_CMSIS_NN_SUCCESS) fail();"""

    def dense(self, step, operator):
        taken, weights, made = (self.tensor(t) for t in (*operator.inputs[:2], operator.output))
        rows, columns = weights.shape
        low, top = tflite.clamps(operator.options.number(0, "<b"), made)
        scale = tflite.as_float(taken.scales[0] * weights.scales[0])
        multiplier, shift = tflite.fixed_point(scale / made.scales[0])
        data, biases = self.constants(step, operator)
        self.arrays.append(f"static ARENA int32_t sums{step}[{rows}];")
        given = {"vector_sum_buf": f"sums{step}", "vector_cols": columns, "vector_rows": rows, "vector_data": data,
                 "lhs_offset": -taken.zero_point, "rhs_offset": 0, "bias_data": biases}
        declared = re.search(r"\barm_vector_sum_s8\(\s*(int32_t[^)]*)\)", self.headers)
        if declared:
            names = re.findall(r"(\w+)\s*(?:,|$)", declared.group(1))
            self.prepared.append(f"arm_vector_sum_s8({', '.join(str(given[name]) for name in names)});")
        return f"""
  static const cmsis_nn_fc_params how = {{{-taken.zero_point}, 0, {made.zero_point}, {{{low}, {top}}}}};
  static const cmsis_nn_per_tensor_quant_params scales = {{{multiplier}, {shift}}};
  static const cmsis_nn_dims in = {{1, 1, 1, {columns}}}, filter = {{{columns}, 1, 1, {rows}}};
  static const cmsis_nn_dims out = {{1, 1, 1, {rows}}};
  const cmsis_nn_context context = {{sums{step}, sizeof sums{step}}};
  if (arm_fully_connected_s8(&context, &how, &scales, &in, {self.at(operator.inputs[0])}, &filter, {data}, &out,
      {biases}, &out, {self.at(operator.output)}) != ARM_CMSIS_NN_SUCCESS) fail();"""

    def pooling(self, operator):
        taken, made = self.tensor(operator.inputs[0]), self.tensor(operator.output)
        options = operator.options
        low, top = tflite.clamps(options.number(5, "<b"), made)
        wide, high = options.number(3), options.number(4)
        before = [tflite.padding(options.number(0, "<b"), taken.shape[2 - i], (wide, high)[i], options.number(1 + i), 1,
                                 made.shape[2 - i]) for i in (0, 1)]
        return f"""
  static const cmsis_nn_pool_params how = {{{{{options.number(1)}, {options.number(2)}}}, {{{before[0]}, {before[1]}}},
    {{{low}, {top}}}}};
  static const cmsis_nn_dims in = {dims(taken.shape)}, filter = {{1, {high}, {wide}, 1}}, out = {dims(made.shape)};
  const cmsis_nn_context context = {{scratch, sizeof scratch}};
  if (arm_avgpool_s8(&context, &how, &in, {self.at(operator.inputs[0])}, &filter, &out, {self.at(operator.output)}) !=
      ARM_CMSIS_NN_SUCCESS) fail();"""

    def addition(self, operator):
        left, right, made = (self.tensor(t) for t in (*operator.inputs, operator.output))
        low, top = tflite.clamps(operator.options.number(0, "<b"), made)
        first, second, sums = tflite.addition(left, right, made)
        return f"""
  if (arm_elementwise_add_s8({self.at(operator.inputs[0])}, {self.at(operator.inputs[1])}, {-left.zero_point},
      {first[0]}, {first[1]}, {-right.zero_point}, {second[0]}, {second[1]}, 20, {self.at(operator.output)},
      {made.zero_point},
      {sums[0]}, {sums[1]}, {low}, {top}, {made.size}) != ARM_CMSIS_NN_SUCCESS) fail();"""

    def softmax(self, operator):
        scores = self.tensor(operator.inputs[0])
        multiplier, shift, least = tflite.softmax(scores, operator.options.number(0, "<f"))
        width = scores.shape[-1]
        return f"""
  arm_softmax_s8({self.at(operator.inputs[0])}, {scores.size // width}, {width}, {multiplier}, {shift}, {least},
      {self.at(operator.output)});"""

    def layer(self, step, operator):
        kind = operator.kind
        if kind in (tflite.CONVOLUTION, tflite.DEPTHWISE):
            return self.convolution(step, operator, kind == tflite.DEPTHWISE)
        if kind == tflite.DENSE:
            return self.dense(step, operator)
        named = {tflite.AVERAGE_POOL: self.pooling, tflite.ADD: self.addition, tflite.SOFTMAX: self.softmax}
        if kind not in named:
            raise ValueError(f"operator {kind} has no function here")
        return named[kind](operator)

    def program(self):
        steps = [step for step, operator in enumerate(self.network.operators) if operator.kind != tflite.RESHAPE]
        bodies = [f"static __attribute__((noinline)) void layer{step}(void) {{"
                  f"{self.layer(step, self.network.operators[step])}\n}}" for step in steps]
        calls = "\n".join(f"  layer{step}();\n  passed[{i + 1}] = CYCLES;" for i, step in enumerate(steps))
        made = self.network.tensors[self.network.output]
        return "\n".join((
            HEAD, f"enum {{ INPUT = {self.begins[self.network.input]}, OUTPUT = {self.begins[self.network.output]}, "
            f"OUTPUT_BYTES = {made.size}, LAYERS = {len(steps)} }};",
            f"static ARENA int8_t arena[{self.bytes + 16}], scratch[{self.scratch}];",
            f"static ARENA uint32_t passed[{len(steps) + 1}];", *self.arrays, *bodies,
            "static void prepare(void) {", *(f"  {line}" for line in self.prepared), "}",
            "static __attribute__((noinline)) void infer(void) {\n  passed[0] = CYCLES;", calls, "}", TAIL))


def dims(shape):
    return "{" + ", ".join(map(str, shape)) + "}"
