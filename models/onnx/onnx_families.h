// The import functions in the rows of onnx_operators.cc, by the file that defines them.
// onnx_operators.h explains the arguments.
#pragma once

#include "models/onnx/onnx_operators.h"

namespace tinytune {

// onnx_layer_operators.cc
Result<int> import_conv(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_conv_transpose(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_product(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_product_sums(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_qlinear_conv(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_qlinear_matmul(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_qgemm(OnnxImport&, const OnnxNode&);
/// Imports Add of a constant to a MatMul or a Conv as its bias; nullopt for any other Add.
Result<std::optional<int>> import_biased_product(OnnxImport&, const OnnxNode&, const OnnxScale&,
                                                 Activation);

// onnx_products.cc
Result<OnnxResult> import_matmul_integer(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_conv_integer(OnnxImport&, const OnnxNode&);

// onnx_pairs.cc
Result<int> import_add(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_add_all(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_sub(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_mul(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<OnnxResult> import_qlinear_add(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_qlinear_mul(OnnxImport&, const OnnxNode&);

// onnx_pools.cc
Result<int> import_max_pool(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_average_pool(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_mean(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_sum(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<int> import_extremum(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<OnnxResult> import_qlinear_average_pool(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_qlinear_mean(OnnxImport&, const OnnxNode&);

// onnx_softmax.cc
Result<int> import_softmax(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<OnnxResult> import_qlinear_softmax(OnnxImport&, const OnnxNode&);

// onnx_moves.cc
Result<int> import_same(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_cast(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_reshape(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_transpose(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_concat(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_slice(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_split(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_gather(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_pad(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_expand(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_depth_to_space(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<int> import_space_to_depth(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<OnnxResult> import_qlinear_concat(OnnxImport&, const OnnxNode&);

// onnx_places.cc
Result<OnnxResult> import_arg_extremum(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_whole_cast(OnnxImport&, const OnnxNode&);
Result<OnnxResult> import_whole_reshape(OnnxImport&, const OnnxNode&);

// onnx_choices.cc
Result<int> import_where(OnnxImport&, const OnnxNode&, const OnnxScale&, Activation);
Result<OnnxResult> import_qlinear_where(OnnxImport&, const OnnxNode&);

// onnx_resize.cc
Result<int> import_resize(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);

// onnx_functions.cc
Result<int> import_clipped_bytes(OnnxImport&, const OnnxNode&, int, const std::vector<int>&);
Result<OnnxResult> import_qlinear_function(OnnxImport&, const OnnxNode&);

}  // namespace tinytune
